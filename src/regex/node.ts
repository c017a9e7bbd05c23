/**
 * The nodes of regular expressions over Unicode text: union, intersection and complement stand beside concatenation and
 * bounded repetition, and none of them is ever unrolled.
 *
 * Nodes are immutable and interned by their `RegexBuilder`: equal structure is the same object, so `===` and `id` compare.
 * Each carries what is known of its language without any search: whether it has the empty text, bounds on lengths in
 * code points and whether each length between them surely occurs, whether it surely has a text, surely infinitely many.
 */
import type { CharSet } from './charset.ts'

interface Common {
  /** Unique within the builder, ascending in order of creation. */
  readonly id: number
  /** Whether the empty text is in the language. */
  readonly nullable: boolean
  /** No text is shorter; in code points. */
  readonly minLength: number
  /** No text is longer; may be `Infinity`. */
  readonly maxLength: number
  /** The language surely has a text. `false` where it has none, and where intersections or complements hide it. */
  readonly live: boolean
  /** The language surely has infinitely many texts. */
  readonly infinite: boolean
  /** The language surely has a text of every length from `minLength` to `maxLength`. */
  readonly dense: boolean
  /** Nesting, not counting the tails of concatenations. */
  readonly depth: number
  toString(): string
}

/** Part of a sorted list of texts: those in `[from, to)`, without their first `offset` UTF-16 units, which are equal. */
export interface Texts {
  readonly values: readonly string[]
  /** Unique for each list within the builder. */
  readonly list: number
  readonly from: number
  readonly to: number
  readonly offset: number
}

export type Regex =
  /** No text; the empty text; every text. */
  | (Common & { readonly kind: 'none' | 'epsilon' | 'all' })
  /** One character of a set that is not empty. */
  | (Common & { readonly kind: 'chars'; readonly set: CharSet })
  /** A finite set of at least two texts. */
  | (Common & { readonly kind: 'texts'; readonly texts: Texts })
  /** `left` is not a concatenation, neither is the empty text. */
  | (Common & { readonly kind: 'concat'; readonly left: Regex; readonly right: Regex })
  /** At least two items, sorted by id. */
  | (Common & { readonly kind: 'or' | 'and'; readonly items: readonly Regex[] })
  | (Common & { readonly kind: 'not'; readonly body: Regex })
  /** `max` may be `Infinity`; where `body` has the empty text, `min` is 0. */
  | (Common & { readonly kind: 'repeat'; readonly body: Regex; readonly min: number; readonly max: number })
  /** A name for `body`, which may contain the reference itself behind at least one character. */
  | (Common & { readonly kind: 'reference'; readonly body: Regex })

export type Kind = Regex['kind']

/** The fields of every kind, so that all nodes have one shape. */
export interface Fields {
  kind: Kind
  nullable: boolean
  minLength: number
  maxLength: number
  live: boolean
  infinite: boolean
  dense: boolean
  depth: number
  set?: CharSet
  texts?: Texts
  left?: Regex
  right?: Regex
  items?: readonly Regex[]
  body?: Regex
  min?: number
  max?: number
}

class Node {
  readonly kind: Kind
  readonly nullable: boolean
  readonly minLength: number
  readonly maxLength: number
  readonly live: boolean
  readonly infinite: boolean
  readonly dense: boolean
  readonly depth: number
  readonly set: CharSet | undefined
  readonly texts: Texts | undefined
  readonly left: Regex | undefined
  readonly right: Regex | undefined
  readonly items: readonly Regex[] | undefined
  body: Regex | undefined
  readonly min: number
  readonly max: number

  constructor(
    readonly id: number,
    fields: Fields,
  ) {
    this.kind = fields.kind
    this.nullable = fields.nullable
    this.minLength = fields.minLength
    this.maxLength = fields.maxLength
    this.live = fields.live
    this.infinite = fields.infinite
    this.dense = fields.dense
    this.depth = fields.depth
    this.set = fields.set
    this.texts = fields.texts
    this.left = fields.left
    this.right = fields.right
    this.items = fields.items
    this.body = fields.body
    this.min = fields.min ?? 0
    this.max = fields.max ?? 0
  }

  toString(): string {
    return print(this as unknown as Regex, 0)
  }
}

export function makeNode(id: number, fields: Fields): Regex {
  // The fields of a kind are given by the builder's constructor of that kind, which alone calls this.
  return new Node(id, fields) as unknown as Regex
}

/** Gives a reference the body it was made for; once. */
export function defineReference(reference: Regex, body: Regex): void {
  const node = reference as unknown as Node
  if (node.kind !== 'reference' || node.body !== undefined)
    throw new TypeError('only a new reference can be defined')
  node.body = body
}

/** The parts of a concatenation; any other expression is its own only part. */
export function spine(regex: Regex): Regex[] {
  const parts: Regex[] = []
  let rest = regex
  while (rest.kind === 'concat') {
    parts.push(rest.left)
    rest = rest.right
  }
  parts.push(rest)
  return parts
}

/** How tightly the context binds: 0 alternatives, 1 intersections, 2 concatenations, 3 operands of `*` and `~`. */
type Precedence = 0 | 1 | 2 | 3

function print(regex: Regex, context: Precedence): string {
  switch (regex.kind) {
    case 'none':
      return '∅'
    case 'epsilon':
      return 'ε'
    case 'all':
      return '[^]*'
    case 'chars':
      return regex.set.toString()
    case 'texts': {
      const { values, from, to, offset } = regex.texts
      return `(${values
        .slice(from, to)
        .map((value) => JSON.stringify(value.slice(offset)))
        .join('|')})`
    }
    case 'concat':
      return group(
        spine(regex)
          .map((part) => print(part, 2))
          .join(''),
        context > 2,
      )
    case 'or':
      return group(regex.items.map((item) => print(item, 0)).join('|'), context > 0)
    case 'and':
      return group(regex.items.map((item) => print(item, 1)).join('&'), context > 1)
    case 'not':
      return `~${print(regex.body, 3)}`
    case 'repeat':
      return `${print(regex.body, 3)}${count(regex.min, regex.max)}`
    case 'reference':
      return `<${regex.id}>`
  }
}

function group(text: string, needed: boolean): string {
  return needed ? `(${text})` : text
}

function count(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`
  if (min === max) return `{${min}}`
  return min === 0 && max === 1 ? '?' : `{${min},${max}}`
}
