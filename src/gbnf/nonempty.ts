/**
 * What an expression is without the empty text.
 *
 * A sequence whose items may all be empty is taken apart by the first one that is not, so that no text gets more ways to be
 * read than it had. A rule gets a second one without the empty text where it is asked for.
 */
import { hasNothing, holdsOf, leastHolding } from '../grammar/analysis.ts'
import type { Expr } from '../grammar/grammar.ts'
import { NOTHING } from '../grammar/parts.ts'
import type { Regex, RegexBuilder } from '../regex/regex.ts'
import {
  choiceOf,
  distinct,
  isNothing,
  language,
  NEVER,
  repeatOf,
  sequenceOf,
  texts,
  textsOf,
  withParts,
} from './expressions.ts'

export class NonEmpty {
  readonly #regexes: RegexBuilder
  readonly #bodies: Expr[]
  readonly #nullable: readonly boolean[]
  /** By rule: the one without the empty text. */
  readonly #twins = new Map<number, number>()
  /** Rules to be written yet, by what they are twins of. */
  readonly #pending = new Map<number, number>()
  readonly #onRule: (of: number) => void

  /**
   * @param bodies of the rules; those without the empty text are added behind
   * @param onRule hears of which rule one was added
   */
  constructor(bodies: Expr[], regexes: RegexBuilder, onRule: (of: number) => void) {
    this.#regexes = regexes
    this.#bodies = bodies
    this.#onRule = onRule
    this.#nullable = leastHolding(bodies, hasNothing)
  }

  isNullable(expr: Expr): boolean {
    return holdsOf(expr, this.#nullable, hasNothing)
  }

  isNullableRule(rule: number): boolean {
    return this.#nullable[rule] ?? false
  }

  /** The expression without the empty text. */
  of(expr: Expr): Expr {
    if (!this.isNullable(expr)) return expr
    switch (expr.type) {
      case 'call': {
        const without = withoutNothing(this.#bodies[expr.rule]!)
        return without?.type === 'call' && !this.isNullable(without)
          ? without
          : { type: 'call', rule: this.#twinOf(expr.rule) }
      }
      case 'sequence':
        return choiceOf(expr.items.map((item, i) => sequenceOf([this.of(item), ...expr.items.slice(i + 1)])))
      case 'choice':
        return choiceOf(expr.options.map((option) => this.of(option)))
      case 'repeat':
        return repeatOf(this.of(expr.item), 1, expr.max)
      default:
        return this.#ofTerminal(expr)
    }
  }

  /**
   * What any number of rounds of an expression are any number of, none of them empty: `(a? b?)*` is `(a | b)*`, which has not as
   * many ways to read a text.
   */
  rounds(expr: Expr): readonly Expr[] {
    switch (expr.type) {
      case 'sequence':
        if (!this.isNullable(expr)) return [expr]
        return expr.items.flatMap((item) => this.rounds(item))
      case 'choice':
        return expr.options.flatMap((option) => this.rounds(option))
      case 'repeat':
        return expr.min <= 1 || this.isNullable(expr.item) ? this.rounds(expr.item) : [expr]
      default:
        return [this.of(expr)]
    }
  }

  #ofTerminal(expr: Expr): Expr {
    const values = textsOf(expr)
    if (values !== null) {
      const left = values.filter((value) => value !== '')
      return left.length === 0 ? NEVER : texts(left)
    }
    const regexes = this.#regexes
    if (expr.type === 'free-text')
      return language(
        withoutEmpty(
          withoutTexts(
            expr.stops.map(({ text }) => text),
            regexes,
          ),
          regexes,
        ),
      )
    if (expr.type !== 'terminal' || expr.terminal.kind !== 'text') return expr
    return language(withoutEmpty(expr.terminal.language, regexes))
  }

  #twinOf(rule: number): number {
    let twin = this.#twins.get(rule)
    if (twin === undefined) {
      twin = this.#bodies.push(NEVER) - 1
      this.#twins.set(rule, twin)
      this.#onRule(rule)
      this.#pending.set(twin, rule)
    }
    return twin
  }

  /** Of which rule one is that is not written yet; `undefined` for others. */
  sourceOf(twin: number): number | undefined {
    return this.#pending.get(twin)
  }

  /** Writes a rule that was asked for. */
  write(twin: number): void {
    this.#bodies[twin] = this.of(this.#bodies[this.#pending.get(twin)!]!)
    this.#pending.delete(twin)
  }

  /** Writes the rules that were asked for, and those that they ask for. */
  finish(): void {
    for (const twin of this.#pending.keys()) this.write(twin)
  }

  /** The expression with no item repeated that may be empty: an empty round is none. */
  repeating(expr: Expr): Expr {
    if (expr.type !== 'repeat') return withParts(expr, (part) => this.repeating(part))
    const { min, max } = expr
    const item = this.repeating(expr.item)
    if (!this.isNullable(item)) return item === expr.item ? expr : repeatOf(item, min, max)
    return max === Number.POSITIVE_INFINITY
      ? repeatOf(choiceOf(distinct(this.rounds(item))), 0, max)
      : repeatOf(this.of(item), 0, max)
  }
}

/** The expression with the empty text of each terminal beside it: no terminal has it then, so that none is entered in vain. */
export function besideNothing(expr: Expr, regexes: RegexBuilder): Expr {
  if (expr.type !== 'terminal') return withParts(expr, (part) => besideNothing(part, regexes))
  if (!hasNothing(expr)) return expr
  const { terminal } = expr
  const whole = terminal.kind === 'text' ? terminal.language : regexes.texts(textsOf(expr)!)
  return choiceOf([language(withoutEmpty(whole, regexes)), NOTHING])
}

/** The one option beside the empty text; `null` where there is more to it. */
function withoutNothing(expr: Expr): Expr | null {
  if (expr.type !== 'choice' || expr.options.length !== 2) return null
  return isNothing(expr.options[1]!) ? expr.options[0]! : null
}

/** By the structure of an expression that may be empty, so that what is known of it without a search stays known. */
function withoutEmpty(regex: Regex, regexes: RegexBuilder): Regex {
  if (!regex.nullable) return regex
  switch (regex.kind) {
    case 'epsilon':
      return regexes.none
    case 'texts': {
      // The empty text is the first of them.
      const { texts: part } = regex
      return regexes.textsPart({ ...part, from: part.from + 1 })
    }
    case 'or':
      return regexes.orAll(regex.items.map((item) => withoutEmpty(item, regexes)))
    case 'repeat': {
      const { body, max } = regex
      return regexes.concat(withoutEmpty(body, regexes), regexes.repeat(body, 0, max - 1))
    }
    case 'concat': {
      // By the first part that is not empty, all at once: each union costs what it has.
      const options: Regex[] = []
      let rest: Regex = regex
      for (; rest.kind === 'concat'; rest = rest.right)
        options.push(regexes.concat(withoutEmpty(rest.left, regexes), rest.right))
      return regexes.orAll([...options, withoutEmpty(rest, regexes)])
    }
    default:
      return regexes.and(regex, regexes.repeat(regexes.any, 1, Number.POSITIVE_INFINITY))
  }
}

/** The texts in which none of these occurs. */
function withoutTexts(values: readonly string[], regexes: RegexBuilder): Regex {
  const { all } = regexes
  return values.length === 0 ? all : regexes.not(regexes.concatAll([all, regexes.texts(values), all]))
}
