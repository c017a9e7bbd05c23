/**
 * Scalars as the items that are taken see them: which values a terminal that was begun may still become, and whether some is
 * left that none of the items is.
 *
 * Items are looked up (`item-index.ts`), so that an answer costs what begins as it was written.
 */
import { type Dfa, stateAfter } from '../automaton/dfa.ts'
import { bytesOf, latin1 } from '../automaton/latin1.ts'
import { NumberTerminal } from '../automaton/number-terminal.ts'
import type { Program } from '../automaton/program.ts'
import { maySpell, readTyped } from '../automaton/spelled.ts'
import { StringDfa } from '../automaton/string-dfa.ts'
import { TextsDfa } from '../automaton/texts-dfa.ts'
import { jsonKey } from '../json/print.ts'
import { readJson } from '../json/read.ts'
import { JsonNumber, type JsonValue } from '../json/value.ts'
import { compare, countNumbersFrom, type Item, isNew, lowerBound, stringsFrom } from './item-index.ts'
import type { TextRange } from './taken.ts'

/** Values of a number that are looked at one by one. */
const MAX_NUMBERS = 32

/** A choice of texts, in order, and the `jsonKey` of each. */
interface Texts {
  readonly texts: readonly string[]
  readonly keys: readonly string[]
}

export class ScalarValues {
  readonly #program: Program
  readonly #texts = new WeakMap<TextsDfa, Texts>()

  constructor(program: Program) {
    this.#program = program
  }

  /** Whether a scalar begun so can become a value that is none of the items; `null` where that is not easily told. */
  canDiffer(dfa: Dfa, state: number, typed: string, items: Item | null): boolean | null {
    if (dfa instanceof StringDfa) return candidates(typed, items).length === 0 ? true : null
    if (dfa instanceof NumberTerminal) return this.#canEndNumber(dfa, state, typed, items)
    return dfa instanceof TextsDfa ? this.hasTextLeft(dfa, typed, items) : null
  }

  /** Whether a number begun so can become a value that is none of the items. */
  #canEndNumber(dfa: NumberTerminal, state: number, typed: string, items: Item | null): boolean | null {
    if (hasMoreValues(dfa, state, typed, items)) return true
    const gone = new Map<string, JsonValue>()
    let left: Dfa = dfa
    let at = state
    while (gone.size < MAX_NUMBERS) {
      const rest = left.shortest(at, 1)!
      const value = new JsonNumber(typed + latin1(rest, 0, rest.length))
      const key = jsonKey(value)
      if (isNew(key, items)) return true
      gone.set(key, value)
      left = this.#program.without(dfa, gone)
      at = left.start === 0 ? 0 : stateAfter(left, typed)
      if (at === 0) return false
    }
    return null
  }

  /** Whether some text that begins so is none of the items. */
  hasTextLeft(dfa: TextsDfa, typed: string, items: Item | null): boolean {
    const { low, high } = this.textsFrom(dfa, typed)
    if (high - low > (items?.size ?? 0)) return low < high
    const { keys } = this.#textsOf(dfa)
    for (let i = low; i < high; i++) if (isNew(keys[i]!, items)) return true
    return false
  }

  /** The texts that begin so. */
  textsFrom(dfa: TextsDfa, typed: string): TextRange {
    const { texts } = this.#textsOf(dfa)
    return { texts, low: lowerBound(texts, typed), high: lowerBound(texts, `${typed}\uffff`) }
  }

  /** By the index of a text whether it is one of the items. */
  isTaken(dfa: TextsDfa, items: Item | null): (index: number) => boolean {
    const { keys } = this.#textsOf(dfa)
    return (index) => !isNew(keys[index]!, items)
  }

  /** The texts in order, with their `jsonKey`s. Equal values have one text. */
  #textsOf(dfa: TextsDfa): Texts {
    let known = this.#texts.get(dfa)
    if (known === undefined) {
      const texts = [...dfa.texts].sort(compare)
      known = { texts, keys: texts.map((text) => jsonKey(readJson(utf8(text)))) }
      this.#texts.set(dfa, known)
    }
    return known
  }
}

/** The strings among the items that begin as was typed, one byte a unit, in lists that are in order; all before the quote. */
export function candidates(typed: string, items: Item | null): (readonly string[])[] {
  const { text, pending } = readTyped(typed.slice(1))
  const found = stringsFrom(text, items)
  if (pending === '') return found
  return found.flatMap((list) => {
    const close = list.filter((value) => begins(value, text, pending))
    return close.length === 0 ? [] : [close]
  })
}

/**
 * How many of the items a number may become that begins as was typed, at most: whatever follows, its first digits but for zeros
 * are those of the value.
 */
export function numbersFrom(typed: string, items: Item | null): number {
  const digits = /^-?0*([0-9]*?)0*$/.exec(typed.replace('.', '').replace(/[eE].*$/, ''))![1]!
  return countNumbersFrom(digits === '' ? '' : (typed[0] === '-' ? '-' : '') + digits, items)
}

/** Whether a number begun so has more values than there are items that it may become; `false` also where it is not seen. */
export function hasMoreValues(
  dfa: NumberTerminal,
  state: number,
  typed: string,
  items: Item | null,
): boolean {
  const close = numbersFrom(typed, items)
  return close === 0 || (!/[eE]/.test(typed) && dfa.values(state) > close)
}

function begins(value: string, text: string, pending: string): boolean {
  if (!value.startsWith(text)) return false
  return pending === '' || maySpell(pending, value.slice(text.length, text.length + 2))
}

const decoder = new TextDecoder()

function utf8(text: string): string {
  return decoder.decode(bytesOf(text))
}
