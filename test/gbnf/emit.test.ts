/** Rules as they go into a grammar: those that are needed, each behind its callers. `SEED` gives others. */
import { expect, test } from 'vitest'
import { addRules } from '../../src/gbnf/emit.ts'
import { callsOf, reachableFrom } from '../../src/grammar/analysis.ts'
import { type Expr, GrammarBuilder, type Rule } from '../../src/grammar/grammar.ts'
import { literal, sequence } from '../../src/grammar/parts.ts'
import { resolveOptions } from '../../src/schema/index.ts'
import { Random, seedOf } from '../support/random.ts'

const seed = seedOf('emitted rules')
const call = (rule: number): Expr => ({ type: 'call', rule })

function rulesOf(bodies: readonly Expr[], root: number): readonly Rule[] {
  const builder = new GrammarBuilder()
  const names = bodies.map((_, rule) => `r${rule}`)
  const { rule } = addRules(bodies, root, names, builder)
  return builder.build(rule, resolveOptions({}).layout).rules
}

test('callers stand before what they call, wherever that does not lead back', () => {
  const random = new Random(seed)
  for (let round = 0; round < 200; round++) {
    const count = 1 + random.below(12)
    const order = Array.from({ length: count }, (_, i) => i)
    for (let i = count - 1; i > 0; i--) {
      const j = random.below(i + 1)
      ;[order[i], order[j]] = [order[j]!, order[i]!]
    }
    // Each calls rules that come later in a random order.
    const bodies: Expr[] = []
    for (const [place, rule] of order.entries()) {
      const later = order.slice(place + 1).filter(() => random.chance(0.3))
      bodies[rule] = sequence(literal(`${rule}`), ...later.map(call))
    }
    const root = order[0]!
    const rules = rulesOf(bodies, root)
    const needed = reachableFrom(root, (rule) => callsOf(bodies[rule]!))
    expect(rules.map(({ name }) => name).sort()).toEqual(needed.map((rule) => `r${rule}`).sort())
    for (const [rule, { body }] of rules.entries())
      expect(callsOf(body).filter((other) => other <= rule)).toEqual([])
  }
})

test('rules that lead back to each other are all there, and equal terminals are one', () => {
  const rules = rulesOf([sequence(literal('a'), call(1), literal('a')), sequence(call(0), literal('a'))], 0)
  expect(rules.map(({ name }) => name)).toEqual(['r0', 'r1'])
  const [first, second] = rules.map(({ body }) => (body.type === 'sequence' ? body.items : []))
  expect(first![0]).toBe(first![2])
  expect(second![1]).toBe(first![0])
})
