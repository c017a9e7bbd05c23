/** Terminals of the grammar to automata: made when first reached, once for the vocabulary where nothing of a grammar is in them. */
import type { Grammar, Terminal } from '../grammar/grammar.ts'
import { CharDfa } from '../regex/chardfa.ts'
import type { Regex } from '../regex/regex.ts'
import { type CharLanguage, DisjointLanguages, SingleLanguage } from './char-language.ts'
import type { Dfa } from './dfa.ts'
import { NumberTerminal } from './number-terminal.ts'
import { StringDfa } from './string-dfa.ts'
import { TextsDfa } from './texts-dfa.ts'

/** Automata that do not depend on one grammar, by a key: shared by all grammars over one vocabulary. */
export class DfaPool {
  readonly alphabet: Uint8Array
  readonly #shared = new Map<string, Dfa>()

  /** @param alphabet 256 entries, 1 for each byte that the vocabulary can spell */
  constructor(alphabet: Uint8Array) {
    this.alphabet = alphabet
  }

  get<T extends Dfa>(key: string, make: () => T): T {
    let dfa = this.#shared.get(key)
    if (dfa === undefined) {
      dfa = make()
      this.#shared.set(key, dfa)
    }
    return dfa as T
  }
}

/** The automata of one grammar's terminals. */
export class Terminals {
  readonly #grammar: Grammar
  readonly #pool: DfaPool
  readonly #languages = new Map<number, CharLanguage>()
  readonly #own = new Map<Terminal, Dfa>()

  constructor(grammar: Grammar, pool: DfaPool) {
    this.#grammar = grammar
    this.#pool = pool
  }

  /** How to get the automaton of a terminal. */
  lazy(terminal: Terminal): () => Dfa {
    let dfa: Dfa | null = null
    return () => (dfa ??= this.#get(terminal))
  }

  #get(terminal: Terminal): Dfa {
    const key = sharedKey(terminal)
    if (key !== null) return this.#pool.get(key, () => this.#make(terminal))
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
        return new StringDfa({ ...terminal, chars: this.#chars(terminal) }, 'json', alphabet)
      case 'text':
        return new StringDfa(
          { chars: this.#chars(terminal), minLength: 0, maxLength: Number.POSITIVE_INFINITY },
          'raw',
          alphabet,
        )
    }
  }

  /** The automaton of keys in these languages, the i-th with tag i + 1, `null` for none; of any key where `languages` is empty. */
  keys(languages: readonly (Regex | null)[]): StringDfa {
    const length = { minLength: 0, maxLength: Number.POSITIVE_INFINITY }
    const { alphabet } = this.#pool
    if (languages.length === 0)
      return this.#pool.get('key', () => new StringDfa({ chars: null, ...length }, 'key', alphabet))
    const { regexes } = this.#grammar
    const dfas = languages.map((language) => new CharDfa(regexes, language ?? regexes.none))
    const chars = dfas.length === 1 ? new SingleLanguage(dfas[0]!) : new DisjointLanguages(dfas)
    return new StringDfa({ chars, ...length }, 'key', alphabet)
  }

  /** One automaton a language, whatever the lengths beside it. */
  #chars({ language }: Extract<Terminal, { kind: 'string' | 'text' }>): CharLanguage | null {
    if (language === null) return null
    let dfa = this.#languages.get(language.id)
    if (dfa === undefined) {
      dfa = new SingleLanguage(new CharDfa(this.#grammar.regexes, language))
      this.#languages.set(language.id, dfa)
    }
    return dfa
  }
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

/** Whether any text of the terminal consists of bytes of the alphabet. */
export function canSpell(terminal: Terminal, grammar: Grammar, alphabet: Uint8Array): boolean {
  return new Terminals(grammar, new DfaPool(alphabet)).lazy(terminal)().start !== 0
}
