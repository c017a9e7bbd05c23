/**
 * Which properties and items a schema evaluates: what `unevaluatedProperties` and `unevaluatedItems` leave to theirs.
 *
 * That depends on which branches a value satisfies, so the answer is a list of cases: a condition on the value, and what is
 * evaluated under it. Every value that satisfies the schema meets the condition of a case that tells of it what is true.
 * Branches that evaluate nothing make no cases; the others multiply, and are counted.
 */
import { PatternError } from '../errors.ts'
import type { Regex } from '../regex/regex.ts'
import type { Shapes } from './intersect.ts'
import { type KeywordContext, Keywords } from './keywords.ts'
import type { Mode, Node, SchemaAtom } from './node.ts'
import { REFERENCES } from './references.ts'
import { type Blocked, EMPTY_SHAPE, EXACT, joinBlocked, type Shape } from './shape.ts'
import { patternLanguage, patternProblem } from './string-keywords.ts'

/** What is evaluated: an upper bound where something is blocked. */
export interface Evaluated {
  readonly names: ReadonlySet<string>
  readonly patterns: readonly Regex[]
  readonly allNames: boolean
  /** So many of the first items. */
  readonly count: number
  readonly allItems: boolean
  /** Items that satisfy one of these: what `contains` evaluates since 2020-12. */
  readonly matching: readonly Node[]
  readonly blocked: Blocked
}

export interface Case {
  /** `null` where there is none. */
  readonly condition: Shape | null
  readonly evaluated: Evaluated
}

const NOTHING: Evaluated = {
  names: new Set(),
  patterns: [],
  allNames: false,
  count: 0,
  allItems: false,
  matching: [],
  blocked: EXACT,
}
const ALWAYS_NOTHING: readonly Case[] = [{ condition: null, evaluated: NOTHING }]

/** What evaluation needs to know of the algebra. */
export interface Conditions extends KeywordContext {
  shape(node: Node, mode: Mode): Shape
  /** What does not satisfy the node. */
  opposite(node: Node, mode: Mode): Shape
}

export class Evaluation {
  readonly #context: Conditions
  readonly #shapes: Shapes
  readonly #mode: Mode
  readonly #open = new Set<SchemaAtom>()

  constructor(context: Conditions, mode: Mode) {
    this.#context = context
    this.#shapes = context.shapes
    this.#mode = mode
  }

  /** What the keywords of a schema evaluate, but for `unevaluatedProperties` and `unevaluatedItems` of its own. */
  cases(keywords: Keywords): readonly Case[] {
    const { document } = this.#context
    let cases: readonly Case[] = [{ condition: null, evaluated: own(keywords) }]
    const also = (more: readonly Case[]): void => {
      cases = this.#product(cases, more)
    }
    for (const keyword of REFERENCES) {
      const reference = keywords.get(keyword)
      if (typeof reference === 'string')
        also(this.#ofNode(document.referenceNode(keyword, reference, keywords.atom)))
    }
    for (const node of keywords.nodes('allOf') ?? []) also(this.#ofNode(node))
    for (const node of keywords.nodes('anyOf') ?? []) {
      const held = this.#holding(node)
      if (held.some(({ evaluated }) => evaluated !== NOTHING))
        also([...held, { condition: this.#context.opposite(node, this.#mode), evaluated: NOTHING }])
    }
    const oneOf = keywords.nodes('oneOf')
    if (oneOf !== undefined) also(oneOf.flatMap((node) => this.#holding(node)))
    also(this.#ofConditional(keywords))
    for (const keyword of ['dependentSchemas', 'dependencies']) {
      for (const [name, value] of keywords.object(keyword) ?? [])
        if (!Array.isArray(value)) also(this.#ofDependent(name, keywords.node(value, keyword, name)))
    }
    return cases
  }

  #ofNode(node: Node): readonly Case[] {
    let cases = ALWAYS_NOTHING
    for (const atom of node.atoms) {
      // What comes back to itself, with nothing consumed, evaluates nothing more.
      if (atom.kind !== 'schema' || this.#open.has(atom)) continue
      this.#open.add(atom)
      const keywords = new Keywords(atom, this.#context, this.#mode, null)
      let evaluated = NOTHING
      if (keywords.get('unevaluatedProperties') !== undefined) evaluated = { ...evaluated, allNames: true }
      if (keywords.get('unevaluatedItems') !== undefined) evaluated = { ...evaluated, allItems: true }
      cases = this.#product(this.#product(cases, [{ condition: null, evaluated }]), this.cases(keywords))
      this.#open.delete(atom)
    }
    return cases
  }

  /** The cases of a branch that holds. */
  #holding(node: Node): readonly Case[] {
    const shape = this.#context.shape(node, this.#mode)
    return this.#ofNode(node).map(({ condition, evaluated }) => ({
      condition: condition === null ? shape : this.#shapes.meet(shape, condition),
      evaluated,
    }))
  }

  #ofConditional(keywords: Keywords): readonly Case[] {
    const condition = keywords.get('if')
    if (condition === undefined) return ALWAYS_NOTHING
    const branch = (keyword: string): readonly Case[] => {
      const value = keywords.get(keyword)
      return value === undefined ? ALWAYS_NOTHING : this.#ofNode(keywords.node(value, keyword))
    }
    const node = keywords.node(condition, 'if')
    const opposite: Case = { condition: this.#context.opposite(node, this.#mode), evaluated: NOTHING }
    return [
      ...this.#product(this.#holding(node), branch('then')),
      ...this.#product([opposite], branch('else')),
    ]
  }

  #ofDependent(name: string, node: Node): readonly Case[] {
    const { any, anyObject, nodes } = this.#shapes
    const absent = { ...anyObject, properties: new Map([[name, nodes.none]]) }
    const present = { ...anyObject, required: new Set([name]) }
    return [
      { condition: { ...any, objects: [absent] }, evaluated: NOTHING },
      ...this.#product(
        [{ condition: { ...EMPTY_SHAPE, objects: [present] }, evaluated: NOTHING }],
        this.#ofNode(node),
      ),
    ]
  }

  /** Both at once. Cases that evaluate the same are one. */
  #product(as: readonly Case[], bs: readonly Case[]): readonly Case[] {
    if (as === ALWAYS_NOTHING) return bs
    if (bs === ALWAYS_NOTHING) return as
    const met: Case[] = []
    this.#shapes.budget.spend(as.length * bs.length)
    for (const a of as) {
      for (const b of bs) {
        const condition =
          a.condition === null
            ? b.condition
            : b.condition === null
              ? a.condition
              : this.#shapes.meet(a.condition, b.condition)
        met.push({ condition, evaluated: join(a.evaluated, b.evaluated) })
      }
    }
    const distinct = new Map<string, Case>()
    for (const one of met) {
      const key = keyOf(one.evaluated)
      const other = distinct.get(key)
      if (other === undefined) distinct.set(key, one)
      else {
        const conditions = [one.condition, other.condition]
        const condition = conditions.includes(null) ? null : this.#shapes.unite(conditions as Shape[])
        distinct.set(key, { condition, evaluated: one.evaluated })
      }
    }
    return [...distinct.values()]
  }
}

/** What `unevaluatedProperties` and `unevaluatedItems` say of what is left. */
export function unevaluatedShape(shapes: Shapes, evaluated: Evaluated, values: Node, items: Node): Shape {
  const { any, anyArray, anyObject, nodes, keys } = shapes
  const { names, patterns, allNames, count, allItems, matching, blocked } = evaluated
  let { arrays, objects } = any
  if (!allNames && values !== nodes.any) {
    const matched = patterns.map((language) => ({ keys: language, value: nodes.any }))
    const record = shapes.settleObject({
      ...anyObject,
      properties: new Map(Array.from(names, (name) => [name, nodes.any])),
      others: keys.ofPatterns(matched, values),
    })
    objects = record === null ? [] : [record]
  }
  if (!allItems && items !== nodes.any) {
    // An item that satisfies neither what it contains nor what is left for it.
    let neither = nodes.complement(items)
    for (const node of matching) neither = nodes.meet(neither, nodes.complement(node))
    const prefix = new Array<Node>(count).fill(nodes.any)
    const record = shapes.settleArray({ ...anyArray, prefix, rest: nodes.complement(neither) })
    arrays = record === null ? [] : [record]
  }
  if (blocked.length > 0 && values !== nodes.any)
    objects = objects.map((record) => ({ ...record, blocked: joinBlocked(record.blocked, blocked) }))
  return { ...any, arrays, objects }
}

/** What the keywords of a schema evaluate by themselves. */
function own(keywords: Keywords): Evaluated {
  const names = new Set(keywords.object('properties')?.keys() ?? [])
  const patterns: Regex[] = []
  let blocked: Blocked = EXACT
  for (const source of keywords.object('patternProperties')?.keys() ?? []) {
    const language = patternLanguage(keywords, 'patternProperties', source)
    if (language instanceof PatternError)
      blocked = joinBlocked(blocked, [patternProblem(keywords, 'patternProperties', [source], language)])
    else patterns.push(language)
  }
  const { dialect } = keywords.atom.resource
  const items = keywords.get('items')
  const contains = keywords.get('contains')
  const evaluated: Evaluated = {
    names,
    patterns,
    allNames: keywords.get('additionalProperties') !== undefined || blocked.length > 0,
    count: Array.isArray(items) ? items.length : (keywords.array('prefixItems')?.length ?? 0),
    allItems: Array.isArray(items) ? keywords.get('additionalItems') !== undefined : items !== undefined,
    matching:
      contains !== undefined && dialect !== 2019 && dialect !== 6 && dialect !== 7
        ? [keywords.node(contains, 'contains')]
        : [],
    blocked,
  }
  return keyOf(evaluated) === keyOf(NOTHING) ? NOTHING : evaluated
}

function join(a: Evaluated, b: Evaluated): Evaluated {
  if (a === NOTHING || a === b) return b
  if (b === NOTHING) return a
  return {
    names: new Set([...a.names, ...b.names]),
    patterns: [...new Set([...a.patterns, ...b.patterns])],
    allNames: a.allNames || b.allNames,
    count: Math.max(a.count, b.count),
    allItems: a.allItems || b.allItems,
    matching: [...new Set([...a.matching, ...b.matching])],
    blocked: joinBlocked(a.blocked, b.blocked),
  }
}

function keyOf({ names, patterns, allNames, count, allItems, matching, blocked }: Evaluated): string {
  return JSON.stringify([
    allNames ? null : [[...names].sort(), patterns.map(({ id }) => id).sort()],
    allItems ? null : [count, matching.map(({ id }) => id).sort()],
    blocked.length,
  ])
}
