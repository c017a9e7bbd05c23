/**
 * Left recursion, written as repetition: the left-corner transform (Rosenkrantz and Lewis 1970; Moore 2000).
 *
 * Among rules that begin with each other, a text of rule G begins with some text of a rule A that begins with none of them,
 * and is continued to an A, then to one of the rules that begin with an A, and so on up to G:
 *
 *     G      ::= rest of A  G\A            for each A that leads to G
 *     G\A    ::= tail  G\C                 for each C ::= A tail
 *     G\G    ::= ""                        as well
 *
 * What leads back to the same place is a repetition: `e ::= e "+" t | t` becomes `e ::= t ("+" t)*`. Rules are taken
 * without the empty text at a beginning, so that recursion behind parts that may be empty is found too. A text
 * gets no more ways to be read than it had. Rules are made for those pairs that are asked for: as many as there are rules squared at worst,
 * which `limit` bounds.
 */
import { LimitError } from '../errors.ts'
import { callsOf, cyclesOf } from '../grammar/analysis.ts'
import type { Expr } from '../grammar/grammar.ts'
import { NOTHING } from '../grammar/parts.ts'
import type { RegexBuilder } from '../regex/regex.ts'
import { choiceOf, distinct, isNothing, repeatOf, sequenceOf } from './expressions.ts'
import { NonEmpty } from './nonempty.ts'

/** A body by what it begins with: rules of the component, each with what follows it, and all else. */
interface Corners {
  readonly heads: Map<number, Expr[]>
  readonly rest: Expr[]
}

/**
 * The rules that `root` needs without left recursion, and without repetitions of what may be empty; others stay as they are.
 * Rules may be added behind; the languages of the first ones are what they were.
 *
 * @param onRule hears, for each rule that is added, of which one it is a part
 * @param limit of expressions that are made
 */
export function withoutLeftRecursion(
  given: readonly Expr[],
  root: number,
  regexes: RegexBuilder,
  onRule: (of: number) => void,
  limit: number,
): Expr[] {
  const bodies = [...given]
  new Transform(bodies, onRule, limit, regexes).run(root)
  const nonEmpty = new NonEmpty(bodies, regexes, onRule)
  for (let rule = 0, end = bodies.length; rule < end; rule++) bodies[rule] = nonEmpty.repeating(bodies[rule]!)
  nonEmpty.finish()
  return bodies
}

class Transform {
  readonly #bodies: Expr[]
  readonly #onRule: (of: number) => void
  readonly #limit: number
  readonly #nonEmpty: NonEmpty
  /** By rule: its component, where that is left-recursive. */
  readonly #componentOf = new Map<number, ReadonlySet<number>>()
  readonly #corners = new Map<number, Corners>()
  /** The rules `G` without the empty text, and `G\A`, by `G` and `G A`. */
  readonly #goals = new Map<string, number>()
  /** How rules are written, until they are. */
  readonly #unwritten = new Map<number, () => Expr>()
  #made = 0

  constructor(bodies: Expr[], onRule: (of: number) => void, limit: number, regexes: RegexBuilder) {
    this.#bodies = bodies
    this.#onRule = onRule
    this.#limit = limit
    this.#nonEmpty = new NonEmpty(bodies, regexes, onRule)
  }

  run(root: number): void {
    const bodies = this.#bodies
    const corners = bodies.map((body) => this.#beginnings(body))
    for (const component of cyclesOf(corners)) {
      const set = new Set(component)
      for (const member of component) this.#componentOf.set(member, set)
    }
    if (this.#componentOf.size === 0) return
    for (const rule of this.#componentOf.keys()) {
      this.#corners.set(rule, this.#cornersOf(bodies[rule]!, rule))
      this.#unwritten.set(rule, () => {
        const goal = this.#goal(rule)
        return this.#nonEmpty.isNullableRule(rule) ? choiceOf([goal, NOTHING]) : goal
      })
    }
    // Only what is asked for is written: most rules of a component are where they begin each other only.
    const met = new Set([root])
    for (const rule of met) {
      this.#write(rule)
      for (const call of callsOf(bodies[rule]!)) met.add(call)
    }
  }

  #write(rule: number): void {
    const body = this.#unwritten.get(rule)
    const source = this.#nonEmpty.sourceOf(rule)
    if (body !== undefined) {
      this.#unwritten.delete(rule)
      this.#bodies[rule] = body()
    } else if (source !== undefined) {
      this.#write(source)
      this.#nonEmpty.write(rule)
    }
  }

  /** The rules that some text of the expression may begin with. */
  #beginnings(expr: Expr): number[] {
    const found = new Set<number>()
    const pending = [expr]
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (at.type === 'call') found.add(at.rule)
      else if (at.type === 'choice') pending.push(...at.options)
      else if (at.type === 'repeat') pending.push(at.item)
      else if (at.type === 'sequence') {
        for (const item of at.items) {
          pending.push(item)
          if (!this.#nonEmpty.isNullable(item)) break
        }
      }
    }
    return [...found]
  }

  #count(size: number): void {
    this.#made += size
    if (this.#made > this.#limit) {
      throw new LimitError(
        'expressions made to take left recursion out of a grammar',
        this.#limit,
        this.#made,
        'let fewer rules begin with each other, or raise limits.maxSteps',
      )
    }
  }

  /** The expression, without the empty text, by what it begins with. */
  #cornersOf(expr: Expr, rule: number): Corners {
    const component = this.#componentOf.get(rule)!
    const corners: Corners = { heads: new Map(), rest: [] }
    const add = (at: Expr, tail: readonly Expr[]): void => {
      this.#count(1 + tail.length)
      switch (at.type) {
        case 'call': {
          if (!component.has(at.rule)) {
            corners.rest.push(sequenceOf([this.#nonEmpty.of(at), ...tail]))
            return
          }
          const tails = corners.heads.get(at.rule)
          if (tails === undefined) corners.heads.set(at.rule, [sequenceOf(tail)])
          else tails.push(sequenceOf(tail))
          return
        }
        case 'choice':
          for (const option of at.options) add(option, tail)
          return
        case 'sequence':
          for (let i = 0; i < at.items.length; i++) {
            add(at.items[i]!, [...at.items.slice(i + 1), ...tail])
            if (!this.#nonEmpty.isNullable(at.items[i]!)) break
          }
          return
        case 'repeat': {
          const least = this.#nonEmpty.isNullable(at.item) ? 0 : Math.max(at.min - 1, 0)
          const more = repeatOf(at.item, least, at.max - 1)
          add(at.item, [more, ...tail])
          return
        }
        default:
          corners.rest.push(sequenceOf([this.#nonEmpty.of(at), ...tail]))
      }
    }
    add(expr, [])
    return corners
  }

  /** A rule, made when it is first asked for. */
  #ruleOf(key: string, of: number, body: () => Expr): Expr {
    let rule = this.#goals.get(key)
    if (rule === undefined) {
      const added = this.#bodies.push(NOTHING) - 1
      rule = added
      this.#goals.set(key, added)
      this.#onRule(of)
      this.#unwritten.set(added, body)
    }
    return { type: 'call', rule }
  }

  #goal(rule: number): Expr {
    return this.#ruleOf(`${rule}`, rule, () => {
      const options: Expr[] = []
      for (const member of this.#leadingTo(rule)) {
        const { rest } = this.#corners.get(member)!
        this.#count(rest.length)
        if (rest.length > 0) options.push(sequenceOf([choiceOf(rest), this.#continued(rule, member)]))
      }
      return choiceOf(options)
    })
  }

  /** The rules of the component that texts of a rule may begin with, itself among them. */
  #leadingTo(rule: number): readonly number[] {
    const met = new Set([rule])
    for (const member of met) for (const head of this.#corners.get(member)!.heads.keys()) met.add(head)
    this.#count(met.size)
    return [...met]
  }

  /** `goal\from`. */
  #continued(goal: number, from: number): Expr {
    const loops: Expr[] = []
    const onward: Expr[] = []
    for (const to of this.#leadingTo(goal)) {
      const tails = this.#corners.get(to)!.heads.get(from)
      if (tails === undefined) continue
      this.#count(tails.length)
      if (to !== from) onward.push(sequenceOf([choiceOf(tails), this.#continuedRule(goal, to)]))
      else for (const tail of tails) for (const round of this.#nonEmpty.rounds(tail)) loops.push(round)
    }
    const rounds = distinct(loops).filter((round) => !isNothing(round))
    const again = repeatOf(choiceOf(rounds), 0, Number.POSITIVE_INFINITY)
    if (from === goal) onward.push(NOTHING)
    return sequenceOf([again, choiceOf(onward)])
  }

  #continuedRule(goal: number, from: number): Expr {
    const isPlain = from === goal && [...this.#leadingTo(goal)].every((to) => to === goal)
    if (isPlain) return this.#continued(goal, from)
    return this.#ruleOf(`${goal} ${from}`, goal, () => this.#continued(goal, from))
  }
}
