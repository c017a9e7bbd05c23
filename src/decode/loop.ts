/**
 * The decode loop: prompt in, one token after another out, until the grammar, the model, the limit or the caller stops.
 *
 * At each place the constraint's mask is taken first. What it forces is written at once (jump.ts) and read by the model
 * together with what comes before the next choice, the prompt included; where there is a choice the model is run, a token
 * sampled and accepted. Without a constraint only ids that are no token are masked. The model is not run for a token
 * that nobody will use: a grammar with nothing left to say stops at once, and so does the last token allowed. A step
 * allocates nothing that grows with the vocabulary or the length.
 */
import { emptyBits, setBit } from '../bits.ts'
import { ModelError } from '../errors.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import type { Constraint } from './constraint.ts'
import type { Jumper } from './jump.ts'
import type { OutputEvents } from './reader.ts'
import type { Cut, Result, RunEvent, StopReason } from './result.ts'
import type { Sampler } from './sampler.ts'
import type { TokenSequence } from './sequence.ts'
import { Written } from './written.ts'

export interface LoopInput {
  readonly sequence: TokenSequence
  readonly vocabulary: Vocabulary
  readonly prompt: readonly number[]
  /** Tokens of the prompt that the sequence holds. */
  readonly reused: number
  readonly constraint: Constraint | null
  /** Finds what the constraint forces; `null` where the model is asked for each token. */
  readonly jumper: Jumper | null
  readonly sampler: Sampler
  readonly maxTokens: number
  /** Whether the output must be whole by then. */
  readonly isWithin: boolean
  readonly maxTokensLowered: Result['maxTokensLowered']
  /** What makes events of the output. */
  readonly makeEvents: () => OutputEvents
}

export async function decodeLoop(
  input: LoopInput,
  emit: (event: RunEvent) => void,
  signal: AbortSignal,
): Promise<Result> {
  const { constraint, sampler, prompt, reused, isWithin, maxTokensLowered } = input
  const written = new Written(prompt.slice(reused), input.vocabulary, input.makeEvents, emit)
  const decoding = new Decoding(input, written, signal)
  let stopReason = await decoding.run()
  if (!written.hasStarted) decoding.begin(0)
  if ((await written.judged(signal)) === false) stopReason = 'aborted'
  const output = written.end(stopReason, signal)
  const { events: late, ...read } = output instanceof Promise ? await output : output
  if (output instanceof Promise && signal.aborted) stopReason = 'aborted'
  for (const event of late) emit(event)
  const cut = constraint === null || stopReason === 'complete' ? undefined : readCut(constraint)
  if (cut !== undefined) emit({ type: 'cut', cut })
  const { text, tokens, forcedTokens } = written
  const { modelMs, maskMs } = decoding
  return {
    stopReason,
    text,
    ...read,
    usage: { promptTokens: prompt.length, reusedTokens: reused, tokens, forcedTokens, modelMs, maskMs },
    ...(sampler.temperature === 0 ? {} : { seed: sampler.seed }),
    ...(cut === undefined ? {} : { cut }),
    ...(isWithin ? { finishWithin: 'budget' } : {}),
    ...(maxTokensLowered === undefined ? {} : { maxTokensLowered }),
  }
}

/** The steps of a run: a mask, then what it forces or a choice. */
class Decoding {
  modelMs = 0
  maskMs = 0
  readonly #input: LoopInput
  readonly #written: Written
  readonly #signal: AbortSignal
  readonly #mask: Uint32Array

  constructor(input: LoopInput, written: Written, signal: AbortSignal) {
    this.#input = input
    this.#written = written
    this.#signal = signal
    this.#mask = input.constraint === null ? tokenMask(input.vocabulary) : emptyBits(input.vocabulary.size)
  }

  begin(promptMs: number): void {
    const { prompt, maxTokens, sampler } = this.#input
    const { seed } = sampler
    this.#written.begin({ type: 'start', promptTokens: prompt.length, maxTokens, seed, promptMs })
  }

  /** Steps until there is a reason to stop. */
  async run(): Promise<StopReason> {
    for (;;) {
      const judging = this.#written.judged(this.#signal)
      if (judging !== null && !(await judging)) return 'aborted'
      const before = this.#reasonToStop()
      if (before !== null) return before
      const start = performance.now()
      const forced = this.#forced()
      const maskMs = performance.now() - start
      const after = forced.length > 0 ? this.#writeForced(forced, maskMs) : await this.#choose(maskMs)
      if (after !== null) return after
    }
  }

  #reasonToStop(): StopReason | null {
    const { constraint, maxTokens } = this.#input
    if (constraint?.mustStop()) return 'complete'
    if (this.#signal.aborted) return 'aborted'
    return this.#written.tokens === maxTokens ? 'max_tokens' : null
  }

  /** Makes the mask, and gives the tokens that it forces. */
  #forced(): readonly number[] {
    const { constraint, jumper, maxTokens, isWithin } = this.#input
    const left = maxTokens - this.#written.tokens
    constraint?.mask(this.#mask, isWithin ? { budget: left } : {})
    return jumper?.jump(this.#mask, left, isWithin) ?? []
  }

  #writeForced(ids: readonly number[], maskMs: number): StopReason | null {
    this.maskMs += maskMs
    const share = maskMs / ids.length
    return ids.map((id) => this.#written.write(id, true, 0, share)).includes(true) ? 'complete' : null
  }

  /** Has the model read what it has not, and takes one of the tokens of the mask. */
  async #choose(maskMs: number): Promise<StopReason | null> {
    const written = this.#written
    const { sequence, sampler } = this.#input
    const start = performance.now()
    const logits = await sequence.append(written.unread, this.#signal)
    const modelMs = performance.now() - start
    this.modelMs += modelMs
    const isFirst = !written.hasStarted
    const isAborted = logits === null || this.#signal.aborted
    if (isFirst && isAborted) {
      // Nothing was said yet: what was forced is taken back.
      this.#input.constraint?.rollback(written.tokens)
      written.takeBack()
    }
    if (isFirst) this.begin(modelMs)
    if (isAborted) return 'aborted'
    written.unread.length = 0
    const id = sampler.sample(logits, this.#mask, written.place)
    const ms = maskMs + this.#accept(id)
    this.maskMs += ms
    return written.write(id, false, isFirst ? 0 : modelMs, ms) ? 'complete' : null
  }

  /** Tells the constraint of a token that was chosen; the milliseconds that this took. */
  #accept(id: number): number {
    const { constraint, jumper } = this.#input
    if (constraint === null) return 0
    const start = performance.now()
    const isAccepted = constraint.accept(id)
    jumper?.add(id)
    if (!isAccepted)
      throw new ModelError(`token ${id} was in the mask and is refused; this is a fault in the matcher`)
    return performance.now() - start
  }
}

/** Every id that is a token: what pads the logits beyond the vocabulary is never chosen. */
function tokenMask(vocabulary: Vocabulary): Uint32Array {
  const mask = emptyBits(vocabulary.size)
  for (let id = 0; id < vocabulary.size; id++) {
    if (vocabulary.bytes(id) !== null || vocabulary.isControl(id)) setBit(mask, id)
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
