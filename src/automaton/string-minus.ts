/**
 * A JSON string that is none of some texts, in whatever spelling: the automaton of the string, and beside it the texts that
 * what was written may still become.
 *
 * Nothing is built but the states that are visited: making one costs a list of the texts. Once none of them can come any
 * more, a state stands for one of the string's own (`outside`).
 */
import { Dfa } from './dfa.ts'
import { Frontier, type Ranked } from './frontier.ts'
import { bytesOf, latin1 } from './latin1.ts'
import { charactersOf, maySpell } from './spelled.ts'
import type { StringDfa } from './string-dfa.ts'

const NONE: readonly string[] = []

export class StringMinus extends Dfa {
  readonly start: number
  readonly base: StringDfa
  /** For each state that of the string. */
  readonly #bases: number[] = [0]
  /** The characters before, as far as they are whole; and the bytes of the one that is not. */
  readonly #written: string[] = ['']
  readonly #pending: string[] = ['']
  /** The texts that begin with them. */
  readonly #texts: (readonly string[])[] = [NONE]
  readonly #interned = new Map<string, number>()
  readonly #rows = new Map<number, number>()
  readonly #ends = new Map<number, boolean>()

  constructor(base: StringDfa, texts: readonly string[]) {
    super()
    this.base = base
    const start = base.start === 0 ? 0 : this.#state(base.start, '', '', texts)
    this.start = start !== 0 && this.#canEnd(start) ? start : 0
  }

  /** The state of the string that this one stands for, or 0 where some text may still come. */
  outside(state: number): number {
    return this.#texts[state]!.length === 0 ? this.#bases[state]! : 0
  }
  /** The state of the string. */
  baseOf(state: number): number {
    return this.#bases[state]!
  }

  #state(base: number, written: string, pending: string, texts: readonly string[]): number {
    const key = texts.length === 0 ? String(base) : `${base} ${pending} ${written}`
    let state = this.#interned.get(key)
    if (state === undefined) {
      state = this.#bases.push(base) - 1
      this.#written.push(texts.length === 0 ? '' : written)
      this.#pending.push(texts.length === 0 ? '' : pending)
      this.#texts.push(texts)
      this.#interned.set(key, state)
    }
    return state
  }

  next(state: number, byte: number): number {
    const at = state * 256 + byte
    let next = this.#rows.get(at)
    if (next === undefined) {
      next = this.#successor(state, byte)
      if (next !== 0 && !this.#canEnd(next)) next = 0
      this.#rows.set(at, next)
    }
    return next
  }

  #successor(state: number, byte: number): number {
    const { base } = this
    const to = base.next(this.#bases[state]!, byte)
    if (to === 0) return 0
    const texts = this.#texts[state]!
    if (texts.length === 0) return this.#state(to, '', '', NONE)
    const written = this.#written[state]!
    if (base.tag(to) !== 0) return texts.includes(written) ? 0 : this.#state(to, '', '', NONE)
    const bytes = this.#pending[state]! + String.fromCharCode(byte)
    // The opening quote is no character.
    if (this.#bases[state] === base.start) return this.#state(to, written, '', texts)
    if (base.content(to) === null) {
      const alike = texts.filter((text) => maySpell(bytes, text.slice(written.length, written.length + 2)))
      return this.#state(to, written, bytes, alike)
    }
    const longer = written + charactersOf(bytes)
    return this.#state(
      to,
      longer,
      '',
      texts.filter((text) => text.startsWith(longer)),
    )
  }

  /**
   * Whether some string that is none of the texts ends from the state: at once where some character leads outside. Else
   * a search over states that the texts still may come of.
   */
  #canEnd(state: number): boolean {
    if (this.#texts[state]!.length === 0) return true
    let can = this.#ends.get(state)
    if (can === undefined) {
      const seen = new Set([state])
      can = false
      for (const at of seen) {
        for (let byte = 0; byte < 256 && !can; byte++) {
          const to = this.#successor(at, byte)
          if (to === 0) continue
          can = this.#texts[to]!.length === 0
          seen.add(to)
        }
        if (can) break
      }
      this.#ends.set(state, can)
    }
    return can
  }

  tag(state: number): number {
    return this.base.tag(this.#bases[state]!)
  }
  final(state: number): boolean {
    return this.base.final(this.#bases[state]!)
  }
  edges(state: number): readonly number[] | null {
    return this.base.edges(this.#bases[state]!)
  }
  tagsFrom(state: number): Iterable<number> {
    return this.base.tagsFrom(this.#bases[state]!)
  }
  shortest(state: number, _tag: number): Uint8Array | null {
    const found = this.#search(state)
    return found === null ? null : bytesOf(found)
  }

  /** The least rest, one byte a unit, by what the string alone would need (A*): asked only of states that come first. */
  #search(from: number): string | null {
    const frontier = new Frontier<Entry>()
    frontier.push({ estimate: 0, order: '', state: from, isExact: false })
    for (let entry = frontier.pop(); entry !== undefined; entry = frontier.pop()) {
      const { state, order: text, estimate, isExact } = entry
      const rest = this.base.shortest(this.#bases[state]!, 1)
      if (rest === null) continue
      if (!isExact && text.length + rest.length > estimate) {
        frontier.push({ ...entry, estimate: text.length + rest.length, isExact: true })
        continue
      }
      if (this.#texts[state]!.length === 0) return text + latin1(rest, 0, rest.length)
      let best: { entry: Entry; text: string } | null = null
      for (let byte = 0; byte < 256; byte++) {
        const to = this.#successor(state, byte)
        if (to === 0) continue
        const order = text + String.fromCharCode(byte)
        if (this.#texts[to]!.length > 0) {
          // One byte leaves one byte less to go, at best.
          frontier.push({ estimate: Math.max(estimate, order.length), order, state: to, isExact: false })
          continue
        }
        // Of all that leads outside one is the least.
        const end = this.base.shortest(this.#bases[to]!, 1)
        if (end === null) continue
        const length = order.length + end.length
        if (best !== null && length > best.entry.estimate) continue
        const whole = order + latin1(end, 0, end.length)
        if (best === null || length < best.entry.estimate || whole < best.text)
          best = { entry: { estimate: length, order, state: to, isExact: true }, text: whole }
      }
      if (best !== null) frontier.push(best.entry)
    }
    return null
  }
}

interface Entry extends Ranked {
  readonly state: number
  /** Whether the estimate is what the string alone needs from here. */
  readonly isExact: boolean
}
