/**
 * Reads a turn while it is written: thoughts, text, and calls, as events.
 *
 * A call that has ended is whole; one that has not is none. Arguments come as the model's own text, and at the end as values.
 */
import type { OutputEvents, ReadOutput } from '../decode/reader.ts'
import type { RunEvent, ToolCall } from '../decode/result.ts'
import { readJson } from '../json/read.ts'
import type { Thinking } from './call-grammar.ts'
import type { CallFormat, OutputReader, ReaderSink } from './formats/format.ts'

export interface TurnReaderOptions {
  readonly format: CallFormat
  readonly thinking: Thinking | null
  /** Calls that the conversation holds already. */
  readonly calls: number
}

export class TurnReader implements OutputEvents {
  readonly #format: CallFormat
  readonly #before: number
  readonly #output: OutputReader
  #events: RunEvent[] = []
  #content = ''
  #thinking = ''
  readonly #calls: ToolCall[] = []
  /** Calls that were begun. */
  #begun = 0
  #open: { readonly id: string; readonly name: string; text: string } | null = null

  constructor({ format, thinking, calls }: TurnReaderOptions) {
    this.#format = format
    this.#before = calls
    const sink: ReaderSink = {
      text: (text) => this.#text(text),
      thinking: (text) => this.#think(text),
      start: (name) => this.#start(name),
      arguments: (text) => this.#arguments(text),
      end: () => this.#end(),
      lost: (rest) => this.#text(rest),
    }
    const output = format.reader(sink)
    this.#output = thinking === null ? output : new ThinkingReader(thinking, sink, output)
  }

  push(text: string): readonly RunEvent[] {
    this.#output.push(text)
    return this.#taken()
  }

  end(): ReadOutput {
    this.#output.end()
    const events = this.#taken()
    const thinking = this.#thinking === '' ? {} : { thinking: this.#thinking }
    return { events, content: this.#content, ...thinking, calls: this.#calls }
  }

  #taken(): readonly RunEvent[] {
    const events = this.#events
    if (events.length > 0) this.#events = []
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
    this.#open = { id: this.#format.makeId(this.#before + index, name), name, text: '' }
    this.#events.push({ type: 'call-start', index, id: this.#open.id, name })
  }

  #arguments(text: string): void {
    if (this.#open === null) return
    this.#open.text += text
    this.#events.push({ type: 'call-arguments', index: this.#begun - 1, id: this.#open.id, text })
  }

  #end(): void {
    if (this.#open === null) return
    const { id, name, text } = this.#open
    this.#open = null
    // The grammar wrote it, so it is JSON; reading it once more keeps that from being an assumption.
    readJson(text)
    const call = { id, name, arguments: JSON.parse(text), argumentsText: text }
    this.#calls.push(call)
    this.#events.push({ type: 'call', index: this.#begun - 1, call })
  }
}

/** Thoughts up to the tag that closes them; what follows is for another reader. */
class ThinkingReader implements OutputReader {
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
    if (this.#state === 'within') this.#sink.thinking(this.#pending)
    else this.#behind.push(this.#pending)
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
