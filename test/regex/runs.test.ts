/**
 * Runs are what the automaton says, too: every text of at most so many characters of the set goes on and can be finished
 * within the slack, and where a run stops none goes on behind it. `SEED` repeats a run.
 */
import { describe, expect, test } from 'vitest'
import { CharDfa } from '../../src/regex/chardfa.ts'
import { CharSet } from '../../src/regex/charset.ts'
import { parsePattern } from '../../src/regex/pattern.ts'
import { type Regex, RegexBuilder } from '../../src/regex/regex.ts'
import { endlessSlack, runsOf } from '../../src/regex/runs.ts'
import { Random, seedOf } from '../support/random.ts'

const seed = seedOf('runs of expressions')
/** How far runs are followed, and in how many states. */
const MAX_STEPS = 12
const MAX_STATES = 300

/** Characters to an accepting state at least; `limit + 1` where there are more. */
function distance(dfa: CharDfa, from: number, limit: number): number {
  const seen = new Set([from])
  let layer = [from]
  for (let steps = 0; steps <= limit; steps++) {
    if (layer.some((state) => dfa.accepting(state))) return steps
    const next: number[] = []
    for (const state of layer) {
      for (let cls = 0; cls < dfa.classCount; cls++) {
        const to = dfa.next(state, cls)
        if (to === 0 || seen.has(to)) continue
        seen.add(to)
        next.push(to)
      }
    }
    layer = next
  }
  return limit + 1
}

function judge(dfa: CharDfa, regex: Regex): void {
  const samples = new Map<number, number>()
  dfa.rangeStarts.forEach((start, i) => {
    if (start !== 0xd800) samples.set(dfa.rangeClass[i]!, start)
  })
  for (const { set, length, slack, stops } of runsOf(regex)) {
    const place = `${regex}: ${set} for ${length}, slack ${slack}`
    const members = [...samples].filter(([, sample]) => set.has(sample)).map(([cls]) => cls)
    let layer = new Set([dfa.start])
    for (let step = 0; step <= Math.min(length, MAX_STEPS) && layer.size < MAX_STATES; step++) {
      if (slack < 20)
        for (const state of layer) expect(distance(dfa, state, slack), place).toBeLessThanOrEqual(slack)
      const next = new Set<number>()
      for (const state of layer) for (const cls of members) next.add(dfa.next(state, cls))
      if (step < length) expect(next.has(0), place).toBe(false)
      else if (stops) expect([...next], place).toEqual([0])
      layer = next
    }
  }
  const slack = endlessSlack(regex)
  if (slack === null) return
  const states = [dfa.start]
  for (let at = 0; at < states.length && states.length < MAX_STATES; at++) {
    if (slack < 20) expect(distance(dfa, states[at]!, slack), `${regex}`).toBeLessThanOrEqual(slack)
    for (const cls of samples.keys()) {
      const next = dfa.next(states[at]!, cls)
      expect(next, `${regex}`).not.toBe(0)
      if (!states.includes(next)) states.push(next)
    }
  }
}

const SETS = ['a', 'ab', 'abc', 'b', 'cd'].map((characters) => CharSet.from(characters))

function randomRegex(builder: RegexBuilder, random: Random, depth: number): Regex {
  if (depth === 0 || random.chance(0.25)) {
    return random.chance(0.1) ? builder.all : builder.chars(random.pick(SETS))
  }
  const part = (): Regex => randomRegex(builder, random, depth - 1)
  const min = random.below(4)
  switch (random.below(7)) {
    case 0:
    case 1:
      return builder.concat(part(), part())
    case 2:
      return builder.or(part(), part())
    case 3:
      return builder.or(part(), builder.chars(random.pick(SETS)), part())
    case 4:
    case 5:
      return builder.repeat(
        part(),
        min,
        random.chance(0.4) ? Number.POSITIVE_INFINITY : min + random.below(5),
      )
    default:
      return random.chance(0.5) ? builder.not(part()) : builder.and(part(), part())
  }
}

test('of random expressions and what is left of them', () => {
  const random = new Random(seed)
  for (let round = 0; round < 1500; round++) {
    const builder = new RegexBuilder()
    const regex = randomRegex(builder, random, 4)
    const dfa = new CharDfa(builder, regex)
    if (dfa.start === 0) continue
    judge(dfa, regex)
    let state = dfa.start
    for (let step = 0; step < 3; step++) {
      state = dfa.next(state, random.below(dfa.classCount))
      if (state === 0) break
      const rest = dfa.regexOf(state)
      judge(new CharDfa(builder, rest), rest)
    }
  }
})

describe('of what people write', () => {
  test.each([
    ['^[a-z]{0,61}-x$', '[a-z]', 61, 2, true],
    ['^[a-z]+$', '[a-z]', Number.POSITIVE_INFINITY, 1, false],
    ['^[0-9a-f]{8}-[0-9]+$', '[0-9a-f]', 8, 10, true],
    ['^([a-z]|%[0-9]{2})*x?$', '[a-z]', Number.POSITIVE_INFINITY, 0, false],
    ['^[a-z]{3}[a-z0-9]{4}$', '[a-z]', 7, 7, false],
  ] as const)('%s', (pattern, set, length, slack, stops) => {
    const builder = new RegexBuilder()
    const found = runsOf(parsePattern(pattern, builder)).filter((run) => run.set.toString() === set)
    expect(found.map((run) => ({ length: run.length, slack: run.slack, stops: run.stops }))).toEqual([
      { length, slack, stops },
    ])
  })

  test('a pattern that is searched for goes on after any text', () => {
    const builder = new RegexBuilder()
    expect(endlessSlack(parsePattern('ab.c', builder))).toBe(4)
    expect(endlessSlack(parsePattern('ab.c|x', builder))).toBe(1)
    expect(endlessSlack(parsePattern('^ab', builder))).toBeNull()
  })
})
