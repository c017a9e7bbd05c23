/**
 * Normal forms of sums and products: the equalities that make two derivatives of one expression the same node.
 *
 * A sum is flat, sorted by id and free of duplicates; it has at most one character set, never ∅ or ε (`a|ε` is `a?`).
 * Options that differ in a leading character, in a count or in their tails alone are joined. A product is flat too, has
 * at most one complement and one length. Costs are linear in the items, with some levels of recursion into tails.
 */
import type { CharSet } from './charset.ts'
import type { Regex } from './node.ts'

/** How deep common heads are factored out. Any bound keeps the language. */
const MAX_FACTORING = 64
/** How many leading optional parts of an option are looked behind. Any bound keeps the language. */
const MAX_ABSORPTION = 8

/** What the normal forms are made of: the builder, whose part this is. */
export interface Constructors {
  readonly none: Regex
  readonly epsilon: Regex
  readonly all: Regex
  readonly any: Regex
  chars(set: CharSet): Regex
  concat(...parts: readonly Regex[]): Regex
  not(body: Regex): Regex
  repeat(body: Regex, min: number, max: number): Regex
  /** Interns a sum or product that is in normal form. */
  combine(kind: 'or' | 'and', items: readonly Regex[]): Regex
}

export class Simplifier {
  readonly #builder: Constructors
  /** Unions and intersections of character sets, by a sign and both of them. */
  readonly #sets = new Map<string, Regex>()

  constructor(builder: Constructors) {
    this.#builder = builder
  }

  or(options: readonly Regex[], depth = 0): Regex {
    const builder = this.#builder
    const items: Regex[] = []
    const seen = new Set<number>()
    let chars: Regex | null = null
    let empty = false
    const pending = [...options]
    for (let option = pending.pop(); option !== undefined; option = pending.pop()) {
      if (option.kind === 'all') return option
      if (option.kind === 'epsilon') empty = true
      else if (option.kind === 'or') for (const item of option.items) pending.push(item)
      else if (option.kind === 'chars')
        chars = chars === null ? option : this.#charsOf('union', chars, option)
      else if (option.kind === 'repeat' && option.min === 0 && option.max === 1) {
        empty = true
        pending.push(option.body)
      } else if (option.kind !== 'none' && !seen.has(option.id)) {
        seen.add(option.id)
        items.push(option)
      }
    }
    if (chars !== null) {
      seen.add(chars.id)
      items.push(chars)
    }

    let reduced = items
    if (items.length > 1) {
      for (const item of items) if (item.kind === 'not' && seen.has(item.body.id)) return builder.all
      // What the order of ids decides must not depend on the order of options.
      items.sort(byId)
      reduced = absorb(
        this.#joinHeads(this.#joinCounts(this.#joinSets(this.#joinComplements(items))), depth),
        seen,
      )
      if (reduced.length < items.length) {
        return this.or(empty ? [...reduced, builder.epsilon] : reduced, depth)
      }
    }
    const first = reduced[0]
    if (first === undefined) return empty ? builder.epsilon : builder.none
    const sum = reduced.length === 1 ? first : builder.combine('or', reduced.sort(byId))
    return empty && !sum.nullable ? builder.repeat(sum, 0, 1) : sum
  }

  and(parts: readonly Regex[]): Regex {
    const builder = this.#builder
    const items: Regex[] = []
    const seen = new Set<number>()
    const excluded: Regex[] = []
    let chars: Regex | null = null
    let min = 0
    let max = Number.POSITIVE_INFINITY
    let nullable = true
    let shortest = 0
    let longest = Number.POSITIVE_INFINITY
    const pending = [...parts]
    for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
      if (part.kind === 'none') return part
      if (part.kind === 'and') {
        for (const item of part.items) pending.push(item)
        continue
      }
      nullable &&= part.nullable
      shortest = Math.max(shortest, part.minLength)
      longest = Math.min(longest, part.maxLength)
      if (part.kind === 'not') {
        excluded.push(part.body)
      } else if (part.kind === 'repeat' && part.body === builder.any) {
        min = Math.max(min, part.min)
        max = Math.min(max, part.max)
      } else if (part.kind === 'chars') {
        chars = chars === null ? part : this.#charsOf('intersection', chars, part)
        if (chars.kind === 'none') return chars
      } else if (part.kind !== 'all' && !seen.has(part.id)) {
        seen.add(part.id)
        items.push(part)
      }
    }
    if (shortest > longest) return builder.none
    if (longest === 0) return nullable ? builder.epsilon : builder.none
    if (chars !== null) {
      seen.add(chars.id)
      items.push(chars)
    }
    // A length that the other items keep by themselves says nothing.
    if (!items.some((item) => item.minLength >= min && item.maxLength <= max)) {
      const length = builder.repeat(builder.any, min, max)
      if (length.kind !== 'all') items.push(length)
    }
    if (excluded.length > 0) {
      const others = excluded.length === 1 ? (excluded[0] as Regex) : this.or(excluded)
      if (seen.has(others.id)) return builder.none
      const complement = builder.not(others)
      if (complement.kind === 'none') return complement
      if (others.kind === 'or' && others.items.some((item) => seen.has(item.id))) return builder.none
      if (complement.kind !== 'all' && !seen.has(complement.id)) items.push(complement)
    }
    // x & (x|y) is x.
    const kept = items.filter(
      (item) => item.kind !== 'or' || !item.items.some((option) => seen.has(option.id)),
    )
    const first = kept[0]
    if (first === undefined) return builder.all
    return kept.length === 1 ? first : builder.combine('and', kept.sort(byId))
  }

  #charsOf(operation: 'union' | 'intersection', a: Regex, b: Regex): Regex {
    if (a.kind !== 'chars' || b.kind !== 'chars') throw new TypeError('character sets expected')
    if (a === b) return a
    const sign = operation === 'union' ? '|' : '&'
    const key = a.id < b.id ? `${sign}${a.id},${b.id}` : `${sign}${b.id},${a.id}`
    let result = this.#sets.get(key)
    if (result === undefined) {
      const set: CharSet = operation === 'union' ? a.set.union(b.set) : a.set.intersect(b.set)
      result = this.#builder.chars(set)
      this.#sets.set(key, result)
    }
    return result
  }

  /** ~x|~y is ~(x&y). */
  #joinComplements(items: Regex[]): Regex[] {
    const bodies = items.flatMap((item) => (item.kind === 'not' ? [item.body] : []))
    if (bodies.length < 2) return items
    const others = items.filter((item) => item.kind !== 'not')
    return [...others, this.#builder.not(this.and(bodies))]
  }

  /** `ax|bx` is `[ab]x`. */
  #joinSets(items: Regex[]): Regex[] {
    let byTail: Map<number, Regex> | null = null
    for (const item of items) {
      if (item.kind !== 'concat' || item.left.kind !== 'chars') continue
      byTail ??= new Map()
      const known = byTail.get(item.right.id)
      const set = known === undefined ? item.left : this.#charsOf('union', known, item.left)
      byTail.set(item.right.id, set)
    }
    if (byTail === null) return items
    const joined: Regex[] = []
    for (const item of items) {
      if (item.kind !== 'concat' || item.left.kind !== 'chars') {
        joined.push(item)
        continue
      }
      const set = byTail.get(item.right.id)
      if (set === undefined) continue
      byTail.delete(item.right.id)
      joined.push(set === item.left ? item : this.#builder.concat(set, item.right))
    }
    return joined
  }

  /** `x{a,b}y|x{c,d}y` is `x{a,d}y` where the counts meet; before `[^]*` the least count says all. */
  #joinCounts(items: Regex[]): Regex[] {
    const { epsilon, any } = this.#builder
    const groups = new Map<string, Counted[]>()
    let single = true
    for (const item of items) {
      const [head, tail] = item.kind === 'concat' ? [item.left, item.right] : [item, epsilon]
      const counted =
        head.kind === 'repeat'
          ? { body: head.body, min: head.min, max: head.max, tail, item }
          : head.kind === 'all'
            ? { body: any, min: 0, max: Number.POSITIVE_INFINITY, tail, item }
            : { body: head, min: 1, max: 1, tail, item }
      const key = `${counted.body.id},${tail.id}`
      const group = groups.get(key)
      if (group === undefined) {
        groups.set(key, [counted])
      } else {
        group.push(counted)
        single = false
      }
    }
    if (single) return items
    const joined: Regex[] = []
    for (const group of groups.values()) {
      group.sort((a, b) => a.min - b.min || b.max - a.max)
      let current = group[0] as Counted
      for (const next of group.slice(1)) {
        if (next.min <= current.max + 1 || startsWithAll(next.tail, any)) {
          const max = Math.max(current.max, next.max)
          const head = this.#builder.repeat(current.body, current.min, max)
          current = { ...current, max, item: this.#builder.concat(head, current.tail) }
        } else {
          joined.push(current.item)
          current = next
        }
      }
      joined.push(current.item)
    }
    return joined
  }

  /** `xy|xz` is `x(y|z)`. */
  #joinHeads(items: Regex[], depth: number): Regex[] {
    if (depth >= MAX_FACTORING) return items
    const { epsilon } = this.#builder
    const byHead = new Map<number, { head: Regex; tails: Regex[]; item: Regex }>()
    for (const item of items) {
      const [head, tail] = item.kind === 'concat' ? [item.left, item.right] : [item, epsilon]
      const group = byHead.get(head.id)
      if (group === undefined) byHead.set(head.id, { head, tails: [tail], item })
      else group.tails.push(tail)
    }
    if (byHead.size === items.length) return items
    const joined: Regex[] = []
    for (const { head, tails, item } of byHead.values()) {
      joined.push(tails.length === 1 ? item : this.#builder.concat(head, this.or(tails, depth + 1)))
    }
    return joined
  }
}

interface Counted {
  readonly body: Regex
  readonly min: number
  readonly max: number
  readonly tail: Regex
  readonly item: Regex
}

/** Drops options that another one covers: `y` beside `x*y`, `x&y` beside `x`. */
function absorb(items: Regex[], seen: ReadonlySet<number>): Regex[] {
  const covered = new Set<number>()
  for (const item of items) {
    if (item.kind === 'and' && item.items.some((part) => part !== item && seen.has(part.id)))
      covered.add(item.id)
    let rest: Regex = item
    for (let step = 0; step < MAX_ABSORPTION && rest.kind === 'concat' && rest.left.nullable; step++) {
      rest = rest.right
      covered.add(rest.id)
      if (rest.kind === 'or') for (const option of rest.items) covered.add(option.id)
    }
  }
  return covered.size === 0 ? items : items.filter((item) => !covered.has(item.id))
}

function startsWithAll(regex: Regex, any: Regex): boolean {
  const head = regex.kind === 'concat' ? regex.left : regex
  return (
    head.kind === 'all' ||
    (head.kind === 'repeat' && head.body === any && head.max === Number.POSITIVE_INFINITY)
  )
}

function byId(a: Regex, b: Regex): number {
  return a.id - b.id
}
