/**
 * What reads bytes in the recogniser: one class for each kind of terminal, immutable, one byte at a time.
 *
 * A reader is a place inside a terminal. It says what may stand in its place after a byte (readers, or items of the
 * grammar still to be expanded; nothing at all once the terminal has ended) and whether it may be left as it is.
 */
import { NumberDfa, type NumberSpec } from '../../src/automaton/number.ts'
import { type NumberAutomaton, NumberDifference } from '../../src/automaton/number-difference.ts'
import type { Decimal } from '../../src/json/decimal.ts'
import { pendingCharacter } from './characters.ts'
import type { KeyLanguage, Place, StringLanguage } from './languages.ts'

/** Something on the stack. Equal keys mean equal behaviour. */
export interface Item {
  readonly key: string
}

/** Items that take the place of one, the first on top. */
export type Sequence = readonly Item[]

export interface Reader extends Item {
  /** Whether it may be dropped without another byte. */
  readonly optional: boolean
  read(byte: number): readonly Sequence[]
}

const ALL_BYTES = new Uint8Array(256).fill(1)
const QUOTE = 0x22

/** Bytes as a text with one UTF-16 unit each. */
export function latin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** Runs of space, and one space. */
export class SpaceReader implements Reader {
  readonly key: string
  readonly optional = true
  readonly #bytes: string
  readonly #left: number

  constructor(bytes: string, left: number) {
    this.#bytes = bytes
    this.#left = left
    this.key = `space ${JSON.stringify(bytes)} ${left}`
  }
  read(byte: number): readonly Sequence[] {
    if (this.#left === 0 || !this.#bytes.includes(String.fromCharCode(byte))) return []
    return [[new SpaceReader(this.#bytes, this.#left - 1)]]
  }
}

/** One of several texts. */
export class TextsReader implements Reader {
  readonly key: string
  readonly optional: boolean
  readonly #texts: readonly string[]

  /** @param texts what is left of those that fit so far, as `latin1` */
  constructor(texts: readonly string[]) {
    this.#texts = texts
    this.optional = texts.includes('')
    this.key = `texts ${JSON.stringify(texts)}`
  }
  read(byte: number): readonly Sequence[] {
    const rest = this.#texts.filter((text) => text.charCodeAt(0) === byte).map((text) => text.slice(1))
    return rest.length === 0 ? [] : [[new TextsReader(rest)]]
  }
}

/** A stop of free text as the reader sees it; `null` leads nowhere. */
export interface ReaderStop {
  /** As `latin1`. */
  readonly text: string
  readonly atStart: boolean
  readonly leadsTo: Item | null
}

/** Marks where free text begins: no byte. */
const BEGINNING = '\u0100'

/** Free text: what was read, as far back as any stop reaches, is compared with every stop. */
export class FreeTextReader implements Reader {
  readonly key: string
  readonly optional: boolean
  readonly #stops: readonly ReaderStop[]
  readonly #ends: boolean
  readonly #name: string
  /** What was read last, as `latin1`, behind `BEGINNING`. */
  readonly #read: string

  constructor(stops: readonly ReaderStop[], ends: boolean, name: string, read = BEGINNING) {
    const longest = Math.max(4, ...stops.map(({ text }) => text.length))
    this.#stops = stops
    this.#ends = ends
    this.#name = name
    this.#read = read.slice(-longest - 1)
    this.optional = ends && isWhole(this.#read)
    this.key = `free text ${name} ${JSON.stringify(this.#read)}`
  }
  read(byte: number): readonly Sequence[] {
    const read = this.#read + String.fromCharCode(byte)
    if (!mayBeUtf8(read) || (!isWhole(this.#read) && (byte & 0xc0) !== 0x80)) return []
    const stop = this.#stops.find(({ text, atStart }) =>
      atStart ? read === BEGINNING + text : read.endsWith(text),
    )
    if (stop === undefined) return [[new FreeTextReader(this.#stops, this.#ends, this.#name, read)]]
    return stop.leadsTo === null ? [] : [[stop.leadsTo]]
  }
}

/** The bytes of the last character, which may lack some. */
function lastCharacter(read: string): Buffer {
  const bytes = Buffer.from(read, 'latin1')
  let start = bytes.length - 1
  while (start > 0 && (bytes[start]! & 0xc0) === 0x80) start--
  return bytes.subarray(start)
}

function isWhole(read: string): boolean {
  const bytes = lastCharacter(read)
  return bytes.length === 0 || !bytes.toString('utf8').includes('\ufffd')
}

function mayBeUtf8(read: string): boolean {
  if (isWhole(read)) return true
  const bytes = lastCharacter(read)
  // Half a character is one that some bytes complete.
  return [...Array(3).keys()].some((more) =>
    [0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf].some((second) => {
      const rest = Buffer.alloc(more + 1, 0x80)
      rest[0] = bytes.length === 1 ? second : 0x80
      return !Buffer.concat([bytes, rest]).toString('utf8').includes('\ufffd')
    }),
  )
}

type Numbers = NumberSpec & { readonly notMultiplesOf?: readonly Decimal[] }
const numbers = new WeakMap<object, { dfa: NumberAutomaton; id: number }>()
let numberCount = 0

export class NumberReader implements Reader {
  readonly key: string
  readonly optional: boolean
  readonly #spec: Numbers
  readonly #state: number

  constructor(spec: Numbers, state?: number) {
    let known = numbers.get(spec)
    if (known === undefined) {
      const { notMultiplesOf = [] } = spec
      const dfa =
        notMultiplesOf.length === 0
          ? new NumberDfa(spec, ALL_BYTES)
          : new NumberDifference(spec, notMultiplesOf, ALL_BYTES)
      known = { dfa, id: numberCount++ }
      numbers.set(spec, known)
    }
    this.#spec = spec
    this.#state = state ?? known.dfa.start
    this.optional = this.#state !== 0 && known.dfa.accepting(this.#state)
    this.key = `number ${known.id} ${this.#state}`
  }
  read(byte: number): readonly Sequence[] {
    const next = this.#state === 0 ? 0 : numbers.get(this.#spec)!.dfa.transition(this.#state, byte)
    return next === 0 ? [] : [[new NumberReader(this.#spec, next)]]
  }
}

/** A JSON string from its opening quote on, or raw text. */
export class StringReader implements Reader {
  readonly key: string
  readonly optional: boolean
  readonly #language: StringLanguage
  readonly #id: number
  readonly #raw: boolean
  /** `null` before the opening quote. */
  readonly #place: Place | null
  readonly #pending: readonly number[]

  constructor(
    language: StringLanguage,
    id: number,
    raw: boolean,
    place: Place | null = raw ? language.start : null,
    pending: readonly number[] = [],
  ) {
    this.#language = language
    this.#id = id
    this.#raw = raw
    this.#place = place
    this.#pending = pending
    this.optional = raw && pending.length === 0 && place !== null && language.accepts(place)
    this.key = `string ${id} ${place === null ? '' : `${place.state},${place.count}`} ${pending.join()}`
  }

  read(byte: number): readonly Sequence[] {
    const language = this.#language
    if (this.#place === null) {
      return byte === QUOTE && language.isViable(language.start) ? [[this.#at(language.start, [])]] : []
    }
    if (!this.#raw && byte === QUOTE && this.#pending.length === 0)
      return language.accepts(this.#place) ? [[]] : []
    const pending = [...this.#pending, byte]
    const character = pendingCharacter(pending, this.#raw ? 'raw' : 'json')
    if (character === null || !language.isViableAfter(this.#place, character.ranges)) return []
    if (!character.whole) return [[this.#at(this.#place, pending)]]
    return [
      [this.#at(language.after(this.#place, (character.ranges[0] as readonly [number, number])[0]), [])],
    ]
  }

  #at(place: Place, pending: readonly number[]): StringReader {
    return new StringReader(this.#language, this.#id, this.#raw, place, pending)
  }
}

/** What an object allows as its next key. */
export interface Keys {
  readonly key: string
  /** Names that may come, as spelled, and what follows each. */
  readonly declared: ReadonlyMap<string, Sequence>
  /** The languages of keys that are not declared; none where such a key may not come. */
  readonly classes: readonly { readonly language: KeyLanguage; follow(key: string): Sequence }[]
  /** Names that are no keys of a class: declared, forbidden, or held already. */
  readonly taken: ReadonlySet<string>
}

/** A key from its opening quote on: a declared name, one of a class, or both as far as can be told. */
export class KeyReader implements Reader {
  readonly key: string
  readonly optional = false
  readonly #keys: Keys
  /** Its bytes so far, the quote included. */
  readonly #typed: string
  /** Its whole characters. */
  readonly #text: string
  /** Bytes of the character that is not whole. */
  readonly #pending: readonly number[]
  /** The state in each class that the key may still be of. */
  readonly #states: readonly number[]

  constructor(
    keys: Keys,
    typed = '',
    text = '',
    pending: readonly number[] = [],
    states: readonly number[] = keys.classes.map(({ language }) => language.start),
  ) {
    this.#keys = keys
    this.#typed = typed
    this.#text = text
    this.#pending = pending
    this.#states = states
    // All else follows from what was typed.
    this.key = `key ${keys.key} ${typed}`
  }

  read(byte: number): readonly Sequence[] {
    const { declared, classes, taken } = this.#keys
    const typed = this.#typed + String.fromCharCode(byte)
    const found: Sequence[] = []
    const whole = declared.get(typed)
    if (whole !== undefined) found.push(whole)
    let open = [...declared.keys()].some((name) => name.length > typed.length && name.startsWith(typed))
    let text = this.#text
    let pending: readonly number[] = []
    let states = this.#states
    if (this.#typed === '') {
      if (byte !== QUOTE) return []
    } else if (byte === QUOTE && this.#pending.length === 0) {
      classes.forEach(({ language, follow }, i) => {
        if (language.accepts(states[i] as number) && !taken.has(text)) found.push(follow(text))
      })
      states = states.map(() => 0)
    } else {
      const bytes = [...this.#pending, byte]
      const character = pendingCharacter(bytes, 'key')
      const ranges = character?.ranges ?? []
      states = states.map((state, i) =>
        (classes[i] as Keys['classes'][number]).language.isViableAfter(state, ranges, text, taken)
          ? state
          : 0,
      )
      if (character?.whole) {
        const codePoint = (ranges[0] as readonly [number, number])[0]
        text += String.fromCodePoint(codePoint)
        states = states.map((state, i) =>
          state === 0 ? 0 : (classes[i] as Keys['classes'][number]).language.after(state, codePoint),
        )
      } else {
        pending = bytes
      }
    }
    open ||= states.some((state) => state !== 0)
    if (open) found.push([new KeyReader(this.#keys, typed, text, pending, states)])
    return found
  }
}
