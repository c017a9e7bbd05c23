/**
 * The mask that the oracle says, and walks over legal tokens: what the tests of masks and matchers share.
 */
import { emptyBits, hasBit, lowestBit, setBit } from '../../src/bits.ts'
import {
  type CompiledGrammar,
  compile,
  type Matcher,
  type SchemaOptions,
  type Vocabulary,
} from '../../src/core.ts'
import type { Random } from './random.ts'
import { Recogniser } from './recogniser.ts'
import type { NamedSchema } from './schemas.ts'

interface Entry {
  readonly id: number
  readonly bytes: Uint8Array
}

const sorted = new WeakMap<Vocabulary, readonly Entry[]>()

/** The content tokens in the order of their bytes. */
function entriesOf(vocabulary: Vocabulary): readonly Entry[] {
  let entries = sorted.get(vocabulary)
  if (entries === undefined) {
    const found: Entry[] = []
    for (let id = 0; id < vocabulary.size; id++) {
      const bytes = vocabulary.bytes(id)
      if (bytes !== null && bytes.length > 0 && !vocabulary.endTokens.includes(id)) found.push({ id, bytes })
    }
    entries = found.sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    sorted.set(vocabulary, entries)
  }
  return entries
}

/** Every token tried alone, byte by byte; tokens with a common beginning share its steps. */
export function expectedMask(recogniser: Recogniser, state: number, vocabulary: Vocabulary): Uint32Array {
  const mask = emptyBits(vocabulary.size)
  /** States after each byte of the token before; 0 from where it was refused. */
  const states: number[] = [state]
  let previous: Uint8Array = new Uint8Array(0)
  for (const { id, bytes } of entriesOf(vocabulary)) {
    let depth = 0
    while (depth < previous.length && depth < bytes.length && previous[depth] === bytes[depth]) depth++
    depth = Math.min(depth, states.length - 1)
    states.length = depth + 1
    while (depth < bytes.length && states[depth] !== 0) {
      states.push(recogniser.step(states[depth]!, bytes[depth]!))
      depth++
    }
    if (depth === bytes.length && states[depth] !== 0) setBit(mask, id)
    previous = bytes
  }
  for (let id = 0; id < vocabulary.size; id++) {
    if (vocabulary.isControl(id) && recogniser.token(state, id) !== 0) setBit(mask, id)
  }
  if (recogniser.isComplete(state)) for (const id of vocabulary.endTokens) setBit(mask, id)
  return mask
}

export function idsOf(mask: Uint32Array): number[] {
  const ids: number[] = []
  for (let word = 0; word < mask.length; word++) {
    for (let bits = mask[word]!; bits !== 0; bits &= bits - 1) ids.push(word * 32 + lowestBit(bits))
  }
  return ids
}

/** The difference in words, at most a few tokens of each side; `''` where the masks are equal. */
export function difference(actual: Uint32Array, expected: Uint32Array, vocabulary: Vocabulary): string {
  const show = (name: string, a: Uint32Array, b: Uint32Array): string => {
    const ids = idsOf(a).filter((id) => !hasBit(b, id))
    if (ids.length === 0) return ''
    const tokens = ids.slice(0, 8).map((id) => `${id} ${showToken(vocabulary, id)}`)
    return `${name} ${ids.length}: ${tokens.join(', ')}${ids.length > 8 ? ', …' : ''}`
  }
  const parts = [
    show('allowed and should not be', actual, expected),
    show('refused and should not be', expected, actual),
  ]
  return parts.filter((part) => part !== '').join('; ')
}

export function showToken(vocabulary: Vocabulary, id: number): string {
  const bytes = vocabulary.bytes(id)
  return bytes === null ? `<${vocabulary.literal(id) ?? 'none'}>` : showBytes(bytes)
}

export function showBytes(bytes: Uint8Array): string {
  return JSON.stringify(Buffer.from(bytes).toString('latin1'))
}

/** All that there is to see of a matcher. */
export function snapshot(matcher: Matcher): object {
  return {
    mask: idsOf(matcher.mask()),
    bytes: Buffer.from(matcher.bytes()).toString('latin1'),
    complete: matcher.isComplete(),
    mustStop: matcher.mustStop(),
    forced: Buffer.from(matcher.forced()).toString('latin1'),
    frames: matcher.frames(),
    partial: matcher.partial(),
    completion: matcher.shortestCompletion(),
  }
}

const STRUCTURE = /["{}[\],:]/

/**
 * A token for a random walk: half of the time one with structure in it, so that walks do not stay in one string; some of
 * the time the beginning of the completion, so that they end. Never an end token unless nothing else is allowed.
 */
export function chooseToken(
  matcher: Matcher,
  vocabulary: Vocabulary,
  random: Random,
  finish: boolean,
): number {
  const ids = idsOf(matcher.mask())
  const content = ids.filter((id) => !vocabulary.endTokens.includes(id))
  if (content.length === 0) return random.pick(ids)
  if (finish) {
    if (matcher.isComplete()) return random.pick(ids.filter((id) => vocabulary.endTokens.includes(id)))
    const step = completionStep(matcher, vocabulary, content)
    if (step !== undefined) return step
  }
  if (random.chance(0.5)) {
    const structural = content.filter((id) => {
      const bytes = vocabulary.bytes(id)
      return bytes === null || STRUCTURE.test(Buffer.from(bytes).toString('latin1'))
    })
    if (structural.length > 0) return random.pick(structural)
  }
  return random.pick(content)
}

/** The allowed token that is the longest beginning of the completion and lowers the cost. */
export function completionStep(
  matcher: Matcher,
  vocabulary: Vocabulary,
  content: readonly number[],
): number | undefined {
  const { tokens } = matcher.shortestCompletion()
  const rest = restOfCompletion(matcher)
  const starts = content
    .map((id) => ({ id, bytes: vocabulary.bytes(id) }))
    .filter(
      ({ bytes }) =>
        bytes !== null && bytes.length <= rest.length && bytes.every((byte, i) => byte === rest[i]),
    )
    .sort((a, b) => b.bytes!.length - a.bytes!.length)
  for (const { id } of starts) {
    if (!matcher.accept(id)) continue
    const cost = matcher.shortestCompletion().tokens
    matcher.rollback(1)
    if (cost < tokens) return id
  }
  return undefined
}

/** The bytes of the completion that are not written yet. */
export function restOfCompletion(matcher: Matcher): Uint8Array {
  const whole = Buffer.from(matcher.text() + matcher.shortestCompletion().text, 'utf8')
  return whole.subarray(matcher.bytes().length)
}

/**
 * Walks at random, at most `steps` tokens, and compares the mask with the oracle's in every state on the way.
 * @returns what was wrong, in words
 */
export function judgeMasks(
  grammar: CompiledGrammar,
  recogniser: Recogniser,
  random: Random,
  steps: number,
): string[] {
  const { vocabulary } = grammar
  const matcher = grammar.matcher()
  let state = recogniser.start
  const finishAfter = random.below(steps * 2)
  for (let step = 0; step < steps; step++) {
    const wrong = difference(matcher.mask(), expectedMask(recogniser, state, vocabulary), vocabulary)
    if (wrong !== '') return [`after ${showBytes(matcher.bytes())}: ${wrong}`]
    const id = chooseToken(matcher, vocabulary, random, step >= finishAfter)
    if (!matcher.accept(id))
      return [`${showToken(vocabulary, id)} is in the mask and refused after ${showBytes(matcher.bytes())}`]
    if (vocabulary.endTokens.includes(id)) break
    const bytes = vocabulary.bytes(id)
    state = bytes === null ? recogniser.token(state, id) : recogniser.run(state, bytes)
  }
  return []
}

/** `judgeMasks` on a schema in one way of writing. */
export function judgeSchema(
  { schema, options }: NamedSchema,
  mode: SchemaOptions,
  vocabulary: Vocabulary,
  random: Random,
  steps: number,
): string[] {
  const maxWhitespace = mode.whitespace === 'any' ? { maxWhitespace: random.pick([1, 3, 64]) } : {}
  const all = { ...mode, ...maxWhitespace, ...options }
  const wrong = judgeMasks(compile(schema, vocabulary, all), Recogniser.ofSchema(schema, all), random, steps)
  return wrong.map((line) => `${JSON.stringify(all)} ${line}`)
}
