/**
 * Regular parts of a grammar as terminals: a terminal is one automaton, whose masks are made once for all contexts.
 *
 * A rule that does not call itself, nor through others, and names no tokens is one; and so is one that calls itself at its
 * end only, or at its beginning only (`ws ::= [ \t] ws | ""`), which is a repetition. Within other rules neighbours that are
 * regular become one terminal, in sequences and in choices. A terminal is kept below some weight, so that reading a
 * character of it is cheap; what is heavier stays several.
 *
 * Linear in the grammar but for the rules put in place of their calls, which that weight bounds.
 */

import { callCounts, callsOf, componentsOf } from '../grammar/analysis.ts'
import type { Expr } from '../grammar/grammar.ts'
import { NOTHING } from '../grammar/parts.ts'
import type { Regex, RegexBuilder } from '../regex/regex.ts'
import { choiceOf, isNothing, language, mapped, repeatOf, sequenceOf, textsOf } from './expressions.ts'
import { factored, isFlat } from './factoring.ts'

/** Characters, classes and repetitions of one terminal, those of a rule counted wherever it is called. */
const MAX_WEIGHT = 1_000
/** Nesting of one terminal. */
const MAX_DEPTH = 200
/** Weight of all rules that are put in place of their calls, so that a long chain of rules is not written out at each. */
const MAX_INLINED = 300_000
/** Counts of counts of one thing: what a character leaves of them grows with each. */
const MAX_COUNTS = 8
/** Rounds that a terminal counts; of more, each is a terminal of its own. */
const MAX_ROUNDS = 10_000
/** Texts to choose from that weigh as much as one character: they are a trie. */
const TEXTS_EACH = 16

/** The same rules, with terminals as large as they may be. */
export function withTerminals(bodies: readonly Expr[], regexes: RegexBuilder): Expr[] {
  return new Reducer(bodies, regexes).reduceAll()
}

/** Texts that lead back to the rule itself, and texts without it: it is any number of the first and one of the second. */
interface Linear {
  readonly loop: Regex
  readonly exit: Regex
}

class Reducer {
  readonly #regexes: RegexBuilder
  readonly #bodies: Expr[]
  /** By rule: the terminal that it is. */
  readonly #regular: (Expr | undefined)[] = []
  readonly #weights = new Map<Regex, number>()
  /** By rule: how often it is called. */
  readonly #calls: readonly number[]
  readonly #isReduced: Uint8Array
  #inlinedWeight = 0

  constructor(bodies: readonly Expr[], regexes: RegexBuilder) {
    this.#bodies = [...bodies]
    this.#regexes = regexes
    this.#calls = callCounts(bodies)
    this.#isReduced = new Uint8Array(bodies.length)
  }

  reduceAll(): Expr[] {
    const bodies = this.#bodies
    const calls = bodies.map(callsOf)
    for (const component of componentsOf(calls)) {
      // What may be moved into the others first.
      const last: number[] = []
      for (const rule of component) {
        if (isFlat(bodies[rule]!)) this.#reduceRule(rule)
        else last.push(rule)
      }
      for (const rule of last) this.#reduceRule(rule)
      const [rule] = component as [number]
      if (component.length > 1) continue
      const body = bodies[rule]!
      const isRecursive = calls[rule]!.includes(rule)
      const regular = isRegular(body) ? body : isRecursive ? this.#fromLinear(body, rule) : null
      if (regular === null) continue
      bodies[rule] = regular
      this.#regular[rule] = regular
    }
    return bodies
  }

  #reduceRule(rule: number): void {
    this.#bodies[rule] = this.#reduce(this.#bodies[rule]!)
    this.#isReduced[rule] = 1
  }

  #reduce(expr: Expr): Expr {
    switch (expr.type) {
      case 'call':
        return this.#inlined(expr.rule) ?? expr
      case 'sequence': {
        const items = mapped(expr.items, (item) => this.#reduce(item))
        return this.#joined(items === expr.items ? expr : sequenceOf(items))
      }
      case 'choice': {
        const reduced = mapped(expr.options, (option) => this.#moved(this.#reduce(option)))
        const options = factored(reduced)
        if (options !== reduced)
          return this.#united(choiceOf(options.map((option) => this.#endsUnited(option))))
        return this.#united(options === expr.options ? expr : choiceOf(options))
      }
      case 'repeat': {
        const item = this.#reduce(expr.item)
        const rounds = expr.max === Number.POSITIVE_INFINITY ? expr.min : expr.max
        const regex = rounds <= MAX_ROUNDS && this.#mayGrow(item) ? this.#regexOf(item) : null
        if (regex === null || regex.depth >= MAX_DEPTH || countsOf(regex) >= MAX_COUNTS)
          return item === expr.item ? expr : repeatOf(item, expr.min, expr.max)
        return this.#weighed(this.#regexes.repeat(regex, expr.min, expr.max), this.#weightOf(item) + 1)
      }
      default:
        return expr
    }
  }

  /** A rule that is called as an option and nowhere else, in place of the call: beside others it may be alike. */
  #moved(option: Expr): Expr {
    if (option.type !== 'call' || this.#calls[option.rule] !== 1 || this.#isReduced[option.rule] === 0)
      return option
    const body = this.#bodies[option.rule]!
    return isFlat(body) ? body : option
  }

  /** Options that were alike have a choice at one end or both. */
  #endsUnited(option: Expr): Expr {
    if (option.type !== 'sequence') return option
    return this.#joined(sequenceOf(mapped(option.items, (item) => this.#united(item))))
  }

  /** The terminal that a rule is, where there is room for it. */
  #inlined(rule: number): Expr | undefined {
    const regular = this.#regular[rule]
    if (regular === undefined) return undefined
    const weight = 1 + this.#weightOf(regular)
    if (weight > MAX_WEIGHT) return undefined
    // What is called once is moved, not copied.
    const copied = this.#calls[rule] === 1 ? 1 : weight
    if (this.#inlinedWeight + copied > MAX_INLINED) return undefined
    this.#inlinedWeight += copied
    return regular
  }

  /** The language of a regular expression; `null` for others. */
  #regexOf(expr: Expr): Regex | null {
    if (isNothing(expr)) return this.#regexes.epsilon
    const values = textsOf(expr)
    if (values !== null) return this.#regexes.texts(values)
    return expr.type === 'terminal' && expr.terminal.kind === 'text' ? expr.terminal.language : null
  }

  #weightOf(expr: Expr): number {
    const values = textsOf(expr)
    if (values !== null)
      return values.length === 1 ? values[0]!.length : 1 + Math.ceil(values.length / TEXTS_EACH)
    if (expr.type !== 'terminal' || expr.terminal.kind !== 'text') return 0
    return this.#weights.get(expr.terminal.language) ?? 1
  }

  #weighed(regex: Regex, weight: number): Expr {
    if ((this.#weights.get(regex) ?? Number.POSITIVE_INFINITY) > weight) this.#weights.set(regex, weight)
    return language(regex)
  }

  /** Neighbours as one terminal. */
  #joined(expr: Expr): Expr {
    if (expr.type !== 'sequence' || !this.#hasNeighbours(expr.items)) return expr
    const items: Expr[] = []
    let run: Expr[] = []
    let weight = 0
    const flush = (): void => {
      if (run.length === 1) items.push(run[0]!)
      else if (run.length > 1)
        items.push(this.#weighed(this.#regexes.concatAll(run.map((item) => this.#regexOf(item)!)), weight))
      run = []
      weight = 0
    }
    for (const item of expr.items) {
      const own = this.#weightOf(item)
      if (!this.#mayGrow(item)) {
        flush()
        items.push(item)
        continue
      }
      if (weight + own > MAX_WEIGHT) flush()
      run.push(item)
      weight += own
    }
    flush()
    return items.length === 1 ? items[0]! : { type: 'sequence', items }
  }

  #hasNeighbours(items: readonly Expr[]): boolean {
    for (let i = 1; i < items.length; i++)
      if (this.#mayGrow(items[i]!) && this.#mayGrow(items[i - 1]!)) return true
    return false
  }

  /** Texts are shallow: their expression is made where one with others comes of it. */
  #mayGrow(expr: Expr): boolean {
    if (!isRegular(expr) || this.#weightOf(expr) > MAX_WEIGHT) return false
    return (
      expr.type !== 'terminal' || expr.terminal.kind !== 'text' || expr.terminal.language.depth < MAX_DEPTH
    )
  }

  /** Options as one terminal; where some are none, the empty text stays by itself. */
  #united(expr: Expr): Expr {
    if (expr.type !== 'choice') return expr
    const regular: Expr[] = []
    const others: Expr[] = []
    let hasNothing = false
    let weight = 0
    for (const option of expr.options) {
      if (isNothing(option)) hasNothing = true
      else if (this.#mayGrow(option) && weight + this.#weightOf(option) <= MAX_WEIGHT) {
        regular.push(option)
        weight += this.#weightOf(option)
      } else others.push(option)
    }
    if (regular.length === 0) return expr
    const isWhole = others.length === 0
    if (regular.length === 1 && !(isWhole && hasNothing)) return expr
    const parts = regular.map((option) => this.#regexOf(option)!)
    if (isWhole && hasNothing) parts.push(this.#regexes.epsilon)
    const united = this.#weighed(this.#regexes.orAll(parts), weight + 1)
    if (isWhole) return united
    return { type: 'choice', options: [united, ...others, ...(hasNothing ? [NOTHING] : [])] }
  }

  // Rules that call themselves at one end.

  #fromLinear(body: Expr, rule: number): Expr | null {
    const regexes = this.#regexes
    const atEnd = this.#linear(body, rule, true)
    const linear = atEnd ?? this.#linear(body, rule, false)
    if (linear === null) return null
    const { loop, exit } = linear
    const weight = this.#weightOf(language(loop)) + this.#weightOf(language(exit)) + 1
    if (exit === regexes.none || weight > MAX_WEIGHT || Math.max(loop.depth, exit.depth) >= MAX_DEPTH)
      return null
    const loops = regexes.repeat(loop, 0, Number.POSITIVE_INFINITY)
    return this.#weighed(atEnd === null ? regexes.concat(exit, loops) : regexes.concat(loops, exit), weight)
  }

  /** @param atEnd whether calls of the rule stand last, else first */
  #linear(expr: Expr, rule: number, atEnd: boolean): Linear | null {
    const regexes = this.#regexes
    const regex = this.#regexOf(expr)
    if (regex !== null) return { loop: regexes.none, exit: regex }
    switch (expr.type) {
      case 'call':
        return expr.rule === rule ? { loop: regexes.epsilon, exit: regexes.none } : null
      case 'choice': {
        const parts = expr.options.map((option) => this.#linear(option, rule, atEnd))
        if (parts.includes(null)) return null
        const all = parts as Linear[]
        const loop = regexes.orAll(all.map((part) => part.loop))
        const exit = regexes.orAll(all.map((part) => part.exit))
        this.#weigh(loop, expr)
        this.#weigh(exit, expr)
        return { loop, exit }
      }
      case 'sequence': {
        const at = atEnd ? expr.items.length - 1 : 0
        const inner = this.#linear(expr.items[at]!, rule, atEnd)
        const around = expr.items.filter((_, i) => i !== at).map((item) => this.#regexOf(item))
        if (inner === null || around.includes(null)) return null
        const side = regexes.concatAll(around as Regex[])
        const both = (part: Regex): Regex => {
          const whole = atEnd ? regexes.concat(side, part) : regexes.concat(part, side)
          this.#weigh(whole, expr)
          return whole
        }
        return { loop: both(inner.loop), exit: both(inner.exit) }
      }
      default:
        return null
    }
  }

  #weigh(regex: Regex, expr: Expr): void {
    let weight = 1
    const pending = [expr]
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      weight += this.#weightOf(at)
      if (at.type === 'sequence') pending.push(...at.items)
      else if (at.type === 'choice') pending.push(...at.options)
    }
    this.#weighed(regex, weight)
  }
}

function isRegular(expr: Expr): boolean {
  if (expr.type !== 'terminal') return isNothing(expr)
  return expr.terminal.kind === 'texts' || expr.terminal.kind === 'text'
}

/** How many repetitions of repetitions an expression is. */
function countsOf(regex: Regex): number {
  let counts = 0
  for (let at = regex; at.kind === 'repeat'; at = at.body) counts++
  return counts
}
