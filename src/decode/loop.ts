/**
 * The decode loop: prompt in, one token after another out, until the grammar, the model, the limit or the caller stops.
 *
 * Before each token the constraint's mask is taken, after it the token is accepted; without a constraint only ids that
 * are no token are masked. The model is not run for a token that nobody will use: a grammar with nothing left to say
 * stops at once, and so does the last token allowed. A step allocates nothing that grows with the vocabulary or the
 * length.
 */
import { ModelError } from '../errors.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import type { Constraint } from './constraint.ts'
import type { Cut, Result, RunEvent, StopReason, ToolCall } from './result.ts'
import type { Sampler } from './sampler.ts'
import type { TokenSequence } from './sequence.ts'

export interface LoopInput {
  readonly sequence: TokenSequence
  readonly vocabulary: Vocabulary
  readonly prompt: readonly number[]
  readonly constraint: Constraint | null
  readonly sampler: Sampler
  readonly maxTokens: number
  readonly maxTokensLowered: Result['maxTokensLowered']
  /** Reads the calls out of a complete output. */
  readonly readCalls: (text: string) => ToolCall[]
}

/** A `TextDecoder`, of which types know less than Node. */
interface Utf8Stream {
  decode(bytes: Uint8Array, options: { readonly stream: true }): string
}

export async function decodeLoop(
  input: LoopInput,
  emit: (event: RunEvent) => void,
  signal: AbortSignal,
): Promise<Result> {
  const { sequence, vocabulary, constraint, sampler, maxTokens } = input
  const ends = new Set(vocabulary.endTokens)
  const mask = constraint === null ? tokenMask(vocabulary) : new Uint32Array((vocabulary.size + 31) >>> 5)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const next = [0]
  let text = ''
  let tokens = 0
  let maskMs = 0
  let stopReason: StopReason

  let start = performance.now()
  let logits = signal.aborted ? null : await sequence.append(input.prompt, signal)
  let modelMs = performance.now() - start
  emit({ type: 'start', promptTokens: input.prompt.length, maxTokens, seed: sampler.seed, promptMs: modelMs })
  for (;;) {
    if (constraint?.mustStop()) {
      stopReason = 'complete'
      break
    }
    if (signal.aborted || logits === null) {
      stopReason = 'aborted'
      break
    }
    if (tokens === maxTokens) {
      stopReason = 'max_tokens'
      break
    }
    let stepMs = 0
    if (tokens > 0) {
      start = performance.now()
      logits = await sequence.append(next, signal)
      stepMs = performance.now() - start
      modelMs += stepMs
      if (signal.aborted || logits === null) {
        stopReason = 'aborted'
        break
      }
    }
    start = performance.now()
    if (constraint !== null) constraint.mask(mask)
    let tokenMaskMs = performance.now() - start
    const id = sampler.sample(logits, mask)
    if (constraint !== null) {
      start = performance.now()
      const accepted = constraint.accept(id)
      tokenMaskMs += performance.now() - start
      if (!accepted)
        throw new ModelError(`token ${id} was in the mask and is refused; this is a fault in the matcher`)
    }
    maskMs += tokenMaskMs
    tokens++
    next[0] = id
    const isEnd = ends.has(id)
    const piece = isEnd ? '' : tokenText(vocabulary, decoder, id)
    text += piece
    emit({ type: 'token', id, modelMs: stepMs, maskMs: tokenMaskMs })
    if (piece !== '') emit({ type: 'text', text: piece })
    if (isEnd) {
      stopReason = 'complete'
      break
    }
  }
  const calls = stopReason === 'complete' ? input.readCalls(text) : []
  for (const call of calls) emit({ type: 'call', call })
  return {
    stopReason,
    text,
    calls,
    usage: { promptTokens: input.prompt.length, tokens, forcedTokens: 0, modelMs, maskMs },
    ...(constraint === null || stopReason === 'complete' ? {} : { cut: readCut(constraint) }),
    ...(input.maxTokensLowered === undefined ? {} : { maxTokensLowered: input.maxTokensLowered }),
  }
}

/** The whole characters that a token completes; a control token stands as its literal. */
function tokenText(vocabulary: Vocabulary, decoder: Utf8Stream, id: number): string {
  const bytes = vocabulary.bytes(id)
  return bytes === null ? (vocabulary.literal(id) ?? '') : decoder.decode(bytes, { stream: true })
}

/** Every id that is a token: what pads the logits beyond the vocabulary is never chosen. */
function tokenMask(vocabulary: Vocabulary): Uint32Array {
  const mask = new Uint32Array((vocabulary.size + 31) >>> 5)
  for (let id = 0; id < vocabulary.size; id++) {
    if (vocabulary.bytes(id) !== null || vocabulary.isControl(id)) mask[id >>> 5]! |= 1 << (id & 31)
  }
  return mask
}

/** The state of a constraint as a report. */
export function readCut(constraint: Constraint): Cut {
  const { text, tokens } = constraint.shortestCompletion()
  const partial = constraint.partial()
  return {
    frames: constraint.frames(),
    completion: text,
    completionTokens: tokens,
    ...(partial === undefined ? {} : { partial }),
  }
}
