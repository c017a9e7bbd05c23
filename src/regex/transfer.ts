/**
 * Expressions of one builder in another: so that what was made once serves many grammars.
 *
 * An interned expression is in normal form, and stays so where its parts are, whatever the builder: it is interned again as it
 * stands and nothing is simplified, some hundred nanoseconds a node. Recursion is as deep as the expression, which is
 * at most 1,000 levels.
 */
import type { Regex } from './node.ts'
import type { RegexBuilder } from './regex.ts'

/** What expressions were transferred from, where that stays: so that many grammars' copies are known to be one. */
const originals = new WeakMap<Regex, Regex>()

/** The same as `transfer` for an expression that is kept and will be transferred again. */
export function copyOf(original: Regex, target: RegexBuilder): Regex {
  const copy = transfer(original, target)
  originals.set(copy, original)
  return copy
}

/** What `copyOf` made the expression from; the expression itself where it was made otherwise. */
export function originalOf(regex: Regex): Regex {
  return originals.get(regex) ?? regex
}

/** An expression of the same language that belongs to `target`. */
export function transfer(regex: Regex, target: RegexBuilder): Regex {
  const known = new Map<Regex, Regex>()
  // Defined at the end: what refers to itself may be nested beyond the depth of expressions.
  const references: { readonly define: (body: Regex) => void; readonly body: Regex }[] = []
  const move = (from: Regex): Regex => {
    const to = known.get(from)
    return to ?? remember(from, from.kind === 'concat' ? concat(from) : make(from))
  }
  const remember = (from: Regex, to: Regex): Regex => {
    known.set(from, to)
    return to
  }
  /** From the last part on: tails may be longer than recursion is deep. */
  const concat = (from: Regex): Regex => {
    const pending: (Regex & { readonly kind: 'concat' })[] = []
    let rest = from
    while (rest.kind === 'concat' && !known.has(rest)) {
      pending.push(rest)
      rest = rest.right
    }
    let to = move(rest)
    for (let tail = pending.pop(); tail !== undefined; tail = pending.pop())
      to = remember(tail, target.concat(move(tail.left), to))
    return to
  }
  const make = (from: Exclude<Regex, { kind: 'concat' }>): Regex => {
    switch (from.kind) {
      case 'none':
        return target.none
      case 'epsilon':
        return target.epsilon
      case 'all':
        return target.all
      case 'chars':
        return target.chars(from.set)
      case 'texts': {
        const { values, from: first, to, offset } = from.texts
        return target.texts(values.slice(first, to).map((value) => value.slice(offset)))
      }
      case 'or':
      case 'and':
        return target.combine(from.kind, from.items.map(move).sort(byId))
      case 'not':
        return target.not(move(from.body))
      case 'repeat':
        return target.repeat(move(from.body), from.min, from.max)
      case 'reference': {
        const { regex: to, define } = target.reference(from.nullable)
        references.push({ define, body: from.body })
        return to
      }
    }
  }
  const moved = move(regex)
  for (let one = references.pop(); one !== undefined; one = references.pop()) one.define(move(one.body))
  return moved
}

/** Whether the expression refers to itself: such expressions are alike only within one builder. */
export function hasReference(regex: Regex): boolean {
  const seen = new Set<Regex>()
  const pending = [regex]
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part.kind === 'reference') return true
    if (seen.has(part)) continue
    seen.add(part)
    if (part.kind === 'concat') pending.push(part.left, part.right)
    else if (part.kind === 'or' || part.kind === 'and') pending.push(...part.items)
    else if (part.kind === 'not' || part.kind === 'repeat') pending.push(part.body)
  }
  return false
}

function byId(a: Regex, b: Regex): number {
  return a.id - b.id
}
