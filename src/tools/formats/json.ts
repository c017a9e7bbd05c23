/**
 * Plain JSON, for models that know no format of their own: the whole turn is one object, `{"tool_call": {...}}`, or
 * `{"tool_calls": [{...}, {...}]}` where several are allowed, or `{"response": "..."}` where it is none.
 *
 * It needs no trigger; the answer in words is a JSON string.
 */
import { choice, repeat, sequence } from '../../grammar/parts.ts'
import { type CallFormat, callId, type OutputReader, RESULT, type ReaderSink } from './format.ts'
import { FramingReader } from './framing-reader.ts'
import { ARGUMENTS, type Framing, NAME, type Piece, writtenAs } from './pieces.ts'

const RESPONSE = '{"response": '
const ONE = '{"tool_call": '
const SEVERAL = '{"tool_calls": ['
const CALL: readonly Piece[] = ['{"name": "', NAME, '", "arguments": ', ARGUMENTS, '}']

/** Several calls, for the reader. */
const CALLS: Framing = {
  name: 'json',
  controls: [],
  openers: [{ trigger: SEVERAL, atStart: true, before: SEVERAL }],
  call: CALL,
  between: ', ',
  after: ']}',
  closing: '}',
}
/** One alone. */
const ONE_CALL: Framing = {
  ...CALLS,
  openers: [{ trigger: ONE, atStart: true, before: ONE }],
  after: '}',
}

export const json: CallFormat = {
  name: 'json',
  controls: [],
  needs: [],
  triggers: [],
  closing: '}',
  maxCalls: Number.POSITIVE_INFINITY,
  turn: (parts, { mayTalk, max }) => {
    const one = sequence(parts.call([ONE, ...CALL]), parts.written('}'))
    const more = sequence(parts.written(', '), parts.call(CALL))
    const several = sequence(parts.call([SEVERAL, ...CALL]), repeat(more, 0, max - 1), parts.written(']}'))
    const response = sequence(parts.written(RESPONSE), parts.string, parts.written('}'))
    const options = [...(mayTalk ? [response] : []), ...(max === 0 ? [] : max === 1 ? [one] : [one, several])]
    return choice(...options)
  },
  reader: (sink) => new JsonTurnReader(sink),
  write: (calls) => {
    const written = calls.map((call, i) => writtenAs(CALL, call, i))
    return calls.length === 1 ? `${ONE}${written[0]}}` : `${SEVERAL}${written.join(', ')}]}`
  },
  words: '{"response": "the answer"}',
  result: RESULT,
  makeId: callId,
}

/** Tells by the first key what the object is. */
class JsonTurnReader implements OutputReader {
  readonly #sink: ReaderSink
  #pending = ''
  #reader: OutputReader | null = null

  constructor(sink: ReaderSink) {
    this.#sink = sink
  }

  push(text: string): void {
    if (this.#reader !== null) {
      this.#reader.push(text)
      return
    }
    this.#pending += text
    this.#reader = this.#choose()
    this.#reader?.push(this.#pending)
  }

  end(): void {
    if (this.#reader !== null) this.#reader.end()
    else if (this.#pending !== '') this.#sink.lost(this.#pending)
  }

  #choose(): OutputReader | null {
    for (const framing of [ONE_CALL, CALLS])
      if (this.#pending.startsWith(framing.openers[0].before)) return new FramingReader(framing, this.#sink)
    if (this.#pending.startsWith(RESPONSE)) return new ResponseReader(this.#sink)
    const isBeginning = [RESPONSE, ONE, SEVERAL].some((each) => each.startsWith(this.#pending))
    return isBeginning ? null : new LostReader(this.#sink)
  }
}

/** `{"response": "..."}`: the text of the string, as it comes, up to the last whole character. */
class ResponseReader implements OutputReader {
  readonly #sink: ReaderSink
  #pending = ''
  #begun = false
  #done = false

  constructor(sink: ReaderSink) {
    this.#sink = sink
  }

  push(text: string): void {
    if (this.#done) return
    this.#pending += text
    if (!this.#begun) {
      const at = RESPONSE.length
      if (this.#pending.length <= at) return
      if (this.#pending[at] !== '"') {
        this.#done = true
        this.#sink.lost(this.#pending)
        return
      }
      this.#pending = this.#pending.slice(at + 1)
      this.#begun = true
    }
    const [whole] =
      /^(?:[^"\\]|\\u[dD][89abAB]..(?:\\u....|(?=[^\\]|\\[^u]))|\\u(?![dD][89abAB])....|\\[^u])*/su.exec(
        this.#pending,
      )!
    if (whole !== '') this.#sink.text(spoken(whole))
    this.#pending = this.#pending.slice(whole.length)
    this.#done = this.#pending.startsWith('"')
  }

  end(): void {
    if (!this.#done && this.#pending !== '') this.#sink.lost(this.#pending)
  }
}

/** What the text of a JSON string says; without a mask it may be none, and stands for itself. */
function spoken(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return text
  }
}

class LostReader implements OutputReader {
  readonly #sink: ReaderSink
  #pending = ''

  constructor(sink: ReaderSink) {
    this.#sink = sink
  }
  push(text: string): void {
    this.#pending += text
  }
  end(): void {
    this.#sink.lost(this.#pending)
  }
}
