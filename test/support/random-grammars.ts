/** Random context-free grammars, each as GBNF text and as the productions that it stands for. */
import fc from 'fast-check'
import type { Piece, Productions } from './earley.ts'

/** An expression of a rule. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'class'; readonly letters: string; readonly written: string }
  | { readonly kind: 'rule'; readonly rule: number }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'choice'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly min: number; readonly max: number }

/** Rules by number; the first is the root. */
export type RandomGrammar = readonly Part[]

const TEXTS = ['a', 'b', 'c', 'ab', 'ba', 'é', '(', ')', '', 'aa']
const CLASSES = [
  { letters: 'ab', written: '[ab]' },
  { letters: 'abc', written: '[a-c]' },
  { letters: 'aé', written: '[aé]' },
  { letters: '()', written: '[()]' },
]
const COUNTS = [
  [0, 1],
  [0, Number.POSITIVE_INFINITY],
  [1, Number.POSITIVE_INFINITY],
  [2, 2],
  [0, 3],
  [1, 2],
  [2, Number.POSITIVE_INFINITY],
] as const

/** Grammars of one to five rules, most of them recursive in some way. */
export const randomGrammar: fc.Arbitrary<RandomGrammar> = fc.integer({ min: 1, max: 5 }).chain((count) => {
  const leaf = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...TEXTS).map((text): Part => ({ kind: 'text', text })) },
    { weight: 1, arbitrary: fc.constantFrom(...CLASSES).map((one): Part => ({ kind: 'class', ...one })) },
    {
      weight: 5,
      arbitrary: fc.integer({ min: 0, max: count - 1 }).map((rule): Part => ({ kind: 'rule', rule })),
    },
  )
  const { part } = fc.letrec<{ part: Part }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { weight: 5, arbitrary: leaf },
      {
        weight: 3,
        arbitrary: fc
          .array(tie('part'), { minLength: 0, maxLength: 3 })
          .map((parts): Part => ({ kind: 'sequence', parts })),
      },
      {
        weight: 3,
        arbitrary: fc
          .array(tie('part'), { minLength: 2, maxLength: 3 })
          .map((parts): Part => ({ kind: 'choice', parts })),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(tie('part'), fc.constantFrom(...COUNTS))
          .map(([inner, [min, max]]): Part => ({ kind: 'repeat', part: inner, min, max })),
      },
    ),
  }))
  const rule = fc
    .array(part, { minLength: 1, maxLength: 3 })
    .map((parts): Part => (parts.length === 1 ? parts[0]! : { kind: 'choice', parts }))
  return fc.array(rule, { minLength: count, maxLength: count })
})

/** Grammars whose rules are much of each other, or of nothing: options of calls and letters, most of which may be left out. */
export const entangledGrammar: fc.Arbitrary<RandomGrammar> = fc.integer({ min: 1, max: 6 }).chain((count) => {
  const leaf = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.integer({ min: 0, max: count - 1 }).map((rule): Part => ({ kind: 'rule', rule })),
    },
    { weight: 1, arbitrary: fc.constantFrom('a', 'b', '(').map((text): Part => ({ kind: 'text', text })) },
  )
  const bounds = fc.constantFrom<readonly [number, number]>([0, 1], [0, 1], [1, 1], [0, 3], [1, 2])
  const part = fc
    .tuple(leaf, bounds)
    .map(
      ([inner, [min, max]]): Part =>
        max === 1 && min === 1 ? inner : { kind: 'repeat', part: inner, min, max },
    )
  const option = fc
    .array(part, { minLength: 0, maxLength: 3 })
    .map((parts): Part => (parts.length === 1 ? parts[0]! : { kind: 'sequence', parts }))
  const rule = fc
    .array(option, { minLength: 1, maxLength: 3 })
    .map((parts): Part => (parts.length === 1 ? parts[0]! : { kind: 'choice', parts }))
  return fc.array(rule, { minLength: count, maxLength: count })
})

/** The grammar as text. */
export function toGbnf(grammar: RandomGrammar): string {
  return grammar.map((body, rule) => `${nameOf(rule)} ::= ${write(body, true)}\n`).join('')
}

function nameOf(rule: number): string {
  return rule === 0 ? 'root' : `r${rule}`
}

function write(part: Part, isWhole = false): string {
  switch (part.kind) {
    case 'text':
      return JSON.stringify(part.text)
    case 'class':
      return part.written
    case 'rule':
      return nameOf(part.rule)
    case 'sequence':
      return `(${part.parts.map((each) => write(each)).join(' ')})`
    case 'choice': {
      const options = part.parts.map((each) => write(each)).join(' | ')
      return isWhole ? options : `(${options})`
    }
    case 'repeat':
      return `${write(part.part)}${countOf(part.min, part.max)}`
  }
}

function countOf(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`
  if (min === 0 && max === 1) return '?'
  return min === max ? `{${min}}` : `{${min},${max}}`
}

/** The grammar as productions over bytes, everything unrolled. */
export function toProductions(grammar: RandomGrammar): Productions {
  const rules: (readonly Piece[])[][] = grammar.map(() => [])
  const part = (of: Part): Piece => {
    const rule = rules.push([]) - 1
    rules[rule] = alternatives(of, rule)
    return { kind: 'rule', rule }
  }
  const alternatives = (of: Part, rule: number): (readonly Piece[])[] => {
    switch (of.kind) {
      case 'text':
        return [bytesOf(of.text)]
      case 'class':
        return [...of.letters].map(bytesOf)
      case 'rule':
        return [[{ kind: 'rule', rule: of.rule }]]
      case 'sequence':
        return [of.parts.map(part)]
      case 'choice':
        return of.parts.map((option) => [part(option)])
      case 'repeat': {
        const once = part(of.part)
        const least = Array.from({ length: of.min }, () => once)
        if (of.max === Number.POSITIVE_INFINITY) {
          const more = rules.push([]) - 1
          rules[more] = [[], [once, { kind: 'rule', rule: more }]]
          return [[...least, { kind: 'rule', rule: more }]]
        }
        return Array.from({ length: of.max - of.min + 1 }, (_, more) => [
          ...least,
          ...Array.from({ length: more }, () => once),
        ])
      }
    }
    throw new Error(`rule ${rule} has no such part`)
  }
  grammar.forEach((body, rule) => {
    rules[rule] = alternatives(body, rule)
  })
  return rules
}

function bytesOf(text: string): readonly Piece[] {
  return [...Buffer.from(text)].map((byte) => ({ kind: 'bytes', bytes: [byte] }))
}
