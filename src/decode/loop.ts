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
import { type OutputEvents, orAborted } from './reader.ts'
import type { Cut, Result, RunEvent, StopReason } from './result.ts'
import type { Sampler } from './sampler.ts'
import type { TokenSequence } from './sequence.ts'

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
  const { sequence, vocabulary, prompt, reused, constraint, jumper, sampler, maxTokens, isWithin } = input
  const ends = new Set(vocabulary.endTokens)
  const mask = constraint === null ? tokenMask(vocabulary) : emptyBits(vocabulary.size)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** What the model has to read before the next choice. */
  const unread = prompt.slice(reused)
  /** Events of tokens that are forced before the prompt is read. */
  const held: RunEvent[] = []
  let events = input.makeEvents()
  let text = ''
  let place = 0
  let tokens = 0
  let forcedTokens = 0
  let modelMs = 0
  let maskMs = 0
  let hasStarted = false
  let stopReason: StopReason

  const tell = (event: RunEvent): void => {
    if (hasStarted) emit(event)
    else held.push(event)
  }
  const begin = (promptMs: number): void => {
    hasStarted = true
    emit({ type: 'start', promptTokens: prompt.length, maxTokens, seed: sampler.seed, promptMs })
    for (const event of held) emit(event)
  }
  /** Adds a token that the constraint has accepted; whether it ends the text. */
  const write = (id: number, forced: boolean, stepMs: number, tokenMaskMs: number): boolean => {
    const isEnd = ends.has(id)
    const literal = vocabulary.bytes(id) === null ? (vocabulary.literal(id) ?? '') : null
    // A control token ends a character that is not whole.
    const content = literal === null ? decoder.decode(vocabulary.bytes(id)!, { stream: true }) : ''
    const piece = isEnd ? '' : literal === null ? content : decoder.decode() + literal
    // An id without bytes, which only free text has, is a place too.
    place += Math.max(1, vocabulary.bytes(id)?.length ?? utf8Length(literal ?? ''))
    text += piece
    tokens++
    if (forced) forcedTokens++
    unread.push(id)
    tell({ type: 'token', id, forced, modelMs: stepMs, maskMs: tokenMaskMs })
    if (piece !== '') for (const event of events.push(piece)) tell(event)
    return isEnd
  }

  /** Waits for what is being judged; whether it was, as it is not where the run is aborted meanwhile. */
  const judged = async (judging: Promise<readonly RunEvent[]>): Promise<boolean> => {
    const reached = await orAborted(judging, signal)
    for (const event of reached ?? []) tell(event)
    return reached !== null
  }

  for (;;) {
    const judging = events.judged()
    if (judging !== null && !(await judged(judging))) {
      stopReason = 'aborted'
      break
    }
    if (constraint?.mustStop()) {
      stopReason = 'complete'
      break
    }
    if (signal.aborted) {
      stopReason = 'aborted'
      break
    }
    if (tokens === maxTokens) {
      stopReason = 'max_tokens'
      break
    }
    let start = performance.now()
    const left = maxTokens - tokens
    constraint?.mask(mask, isWithin ? { budget: left } : {})
    const forced = jumper?.jump(mask, left, isWithin) ?? []
    let tokenMaskMs = performance.now() - start
    if (forced.length > 0) {
      maskMs += tokenMaskMs
      const share = tokenMaskMs / forced.length
      if (forced.map((id) => write(id, true, 0, share)).includes(true)) {
        stopReason = 'complete'
        break
      }
      continue
    }
    start = performance.now()
    const logits = await sequence.append(unread, signal)
    const stepMs = performance.now() - start
    modelMs += stepMs
    const isFirst = !hasStarted
    if (isFirst && (logits === null || signal.aborted)) {
      // Nothing was said yet: what was forced is taken back.
      constraint?.rollback(tokens)
      held.length = 0
      events = input.makeEvents()
      text = ''
      tokens = 0
      forcedTokens = 0
    }
    if (isFirst) begin(stepMs)
    if (logits === null || signal.aborted) {
      stopReason = 'aborted'
      break
    }
    unread.length = 0
    const id = sampler.sample(logits, mask, place)
    if (constraint !== null) {
      start = performance.now()
      const accepted = constraint.accept(id)
      jumper?.add(id)
      tokenMaskMs += performance.now() - start
      if (!accepted)
        throw new ModelError(`token ${id} was in the mask and is refused; this is a fault in the matcher`)
    }
    maskMs += tokenMaskMs
    if (write(id, false, isFirst ? 0 : stepMs, tokenMaskMs)) {
      stopReason = 'complete'
      break
    }
  }
  if (!hasStarted) begin(0)
  const judging = events.judged()
  if (judging !== null && !(await judged(judging))) stopReason = 'aborted'
  const output = events.end(stopReason, signal)
  const { events: late, ...read } = output instanceof Promise ? await output : output
  if (output instanceof Promise && signal.aborted) stopReason = 'aborted'
  for (const event of late) emit(event)
  const cut = constraint === null || stopReason === 'complete' ? undefined : readCut(constraint)
  if (cut !== undefined) emit({ type: 'cut', cut })
  return {
    stopReason,
    text,
    ...read,
    usage: { promptTokens: prompt.length, reusedTokens: reused, tokens, forcedTokens, modelMs, maskMs },
    ...(sampler.temperature === 0 ? {} : { seed: sampler.seed }),
    ...(cut === undefined ? {} : { cut }),
    ...(isWithin ? { finishWithin: 'budget' } : {}),
    ...(input.maxTokensLowered === undefined ? {} : { maxTokensLowered: input.maxTokensLowered }),
  }
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
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
