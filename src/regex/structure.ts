/**
 * Expressions of different builders: whether they are built alike, and one built anew in another builder, so that an
 * automaton can outlive the grammar that asked for it. Recursion is as deep as an expression, at most 1,000 levels.
 */

import { spine } from './node.ts'
import type { Regex, RegexBuilder } from './regex.ts'

const hashes = new WeakMap<Regex, number>()

/** A number that is the same for expressions that are built alike. O(nodes) once. */
export function structuralHash(regex: Regex): number {
  let hash = hashes.get(regex)
  if (hash === undefined) {
    hash = hashOf(regex)
    hashes.set(regex, hash)
  }
  return hash
}

function hashOf(regex: Regex): number {
  let hash = mix(regex.kind.length * 31 + regex.kind.charCodeAt(0), regex.minLength)
  const add = (value: number): void => {
    hash = mix(hash, value)
  }
  switch (regex.kind) {
    case 'chars':
      regex.set.ranges.forEach(add)
      break
    case 'texts': {
      const { values, from, to, offset } = regex.texts
      add(to - from)
      for (let i = from; i < Math.min(to, from + 8); i++)
        for (let unit = offset; unit < values[i]!.length; unit++) add(values[i]!.charCodeAt(unit))
      break
    }
    case 'concat':
      for (const part of spine(regex)) add(structuralHash(part))
      break
    case 'or':
    case 'and':
      for (const item of regex.items) add(structuralHash(item))
      break
    case 'not':
      add(structuralHash(regex.body))
      break
    case 'repeat':
      add(structuralHash(regex.body))
      add(regex.min)
      add(regex.max)
  }
  return hash
}

function mix(hash: number, value: number): number {
  const h = Math.imul(hash ^ value, 0x9e3779b1)
  return h ^ (h >>> 15)
}

/** Whether two expressions are built alike, reference for reference the same. */
export function isAlike(a: Regex, b: Regex): boolean {
  if (a === b) return true
  if (a.kind !== b.kind || a.minLength !== b.minLength || a.maxLength !== b.maxLength || a.depth !== b.depth)
    return false
  switch (a.kind) {
    case 'none':
    case 'epsilon':
    case 'all':
      return true
    case 'chars':
      return areEqual(a.set.ranges, (b as typeof a).set.ranges)
    case 'texts':
      return areEqual(textsOf(a), textsOf(b as typeof a))
    case 'concat':
      return areAlike(spine(a), spine(b))
    case 'or':
    case 'and':
      return areAlike(a.items, (b as typeof a).items)
    case 'not':
      return isAlike(a.body, (b as typeof a).body)
    case 'repeat': {
      const other = b as typeof a
      return a.min === other.min && a.max === other.max && isAlike(a.body, other.body)
    }
    case 'reference':
      return false
  }
}

function areAlike(a: readonly Regex[], b: readonly Regex[]): boolean {
  return a.length === b.length && a.every((item, index) => isAlike(item, b[index]!))
}

function areEqual<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}

function textsOf({ texts }: Extract<Regex, { kind: 'texts' }>): string[] {
  return texts.values.slice(texts.from, texts.to).map((value) => value.slice(texts.offset))
}

/** An expression of the same language that belongs to `target`; `null` where it refers to itself. */
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
      case 'texts':
        return target.texts(textsOf(from))
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
