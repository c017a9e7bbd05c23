/** Whether expressions of different builders are built alike. Recursion is as deep as an expression, at most 1,000 levels. */

import { spine } from './node.ts'
import type { Regex } from './regex.ts'

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

/** Whether two expressions are built alike, reference for reference the same. O(nodes), but for long tails in common. */
export function isAlike(a: Regex, b: Regex): boolean {
  return new Comparison().isAlike(a, b)
}

class Comparison {
  /** Pairs that are alike: parts that occur often are compared once. */
  readonly #seen = new Map<Regex, Regex>()

  isAlike(a: Regex, b: Regex): boolean {
    if (a === b || this.#seen.get(a) === b) return true
    if (
      a.kind !== b.kind ||
      a.minLength !== b.minLength ||
      a.maxLength !== b.maxLength ||
      a.depth !== b.depth
    )
      return false
    if (!this.#areAlike(a, b)) return false
    this.#seen.set(a, b)
    return true
  }

  #areAlike(a: Regex, b: Regex): boolean {
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
        return this.#eachAlike(spine(a), spine(b))
      case 'or':
      case 'and':
        return this.#eachAlike(a.items, (b as typeof a).items)
      case 'not':
        return this.isAlike(a.body, (b as typeof a).body)
      case 'repeat': {
        const other = b as typeof a
        return a.min === other.min && a.max === other.max && this.isAlike(a.body, other.body)
      }
      case 'reference':
        return false
    }
  }

  #eachAlike(a: readonly Regex[], b: readonly Regex[]): boolean {
    return a.length === b.length && a.every((item, index) => this.isAlike(item, b[index]!))
  }
}

function areEqual<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}

function textsOf({ texts }: Extract<Regex, { kind: 'texts' }>): string[] {
  return texts.values.slice(texts.from, texts.to).map((value) => value.slice(texts.offset))
}
