/**
 * Reads a turn while it is written: thoughts, text, and calls, as events.
 *
 * A call that has ended is whole; one that has not is none. Arguments come as the model's own text, and at the end as values.
 * A call that no mask vouches for is judged when it is whole, which may take a while: events behind it wait, in order.
 */
import type { OutputEvents, ReadOutput } from '../decode/reader.ts'
import type { RunEvent } from '../decode/result.ts'
import { readJson } from '../json/read.ts'
import type { Thinking } from './call-grammar.ts'
import type { CallFormat, OutputReader, ReaderSink } from './formats/format.ts'
import { type Judge, type Judgement, type Outcome, outcomeOf } from './judgement.ts'

export interface TurnReaderOptions {
  readonly format: CallFormat
  readonly thinking: Thinking | null
  /** The number of the first call of the turn: as many as the conversation holds already. */
  readonly firstNumber: number
  /** What judges a call by the name of its tool; `null` for one whose mask has done so. By default all have. */
  readonly judgeOf?: (name: string) => Judge | null
}

/** A call that was begun. */
interface Begun {
  readonly index: number
  readonly id: string
  readonly name: string
  readonly judge: Judge | null
  text: string
}

export class TurnReader implements OutputEvents {
  readonly #format: CallFormat
  readonly #firstNumber: number
  readonly #output: OutputReader
  /** What was read and not yet told; a list is what a judgement under way will say. */
  #events: (RunEvent | readonly RunEvent[])[] = []
  #content = ''
  #thinking = ''
  /** What became of each call, by its index. */
  readonly #outcomes: Outcome[] = []
  readonly #judgeOf: (name: string) => Judge | null
  /** Calls that were begun. */
  #begun = 0
  #open: Begun | null = null
  #judging: Promise<void>[] = []

  constructor({ format, thinking, firstNumber, judgeOf = () => null }: TurnReaderOptions) {
    this.#format = format
    this.#firstNumber = firstNumber
    this.#judgeOf = judgeOf
    const sink: ReaderSink = {
      text: (text) => this.#text(text),
      thinking: (text) => this.#think(text),
      start: (name) => this.#start(name),
      arguments: (text) => this.#arguments(text),
      end: () => this.#end(),
      // Behind a mask that is the beginning of a call, or what stands around one, where the turn was cut: no text.
      lost: () => {},
    }
    const output = format.reader(sink)
    this.#output = thinking === null ? output : new ThinkingReader(thinking, sink, output)
  }

  push(text: string): readonly RunEvent[] {
    this.#output.push(text)
    return this.#taken()
  }

  judged(): Promise<readonly RunEvent[]> | null {
    if (this.#judging.length === 0) return null
    return Promise.all(this.#judging).then(() => {
      this.#judging = []
      return this.#taken()
    })
  }

  end(): ReadOutput {
    this.#output.end()
    this.#judging = []
    const events = this.#taken()
    const thinking = this.#thinking === '' ? {} : { thinking: this.#thinking }
    // Judgements may have been reached in another order than the calls were written in.
    const outcomes = this.#outcomes.toSorted((a, b) => a.index - b.index)
    const calls = outcomes.flatMap((outcome) => (outcome.type === 'call' ? [outcome.call] : []))
    const rejected = outcomes.flatMap((outcome) =>
      outcome.type === 'call-rejected' ? [outcome.rejected] : [],
    )
    return { events, content: this.#content, ...thinking, calls, rejected }
  }

  #taken(): readonly RunEvent[] {
    if (this.#judging.length > 0) return []
    const events = this.#events.flat()
    this.#events = []
    return events
  }

  #text(text: string): void {
    this.#content += text
    this.#events.push({ type: 'text', text })
  }

  #think(text: string): void {
    this.#thinking += text
    this.#events.push({ type: 'thinking', text })
  }

  #start(name: string): void {
    const index = this.#begun++
    const id = this.#format.makeId(this.#firstNumber + index, name)
    const judge = this.#judgeOf(name)
    this.#open = { index, id, name, judge, text: '' }
    const provisional = judge === null ? {} : { provisional: true as const }
    this.#events.push({ type: 'call-start', index, id, name, ...provisional })
  }

  #arguments(text: string): void {
    if (this.#open === null) return
    const { index, id } = this.#open
    this.#open.text += text
    this.#events.push({ type: 'call-arguments', index, id, text })
  }

  #end(): void {
    const call = this.#open
    if (call === null) return
    this.#open = null
    if (call.judge === null) {
      // The grammar wrote it, so it is JSON; reading it once more keeps that from being an assumption.
      readJson(call.text)
      this.#events.push(this.#settle(call, { arguments: JSON.parse(call.text), violations: [] }))
      return
    }
    const judgement = call.judge(call.text)
    if (!(judgement instanceof Promise)) {
      this.#events.push(this.#settle(call, judgement))
      return
    }
    const place: RunEvent[] = []
    this.#events.push(place)
    this.#judging.push(
      judgement.then((reached) => {
        place.push(this.#settle(call, reached))
      }),
    )
  }

  #settle({ index, id, name, text }: Begun, judgement: Judgement): Outcome {
    const outcome = outcomeOf(index, { id, name, argumentsText: text }, judgement)
    this.#outcomes.push(outcome)
    return outcome
  }
}

/** Thoughts up to the tag that closes them; what follows is for another reader. */
export class ThinkingReader implements OutputReader {
  readonly #thinking: Thinking
  readonly #sink: ReaderSink
  readonly #behind: OutputReader
  #pending = ''
  #state: 'before' | 'within' | 'gap' | 'behind'

  constructor(thinking: Thinking, sink: ReaderSink, behind: OutputReader) {
    this.#thinking = thinking
    this.#sink = sink
    this.#behind = behind
    this.#state = thinking.isOpen ? 'within' : 'before'
  }

  push(text: string): void {
    this.#pending += text
    while (this.#step());
  }

  end(): void {
    if (this.#pending !== '') {
      if (this.#state === 'within') this.#sink.thinking(this.#pending)
      else this.#behind.push(this.#pending)
    }
    this.#pending = ''
    this.#behind.end()
  }

  #step(): boolean {
    const { open, close } = this.#thinking
    switch (this.#state) {
      case 'before':
        if (this.#pending.startsWith(open)) this.#advance(open.length, 'within')
        else if (!open.startsWith(this.#pending)) this.#state = 'behind'
        else return false
        return true
      case 'within': {
        const at = this.#pending.indexOf(close)
        const free = at >= 0 ? at : Math.max(0, this.#pending.length - close.length + 1)
        if (free > 0) this.#sink.thinking(this.#pending.slice(0, free))
        this.#advance(at >= 0 ? at + close.length : free, at >= 0 ? 'gap' : 'within')
        return at >= 0
      }
      case 'gap': {
        const blank = /^\n*/u.exec(this.#pending)![0].length
        const isOver = this.#pending.length > blank
        this.#advance(blank, isOver ? 'behind' : 'gap')
        return isOver
      }
      case 'behind':
        if (this.#pending !== '') this.#behind.push(this.#pending)
        this.#pending = ''
        return false
    }
  }

  #advance(length: number, state: 'within' | 'gap' | 'behind'): void {
    this.#pending = this.#pending.slice(length)
    this.#state = state
  }
}
