/**
 * One terminal for the keys of several objects, where a text of JSON can be read as each of them: all names that any of
 * them declares, and free keys if any has some.
 *
 * Behind a key stands whoever may have it: as a name that is declared, or as a free key. A name that is a free key to some
 * has the tag of one, so that it is held from there on; to those that declare it that makes no difference. Only for free
 * keys of any text. Building costs the names of all objects.
 */
import { DECLARED, isFree, KeyDfa } from './key-dfa.ts'
import type { AllowedNames, KeyNamesTable } from './key-names.ts'
import type { ObjectPart } from './parts.ts'
import type { StringDfa } from './string-dfa.ts'

/** A key that may come: of an object, at its counter. */
export interface KeyMember {
  readonly context: number
  readonly part: ObjectPart
  readonly count: number
}

export class KeyUnion {
  readonly dfa: KeyDfa
  readonly #members: readonly KeyMember[]
  readonly #names: readonly string[]

  constructor(members: readonly KeyMember[], tries: KeyNamesTable, alphabet: Uint8Array) {
    this.#members = members
    const names = new Map<string, number>()
    for (const { part } of new Map(members.map((member) => [member.part, member])).values())
      for (const name of part.declared) if (!names.has(name)) names.set(name, names.size)
    this.#names = [...names.keys()]
    const allowed = new Uint8Array(names.size)
    /** How many declare a name, of those that have free keys. */
    const declared = new Int32Array(names.size)
    let free: StringDfa | null = null
    let open = 0
    for (const { part, count } of members) {
      const keys = part.keys(count)
      free ??= keys.freeKeys
      if (keys.freeKeys !== null) open++
      part.declared.forEach((name, index) => {
        const own = names.get(name)!
        if (keys.isAllowed(index)) allowed[own] = 1
        if (keys.freeKeys !== null) declared[own]!++
      })
    }
    const isFreeToSome = (name: number): boolean => declared[name]! < open
    const has = (name: number): boolean => allowed[name] === 1 || isFreeToSome(name)
    const all: AllowedNames = { from: 0, to: names.size - 1, has }
    this.dfa = new KeyDfa(tries.of(this.#names), all, free, alphabet, isFreeToSome)
  }

  /** Whether automata of keys can be part of a union. */
  static takes({ freeKeys }: KeyDfa): boolean {
    return freeKeys === null || freeKeys.isAny
  }

  /** The members that may have the key with this tag, each with its own tag of it. */
  *with(tag: number): Generator<{ readonly context: number; readonly tag: number }> {
    const name = this.dfa.nameOf(tag)
    for (const { context, part, count } of this.#members) {
      const index = name < 0 ? -1 : part.indexOf(this.#names[name]!)
      if (index >= 0) {
        if (part.keys(count).isAllowed(index)) yield { context, tag: index + DECLARED }
      } else if (isFree(tag) && part.freeAllowed(count)) yield { context, tag: FREE }
    }
  }
}

/** The tag of free keys of any text. */
const FREE = 1
