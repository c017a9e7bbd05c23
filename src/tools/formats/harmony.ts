/**
 * Harmony, the format of gpt-oss: a turn is a chain of messages, each with a channel, and perhaps a recipient.
 *
 *     <|channel|>analysis<|message|>thinking<|end|><|start|>assistant
 *     <|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{...}<|call|>
 *     <|channel|>final<|message|>text<|return|>
 *
 * Headers are constrained, too, since a wrong one cannot be read by anybody. A turn ends with one call or with the final text;
 * before that come thoughts, and remarks in the commentary channel. The prompt ends with `<|start|>assistant`.
 */
import type { Expr } from '../../grammar/grammar.ts'
import { choice, repeat, sequence } from '../../grammar/parts.ts'
import {
  type CallFormat,
  callId,
  type OutputReader,
  RESULT,
  type ReaderSink,
  type TurnParts,
} from './format.ts'
import { JsonEnd } from './json-end.ts'
import { ARGUMENTS, NAME, type Piece, writtenAs } from './pieces.ts'

const CHANNEL = '<|channel|>'
const MESSAGE = '<|message|>'
const END = '<|end|>'
const CALL = '<|call|>'
const CONTROLS = ['<|start|>', CHANNEL, '<|constrain|>', MESSAGE, END, CALL, '<|return|>']
const NEXT = `${END}<|start|>assistant`

/** A call with the two headers that are in use; prompts show the first. */
const CALLS: readonly [readonly Piece[], readonly Piece[]] = [
  [`${CHANNEL}commentary to=functions.`, NAME, ` <|constrain|>json${MESSAGE}`, ARGUMENTS, CALL],
  [' to=functions.', NAME, `${CHANNEL}commentary <|constrain|>json${MESSAGE}`, ARGUMENTS, CALL],
]

function message(parts: TurnParts, channel: string): Expr {
  return sequence(parts.written(`${CHANNEL}${channel}${MESSAGE}`), parts.text)
}

export const harmony: CallFormat = {
  name: 'harmony',
  controls: CONTROLS,
  needs: [CHANNEL, MESSAGE, END, '<|start|>'],
  triggers: [{ text: ' to=', atStart: false }],
  closing: CALL,
  maxCalls: 1,
  turn: (parts, { mayTalk, max }) => {
    const before = ['analysis', 'commentary'].map((channel) =>
      sequence(message(parts, channel), parts.written(NEXT)),
    )
    const calls = CALLS.map((pieces) => parts.call(pieces))
    const last = [...(mayTalk ? [message(parts, 'final')] : []), ...(max > 0 ? calls : [])]
    return sequence(repeat(choice(...before), 0, Number.POSITIVE_INFINITY), choice(...last))
  },
  reader: (sink) => new HarmonyReader(sink),
  write: (calls) => calls.map((call, i) => writtenAs(CALLS[0], call, i)).join('<|start|>assistant'),
  result: RESULT,
  makeId: callId,
}

type Kind = 'text' | 'thinking' | 'call' | 'behind a call'

class HarmonyReader implements OutputReader {
  readonly #sink: ReaderSink
  #pending = ''
  /** What the message is that is read; `null` in a header. */
  #kind: Kind | null = null
  #json = new JsonEnd()

  constructor(sink: ReaderSink) {
    this.#sink = sink
  }

  push(text: string): void {
    this.#pending += text
    while (this.#kind === null ? this.#header() : this.#body());
  }

  end(): void {
    if (this.#kind === null) {
      if (this.#pending !== '') this.#sink.lost(this.#pending)
    } else this.#tell(this.#pending)
    this.#pending = ''
  }

  #header(): boolean {
    const end = this.#pending.indexOf(MESSAGE)
    if (end < 0) return false
    const header = this.#pending.slice(0, end)
    this.#pending = this.#pending.slice(end + MESSAGE.length)
    const recipient = / to=functions\.([A-Za-z0-9_-]+)/u.exec(header)
    if (recipient !== null) {
      this.#kind = 'call'
      this.#sink.start(recipient[1]!)
    } else this.#kind = header.includes(`${CHANNEL}analysis`) ? 'thinking' : 'text'
    return true
  }

  #body(): boolean {
    if (this.#kind === 'call' && !this.#arguments()) return false
    const mark = /<\|(?:end|call|return)\|>/u.exec(this.#pending)
    if (mark === null) {
      // A control token comes as a whole, but another's beginning may be text.
      const open = this.#pending.lastIndexOf('<|')
      const free = open < 0 || this.#pending.length - open > MESSAGE.length ? this.#pending.length : open
      this.#tell(this.#pending.slice(0, free))
      this.#pending = this.#pending.slice(free)
      return false
    }
    this.#tell(this.#pending.slice(0, mark.index))
    this.#pending = this.#pending.slice(mark.index + mark[0].length)
    this.#kind = null
    return this.#pending !== ''
  }

  /** Whether they are whole: what they spell in their strings, were it an end token, ends nothing. */
  #arguments(): boolean {
    const length = this.#json.read(this.#pending)
    if (length > 0) this.#sink.arguments(this.#pending.slice(0, length))
    this.#pending = this.#pending.slice(length)
    if (!this.#json.isDone) return false
    this.#json = new JsonEnd()
    this.#sink.end()
    this.#kind = 'behind a call'
    return true
  }

  #tell(text: string): void {
    if (text !== '' && (this.#kind === 'text' || this.#kind === 'thinking')) this.#sink[this.#kind](text)
  }
}
