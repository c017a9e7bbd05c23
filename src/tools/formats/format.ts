/**
 * What a call format is: how a model family writes its calls, as a grammar, as a reader of it, and for a prompt.
 *
 * A format is one grammar for a whole turn: free text up to a trigger, a call whose name picks the schema of its arguments,
 * the end tag, perhaps another call. Nothing is switched on at a token's border, since tokens straddle every seam.
 */
import type { Expr } from '../../grammar/grammar.ts'
import { type CallIds, CONTENT, type Piece, type ResultPiece, type WrittenCall } from './pieces.ts'

/** Which calls a turn may, or must, hold. */
export interface CallCounts {
  /** Whether there may be a turn without a call. */
  readonly mayTalk: boolean
  /** Most calls; 0 for none. May be `Infinity`. */
  readonly max: number
  /** The number of the first, for formats that number the calls of a conversation; default 0. */
  readonly firstNumber?: number
}

/** What a format's grammar is made of, for one vocabulary and one set of tools. */
export interface TurnParts {
  /** A text in which control tokens stand by their literals: those that the vocabulary has are matched by id. */
  written(text: string): Expr
  /** Whether a literal is a control token of the vocabulary. */
  isToken(literal: string): boolean
  /** Any text in which no control token of the format is spelled out. */
  readonly text: Expr
  /** Texts with which free text does not begin: a reader would take them for thoughts, or for the gap behind these. */
  readonly notAtStart: readonly string[]
  /** One call of one of the tools, as these pieces. */
  call(pieces: readonly Piece[]): Expr
  /** Any text of a JSON string, with its quotes. */
  readonly string: Expr
}

/** Where a reader tells what it has read. */
export interface ReaderSink {
  /** Free text, as it comes. */
  text(text: string): void
  /** What is thought before that. */
  thinking(text: string): void
  /** A call has begun. */
  start(name: string): void
  /** The text of its arguments, as it comes. */
  arguments(text: string): void
  /** It is whole. */
  end(): void
  /** From here on the output is not of the format: behind a mask, since it was cut. The rest comes as it is. */
  lost(rest: string): void
}

/** Reads an output piece by piece; control tokens come as their literals. */
export interface OutputReader {
  push(text: string): void
  /** No more will come. */
  end(): void
}

/** A text that begins a call; one that counts as the first thing of a turn only is text anywhere else. */
export interface Trigger {
  readonly text: string
  readonly atStart: boolean
}

export interface CallFormat {
  readonly name: string
  /** Control tokens that it writes, where a vocabulary has them. */
  readonly controls: readonly string[]
  /** Those of them without which it cannot be written. */
  readonly needs: readonly string[]
  /** Texts that begin a call; a turn without calls holds none of them. */
  readonly triggers: readonly Trigger[]
  /** The end of a call, which a report says an unfinished one needs; empty where the arguments are the end. */
  readonly closing: string
  /** Most calls in one turn. */
  readonly maxCalls: number
  /** The grammar of a turn. */
  turn(parts: TurnParts, counts: CallCounts): Expr
  reader(sink: ReaderSink): OutputReader
  /** Calls as a turn of the model writes them, for prompts. */
  write(calls: readonly WrittenCall[]): string
  /** How an answer in words is written, for prompts; as it is, where it is absent. */
  readonly words?: string
  /** The result of a call where the model's template prints none. */
  readonly result: readonly ResultPiece[]
  /** An id for a call: the n-th of the conversation, from 0. Unique, and such as the format's templates take it. */
  makeId(n: number, name: string): string
  /** What ids the format's templates take; any where it is absent. */
  readonly ids?: CallIds
}

/** A result, for families that have nothing of their own. */
export const RESULT: readonly ResultPiece[] = ['<tool_response>\n', CONTENT, '\n</tool_response>']

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Random letters and digits. */
export function randomId(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length))
  return Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]!).join('')
}

/** An id as OpenAI has them. */
export function callId(): string {
  return `call_${randomId(24)}`
}
