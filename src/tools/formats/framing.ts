/**
 * Formats that are told by data alone: what opens calls, a call as a list of pieces, what stands between two and behind the
 * last. From that come the grammar of a turn, its reader, and what prompts show.
 */
import type { Expr, Stop } from '../../grammar/grammar.ts'
import { choice, freeText, NOTHING, optional, repeat, sequence } from '../../grammar/parts.ts'
import { type CallCounts, type CallFormat, callId, RESULT, type TurnParts } from './format.ts'
import { FramingReader } from './framing-reader.ts'
import { type Framing, joined, NUMBER, type Opener, type Piece, writtenAs } from './pieces.ts'

/** The format with this framing. */
export function framed(framing: Framing): CallFormat {
  const { openers, call, between, after, maxCalls = Number.POSITIVE_INFINITY } = framing
  return {
    name: framing.name,
    controls: framing.controls,
    needs: framing.needs ?? [],
    triggers: openers.map(({ trigger, atStart }) => ({ text: trigger, atStart })),
    closing: framing.closing,
    maxCalls,
    turn: (parts, counts) => turnOf(framing, parts, { ...counts, max: Math.min(counts.max, maxCalls) }),
    reader: (sink) => new FramingReader(framing, sink),
    write: (calls) => {
      const written = calls.map((one, i) => writtenAs(call, one, i))
      return `${openers[0].before}${written.join(between)}${after}`
    },
    result: framing.result ?? RESULT,
    makeId: framing.makeId ?? callId,
    ...(framing.ids === undefined ? {} : { ids: framing.ids }),
  }
}

function turnOf(framing: Framing, parts: TurnParts, counts: CallCounts): Expr {
  const { mayTalk, max } = counts
  if (!mayTalk) return callsOf(framing, parts, framing.openers[0], '', counts)
  const tokens: Expr[] = []
  const stops: Stop[] = parts.notAtStart.map((text) => ({ text, atStart: true, leadsTo: null }))
  for (const opener of framing.openers) {
    const { trigger, atStart, isToken = false, isRead = false } = opener
    if (parts.isToken(trigger)) {
      if (max > 0 && !isRead) tokens.push(callsOf(framing, parts, opener, '', counts))
      // Its bytes, spelled, would look like it.
      stops.push({ text: trigger, atStart: false, leadsTo: null })
    } else {
      const leadsTo = max === 0 || isToken || isRead ? null : callsOf(framing, parts, opener, trigger, counts)
      stops.push({ text: trigger, atStart, leadsTo })
    }
  }
  const text = freeText(stops, true)
  if (tokens.length === 0) return text
  if (stops.every(({ leadsTo }) => leadsTo === null)) return sequence(text, optional(choice(...tokens)))
  // What is called behind a stop is the end of the turn: a token that calls, too, stands behind text alone.
  const alone = freeText(
    stops.map((stop) => ({ ...stop, leadsTo: null })),
    true,
  )
  return choice(text, sequence(alone, choice(...tokens)))
}

/** Calls behind an opener, of which `written` is there already. */
function callsOf(
  framing: Framing,
  parts: TurnParts,
  { before }: Opener,
  written: string,
  { max, firstNumber = 0 }: CallCounts,
): Expr {
  const [lead, ...rest] = joined([before, ...numbered(framing.call, firstNumber)])
  if (typeof lead !== 'string' || !lead.startsWith(written))
    throw new RangeError(`calls of ${framing.name} do not begin with ${written}`)
  return sequence(
    parts.call([lead.slice(written.length), ...rest]),
    moreCalls(framing, parts, firstNumber + 1, firstNumber + max),
    parts.written(framing.after),
  )
}

/** The calls behind the first: from this number up to another, each with its own where the format writes them. */
function moreCalls({ between, call }: Framing, parts: TurnParts, from: number, to: number): Expr {
  if (to <= from) return NOTHING
  const another = (n: number): Expr => sequence(parts.written(between), parts.call(numbered(call, n)))
  if (!call.includes(NUMBER)) return repeat(another(from), 0, to - from)
  let more = NOTHING
  for (let n = to - 1; n >= from; n--) more = optional(sequence(another(n), more))
  return more
}

function numbered(pieces: readonly Piece[], n: number): Piece[] {
  return pieces.map((piece) => (piece === NUMBER ? String(n) : piece))
}
