/**
 * Builds regular expressions over Unicode text, interned and simplified as they are made.
 *
 * The constructors apply equalities of languages that are cheap to see, so that derivatives come back to expressions
 * that exist already: sums and products are flattened, sorted and free of duplicates, character sets are merged,
 * neighbouring repetitions of one body become one, counts of one body before one tail are joined as intervals
 * (`x{0,5}y|x{0,4}y` is `x{0,5}y`), and `[^]*` swallows what it covers. This is what keeps counted and ambiguous
 * repetitions small; nothing is ever unrolled.
 *
 * Every node is counted: beyond `maxNodes`, or nested beyond 1,000 levels, construction is a `LimitError`.
 */
import { LimitError } from '../errors.ts'
import { ANY, CharSet } from './charset.ts'
import { defineReference, type Fields, makeNode, type Regex, spine, type Texts } from './node.ts'
import { Simplifier } from './simplify.ts'

export type { Regex } from './node.ts'

/** Ids of two nodes make one integer key. */
const MAX_NODES = 2 ** 26
const DEFAULT_MAX_NODES = 2_000_000
const MAX_DEPTH = 1_000

const LEAF = { minLength: 0, maxLength: 0, depth: 0, infinite: false }
/** What every builder has, the same nodes in all of them. */
const NONE_NODE = makeNode(0, { ...LEAF, kind: 'none', nullable: false, live: false, dense: false })
const EPSILON_NODE = makeNode(1, { ...LEAF, kind: 'epsilon', nullable: true, live: true, dense: true })
const ALL_NODE = makeNode(2, {
  ...LEAF,
  dense: true,
  kind: 'all',
  nullable: true,
  live: true,
  maxLength: Infinity,
  infinite: true,
})
const ANY_NODE = makeNode(3, {
  ...LEAF,
  kind: 'chars',
  nullable: false,
  set: ANY,
  minLength: 1,
  maxLength: 1,
  live: true,
  dense: true,
})
const CONSTANTS = 4

export class RegexBuilder {
  /** No text. */
  readonly none = NONE_NODE
  /** The empty text. */
  readonly epsilon = EPSILON_NODE
  /** Every text. */
  readonly all = ALL_NODE
  /** Every text of one character. */
  readonly any = ANY_NODE

  readonly #maxNodes: number
  readonly #simplifier: Simplifier
  readonly #chars = new Map<string, Regex>([[ANY.key, ANY_NODE]])
  readonly #lists = new Map<string, number>()
  readonly #concats = new Map<number, Regex>()
  readonly #nots = new Map<number, Regex>()
  /** Sums, products, repetitions and parts of lists: by a sign and what they are made of. */
  readonly #others = new Map<string, Regex>()
  #count = CONSTANTS

  constructor(limits: { readonly maxNodes?: number } = {}) {
    this.#maxNodes = Math.min(limits.maxNodes ?? DEFAULT_MAX_NODES, MAX_NODES)
    this.#simplifier = new Simplifier(this)
  }

  /** How many nodes exist. */
  get size(): number {
    return this.#count
  }

  /** One character of the set. */
  chars(set: CharSet): Regex {
    if (set.isEmpty) return this.none
    const { key } = set
    const known = this.#chars.get(key)
    if (known !== undefined) return known
    const fields = { minLength: 1, maxLength: 1, live: true, infinite: false, dense: true, depth: 0 }
    const node = this.#node({ kind: 'chars', nullable: false, set, ...fields })
    this.#chars.set(key, node)
    return node
  }

  /** This text. A text with lone surrogates is none. */
  literal(text: string): Regex {
    const points = Array.from(text, (character) =>
      this.chars(CharSet.single(character.codePointAt(0) as number)),
    )
    return this.concatAll(points)
  }

  /** These texts, as a trie that is unfolded where it is read: sorting is all it costs. */
  texts(values: readonly string[]): Regex {
    const sorted = [...new Set(values)].filter((value) => !/\p{Surrogate}/u.test(value)).sort()
    return this.textsPart({
      values: sorted,
      list: this.listOf(sorted),
      from: 0,
      to: sorted.length,
      offset: 0,
    })
  }

  /** The number of a sorted list of texts. */
  listOf(sorted: readonly string[]): number {
    const key = sorted.map((value) => `${value.length}:${value}`).join()
    let list = this.#lists.get(key)
    if (list === undefined) {
      list = this.#lists.size
      this.#lists.set(key, list)
    }
    return list
  }

  /** Part of a list that `texts` made; how derivatives narrow it. */
  textsPart(texts: Texts): Regex {
    const { values, list, from, to, offset } = texts
    if (from === to) return this.none
    const first = values[from] as string
    if (to - from === 1) return this.literal(first.slice(offset))
    const key = `=${list},${from},${to},${offset}`
    const known = this.#others.get(key)
    if (known !== undefined) return known
    let shortest = Infinity
    let longest = 0
    for (let index = from; index < to; index++) {
      const { length } = values[index] as string
      if (length < shortest) shortest = length
      if (length > longest) longest = length
    }
    const node = this.#node({
      kind: 'texts',
      nullable: shortest === offset,
      // A character is one UTF-16 unit or two.
      minLength: Math.ceil((shortest - offset) / 2),
      maxLength: longest - offset,
      live: true,
      infinite: false,
      dense: false,
      depth: 0,
      texts,
    })
    this.#others.set(key, node)
    return node
  }

  /** One after the other. */
  concat(...parts: readonly Regex[]): Regex {
    return this.concatAll(parts)
  }

  /** The same for a list, which may be longer than arguments can be. */
  concatAll(parts: readonly Regex[]): Regex {
    let result = parts[parts.length - 1] ?? this.epsilon
    for (let index = parts.length - 2; index >= 0; index--) {
      const items = spine(parts[index] as Regex)
      for (let item = items.length - 1; item >= 0; item--) {
        result = this.#prepend(items[item] as Regex, result)
      }
    }
    return result
  }

  /** Union. */
  or(...options: readonly Regex[]): Regex {
    return this.#simplifier.or(options)
  }

  /** The same for a list. */
  orAll(options: readonly Regex[]): Regex {
    return this.#simplifier.or(options)
  }

  /** Intersection. */
  and(...parts: readonly Regex[]): Regex {
    return this.#simplifier.and(parts)
  }

  /** Every other text. */
  not(body: Regex): Regex {
    switch (body.kind) {
      case 'none':
        return this.all
      case 'all':
        return this.none
      case 'epsilon':
        return this.repeat(this.any, 1, Infinity)
      case 'not':
        return body.body
      default: {
        const known = this.#nots.get(body.id)
        if (known !== undefined) return known
        const { nullable } = body
        const cofinite = body.maxLength < Infinity
        const node = this.#node({
          kind: 'not',
          nullable: !nullable,
          minLength: nullable ? 1 : 0,
          maxLength: Infinity,
          live: !nullable || cofinite,
          infinite: cofinite,
          dense: false,
          depth: body.depth + 1,
          body,
        })
        this.#nots.set(body.id, node)
        return node
      }
    }
  }

  /** `body` from `min` to `max` times; `max` may be `Infinity`. */
  repeat(body: Regex, min: number, max: number): Regex {
    if (
      !(
        Number.isSafeInteger(min) &&
        min >= 0 &&
        max >= min &&
        (max === Infinity || Number.isSafeInteger(max))
      )
    ) {
      throw new RangeError(`a repetition from ${min} to ${max} times`)
    }
    if (max === 0 || body.kind === 'epsilon') return this.epsilon
    if (body.kind === 'none') return min === 0 ? this.epsilon : body
    if (body.kind === 'all' || (max === 1 && (min === 1 || body.nullable))) return body
    const least = body.nullable ? 0 : min
    if (least === 0 && max === Infinity && body === this.any) return this.all
    if (body.kind === 'repeat') {
      // The totals of k rounds run from body.min * k to body.max * k; without a gap between rounds they are one interval.
      const { min: low, max: high } = body
      const gapless = least === 0 ? low <= 1 : low * (least + 1) <= high * least + 1
      if ((least === max || gapless) && (high * max === Infinity || Number.isSafeInteger(high * max))) {
        return this.repeat(body.body, low * least, high * max)
      }
    }
    const key = `*${body.id},${least},${max}`
    const known = this.#others.get(key)
    if (known !== undefined) return known
    // Between the lengths of k rounds and those of k + 1 lies no gap; it is widest at the fewest rounds.
    const { minLength: low, maxLength: high } = body
    const gapless = least === max || (least === 0 ? low <= 1 : low * (least + 1) <= high * least + 1)
    const node = this.#node({
      kind: 'repeat',
      nullable: least === 0,
      minLength: least === 0 ? 0 : body.minLength * least,
      maxLength: body.maxLength === 0 ? 0 : body.maxLength * max,
      live: least === 0 || body.live,
      infinite: body.infinite || (max === Infinity && body.live && body.minLength > 0),
      dense: body.dense && gapless,
      depth: body.depth + 1,
      body,
      min: least,
      max,
    })
    this.#others.set(key, node)
    return node
  }

  /**
   * A language that is defined in terms of itself. The definition may use the reference behind at least one character
   * only, so whether it has the empty text is known before, and is given.
   */
  reference(nullable: boolean): { readonly regex: Regex; define(body: Regex): void } {
    const bounds = {
      minLength: nullable ? 0 : 1,
      maxLength: Infinity,
      live: nullable,
      infinite: false,
      dense: false,
      depth: 1,
    }
    const regex = this.#node({ kind: 'reference', nullable, ...bounds })
    return { regex, define: (body) => defineReference(regex, body) }
  }

  /** Interns a sum or a product of items that the simplifier has put into normal form: sorted, two or more. */
  combine(kind: 'or' | 'and', items: readonly Regex[]): Regex {
    let key = kind === 'or' ? '|' : '&'
    for (const item of items) key += `${item.id},`
    const known = this.#others.get(key)
    if (known !== undefined) return known
    const lengths = kind === 'or' ? sumLengths(items) : productLengths(items, this.any)
    const depth = items.reduce((deepest, item) => Math.max(deepest, item.depth), 0) + 1
    const node = this.#node({ kind, ...lengths, depth, items })
    this.#others.set(key, node)
    return node
  }

  /** `left`, which is no concatenation, before `right`, in normal form. */
  #prepend(left: Regex, right: Regex): Regex {
    if (right.kind === 'epsilon' || left.kind === 'none') return left
    if (left.kind === 'epsilon' || right.kind === 'none') return right
    const [head, tail] = right.kind === 'concat' ? [right.left, right.right] : [right, this.epsilon]
    const { any } = this
    const leftBody = bodyOf(left, any)
    const headBody = bodyOf(head, any)
    if (leftBody === headBody) {
      const [leftMin, leftMax] = boundsOf(left)
      const [headMin, headMax] = boundsOf(head)
      const most = leftMax + headMax
      // Counts that are no longer exact stay apart.
      if (most === Infinity ? Number.isSafeInteger(leftMin + headMin) : Number.isSafeInteger(most))
        return this.#prepend(this.repeat(leftBody, leftMin + headMin, most), tail)
    }
    // Beside `[^]*` what may be empty covers nothing new, and neither does a repetition beyond its minimum.
    if (headBody === any && boundsOf(head)[1] === Infinity) {
      if (left.nullable) return right
      if (left.kind === 'repeat' && left.min < left.max) {
        return this.concat(this.repeat(left.body, left.min, left.min), right)
      }
    }
    if (leftBody === any && boundsOf(left)[1] === Infinity) {
      if (head.nullable) return this.#prepend(left, tail)
      if (head.kind === 'repeat' && head.min < head.max) {
        return this.concat(left, this.repeat(head.body, head.min, head.min), tail)
      }
    }
    const key = left.id * MAX_NODES + right.id
    const known = this.#concats.get(key)
    if (known !== undefined) return known
    const live = left.live && right.live
    const node = this.#node({
      kind: 'concat',
      nullable: left.nullable && right.nullable,
      minLength: left.minLength + right.minLength,
      maxLength: left.maxLength + right.maxLength,
      live,
      infinite: live && (left.infinite || right.infinite),
      dense: left.dense && right.dense,
      depth: Math.max(left.depth + 1, right.depth),
      left,
      right,
    })
    this.#concats.set(key, node)
    return node
  }

  #node(fields: Fields): Regex {
    if (fields.depth > MAX_DEPTH)
      throw new LimitError('regular expression nesting', MAX_DEPTH, fields.depth, 'nest fewer groups')
    if (this.#count >= this.#maxNodes) {
      throw new LimitError(
        'regular expression nodes',
        this.#maxNodes,
        this.#count + 1,
        'use fewer or shorter patterns',
      )
    }
    return makeNode(this.#count++, fields)
  }
}

/** What is repeated, for expressions that are a repetition, once for all others. */
function bodyOf(regex: Regex, any: Regex): Regex {
  return regex.kind === 'repeat' ? regex.body : regex.kind === 'all' ? any : regex
}

function boundsOf(regex: Regex): readonly [min: number, max: number] {
  if (regex.kind === 'repeat') return [regex.min, regex.max]
  return regex.kind === 'all' ? [0, Infinity] : [1, 1]
}

type Lengths = Pick<Fields, 'nullable' | 'minLength' | 'maxLength' | 'live' | 'infinite' | 'dense'>

function sumLengths(items: readonly Regex[]): Lengths {
  const sum = {
    nullable: false,
    minLength: Infinity,
    maxLength: 0,
    live: false,
    infinite: false,
    dense: true,
  }
  for (const item of items) {
    sum.nullable ||= item.nullable
    sum.live ||= item.live
    sum.infinite ||= item.infinite
    sum.minLength = Math.min(sum.minLength, item.minLength)
    sum.maxLength = Math.max(sum.maxLength, item.maxLength)
    sum.dense &&= item.dense
  }
  if (sum.dense) sum.dense = coversWithoutGap(items)
  return sum
}

/** Whether the lengths of dense items are one interval. */
function coversWithoutGap(items: readonly Regex[]): boolean {
  const sorted = [...items].sort((a, b) => a.minLength - b.minLength)
  let reached = (sorted[0] as Regex).maxLength
  for (const { minLength, maxLength } of sorted) {
    if (minLength > reached + 1) return false
    reached = Math.max(reached, maxLength)
  }
  return true
}

function productLengths(items: readonly Regex[], any: Regex): Lengths {
  const product = {
    nullable: true,
    minLength: 0,
    maxLength: Infinity,
    live: false,
    infinite: false,
    dense: false,
  }
  // Infinitely many texts minus finitely many, and texts of each length within a length: what is seen without a search.
  let others = 0
  let infinite = false
  let measured = 0
  let dense = true
  for (const item of items) {
    product.nullable &&= item.nullable
    product.minLength = Math.max(product.minLength, item.minLength)
    product.maxLength = Math.min(product.maxLength, item.maxLength)
    // A length says nothing but its bounds.
    if (item.kind !== 'repeat' || item.body !== any) {
      measured++
      dense &&= item.dense
    }
    if (item.kind === 'not' && item.body.maxLength < Infinity) continue
    others++
    infinite = item.infinite
  }
  product.dense = measured === 1 && dense && product.minLength <= product.maxLength
  product.infinite = (infinite && others === 1) || (product.dense && product.maxLength === Infinity)
  product.live = product.nullable || product.infinite || product.dense
  return product
}
