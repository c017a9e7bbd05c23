/** Random patterns of everything in ECMA-262 that is a regular language, and texts to try them on. */
import fc from 'fast-check'

/** Patterns out of everything that is supported; `depth` bounds the nesting. */
export function patterns(): fc.Arbitrary<string> {
  const character = fc.constantFrom('a', 'b', '1', '-', ' ', 'é', '😀', '\\n', '\\u2028', '\\.')
  const set = fc.constantFrom(
    '.',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '[ab]',
    '[^a]',
    '[^]',
    '[]',
    '[\\d-]',
    '\\p{L}',
    '\\P{Lu}',
    '[a-z😀]',
  )
  const anchor = fc.constantFrom('^', '$', '\\b', '\\B')
  const quantifier = fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '+?')
  const behind = ['(?<=a)', '(?<![ab])', '(?<=^|-)', '(?<!\\w)', '(?<=.)']
  return fc.letrec<{ atom: string; piece: string; sequence: string; pattern: string }>((tie) => ({
    atom: fc.oneof(
      { weight: 6, arbitrary: character },
      { weight: 4, arbitrary: set },
      { weight: 3, arbitrary: tie('pattern').map((inner) => `(${inner})`) },
      { weight: 1, arbitrary: tie('pattern').map((inner) => `(?:${inner})`) },
    ),
    piece: fc.oneof(
      { weight: 8, arbitrary: tie('atom') },
      { weight: 4, arbitrary: fc.tuple(tie('atom'), quantifier).map(([atom, many]) => `(?:${atom})${many}`) },
      { weight: 2, arbitrary: anchor },
      { weight: 1, arbitrary: tie('pattern').map((inner) => `(?=${inner})`) },
      { weight: 1, arbitrary: tie('pattern').map((inner) => `(?!${inner})`) },
      { weight: 2, arbitrary: fc.constantFrom(...behind) },
    ),
    sequence: fc.array(tie('piece'), { maxLength: 4 }).map((pieces) => pieces.join('')),
    pattern: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('sequence'),
      fc.tuple(tie('sequence'), tie('sequence')).map(([a, b]) => `${a}|${b}`),
    ),
  })).pattern
}

/** Texts of the characters that these patterns tell apart. */
export const texts = fc
  .array(fc.constantFrom('a', 'b', 'A', '1', '-', ' ', 'é', '😀', '\n', '\u2028', '.'), { maxLength: 6 })
  .map((parts) => parts.join(''))
