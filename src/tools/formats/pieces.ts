/** Calls and results as lists of pieces: what stands in them word for word, and what has a place. */

/** A part of a call as it is written. In texts control tokens stand by their literals. */
export type Piece = string | Maybe | typeof NAME | typeof ARGUMENTS | typeof ID | typeof NUMBER

/** A part of a result as prompts show it; `ID` is that of its call. */
export type ResultPiece = string | typeof ID | typeof CONTENT | typeof CONTENT_AS_JSON

export const NAME = Symbol('name')
export const ARGUMENTS = Symbol('arguments')
/** Nine letters and digits that the model writes. */
export const ID = Symbol('id')
/** The place of the call in the conversation, from 0. */
export const NUMBER = Symbol('number')
/** What a tool gave back, as it is. */
export const CONTENT = Symbol('content')
/** The same where a JSON value must stand: as it is where it is one, else as a string. */
export const CONTENT_AS_JSON = Symbol('content as JSON')

/** A text that may be left out, as prompts do. */
export interface Maybe {
  readonly maybe: string
}

/** Ids of calls in a conversation, for templates that do not take any. */
export interface CallIds {
  /** Those that they take. A group, if there is one, is the number of the call in the conversation. */
  readonly taken: RegExp
  /** One of them for a call that has none: its place in the conversation, from 0, or the next that is free. */
  make(n: number, name: string): string
}

/** A way to begin calls. */
export interface Opener {
  /** What tells that calls begin; the beginning of `before`, or of the call itself. */
  readonly trigger: string
  /** Whether it counts as the first thing of the turn only. */
  readonly atStart: boolean
  /** Once, in front of the first call. */
  readonly before: string
  /** Whether it begins calls only where the trigger is a control token; spelled out it is masked in any case. */
  readonly isToken?: boolean
  /** Whether it is only read, where a model without its mask writes it. */
  readonly isRead?: boolean
}

/** A format told by data alone. */
export interface Framing {
  readonly name: string
  readonly controls: readonly string[]
  readonly needs?: readonly string[]
  /** The first is how calls begin that are asked for. */
  readonly openers: readonly [Opener, ...Opener[]]
  readonly call: readonly Piece[]
  /** Between two calls, and behind the last. */
  readonly between: string
  readonly after: string
  /** See `CallFormat`. */
  readonly closing: string
  readonly result?: readonly ResultPiece[]
  readonly maxCalls?: number
  readonly makeId?: (n: number, name: string) => string
  readonly ids?: CallIds
}

/** A call as prompts show it. */
export interface WrittenCall {
  readonly id: string
  readonly name: string
  readonly argumentsText: string
  /** Its place in the conversation; by default that in the list. */
  readonly number?: number
}

/** The text of a call that is written as these pieces, at this place in a list of calls. */
export function writtenAs(pieces: readonly Piece[], call: WrittenCall, place: number): string {
  const textOf = (piece: Piece): string => {
    if (piece === NAME) return call.name
    if (piece === ARGUMENTS) return call.argumentsText
    if (piece === ID) return call.id
    if (piece === NUMBER) return String(call.number ?? place)
    return typeof piece === 'string' ? piece : ''
  }
  return pieces.map(textOf).join('')
}

/** Pieces with texts that stand side by side as one, and none that is empty. */
export function joined(pieces: readonly Piece[]): Piece[] {
  const whole: Piece[] = []
  for (const piece of pieces) {
    const last = whole.at(-1)
    if (piece === '') continue
    if (typeof piece === 'string' && typeof last === 'string') whole[whole.length - 1] = last + piece
    else whole.push(piece)
  }
  return whole
}
