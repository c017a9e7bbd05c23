/** Terminals of the grammar to automata: made when first reached, once for the vocabulary where nothing of a grammar is in them. */
import type { Grammar, Terminal } from '../grammar/grammar.ts'
import { type Decimal, parseDecimal } from '../json/decimal.ts'
import { complementIntervals, meetIntervals, point, uniteIntervals } from '../json/intervals.ts'
import { jsonKey } from '../json/print.ts'
import { readJson } from '../json/read.ts'
import { JsonNumber, type JsonValue } from '../json/value.ts'
import { CharDfa, type CharDfaLimits } from '../regex/chardfa.ts'
import type { Regex } from '../regex/regex.ts'
import { type CharLanguage, DisjointLanguages, SingleLanguage } from './char-language.ts'
import type { Dfa } from './dfa.ts'
import { DfaPool } from './dfa-pool.ts'
import { NumberMinus } from './number-minus.ts'
import { NumberTerminal } from './number-terminal.ts'
import { StringDfa } from './string-dfa.ts'
import { StringMinus } from './string-minus.ts'
import { TextsDfa } from './texts-dfa.ts'

/** The automata of one grammar's terminals. */
export class Terminals {
  readonly #grammar: Grammar
  readonly #pool: DfaPool
  readonly #languages = new Map<number, CharLanguage>()
  readonly #own = new Map<Terminal, Dfa>()
  readonly #described = new WeakMap<Dfa, Described>()
  /** Whether the texts of terminals are JSON, each. */
  readonly #values = new WeakMap<Terminal, boolean>()
  readonly #limits: CharDfaLimits

  /** @param limits of the automaton of each pattern */
  constructor(grammar: Grammar, pool: DfaPool, limits: CharDfaLimits) {
    this.#grammar = grammar
    this.#pool = pool
    this.#limits = limits
  }

  /** Whether the automaton is that of a JSON scalar, and not of text around JSON. */
  isScalar(dfa: Dfa): boolean {
    const own = this.#described.get(dfa)
    if (own === undefined || own.terminal.kind === 'text') return false
    return own.terminal.kind !== 'texts' || this.#areValues(own.terminal)
  }

  #areValues(terminal: Extract<Terminal, { kind: 'texts' }>): boolean {
    let are = this.#values.get(terminal)
    if (are === undefined) {
      are = terminal.texts.every(isJson)
      this.#values.set(terminal, are)
    }
    return are
  }

  /**
   * The automaton of the terminal that `dfa` belongs to, without these values, each with its `jsonKey`; `dfa` itself where
   * it has none of them. Equal requests give the same automaton, as long as that is alive.
   */
  without(dfa: Dfa, values: ReadonlyMap<string, JsonValue>): Dfa {
    const own = this.#described.get(dfa)
    if (own === undefined) return dfa
    const before = own.excluded()
    const excluded = new Map(before)
    for (const [key, value] of values) if (concerns(own.terminal, value)) excluded.set(key, value)
    if (excluded.size === before.size) return dfa
    const key = [...excluded.keys()].sort().join('\n')
    let left = own.variants.get(key)?.deref()
    if (left === undefined) {
      left = this.#exclude(own.terminal, [...excluded.values()])
      if (own.variants.size >= MAX_VARIANTS) own.variants.clear()
      own.variants.set(key, new WeakRef(left))
      this.#described.set(left, { ...own, excluded: () => excluded })
    }
    return left
  }

  /** The same for a terminal that nothing was taken out of, and values that differ; made anew. */
  exclude(dfa: Dfa, taken: Taken): Dfa {
    const own = this.#described.get(dfa)
    if (own === undefined) return dfa
    const { terminal } = own
    const excluded = (): JsonValue[] => taken.values().filter((value) => concerns(terminal, value))
    const left = this.#minus(dfa, terminal, taken, excluded)
    if (left === dfa) return dfa
    const keys = (): ReadonlyMap<string, JsonValue> =>
      new Map(excluded().map((value) => [jsonKey(value), value]))
    this.#described.set(left, { ...own, excluded: keys })
    return left
  }

  #minus(dfa: Dfa, terminal: Terminal, taken: Taken, excluded: () => JsonValue[]): Dfa {
    if (dfa instanceof NumberTerminal) {
      const exact = (): NumberTerminal => this.#exclude(terminal, excluded()) as NumberTerminal
      return taken.hasNumbers() ? new NumberMinus(dfa, taken.has, exact) : dfa
    }
    const values = excluded()
    return values.length === 0 ? dfa : this.#exclude(terminal, values)
  }

  #exclude(terminal: Terminal, values: readonly JsonValue[]): Dfa {
    switch (terminal.kind) {
      case 'texts': {
        const keys = new Set(values.map(jsonKey))
        const texts = terminal.texts.filter((text) => !keys.has(jsonKey(readJson(text))))
        return new TextsDfa(texts, this.#pool.alphabet)
      }
      case 'number': {
        const points = values.map((value) => point(parseDecimal((value as JsonNumber).text)))
        const intervals = meetIntervals(terminal.intervals, complementIntervals(uniteIntervals(points)))
        return new NumberTerminal({ ...terminal, intervals }, this.#pool.alphabet)
      }
      case 'string':
        return new StringMinus(this.#get(terminal) as StringDfa, values as readonly string[])
      case 'text':
        throw new RangeError('raw text is no JSON value')
    }
  }

  /** How to get the automaton of a terminal. */
  lazy(terminal: Terminal): () => Dfa {
    let dfa: Dfa | null = null
    return () => (dfa ??= this.#describe(this.#get(terminal), terminal))
  }

  #describe(dfa: Dfa, terminal: Terminal): Dfa {
    if (!this.#described.has(dfa))
      this.#described.set(dfa, { terminal, excluded: () => NONE, variants: new Map() })
    return dfa
  }

  #get(terminal: Terminal): Dfa {
    const key = sharedKey(terminal)
    if (key !== null) return this.#pool.get(key, () => this.#make(terminal))
    if (terminal.kind === 'number')
      return this.#pool.number(keyOfNumber(terminal), () => new NumberTerminal(terminal, this.#pool.alphabet))
    let dfa = this.#own.get(terminal)
    if (dfa === undefined) {
      dfa = this.#make(terminal)
      this.#own.set(terminal, dfa)
    }
    return dfa
  }

  #make(terminal: Terminal): Dfa {
    const { alphabet } = this.#pool
    switch (terminal.kind) {
      case 'texts':
        return new TextsDfa(terminal.texts, alphabet)
      case 'number':
        return new NumberTerminal(terminal, alphabet)
      case 'string':
        return (
          this.#pattern(terminal) ??
          new StringDfa({ ...terminal, chars: this.#chars(terminal) }, 'json', alphabet)
        )
      case 'text':
        return new StringDfa(
          { chars: this.#chars(terminal), minLength: 0, maxLength: Number.POSITIVE_INFINITY },
          'raw',
          alphabet,
        )
    }
  }

  /** The automaton of a string with a pattern, where other grammars may have the same one. */
  #pattern({ language, minLength, maxLength }: Extract<Terminal, { kind: 'string' }>): StringDfa | null {
    if (language === null) return null
    return this.#pool.pattern(language, { minLength, maxLength }, 'json', this.#limits)
  }

  /** The automaton of keys in these languages, the i-th with tag i + 1, `null` for none; of any key where `languages` is empty. */
  keys(languages: readonly (Regex | null)[]): StringDfa {
    const length = { minLength: 0, maxLength: Number.POSITIVE_INFINITY }
    const { alphabet } = this.#pool
    if (languages.length === 0)
      return this.#pool.get('key', () => new StringDfa({ chars: null, ...length }, 'key', alphabet))
    const { regexes } = this.#grammar
    const dfas = languages.map((language) => new CharDfa(regexes, language ?? regexes.none, this.#limits))
    const chars = dfas.length === 1 ? new SingleLanguage(dfas[0]!) : new DisjointLanguages(dfas)
    return new StringDfa({ chars, ...length }, 'key', alphabet)
  }

  /** One automaton a language, whatever the lengths beside it. */
  #chars({ language }: Extract<Terminal, { kind: 'string' | 'text' }>): CharLanguage | null {
    if (language === null) return null
    let dfa = this.#languages.get(language.id)
    if (dfa === undefined) {
      dfa = new SingleLanguage(new CharDfa(this.#grammar.regexes, language, this.#limits))
      this.#languages.set(language.id, dfa)
    }
    return dfa
  }
}

const encoder = new TextEncoder()
const NONE: ReadonlyMap<string, JsonValue> = new Map()
/** Automata without some values that are remembered for one terminal. */
const MAX_VARIANTS = 64

/** Values that differ, which are taken out of a terminal. */
export interface Taken {
  values(): readonly JsonValue[]
  /** Whether the value with this `jsonKey` is one of them. */
  readonly has: (key: string) => boolean
  /** Whether some of them are numbers. */
  hasNumbers(): boolean
}

/** What an automaton was made of. */
interface Described {
  readonly terminal: Terminal
  /** The values that were taken out, each with its `jsonKey`. */
  readonly excluded: () => ReadonlyMap<string, JsonValue>
  /** The automata of this terminal without some values, by the keys of these. */
  readonly variants: Map<string, WeakRef<Dfa>>
}

function isJson(text: string): boolean {
  try {
    readJson(text)
    return true
  } catch {
    return false
  }
}

/** Whether a value can be one of the terminal's. */
function concerns({ kind }: Terminal, value: JsonValue): boolean {
  if (kind === 'string') return typeof value === 'string'
  return kind === 'texts' || (kind === 'number' && value instanceof JsonNumber)
}

/** Everything that a number's automaton is made of. */
function keyOfNumber(number: Extract<Terminal, { kind: 'number' }>): string {
  const { integer, notation, intervals, multipleOf, notMultiplesOf = [] } = number
  const bounds = intervals.map(
    ({ min, minExclusive, max, maxExclusive }) =>
      `${spelled(min)}${minExclusive ? '<' : '≤'}${spelled(max)}${maxExclusive ? '<' : '≤'}`,
  )
  return `${integer} ${notation} ${bounds.join()} ${spelled(multipleOf)} ${notMultiplesOf.map(spelled).join()}`
}

function spelled(decimal: Decimal | null | undefined): string {
  return decimal == null ? '' : `${decimal.mantissa}e${decimal.exponent}`
}

/** A key for the terminals that many grammars have, none of them with a bound: the pool lives as long as the vocabulary. */
function sharedKey(terminal: Terminal): string | null {
  if (terminal.kind === 'number') {
    const bounded = terminal.intervals.some(({ min, max }) => min !== null || max !== null)
    return !bounded && terminal.multipleOf === undefined && terminal.notMultiplesOf === undefined
      ? `number ${terminal.integer} ${terminal.notation}`
      : null
  }
  if (terminal.kind !== 'string') return null
  const free =
    terminal.language === null && terminal.minLength === 0 && terminal.maxLength === Number.POSITIVE_INFINITY
  return free ? 'string' : null
}

/** Whether any key of the language consists of bytes of the alphabet. */
export function canSpellKey(
  keys: Regex,
  grammar: Grammar,
  alphabet: Uint8Array,
  limits: CharDfaLimits,
): boolean {
  return new Terminals(grammar, new DfaPool(alphabet), limits).keys([keys]).start !== 0
}

/** Whether any text of the terminal consists of bytes of the alphabet. */
export function canSpell(
  terminal: Terminal,
  grammar: Grammar,
  alphabet: Uint8Array,
  limits: CharDfaLimits,
): boolean {
  if (terminal.kind === 'texts')
    return terminal.texts.some((text) => encoder.encode(text).every((byte) => alphabet[byte] === 1))
  return new Terminals(grammar, new DfaPool(alphabet), limits).lazy(terminal)().start !== 0
}
