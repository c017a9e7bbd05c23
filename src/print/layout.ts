/**
 * What stands between JSON tokens, as GBNF: the spaces of a layout, for one depth of nesting.
 */
import type { Layout } from '../grammar/grammar.ts'
import { EMPTY, literalOf, type Piece, repeatOf, sequenceOf } from './notation.ts'
import type { Rules } from './rules.ts'

export interface Gaps {
  readonly comma: Piece
  readonly colon: Piece
  /** What of it follows the colon itself, where nothing stands before that. */
  readonly afterColon: Piece
  /** A container around its entries, of which there is at least one; `null` where it has none. */
  container(bracket: '{' | '[', entries: Piece | null, mayBeEmpty: boolean): Piece
}

/** @param depth of the container, 1 for the outermost; `null` where lines may be indented in any way */
export function gapsOf(layout: Layout, depth: number | null, rules: Rules): Gaps {
  const { whitespace, indent, maxWhitespace } = layout
  const space = (): Piece =>
    rules.shared('ws', repeatOf({ text: '[ \\t\\n\\r]', level: 2 }, 0, maxWhitespace))
  const line = (level: number): Piece =>
    depth === null
      ? rules.shared(
          'line',
          sequenceOf([literalOf('\n'), repeatOf(literalOf(' '), 0, Number.POSITIVE_INFINITY)]),
        )
      : literalOf(`\n${' '.repeat(level * indent)}`)
  const [comma, afterColon, before, behind]: readonly [Piece, Piece, Piece, Piece] =
    whitespace === 'any'
      ? [sequenceOf([space(), literalOf(','), space()]), space(), space(), space()]
      : whitespace === 'pretty'
        ? [
            sequenceOf([literalOf(','), line(depth ?? 0)]),
            literalOf(' '),
            line(depth ?? 0),
            line((depth ?? 1) - 1),
          ]
        : whitespace === 'model'
          ? [sequenceOf([literalOf(','), SPACE]), SPACE, EMPTY, EMPTY]
          : [literalOf(','), EMPTY, EMPTY, EMPTY]
  const colon = sequenceOf([...(whitespace === 'any' ? [space()] : []), literalOf(':'), afterColon])
  return {
    comma,
    colon,
    afterColon,
    container: (bracket, entries, mayBeEmpty) => {
      const close = literalOf(bracket === '{' ? '}' : ']')
      // Space that may come anyway is not made optional once more.
      const [first, inner] = whitespace === 'any' ? [before, EMPTY] : [EMPTY, before]
      if (entries === null) return sequenceOf([literalOf(bracket), first, close])
      const whole = sequenceOf([inner, entries, behind])
      return sequenceOf([literalOf(bracket), first, mayBeEmpty ? repeatOf(whole, 0, 1) : whole, close])
    },
  }
}

const SPACE = repeatOf(literalOf(' '), 0, 1)
