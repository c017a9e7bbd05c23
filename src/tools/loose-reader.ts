/**
 * Reads an output without a mask: as its format would have it, and where it is not so, for whatever calls there are in it.
 *
 * Nothing is told before the end, since what a text is shows only then. Every call is judged; where one was asked for and
 * there is none, that is a rejected call without a name.
 */
import { type OutputEvents, orAborted, type ReadOutput } from '../decode/reader.ts'
import type { RejectedCall, RunEvent, StopReason, ToolCall } from '../decode/result.ts'
import type { ReaderSink } from './formats/format.ts'
import { parseViolation } from './judge.ts'
import { type Judge, outcomeOf } from './judgement.ts'
import { findCalls, type LooseCall } from './loose-calls.ts'
import { ThinkingReader, type TurnReaderOptions } from './turn-reader.ts'

export interface LooseReaderOptions extends TurnReaderOptions {
  readonly judgeOf: (name: string) => Judge
  /** Whether the turn may do without a call. */
  readonly mayTalk: boolean
}

interface Read {
  readonly calls: readonly LooseCall[]
  readonly content: string
  readonly thinking: string
  /** Why there is no call where one begins. */
  readonly problem: string | null
}

export class LooseReader implements OutputEvents {
  readonly #options: LooseReaderOptions
  #text = ''

  constructor(options: LooseReaderOptions) {
    this.#options = options
  }

  push(text: string): readonly RunEvent[] {
    this.#text += text
    return []
  }

  judged(): null {
    return null
  }

  async end(stopReason: StopReason, signal: AbortSignal): Promise<ReadOutput> {
    const { format, firstNumber, judgeOf, mayTalk } = this.#options
    const { calls: found, content, thinking, problem } = this.#read(stopReason !== 'complete')
    const events: RunEvent[] = []
    if (thinking !== '') events.push({ type: 'thinking', text: thinking })
    if (content !== '') events.push({ type: 'text', text: content })
    const calls: ToolCall[] = []
    const rejected: RejectedCall[] = []
    for (const [index, { name, argumentsText }] of found.entries()) {
      const id = format.makeId(firstNumber + index, name)
      const judgement = judgeOf(name)(argumentsText)
      const judged = judgement instanceof Promise ? await orAborted(judgement, signal) : judgement
      if (judged === null) break
      events.push({ type: 'call-start', index, id, name, provisional: true })
      events.push({ type: 'call-arguments', index, id, text: argumentsText })
      const outcome = outcomeOf(index, { id, name, argumentsText }, judged)
      if (outcome.type === 'call') calls.push(outcome.call)
      else rejected.push(outcome.rejected)
      events.push(outcome)
    }
    const isBroken = problem !== null && format.triggers.some(({ text }) => this.#text.includes(text))
    if (found.length === 0 && stopReason === 'complete' && (!mayTalk || isBroken)) {
      const message = `no call can be read: ${problem ?? 'the output is text'}`
      const id = format.makeId(firstNumber, '')
      const call = { id, name: '', argumentsText: content, violations: [parseViolation(message)] }
      rejected.push(call)
      events.push({ type: 'call-rejected', index: 0, rejected: call })
    }
    return { events, content, ...(thinking === '' ? {} : { thinking }), calls, rejected }
  }

  #read(isCut: boolean): Read {
    const { format, thinking: tags } = this.#options
    const calls: LooseCall[] = []
    let content = ''
    let thinking = ''
    let isLost = false
    let open: { name: string; text: string } | null = null
    const sink: ReaderSink = {
      text: (text) => {
        content += text
      },
      thinking: (text) => {
        thinking += text
      },
      start: (name) => {
        open = { name, text: '' }
      },
      arguments: (text) => {
        if (open !== null) open.text += text
      },
      end: () => {
        if (open !== null) calls.push({ name: open.name, argumentsText: open.text })
        open = null
      },
      lost: (rest) => {
        isLost = true
        content += rest
      },
    }
    const output = format.reader(sink)
    const reader = tags === null ? output : new ThinkingReader(tags, sink, output)
    reader.push(this.#text)
    reader.end()
    if (!isLost && open === null && calls.length > 0) return { calls, content, thinking, problem: null }
    const said =
      thinking === '' ? this.#text : this.#text.slice(this.#text.indexOf(thinking) + thinking.length)
    const triggers = format.triggers.filter(({ atStart }) => !atStart).map(({ text }) => text)
    const marks = [...format.controls, ...triggers]
    const loose = findCalls(said, marks, isCut)
    if (loose.calls.length < calls.length) return { calls, content, thinking, problem: loose.problem }
    // Where nothing is a call, the output is what the format makes of it.
    return { ...loose, content: loose.calls.length === 0 ? content : loose.content, thinking }
  }
}
