/**
 * What a run has written so far, and the events that tell of it.
 *
 * Nothing is told before the prompt is read: what the grammar forces before that is held back, and taken back where the run
 * is aborted until then. Characters are told when they are whole; a control token ends one that is not.
 */
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { type OutputEvents, orAborted, type ReadOutput } from './reader.ts'
import type { RunEvent, StopReason } from './result.ts'

type StartEvent = Extract<RunEvent, { readonly type: 'start' }>

export class Written {
  /** What the model has to read before the next choice. */
  readonly unread: number[]
  text = ''
  /** Bytes written: where random numbers are drawn. */
  place = 0
  tokens = 0
  forcedTokens = 0
  hasStarted = false
  readonly #vocabulary: Vocabulary
  readonly #ends: ReadonlySet<number>
  readonly #makeEvents: () => OutputEvents
  readonly #emit: (event: RunEvent) => void
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** Events of tokens that are forced before the prompt is read. */
  #held: RunEvent[] = []
  #events: OutputEvents

  /** `unread` is what of the prompt is to be read. */
  constructor(
    unread: number[],
    vocabulary: Vocabulary,
    makeEvents: () => OutputEvents,
    emit: (event: RunEvent) => void,
  ) {
    this.unread = unread
    this.#vocabulary = vocabulary
    this.#ends = new Set(vocabulary.endTokens)
    this.#makeEvents = makeEvents
    this.#emit = emit
    this.#events = makeEvents()
  }

  /** The prompt has been read. */
  begin(start: StartEvent): void {
    this.hasStarted = true
    this.#emit(start)
    for (const event of this.#held) this.#emit(event)
    this.#held = []
  }

  /** Forgets all that was written, none of which has been told. */
  takeBack(): void {
    this.#held = []
    this.#events = this.#makeEvents()
    this.text = ''
    this.tokens = 0
    this.forcedTokens = 0
  }

  /** Adds a token that the constraint has accepted; whether it ends the text. */
  write(id: number, forced: boolean, modelMs: number, maskMs: number): boolean {
    const isEnd = this.#ends.has(id)
    const bytes = this.#vocabulary.bytes(id)
    const literal = bytes === null ? (this.#vocabulary.literal(id) ?? '') : null
    const content = bytes === null ? '' : this.#decoder.decode(bytes, { stream: true })
    const piece = isEnd ? '' : literal === null ? content : this.#decoder.decode() + literal
    // An id without bytes, which only free text has, is a place too.
    this.place += Math.max(1, bytes?.length ?? utf8Length(literal ?? ''))
    this.text += piece
    this.tokens++
    if (forced) this.forcedTokens++
    this.unread.push(id)
    this.#tell({ type: 'token', id, forced, modelMs, maskMs })
    if (piece !== '') for (const event of this.#events.push(piece)) this.#tell(event)
    return isEnd
  }

  /** Where a call is being judged: whether it was, as it is not where the run is aborted meanwhile; `null` where none is. */
  judged(signal: AbortSignal): Promise<boolean> | null {
    const judging = this.#events.judged()
    if (judging === null) return null
    return orAborted(judging, signal).then((reached) => {
      for (const event of reached ?? []) this.#tell(event)
      return reached !== null
    })
  }

  /** No more will come: what all of it was, or a promise of that where something is still to be judged. */
  end(stopReason: StopReason, signal: AbortSignal): ReadOutput | Promise<ReadOutput> {
    return this.#events.end(stopReason, signal)
  }

  #tell(event: RunEvent): void {
    if (this.hasStarted) this.#emit(event)
    else this.#held.push(event)
  }
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}
