/**
 * The keywords of arrays, as a record: items by position, the rest, counts.
 */
import type { Keywords } from './keywords.ts'
import type { Node } from './node.ts'
import type { Refusal } from './report.ts'
import { type ArrayRecord, EXACT, type Tally } from './shape.ts'

/** What the keywords of arrays allow. */
export function arraysOf(keywords: Keywords): readonly ArrayRecord[] {
  const { shapes } = keywords.context
  const { any } = shapes.nodes
  const { prefix, rest } = itemsOf(keywords)
  const min = keywords.atLeast('minItems')
  const max = keywords.atMost('maxItems')
  const unique = keywords.get('uniqueItems')
  if (unique !== undefined && typeof unique !== 'boolean')
    keywords.invalid('uniqueItems', 'must be a boolean')
  const tallies: Tally[] = []
  const contains = keywords.get('contains')
  if (contains !== undefined) {
    const node = keywords.node(contains, 'contains')
    const least = keywords.get('minContains') === undefined ? 1 : keywords.atLeast('minContains')
    const most = keywords.atMost('maxContains')
    tallies.push({ node, from: 0, min: least, max: most })
  }

  const plain = prefix.length === 0 && rest === any && min === 0 && max === Number.POSITIVE_INFINITY
  if (plain && unique !== true && tallies.length === 0) return [shapes.anyArray]
  const record = shapes.settleArray({
    prefix,
    rest,
    min,
    max,
    unique: unique === true ? undecided(keywords) : null,
    tallies,
    blocked: EXACT,
  })
  return record === null ? [] : [record]
}

function itemsOf(keywords: Keywords): { prefix: Node[]; rest: Node } {
  const { any } = keywords.context.shapes.nodes
  const items = keywords.get('items')
  const positions = keywords.array('prefixItems')
  const prefix = (positions ?? []).map((value, index) => keywords.node(value, 'prefixItems', String(index)))
  if (!Array.isArray(items))
    return { prefix, rest: items === undefined ? any : keywords.node(items, 'items') }
  if (keywords.atom.resource.dialect === 2020) {
    keywords.invalid('items', 'must be a schema in 2020-12; the schemas of positions stand in prefixItems')
  } else if (positions !== undefined) {
    keywords.invalid('items', 'must be a schema beside prefixItems')
  }
  const additional = keywords.get('additionalItems')
  return {
    prefix: items.map((value, index) => keywords.node(value, 'items', String(index))),
    rest: additional === undefined ? any : keywords.node(additional, 'additionalItems'),
  }
}

function undecided(keywords: Keywords): Refusal {
  return keywords.problem(
    'uniqueItems',
    'whether enough items can differ is not decided where they are objects or arrays of few values, or more than 1,000',
    'lower minItems to 1, or leave out contains',
  )
}
