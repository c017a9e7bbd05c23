/**
 * A deterministic automaton over classes of code points, filled where it is read.
 *
 * A state is an expression, its successors are the derivatives. State 0 is dead and every other state is alive: a
 * derivative that only intersections and complements could make empty is searched for a text before it becomes a state
 * (`emptiness.ts`). The search is exact; its steps and the states are counted against limits.
 *
 * A transition that exists is two array reads. A new one costs a derivative: microseconds for what people write.
 */
import { effort } from '../effort.ts'
import { LimitError } from '../errors.ts'
import { type CharClasses, charClasses, rangeAt } from './classes.ts'
import { Derivatives } from './derivative.ts'
import { type Emptiness, emptinessOf, type SearchMeans } from './emptiness.ts'
import type { Regex } from './node.ts'
import type { RegexBuilder } from './regex.ts'

export interface CharDfaLimits {
  /** Most states that are made; default 100,000. */
  readonly maxStates?: number
  /** Most derivatives that deciding one state's emptiness may take; default 50,000. */
  readonly maxSteps?: number
}

const DEFAULT_MAX_STATES = 100_000
const DEFAULT_MAX_STEPS = 50_000
const UNKNOWN = -1

export class CharDfa {
  /** The state of the whole language; 0 if it is empty. */
  readonly start: number
  readonly classCount: number
  /** Ascending code points from 0; range `i` is `[rangeStarts[i], rangeStarts[i + 1] - 1]`, the last ends at 10FFFF. */
  readonly rangeStarts: Int32Array
  /** The class of each range. Surrogates are a class of their own, which is dead in every state. */
  readonly rangeClass: Uint16Array

  readonly #all: Regex
  readonly #classes: CharClasses
  readonly #derivatives: Derivatives
  readonly #maxStates: number
  readonly #regexes: Regex[]
  readonly #stateOf = new Map<Regex, number>()
  readonly #emptiness: Emptiness
  readonly #search: SearchMeans
  readonly #ascii: Uint16Array
  #table: Int32Array

  constructor(builder: RegexBuilder, regex: Regex, limits: CharDfaLimits = {}) {
    this.#all = builder.all
    this.#maxStates = limits.maxStates ?? DEFAULT_MAX_STATES
    const classes = charClasses(regex)
    this.#classes = classes
    this.classCount = classes.count
    this.rangeStarts = classes.rangeStarts
    this.rangeClass = classes.rangeClass
    this.#derivatives = new Derivatives(builder, classes.representatives)
    this.#emptiness = emptinessOf(builder)
    this.#search = {
      classes,
      derivatives: this.#derivatives,
      maxSteps: limits.maxSteps ?? DEFAULT_MAX_STEPS,
    }
    this.#ascii = Uint16Array.from({ length: 128 }, (_, codePoint) => this.#find(codePoint))
    this.#table = new Int32Array(classes.count * 8).fill(UNKNOWN)
    this.#table.fill(0, 0, classes.count)
    this.#regexes = [builder.none]
    this.#stateOf.set(builder.none, 0)
    this.start = this.#state(regex)
  }

  /** How many states exist so far, the dead one included. */
  get stateCount(): number {
    return this.#regexes.length
  }

  /** The expression of a state. */
  regexOf(state: number): Regex {
    const regex = this.#regexes[state]
    if (regex === undefined) throw new RangeError(`no state ${state}`)
    return regex
  }

  classOf(codePoint: number): number {
    return codePoint < 128 ? (this.#ascii[codePoint] as number) : this.#find(codePoint)
  }

  /** The state after a character of the class; 0 if and only if no text of the language goes on so. */
  next(state: number, cls: number): number {
    const known = this.#table[state * this.classCount + cls] as number
    return known === UNKNOWN ? this.#fill(state, cls) : known
  }

  accepting(state: number): boolean {
    return this.regexOf(state).nullable
  }

  /** Whether every text is accepted from here, where that is plain to see. */
  universal(state: number): boolean {
    return this.#regexes[state] === this.#all
  }

  isEmpty(): boolean {
    return this.start === 0
  }

  accepts(text: string): boolean {
    let state = this.start
    for (let index = 0; index < text.length && state !== 0; index++) {
      const codePoint = text.codePointAt(index) as number
      if (codePoint > 0xffff) index++
      state = this.next(state, this.classOf(codePoint))
    }
    return this.accepting(state)
  }

  #find(codePoint: number): number {
    return this.rangeClass[rangeAt(this.rangeStarts, codePoint)] as number
  }

  #fill(state: number, cls: number): number {
    effort.derivatives++
    const target =
      cls === this.#classes.surrogates ? 0 : this.#state(this.#derivatives.of(this.regexOf(state), cls))
    this.#table[state * this.classCount + cls] = target
    return target
  }

  #state(regex: Regex): number {
    const known = this.#stateOf.get(regex)
    if (known !== undefined) return known
    if (!regex.live && !this.#emptiness.hasText(regex, this.#search)) {
      this.#stateOf.set(regex, 0)
      return 0
    }
    const state = this.#regexes.length
    if (state > this.#maxStates) {
      const hint = 'raise limits.maxStates'
      throw new LimitError('regular expression states', this.#maxStates, state, hint)
    }
    this.#regexes.push(regex)
    this.#stateOf.set(regex, state)
    const end = (state + 1) * this.classCount
    if (end > this.#table.length) {
      const table = new Int32Array(Math.max(end, this.#table.length * 2)).fill(UNKNOWN)
      table.set(this.#table)
      this.#table = table
    }
    return state
  }
}

/** Whether no text is in the language. `LimitError` where deciding it takes too many steps. */
export function isEmpty(builder: RegexBuilder, regex: Regex, limits?: CharDfaLimits): boolean {
  return !regex.live && new CharDfa(builder, regex, limits).isEmpty()
}
