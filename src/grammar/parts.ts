/**
 * Parts of a grammar, to be put together: texts, control tokens, sequences, choices, free text.
 *
 * What a part is, the IR says (`grammar.ts`); these only spare the spelling, and keep to its rules.
 */
import type { Expr, FrameKind, Stop } from './grammar.ts'

/** This text. */
export function literal(text: string, frame: FrameKind = 'literal'): Expr {
  if (text === '') return NOTHING
  return { type: 'terminal', terminal: { kind: 'texts', texts: [text] }, frame }
}

/** One of these control tokens. */
export function token(...ids: readonly number[]): Expr {
  return { type: 'token', ids, frame: 'tag' }
}

/** One part behind the other. */
export function sequence(...items: readonly Expr[]): Expr {
  const parts = items.filter((item) => item !== NOTHING)
  return parts.length === 1 ? parts[0]! : parts.length === 0 ? NOTHING : { type: 'sequence', items: parts }
}

/** One of the parts. */
export function choice(...options: readonly Expr[]): Expr {
  return options.length === 1 ? options[0]! : { type: 'choice', options }
}

/** A part, or nothing. */
export function optional(item: Expr): Expr {
  return choice(item, NOTHING)
}

/** A part several times, nothing between; no times is nothing. */
export function repeat(item: Expr, min: number, max: number): Expr {
  if (max === 0) return NOTHING
  return { type: 'repeat', item, min, max }
}

/** A part that a report calls one frame. */
export function frame(kind: FrameKind, body: Expr): Expr {
  return { type: 'frame', kind, body }
}

/** Any text up to the first stop, or to its end where it may end without one. */
export function freeText(stops: readonly Stop[], ends: boolean): Expr {
  for (const [i, { text }] of stops.entries()) {
    if (text === '') throw new RangeError('a stop must be a text')
    const held = stops.findIndex((other, j) => i !== j && other.text.includes(text))
    if (held >= 0) throw new RangeError(`the stop ${text} is part of another one, ${stops[held]!.text}`)
  }
  return { type: 'free-text', stops, ends }
}

/** The empty text. */
export const NOTHING: Expr = { type: 'sequence', items: [] }
