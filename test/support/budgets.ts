/** What masks with a budget must be, by trying each token alone; shared by their tests. */
import { emptyBits, setBit } from '../../src/bits.ts'
import type { CompiledGrammar, Matcher } from '../../src/core.ts'
import { chooseToken, difference, idsOf } from './masks.ts'
import type { Random } from './random.ts'

/** What each allowed token leaves to be paid, each tried alone. */
function costsAfter(matcher: Matcher): Map<number, number> {
  const costs = new Map<number, number>()
  for (const id of idsOf(matcher.mask())) {
    matcher.accept(id)
    costs.set(id, matcher.shortestCompletion().tokens)
    matcher.rollback(1)
  }
  return costs
}

/** The tokens that leave at most so much to be paid. */
function within(costs: ReadonlyMap<number, number>, most: number, size: number): Uint32Array {
  const mask = emptyBits(size)
  for (const [id, cost] of costs) if (cost <= most) setBit(mask, id)
  return mask
}

/**
 * Walks at random, at most `steps` tokens, and compares masks of so many budgets with the oracle's in every state on the way:
 * some around the least and the most, the others up to 40 above the least.
 * @returns what was wrong, in words
 */
export function judgeBudgets(
  grammar: CompiledGrammar,
  random: Random,
  steps: number,
  budgets: number,
): string[] {
  const { vocabulary } = grammar
  const { size, endTokens } = vocabulary
  const matcher = grammar.matcher()
  for (let step = 0; step < steps; step++) {
    const cost = matcher.shortestCompletion().tokens
    const costs = costsAfter(matcher)
    const place = `after ${JSON.stringify(matcher.text())}, which costs ${cost},`
    // One token less than the dearest needs tells whether a budget is taken to be far away that is not.
    const dearest = Math.max(...costs.values())
    const wanted = new Set([cost - 1, cost, cost + 1, cost + 2, dearest, dearest + 1])
    while (wanted.size < budgets) wanted.add(cost + random.below(41))
    for (const budget of wanted) {
      const expected = within(costs, budget - 1, size)
      const out = random.chance(0.3) ? emptyBits(size) : undefined
      const wrong = difference(matcher.mask(out, { budget }), expected, vocabulary)
      if (wrong !== '') return [`${place} ${budget}: ${wrong}`]
      if (budget >= cost && idsOf(expected).length === 0) return [`${place} ${budget}: no token`]
      if (!random.chance(0.3)) continue
      const spoiled = difference(matcher.mask(), within(costs, Number.POSITIVE_INFINITY, size), vocabulary)
      if (spoiled !== '') return [`${place} without a budget behind ${budget}: ${spoiled}`]
    }
    const id = chooseToken(matcher, vocabulary, random, step > steps * 0.7)
    matcher.accept(id)
    if (endTokens.includes(id)) break
  }
  return []
}

/**
 * Writes a whole text at random within a budget.
 * @returns what was wrong, in words; `''` where it ended in time
 */
export function finishWithin(grammar: CompiledGrammar, budget: number, random: Random): string {
  const { vocabulary } = grammar
  const matcher = grammar.matcher()
  for (let left = budget; left > 0; left--) {
    const ids = idsOf(matcher.mask(undefined, { budget: left }))
    if (ids.length === 0) return `after ${JSON.stringify(matcher.text())} no token fits into ${left}`
    const id = random.pick(ids)
    if (!matcher.accept(id)) return `after ${JSON.stringify(matcher.text())} token ${id} is refused`
    if (vocabulary.endTokens.includes(id)) return ''
  }
  return `${budget} tokens have not sufficed for ${JSON.stringify(matcher.text())}`
}
