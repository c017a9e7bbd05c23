/**
 * End tokens that a grammar names by id: such a token both completes the grammar and ends the text, so it may stand only
 * where the text can end behind it. O(size of the grammar), where it names an end token at all.
 */
import { VocabularyError } from '../errors.ts'
import { hasNothing, holdsOf, leastHolding } from '../grammar/analysis.ts'
import { alternativesOf, type Expr, type Grammar } from '../grammar/grammar.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'

/** @throws VocabularyError for an end token that the grammar names where the text must go on */
export function checkEndTokens(grammar: Grammar, vocabulary: Vocabulary): void {
  new Check(grammar, vocabulary).rule(grammar.root, true)
}

class Check {
  readonly #grammar: Grammar
  readonly #vocabulary: Vocabulary
  /** Rules that were looked at: where the text may end behind them, and where it may not. */
  readonly #seen = [new Set<number>(), new Set<number>()] as const
  /** Lists of ids that no end token is in: a reference may be written many times. */
  readonly #harmless = new Set<readonly number[]>()
  #empty: readonly boolean[] | null = null

  constructor(grammar: Grammar, vocabulary: Vocabulary) {
    this.#grammar = grammar
    this.#vocabulary = vocabulary
  }

  rule(rule: number, isLast: boolean): void {
    const pending = [{ rule, isLast }]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const seen = this.#seen[next.isLast ? 0 : 1]
      if (seen.has(next.rule)) continue
      seen.add(next.rule)
      this.#look(this.#grammar.rules[next.rule]!.body, next.isLast, pending)
    }
  }

  #look(expr: Expr, isLast: boolean, calls: { rule: number; isLast: boolean }[]): void {
    const look = (inner: Expr, last: boolean): void => this.#look(inner, last, calls)
    switch (expr.type) {
      case 'terminal':
        return
      case 'token':
        if (!isLast) this.#checkIds(expr.ids)
        return
      case 'call':
        calls.push({ rule: expr.rule, isLast })
        return
      case 'sequence': {
        let last = isLast
        for (const item of expr.items.toReversed()) {
          look(item, last)
          last &&= this.#mayBeEmpty(item)
        }
        return
      }
      case 'choice':
        for (const option of expr.options) look(option, isLast)
        return
      case 'repeat':
        look(expr.item, isLast && (expr.min <= 1 || this.#mayBeEmpty(expr.item)))
        return
      case 'frame':
        look(expr.body, isLast)
        return
      case 'free-text':
        for (const { leadsTo } of expr.stops) if (leadsTo !== null) look(leadsTo, isLast)
        return
      case 'marked':
        for (const { value } of expr.options) look(value, false)
        return
      case 'object':
        for (const { value } of expr.properties) look(value, false)
        for (const { value } of expr.classes ?? []) look(value, false)
        if (expr.additional !== null) look(expr.additional, false)
        return
      case 'array':
        for (const item of expr.prefix) look(item, false)
        if (expr.rest !== null) look(expr.rest, false)
        for (const { value } of alternativesOf(expr.counted)) look(value, false)
    }
  }

  #checkIds(ids: readonly number[]): void {
    if (this.#harmless.has(ids)) return
    const end = ids.find((id) => this.#vocabulary.endTokens.includes(id))
    if (end === undefined) {
      this.#harmless.add(ids)
      return
    }
    const literal = JSON.stringify(this.#vocabulary.literal(end) ?? '')
    throw new VocabularyError(
      `token ${end} (${literal}) ends a text, and the grammar names it where the text must go on: take it out of endTokens or out of the grammar`,
    )
  }

  #mayBeEmpty(expr: Expr): boolean {
    this.#empty ??= leastHolding(
      this.#grammar.rules.map(({ body }) => body),
      hasNothing,
    )
    return holdsOf(expr, this.#empty, hasNothing)
  }
}
