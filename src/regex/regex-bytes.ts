/**
 * Expressions as bytes: those that a grammar needs as one table, each node once, in the order in which they were made.
 *
 * They were in normal form, and are interned as they stand when they are read, in the same order; some hundred nanoseconds
 * a node. A node names only nodes before it, so that nothing read refers to itself, but for references, whose bodies come
 * last: of these it is asked that a body leads back to a reference only behind a character.
 */
import type { ByteReader, ByteWriter } from '../byte-stream.ts'
import { LimitError } from '../errors.ts'
import { CharSet } from './charset.ts'
import type { Regex } from './node.ts'
import type { RegexBuilder } from './regex.ts'

const CHARS = 0
const TEXTS = 1
const CONCAT = 2
const OR = 3
const AND = 4
const NOT = 5
const REPEAT = 6
const REFERENCE = 7

/** Texts that the nodes of one table may have in all, since parts of lists are looked through; characters of the lists. */
const MAX_TEXTS = 10_000_000
const MAX_LIST_LENGTH = 2 ** 26

/** Writes expressions of one builder and all that they are made of; gives the number of each. */
export function writeRegexes(
  roots: readonly Regex[],
  { none, epsilon, all, any }: RegexBuilder,
  out: ByteWriter,
): ReadonlyMap<Regex, number> {
  const numbers = new Map<Regex, number>([none, epsilon, all, any].map((regex, number) => [regex, number]))
  const nodes = reachable(roots, numbers)
  for (const node of nodes) numbers.set(node, numbers.size)
  const lists = new Map<readonly string[], number>()
  for (const node of nodes)
    if (node.kind === 'texts' && !lists.has(node.texts.values)) lists.set(node.texts.values, lists.size)
  const number = (regex: Regex): void => out.number(numbers.get(regex)!)
  out.list([...lists.keys()], (values) => out.list(values, (value) => out.text(value)))
  const references: Extract<Regex, { kind: 'reference' }>[] = []
  out.list(nodes, (node) => {
    switch (node.kind) {
      case 'chars':
        out.number(CHARS)
        writeSet(node.set, out)
        return
      case 'texts':
        out.number(TEXTS)
        out.number(lists.get(node.texts.values)!)
        out.number(node.texts.from)
        out.number(node.texts.to - node.texts.from)
        out.number(node.texts.offset)
        return
      case 'concat':
        out.number(CONCAT)
        number(node.left)
        number(node.right)
        return
      case 'or':
      case 'and':
        out.number(node.kind === 'or' ? OR : AND)
        out.list(node.items, number)
        return
      case 'not':
        out.number(NOT)
        number(node.body)
        return
      case 'repeat':
        out.number(REPEAT)
        number(node.body)
        out.number(node.min)
        out.bound(node.max)
        return
      case 'reference':
        out.number(REFERENCE)
        out.flag(node.nullable)
        references.push(node)
        return
      default:
        throw new RangeError(`${node.kind} is no node of a builder's own`)
    }
  })
  for (const { body } of references) number(body)
  return numbers
}

/** All nodes beside those in `known`, in the order in which they were made: parts before what they are parts of. */
function reachable(roots: readonly Regex[], known: ReadonlyMap<Regex, number>): Regex[] {
  const found = new Set<Regex>()
  const pending = [...roots]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (known.has(node) || found.has(node)) continue
    found.add(node)
    if (node.kind === 'concat') pending.push(node.left, node.right)
    else if (node.kind === 'or' || node.kind === 'and') pending.push(...node.items)
    else if (node.kind === 'not' || node.kind === 'repeat' || node.kind === 'reference')
      pending.push(node.body)
  }
  return [...found].sort((a, b) => a.id - b.id)
}

/** Reads the table into a builder: the expressions by their numbers. Errors as of the reader. */
export function readRegexes(from: ByteReader, builder: RegexBuilder): readonly Regex[] {
  const lists = from.list(() => from.list(() => from.text()))
  const characters = lists.reduce((sum, values) => values.reduce((all, { length }) => all + length, sum), 0)
  if (characters > MAX_LIST_LENGTH) from.fail('lists of texts that are too long')
  for (const values of lists)
    for (let i = 1; i < values.length; i++)
      if (values[i - 1]! >= values[i]!) from.fail('texts that are not sorted')
  let texts = 0
  const nodes: Regex[] = [builder.none, builder.epsilon, builder.all, builder.any]
  const numbers = new Map<string[], number>()
  const references: { readonly regex: Regex; define(body: Regex): void }[] = []
  const node = (): Regex => from.oneOf(nodes, 'expression before this one,')
  const count = from.count()
  const make = (): Regex => {
    const kind = from.number()
    switch (kind) {
      case CHARS:
        return builder.chars(readSet(from))
      case TEXTS: {
        const values = from.oneOf(lists, 'list of texts')
        const first = from.number()
        const size = from.number()
        const offset = from.number()
        if (size < 2 || first + size > values.length) from.fail('no part of a list of texts')
        // What the first and the last begin with all between them do, as they are sorted.
        const cut = values[first]!.slice(0, offset)
        if (cut.length < offset || !values[first + size - 1]!.startsWith(cut))
          from.fail('texts that have no such beginning in common')
        texts += size
        if (texts > MAX_TEXTS) from.fail(`more than ${MAX_TEXTS} texts`)
        let list = numbers.get(values)
        if (list === undefined) {
          list = builder.listOf(values)
          numbers.set(values, list)
        }
        return builder.textsPart({ values, list, from: first, to: first + size, offset })
      }
      case CONCAT: {
        const left = node()
        if (left.kind === 'concat') from.fail('a concatenation that begins with one')
        return builder.concat(left, node())
      }
      case OR:
      case AND: {
        const items = [...new Set(from.list(node))].sort((a, b) => a.id - b.id)
        if (items.length < 2) from.fail('a choice of one')
        return builder.combine(kind === OR ? 'or' : 'and', items)
      }
      case NOT:
        return builder.not(node())
      case REPEAT: {
        const body = node()
        const min = from.number()
        const max = from.bound()
        if (max < min) from.fail(`a repetition from ${min} to ${max} times`)
        return builder.repeat(body, min, max)
      }
      case REFERENCE: {
        const reference = builder.reference(from.flag())
        references.push(reference)
        return reference.regex
      }
      default:
        return from.fail(`${kind} is no kind of expression`)
    }
  }
  try {
    for (let i = 0; i < count; i++) nodes.push(make())
  } catch (error) {
    if (error instanceof LimitError) from.fail(error.message)
    throw error
  }
  for (const { regex, define } of references) {
    const body = node()
    if (body.nullable !== regex.nullable) from.fail('a reference that does not say whether it may be empty')
    define(body)
  }
  if (references.some(({ regex }) => beginsWithItself(regex))) from.fail('an expression begins with itself')
  return nodes
}

/** Whether a reference comes back to itself before any character. */
function beginsWithItself(reference: Regex): boolean {
  const seen = new Set<Regex>()
  const pending: Regex[] = reference.kind === 'reference' ? [reference.body] : []
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node === reference) return true
    if (seen.has(node)) continue
    seen.add(node)
    if (node.kind === 'concat') pending.push(node.left, ...(node.left.nullable ? [node.right] : []))
    else if (node.kind === 'or' || node.kind === 'and') pending.push(...node.items)
    else if (node.kind === 'not' || node.kind === 'repeat' || node.kind === 'reference')
      pending.push(node.body)
  }
  return false
}

/** The distances between the bounds of its ranges. */
function writeSet({ ranges }: CharSet, out: ByteWriter): void {
  let last = 0
  out.list(ranges, (bound) => {
    out.number(bound - last)
    last = bound
  })
}

function readSet(from: ByteReader): CharSet {
  let last = 0
  const bounds = from.list(() => {
    last += from.number()
    return last
  })
  return CharSet.ofRanges(bounds) ?? from.fail('no set of characters')
}
