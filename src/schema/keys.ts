/**
 * Makes and keeps the maps of undeclared keys (`key-map.ts`). `additionalProperties` alone is one part with every key, each
 * pattern of `patternProperties` splits the parts in those that match it and those that do not.
 *
 * No two parts of a map have the same node and none has an empty language, so there are as many parts as different values,
 * not as combinations of patterns. Conjunction is the product of the parts, memoised.
 */
import { LimitError } from '../errors.ts'
import type { Regex } from '../regex/regex.ts'
import { KeyMap, type KeyPart } from './key-map.ts'
import type { Node, NodeTable } from './node.ts'
import type { Budget } from './options.ts'
import type { Strings } from './strings.ts'

/** Finite languages of at most so many keys are declared name by name. */
export const MAX_NAMES = 1_000
/** Pairs of parts of two maps. */
const MAX_PRODUCT = 4_096

/** Keys of one part each of two maps, with its nodes. */
interface Cut {
  readonly keys: Regex
  readonly value: Node
  readonly other: Node
}

/** Maps of one compile are fewer than this. */
const MAPS = 2 ** 26

function keyOf(a: KeyMap, b: KeyMap): number {
  return a.id * MAPS + b.id
}

export class KeyMaps {
  /** No further keys. */
  readonly none: KeyMap
  /** Every key with any value. */
  readonly any: KeyMap
  readonly #nodes: NodeTable
  readonly #strings: Strings
  readonly #budget: Budget
  readonly #maps = new Map<string, KeyMap>()
  readonly #meets = new Map<number, KeyMap>()
  readonly #overlays = new Map<number, readonly Cut[]>()
  readonly #unfolded = new Map<KeyMap, { names: ReadonlyMap<string, Node>; rest: KeyMap }>()

  constructor(nodes: NodeTable, strings: Strings, budget: Budget) {
    this.#nodes = nodes
    this.#strings = strings
    this.#budget = budget
    this.none = this.#make([])
    this.any = this.of(nodes.any)
  }

  /** Every key with a value of the node. */
  of(node: Node): KeyMap {
    return this.#make([{ keys: this.#strings.regexes.all, value: node }])
  }

  meet(a: KeyMap, b: KeyMap): KeyMap {
    if (a === b || b === this.any) return a
    if (a === this.any) return b
    if (a === this.none || b === this.none) return this.none
    const key = keyOf(a, b)
    let map = this.#meets.get(key)
    if (map === undefined) {
      const parts: KeyPart[] = []
      for (const { keys, value, other } of this.overlay(a, b)) {
        const node = this.#nodes.meet(value, other)
        if (node !== this.#nodes.none) parts.push({ keys, value: node })
      }
      map = this.#make(parts)
      this.#meets.set(key, map)
    }
    return map
  }

  /** The parts of `a`, cut where those of `b` are: to each the nodes of both. */
  overlay(a: KeyMap, b: KeyMap): readonly Cut[] {
    const key = keyOf(a, b)
    let cut = this.#overlays.get(key)
    if (cut === undefined) {
      cut = this.#overlay(a, b)
      this.#overlays.set(key, cut)
    }
    return cut
  }

  #overlay(a: KeyMap, b: KeyMap): readonly Cut[] {
    const { regexes } = this.#strings
    const cut: Cut[] = []
    const product = a.parts.length * b.parts.length
    if (product > MAX_PRODUCT)
      throw new LimitError(
        'combinations of classes of keys',
        MAX_PRODUCT,
        product,
        'use fewer patterns of names on one object',
      )
    for (const { keys, value } of a.parts) {
      let rest = keys
      this.#budget.spend(1 + b.parts.length)
      for (const part of b.parts) {
        const both = this.#strings.both(rest, part.keys)
        if (both === null) continue
        cut.push({ keys: both, value, other: part.value })
        rest = this.#strings.both(rest, regexes.not(part.keys)) ?? regexes.none
      }
      if (rest !== regexes.none) cut.push({ keys: rest, value, other: this.#nodes.none })
    }
    return cut
  }

  /** Only the keys of the language. */
  restrict(map: KeyMap, language: Regex): KeyMap {
    return this.meet(map, this.#make([{ keys: language, value: this.#nodes.any }]))
  }

  /** Only the parts whose node is kept. */
  filter(map: KeyMap, isKept: (node: Node) => boolean): KeyMap {
    const parts = map.parts.filter(({ value }) => isKept(value))
    return parts.length === map.parts.length ? map : this.#make(parts)
  }

  /**
   * The map of `patternProperties` and what stands for the keys that match none. Each pattern comes with a language and
   * the node of its values.
   */
  ofPatterns(patterns: readonly KeyPart[], additional: Node): KeyMap {
    // Patterns of one node are one: their values satisfy it or do not.
    const merged = this.#merge(patterns).filter(({ keys }) => keys !== this.#strings.regexes.none)
    const parts: KeyPart[] = []
    for (const { members, texts } of this.#strings.partition(merged.map(({ keys }) => keys))) {
      let value = members.length === 0 ? additional : this.#nodes.any
      for (const index of members) value = this.#nodes.meet(value, (merged[index] as KeyPart).value)
      parts.push({ keys: texts, value })
    }
    return this.#make(parts)
  }

  /** The keys of finite parts, one by one, and the parts that stay. */
  unfold(map: KeyMap): { readonly names: ReadonlyMap<string, Node>; readonly rest: KeyMap } {
    let unfolded = this.#unfolded.get(map)
    if (unfolded === undefined) {
      const names = new Map<string, Node>()
      const parts: KeyPart[] = []
      for (const part of map.parts) {
        if (this.#strings.countOf(part.keys) > MAX_NAMES) parts.push(part)
        else for (const name of this.#strings.listOf(part.keys)) names.set(name, part.value)
      }
      unfolded = { names, rest: names.size === 0 ? map : this.#make(parts) }
      this.#unfolded.set(map, unfolded)
    }
    return unfolded
  }

  /** Parts of one node become one. */
  #merge(parts: readonly KeyPart[]): KeyPart[] {
    const languages = new Map<Node, Regex[]>()
    for (const { keys, value } of parts) {
      const list = languages.get(value)
      if (list === undefined) languages.set(value, [keys])
      else list.push(keys)
    }
    return Array.from(languages, ([value, list]) => ({
      keys: list.length === 1 ? (list[0] as Regex) : this.#strings.regexes.orAll(list),
      value,
    }))
  }

  #make(written: readonly KeyPart[]): KeyMap {
    const { regexes } = this.#strings
    const parts = this.#merge(
      written.filter(({ keys, value }) => value !== this.#nodes.none && keys !== regexes.none),
    ).sort((a, b) => a.value.id - b.value.id)
    const only = parts[0]
    if (parts.length === 1 && only !== undefined && this.#strings.isEverything(only.keys)) {
      parts[0] = { keys: regexes.all, value: only.value }
    }
    const key = parts.map(({ keys, value }) => `${keys.id}:${value.id}`).join()
    let map = this.#maps.get(key)
    if (map === undefined) {
      map = new KeyMap(this.#maps.size, parts, this.#nodes.none, (keys, name) =>
        this.#strings.matches(keys, name),
      )
      this.#maps.set(key, map)
    }
    return map
  }
}
