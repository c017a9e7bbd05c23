/** Expressions of one builder in another: so that an automaton can outlive the grammar that asked for it. */

import { spine } from './node.ts'
import type { Regex, RegexBuilder } from './regex.ts'

/**
 * An expression of the same language that belongs to `target`; `null` where it refers to itself. Recursion is as deep as
 * the expression, which is at most 1,000 levels.
 */
export function transfer(regex: Regex, target: RegexBuilder): Regex | null {
  const known = new Map<Regex, Regex | null>()
  const all = (items: readonly Regex[]): Regex[] | null => {
    const moved: Regex[] = []
    for (const item of items) {
      const one = move(item)
      if (one === null) return null
      moved.push(one)
    }
    return moved
  }
  const move = (from: Regex): Regex | null => {
    let to = known.get(from)
    if (to === undefined) {
      to = make(from)
      known.set(from, to)
    }
    return to
  }
  const make = (from: Regex): Regex | null => {
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
      case 'concat': {
        const parts = all(spine(from))
        return parts && target.concatAll(parts)
      }
      case 'or': {
        const items = all(from.items)
        return items && target.orAll(items)
      }
      case 'and': {
        const items = all(from.items)
        return items && target.and(...items)
      }
      case 'not': {
        const body = move(from.body)
        return body && target.not(body)
      }
      case 'repeat': {
        const body = move(from.body)
        return body && target.repeat(body, from.min, from.max)
      }
      case 'reference':
        return null
    }
  }
  return move(regex)
}
