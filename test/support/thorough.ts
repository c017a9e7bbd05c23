/**
 * Walks that try everything a matcher offers: each mask against the oracle, on the way forward, after a rollback and in a fork;
 * forced bytes, what is open, completions.
 */
import { emptyBits, hasBit } from '../../src/bits.ts'
import type { CompiledGrammar, Matcher, Vocabulary } from '../../src/core.ts'
import {
  chooseToken,
  difference,
  expectedMask,
  idsOf,
  restOfCompletion,
  showBytes,
  showToken,
} from './masks.ts'
import type { Random } from './random.ts'
import type { Recogniser } from './recogniser.ts'

export interface ThoroughOptions {
  readonly steps: number
  /** Says of a finished text whether it is valid. */
  readonly isValid: (text: string) => boolean | null
}

const MAX_WAYS = 64

/** @returns what was wrong, in words */
export function judgeThoroughly(
  grammar: CompiledGrammar,
  recogniser: Recogniser,
  random: Random,
  { steps, isValid }: ThoroughOptions,
): string[] {
  const { vocabulary } = grammar
  let matcher = grammar.matcher()
  let states = [recogniser.start]
  const own = emptyBits(vocabulary.size)
  const finishAfter = random.below(steps * 2)
  for (let step = 0; step < steps; step++) {
    const state = states.at(-1)!
    // The oracle follows each way by itself.
    if (recogniser.ways(state) > MAX_WAYS) break
    const where = `after ${showBytes(matcher.bytes())}`
    if (random.chance(0.1)) matcher.forced()
    if (random.chance(0.1)) matcher.frames()
    const expected = expectedMask(recogniser, state, vocabulary)
    const wrong = difference(random.chance(0.5) ? matcher.mask() : matcher.mask(own), expected, vocabulary)
    if (wrong !== '') return [`${where}: ${wrong}`]
    if (matcher.isComplete() !== recogniser.isComplete(state)) return [`${where}: isComplete is wrong`]
    if (matcher.mustStop() && idsOf(expected).some((id) => !vocabulary.endTokens.includes(id)))
      return [`${where}: must not stop`]
    const more = [
      ...(random.chance(0.2) ? forcedOf(matcher, recogniser, state) : []),
      ...(random.chance(0.25) ? openOf(matcher) : []),
      ...(random.chance(0.2) ? completed(matcher, recogniser, state, vocabulary, isValid) : []),
    ]
    if (more.length > 0) return more.map((line) => `${where}: ${line}`)
    const refused = random.below(vocabulary.size)
    if (!hasBit(expected, refused) && matcher.accept(refused))
      return [`${where}: ${showToken(vocabulary, refused)} was accepted`]
    const id = chooseToken(matcher, vocabulary, random, step >= finishAfter)
    if (!matcher.accept(id)) return [`${where}: ${showToken(vocabulary, id)} is in the mask and refused`]
    if (vocabulary.endTokens.includes(id)) {
      const verdict = isValid(matcher.text())
      if (verdict === false) return [`${matcher.text()} is not valid`]
      if (random.chance(0.5)) break
      matcher.rollback(1)
      continue
    }
    states.push(recogniser.run(state, vocabulary.bytes(id)!))
    const turn = random.below(16)
    if (turn === 0) {
      const back = random.below(states.length)
      matcher.rollback(back)
      states = states.slice(0, states.length - back)
    } else if (turn === 1) matcher = matcher.fork()
    else if (turn === 2) {
      const fork = matcher.fork()
      for (let i = 0; i < 3 && !fork.mustStop(); i++)
        fork.accept(chooseToken(fork, vocabulary, random, false))
      fork.mask()
    }
  }
  return []
}

/** Whether the forced bytes are those that alone may come, and all of them. */
function forcedOf(matcher: Matcher, recogniser: Recogniser, from: number): string[] {
  const forced = matcher.forced()
  let state = from
  const only = (): number => {
    if (recogniser.isComplete(state)) return -1
    const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter(
      (byte) => recogniser.step(state, byte) !== 0,
    )
    return bytes.length === 1 ? bytes[0]! : -1
  }
  for (const byte of forced) {
    if (only() !== byte) return [`${showBytes(forced)} is not forced`]
    state = recogniser.step(state, byte)
  }
  return only() < 0 ? [] : [`more is forced than ${showBytes(forced)}`]
}

/** Whether the open containers are those of the text. */
function openOf(matcher: Matcher): string[] {
  const open: string[] = []
  const text = matcher.text()
  let inside = false
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (inside) {
      if (c === '\\') i++
      else if (c === '"') inside = false
    } else if (c === '"') inside = true
    else if (c === '{') open.push('object')
    else if (c === '[') open.push('array')
    else if (c === '}' || c === ']') open.pop()
  }
  const frames = matcher.frames()
  const containers = frames.map(({ kind }) => kind).filter((kind) => kind === 'object' || kind === 'array')
  if (containers.join() !== open.join()) return [`open are ${open.join()}, not ${containers.join()}`]
  matcher.partial()
  return []
}

/** Whether the completion is a text that the oracle and the masks read to its end, and valid. */
function completed(
  matcher: Matcher,
  recogniser: Recogniser,
  from: number,
  vocabulary: Vocabulary,
  isValid: (text: string) => boolean | null,
): string[] {
  const { text } = matcher.shortestCompletion()
  const rest = restOfCompletion(matcher)
  const state = recogniser.run(from, rest)
  if (state === 0 || !recogniser.isComplete(state)) return [`${text} does not complete it`]
  const fork = matcher.fork()
  for (const byte of rest) {
    const id = singleOf(vocabulary, byte)
    if (!fork.accept(id)) return [`completion ${text} is refused at ${fork.text()}`]
  }
  if (!fork.isComplete()) return [`completion ${text} does not end`]
  return isValid(fork.text()) === false ? [`completion ${text} is not valid`] : []
}

const singles = new WeakMap<Vocabulary, Int32Array>()

/** The token of a byte. */
function singleOf(vocabulary: Vocabulary, byte: number): number {
  let ids = singles.get(vocabulary)
  if (ids === undefined) {
    ids = new Int32Array(256).fill(-1)
    for (let id = 0; id < vocabulary.size; id++) {
      const bytes = vocabulary.bytes(id)
      if (bytes?.length === 1 && !vocabulary.endTokens.includes(id)) ids[bytes[0]!] = id
    }
    singles.set(vocabulary, ids)
  }
  return ids[byte]!
}
