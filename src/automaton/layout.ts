/**
 * The automata between JSON tokens: brackets, separators and colons with their space, as the grammar's layout has it.
 *
 * Each runs up to the first byte of what follows and is left by a tag, so that `, `, ` }` and `}` are one terminal and
 * nearly every position has one thread. Only `pretty` depends on the depth of nesting.
 */
import type { Layout } from '../grammar/grammar.ts'
import { type TableBuilder, TableDfa } from './dfa.ts'

/** How a bracket or a separator ends: the container is closed, or another entry comes. */
export const CLOSE = 1
export const ENTER = 2

export type Bracket = '{' | '['

export interface SeparatorKind {
  readonly bracket: Bracket
  readonly canClose: boolean
  readonly canEnter: boolean
  /** Depth of the container, 1 for the outermost; only `pretty` reads it. */
  readonly depth: number
}

const SPACE = 0x20
const NEWLINE = 0x0a
const WHITESPACE = [0x09, NEWLINE, 0x0d, SPACE]
const closer = { '{': 0x7d, '[': 0x5d } as const

/** From before `{` or `[` to the first byte of the first entry, or past the closing bracket. */
export function openDfa(kind: SeparatorKind, layout: Layout, alphabet: Uint8Array): TableDfa {
  return new TableDfa((table) => {
    const start = table.state()
    const { bracket, canClose, canEnter, depth } = kind
    const enters = canEnter && layout.whitespace !== 'pretty'
    const opened = table.state(enters ? ENTER : 0)
    table.edge(start, bracket.charCodeAt(0), opened)
    const inside = space(
      table,
      opened,
      enters ? ENTER : 0,
      layout.whitespace === 'any' ? layout.maxWhitespace : 0,
    )
    if (canClose) {
      const close = table.state(CLOSE)
      for (const state of inside) table.edge(state, closer[bracket], close)
    }
    if (canEnter && layout.whitespace === 'pretty') line(table, opened, depth * layout.indent, ENTER)
    return start
  }, alphabet)
}

/** From behind an entry to the first byte of the next one, or past the closing bracket. */
export function separatorDfa(kind: SeparatorKind, layout: Layout, alphabet: Uint8Array): TableDfa {
  return new TableDfa((table) => {
    const start = table.state()
    const { bracket, canClose, canEnter, depth } = kind
    const pretty = layout.whitespace === 'pretty'
    const before = space(table, start, 0, layout.whitespace === 'any' ? layout.maxWhitespace : 0)
    if (canEnter) {
      const comma = table.state(pretty ? 0 : ENTER)
      for (const state of before) table.edge(state, 0x2c, comma)
      if (pretty) line(table, comma, depth * layout.indent, ENTER)
      else afterPunctuation(table, comma, ENTER, layout)
    }
    if (canClose) {
      const close = table.state(CLOSE)
      const from = pretty ? [line(table, start, (depth - 1) * layout.indent, 0)] : before
      for (const state of from) table.edge(state, closer[bracket], close)
    }
    return start
  }, alphabet)
}

/** The colon between a key and its value. */
export function colonDfa(layout: Layout, alphabet: Uint8Array): TableDfa {
  return new TableDfa((table) => {
    const start = table.state()
    const pretty = layout.whitespace === 'pretty'
    const colon = table.state(pretty ? 0 : 1)
    for (const state of space(table, start, 0, layout.whitespace === 'any' ? layout.maxWhitespace : 0)) {
      table.edge(state, 0x3a, colon)
    }
    if (pretty) table.edge(colon, SPACE, table.state(1))
    else afterPunctuation(table, colon, 1, layout)
    return start
  }, alphabet)
}

function afterPunctuation(table: TableBuilder, from: number, tag: number, layout: Layout): void {
  if (layout.whitespace === 'any') space(table, from, tag, layout.maxWhitespace)
  if (layout.whitespace === 'model') table.edge(from, SPACE, table.state(tag))
}

/** A run of up to `limit` whitespace bytes from `from`; all its states, `from` included. */
function space(table: TableBuilder, from: number, tag: number, limit: number): number[] {
  const states = [from]
  for (let i = 0; i < limit; i++) {
    const state = table.state(tag)
    for (const byte of WHITESPACE) table.edge(states[i]!, byte, state)
    states.push(state)
  }
  return states
}

/** A line feed and `indent` spaces. */
function line(table: TableBuilder, from: number, indent: number, tag: number): number {
  let at = from
  for (let i = 0; i <= indent; i++) {
    const state = table.state(i === indent ? tag : 0)
    table.edge(at, i === 0 ? NEWLINE : SPACE, state)
    at = state
  }
  return at
}

/** The shortest texts between JSON tokens in a container of this depth; those the automata above can be left with. */
export interface Punctuation {
  readonly open: string
  readonly separator: string
  readonly colon: string
  readonly close: string
}

export function punctuation(bracket: Bracket, depth: number, layout: Layout): Punctuation {
  const close = bracket === '{' ? '}' : ']'
  if (layout.whitespace !== 'pretty') return { open: bracket, separator: ',', colon: ':', close }
  const line = (level: number): string => `\n${' '.repeat(level * layout.indent)}`
  return {
    open: bracket + line(depth),
    separator: `,${line(depth)}`,
    colon: ': ',
    close: line(depth - 1) + close,
  }
}
