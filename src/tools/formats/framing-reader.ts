/**
 * Reads an output of a format that is told by data: free text, calls, and where each begins and ends.
 *
 * What was masked is of the format, so that each piece is found where it must be; what was not may be anything, and is given
 * up as a whole where it differs. Text is held back only while it may still become a trigger or a piece. O(1) a character.
 */
import type { OutputReader, ReaderSink } from './format.ts'
import { JsonEnd } from './json-end.ts'
import { ARGUMENTS, type Framing, joined, NAME, type Opener, type Piece } from './pieces.ts'

/** What names, ids and numbers are made of; a colon may stand behind a name. */
const WORD = /^[A-Za-z0-9_.-]*/u

type State = 'text' | 'call' | 'behind' | 'rest'

export class FramingReader implements OutputReader {
  readonly #framing: Framing
  readonly #sink: ReaderSink
  #state: State = 'text'
  /** What was pushed and not yet read. */
  #pending = ''
  /** Whether nothing was read yet. */
  #atStart = true
  /** The pieces of the call that is read, and which is next. */
  #pieces: readonly Piece[] = []
  #next = 0
  #json = new JsonEnd()

  constructor(framing: Framing, sink: ReaderSink) {
    this.#framing = framing
    this.#sink = sink
  }

  push(text: string): void {
    this.#pending += text
    while (this.#step(false));
  }

  end(): void {
    while (this.#step(true));
    if (this.#pending === '') return
    if (this.#state === 'text' || this.#state === 'rest') this.#sink.text(this.#take(this.#pending.length))
    else this.#lose()
  }

  #take(length: number): string {
    const text = this.#pending.slice(0, length)
    this.#pending = this.#pending.slice(length)
    if (length > 0) this.#atStart = false
    return text
  }

  #lose(): void {
    this.#state = 'rest'
    this.#sink.lost(this.#take(this.#pending.length))
  }

  /** Reads on; whether there may be more to read. */
  #step(isLast: boolean): boolean {
    if (this.#pending === '') return false
    switch (this.#state) {
      case 'text':
        return this.#text(isLast)
      case 'call':
        return this.#piece(isLast)
      case 'behind':
        return this.#behind(isLast)
      case 'rest':
        this.#sink.text(this.#take(this.#pending.length))
        return false
    }
  }

  #text(isLast: boolean): boolean {
    let best: { opener: Opener; at: number } | null = null
    let free = this.#pending.length
    for (const opener of this.#framing.openers) {
      const { trigger, atStart } = opener
      if (atStart && !this.#atStart) continue
      const at = atStart ? (this.#pending.startsWith(trigger) ? 0 : -1) : this.#pending.indexOf(trigger)
      if (at >= 0 && (best === null || at < best.at)) best = { opener, at }
      if (at < 0)
        free = Math.min(free, atStart ? beginning(this.#pending, trigger) : tail(this.#pending, trigger))
    }
    const length = best === null ? (isLast ? this.#pending.length : free) : best.at
    if (length > 0) this.#sink.text(this.#take(length))
    if (best === null) return false
    this.#begin([best.opener.before, ...this.#framing.call])
    return true
  }

  #begin(pieces: readonly Piece[]): void {
    this.#pieces = joined(pieces)
    this.#next = 0
    this.#state = 'call'
  }

  #piece(isLast: boolean): boolean {
    const piece = this.#pieces[this.#next]!
    if (piece === ARGUMENTS) return this.#arguments()
    if (typeof piece === 'string') {
      if (!this.#pending.startsWith(piece)) {
        if (piece.startsWith(this.#pending)) return false
        this.#lose()
        return true
      }
      this.#take(piece.length)
    } else if (typeof piece === 'object') {
      if (this.#pending.startsWith(piece.maybe)) this.#take(piece.maybe.length)
      else if (!isLast && piece.maybe.startsWith(this.#pending)) return false
    } else {
      const [word] = WORD.exec(this.#pending) as unknown as [string]
      if (word.length === this.#pending.length && !isLast) return false
      this.#take(word.length)
      if (piece === NAME) this.#sink.start(word)
    }
    this.#next++
    return this.#settle()
  }

  #arguments(): boolean {
    const length = this.#json.read(this.#pending)
    const text = this.#take(length)
    if (text !== '') this.#sink.arguments(text)
    if (!this.#json.isDone) return false
    this.#json = new JsonEnd()
    this.#next++
    return this.#settle()
  }

  /** A call whose pieces are all read is whole, whatever comes. */
  #settle(): boolean {
    if (this.#next < this.#pieces.length) return true
    this.#sink.end()
    this.#state = 'behind'
    return true
  }

  #behind(isLast: boolean): boolean {
    const { between, after, call } = this.#framing
    const first = joined([between, ...call])[0] as string
    if (after !== '' && this.#pending.startsWith(after)) {
      this.#take(after.length)
      this.#state = 'rest'
      return true
    }
    if (this.#pending.startsWith(first)) {
      this.#begin([between, ...call])
      return true
    }
    if (!isLast && (first.startsWith(this.#pending) || after.startsWith(this.#pending))) return false
    this.#lose()
    return true
  }
}

/** How much of a text is surely before a trigger: what may be its beginning, at the end, is not. */
function tail(text: string, trigger: string): number {
  for (let length = Math.min(trigger.length - 1, text.length); length > 0; length--)
    if (text.endsWith(trigger.slice(0, length))) return text.length - length
  return text.length
}

/** The same for a trigger that counts at the start only. */
function beginning(text: string, trigger: string): number {
  return trigger.startsWith(text) ? 0 : text.length
}
