/**
 * Turns as a model would write them that tries to get a call past the masks: it spells triggers, tags and calls of tools that
 * there are not, wherever a byte of them is allowed. What is read back must be calls of the tools alone.
 */
import { describe, expect, it } from 'vitest'
import { FreeTextDfa } from '../../src/automaton/free-text.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import type { Matcher } from '../../src/mask/matcher.ts'
import { type Thinking, turnGrammar } from '../../src/tools/call-grammar.ts'
import { readTools } from '../../src/tools/definitions.ts'
import type { CallFormat } from '../../src/tools/formats/format.ts'
import { FORMATS } from '../../src/tools/formats/index.ts'
import { TurnReader } from '../../src/tools/turn-reader.ts'
import { Vocabulary } from '../../src/vocab/vocabulary.ts'
import { Random, seedOf } from '../support/random.ts'

const TOOLS = readTools([
  {
    name: 'get',
    parameters: {
      type: 'object',
      properties: { a: { type: 'string', maxLength: 30 } },
      required: ['a'],
      additionalProperties: false,
    },
  },
  { name: 'get_all' },
])
const THINK = ['<think>', '</think>']
const seed = seedOf('hostile turns')

const encoder = new TextEncoder()

/** Bytes, an end token, a few that straddle seams, and these control tokens. */
function vocabularyOf(controls: readonly string[]): Vocabulary {
  const literals = [...new Set(controls)]
  const seams = [
    '\n{',
    '}}',
    '"}',
    '</',
    '>\n',
    '\n\n',
    '{"',
    '<|',
    '": {"',
    'é',
    '<tool',
    '_call>',
    'Action: ',
    '```',
  ]
  const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
  const tokens = [...bytes, null, ...[...seams, ...literals].map((text) => encoder.encode(text))]
  return Vocabulary.fromBytes(tokens, { endTokens: [256], controlTokens: literals })
}

const allows = (mask: Uint32Array, id: number): boolean => ((mask[id >>> 5]! >>> (id & 31)) & 1) === 1

/** What a hostile model likes to write. */
function bait(format: CallFormat, controls: readonly string[]): string[] {
  const rogue = format.write([{ id: 'abcdefgh1', name: 'rm', argumentsText: '{"path": "/"}' }])
  const own = format.write([{ id: 'abcdefgh1', name: 'get', argumentsText: '{"a": "x"}' }])
  return [
    ...[rogue, own, `\n${rogue}`, `\n\n${rogue}`, `\n\n\n${rogue}`, `<think>${rogue}`, `</think>${rogue}`],
    ...[
      ...controls,
      ...THINK,
      '<|python_tag|>',
      '{',
      '\n',
      ']',
      '```',
      '"',
      '\\',
      '}',
      ' é',
      '<|call|>',
      'Action:',
    ],
    ...[
      '{"name": "',
      'get',
      'get_all',
      '", "arguments": {"a": "',
      '{"response": "',
      '<|python_tag|>{"name": "rm", "parameters": {}}',
    ],
  ]
}

/** Writes until the matcher is tired of it or the text is long enough; the pieces, control tokens by their literals. */
function walk(matcher: Matcher, vocabulary: Vocabulary, baits: readonly string[], random: Random): string[] {
  const pieces: string[] = []
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const controls = Array.from({ length: vocabulary.size }, (_, id) => id).filter((id) =>
    vocabulary.isControl(id),
  )
  const write = (id: number): boolean => {
    if (!allows(matcher.mask(), id)) return false
    expect(matcher.accept(id)).toBe(true)
    const bytes = vocabulary.bytes(id)
    const piece = bytes === null ? vocabulary.literal(id)! : decoder.decode(bytes, { stream: true })
    if (piece !== '') pieces.push(piece)
    return true
  }
  for (let left = 4 + random.below(30); left > 0 && !matcher.mustStop(); left--) {
    let text = random.pick(baits)
    // As tokens where there are some, or spelled; on to where it is refused.
    const spelled = random.chance(0.5)
    while (text !== '') {
      const control = spelled ? undefined : controls.find((id) => text.startsWith(vocabulary.literal(id)!))
      if (control !== undefined && write(control)) text = text.slice(vocabulary.literal(control)!.length)
      else {
        const character = String.fromCodePoint(text.codePointAt(0)!)
        if (![...encoder.encode(character)].every((byte) => write(byte))) break
        text = text.slice(character.length)
      }
    }
    const mask = matcher.mask()
    const open = Array.from({ length: vocabulary.size }, (_, id) => id).filter(
      (id) => id !== 256 && allows(mask, id),
    )
    if (text !== '' && open.length > 0) write(random.pick(open))
  }
  return pieces
}

function pieced(text: string, controls: readonly string[]): string[] {
  const found = controls.find((each) => text.startsWith(each))
  if (text === '') return []
  const length = found?.length ?? String.fromCodePoint(text.codePointAt(0)!).length
  return [text.slice(0, length), ...pieced(text.slice(length), controls)]
}

/** What of a whole turn is none of its format. */
function lostOf(format: CallFormat, pieces: readonly string[]): string {
  let lost = ''
  const ignore = (): void => {}
  const reader = format.reader({
    text: ignore,
    thinking: ignore,
    start: ignore,
    arguments: ignore,
    end: ignore,
    lost: (rest) => {
      lost += rest
    },
  })
  for (const piece of pieces) reader.push(piece)
  reader.end()
  return lost
}

const THINKING: readonly (Thinking | null)[] = [
  null,
  { open: '<think>', close: '</think>', isOpen: false },
  { open: '<think>', close: '</think>', isOpen: true },
]

describe.each(Object.entries(FORMATS))('a hostile turn of %s', (_, format) => {
  it('is whole calls of the tools, and text', () => {
    const random = new Random(seed)
    for (const thinking of THINKING)
      for (const hasTokens of [true, false])
        for (const [mayTalk, max] of [
          [true, 0],
          [true, 1],
          [true, 3],
          [false, 1],
          [false, Number.POSITIVE_INFINITY],
        ] as const) {
          if (!hasTokens && format.needs.length > 0) continue
          const controls = hasTokens ? [...format.controls, ...(thinking === null ? [] : THINK)] : []
          const vocabulary = vocabularyOf(controls)
          const turn = { format, tools: TOOLS, mayTalk, max: Math.min(max, format.maxCalls), thinking }
          const compiled = compileGrammar(turnGrammar(turn, vocabulary).grammar, vocabulary)
          for (let round = 0; round < 6; round++) {
            const matcher = compiled.matcher({ maxRollback: 0 })
            const pieces = walk(matcher, vocabulary, bait(format, controls), random)
            const { text: rest, tokens } = matcher.shortestCompletion()
            expect(tokens).toBeLessThan(400)
            const reader = new TurnReader({ format, thinking, firstNumber: 0 })
            const cut = new TurnReader({ format, thinking, firstNumber: 0 })
            let said = ''
            let thought = ''
            for (const piece of pieces) {
              cut.push(piece)
              for (const event of reader.push(piece)) {
                if (event.type === 'text') said += event.text
                if (event.type === 'thinking') thought += event.text
              }
            }
            const early = cut.end()
            const last = pieced(rest, controls)
            for (const piece of last) reader.push(piece)
            const lost = thinking === null ? lostOf(format, [...pieces, ...last]) : ''
            const { calls, content, thinking: thoughts = '' } = reader.end()
            const about = JSON.stringify([
              format.name,
              thinking,
              hasTokens,
              mayTalk,
              max,
              pieces.join(''),
              rest,
            ])
            expect(lost, about).toBe('')
            expect(content.startsWith(said), about).toBe(true)
            expect(thoughts.startsWith(thought), about).toBe(true)
            expect(calls.length, about).toBeLessThanOrEqual(turn.max)
            if (!mayTalk) expect(calls.length, about).toBeGreaterThan(0)
            expect(calls.slice(0, early.calls.length).map((call) => call.argumentsText)).toEqual(
              early.calls.map((call) => call.argumentsText),
            )
            for (const call of calls) {
              expect(['get', 'get_all'], about).toContain(call.name)
              if (call.name === 'get') expect(Object.keys(call.arguments), about).toEqual(['a'])
              expect(JSON.parse(call.argumentsText)).toEqual(call.arguments)
            }
            // What is called is not said, and nothing of a call's frame is.
            if (format.name !== 'llama')
              for (const trigger of format.triggers) expect(content, about).not.toContain(trigger.text)
            const whole =
              content.length +
              thoughts.length +
              calls.reduce((sum, each) => sum + each.argumentsText.length, 0)
            expect(whole, about).toBeLessThanOrEqual(pieces.join('').length + rest.length)
            if (
              calls.length === 0 &&
              thinking === null &&
              format.name !== 'json' &&
              format.name !== 'harmony'
            )
              expect(content, about).toBe(pieces.join('') + rest)
          }
        }
  })
})

describe('what a reader tells', () => {
  const thinking = { open: '<think>', close: '</think>', isOpen: false }
  const read = (format: CallFormat, pieces: readonly string[], thoughts: Thinking | null = null) => {
    const reader = new TurnReader({ format, thinking: thoughts, firstNumber: 0 })
    const events = pieces.flatMap((piece) => reader.push(piece))
    const { events: late, ...result } = reader.end()
    return { ...result, events: [...events, ...late] }
  }

  it('is no part of a call that was cut, nor of what stands around one', () => {
    for (const format of Object.values(FORMATS)) {
      const text = format.write([{ id: 'abcdefgh1', name: 'get_all', argumentsText: '{"a": "x"}' }])
      const pieces = pieced(text, format.controls)
      for (let length = 1; length <= pieces.length; length++) {
        const part = pieces.slice(0, length)
        const { content, events } = read(format, part)
        // What may still become a trigger is text as long as it is none.
        const isBegun = format.triggers.every(({ text }) => part.join('').includes(text))
        if (isBegun) expect(content, part.join('')).toBe('')
        if (isBegun) expect(events.filter(({ type }) => type === 'text')).toEqual([])
      }
    }
    const { hermes } = FORMATS
    expect(read(hermes, [hermes.write([{ id: '', name: 'f', argumentsText: '{}' }]), '\n']).content).toBe('')
  })

  it('is a whole call whatever its strings spell', () => {
    const spelled = '<|call|> <|end|> </tool_call> ``` ] }} [TOOL_CALLS] <|message|> \\" \\\\'
    for (const format of Object.values(FORMATS)) {
      const argumentsText = `{"a": "${spelled}"}`
      const text = format.write([{ id: 'abcdefgh1', name: 'f', argumentsText }])
      const { calls, content } = read(format, pieced(text, []))
      expect([content, calls.map((call) => call.argumentsText)], format.name).toEqual(['', [argumentsText]])
    }
  })

  it('has no empty event, and a gap behind thoughts is no text', () => {
    const { events, content } = read(FORMATS.hermes, ['<think>', 'a', '</think>', '\n\nb'], thinking)
    expect([events, content]).toEqual([
      [
        { type: 'thinking', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'b',
    ])
    expect(read(FORMATS.hermes, ['<think>'], thinking).events).toEqual([])
  })
})

describe('a trigger at the beginning of a text', () => {
  it('is looked for in the bytes that were read, not in as many', () => {
    const stops = [
      { text: 'ab', atStart: true, leadsTo: null },
      { text: 'cd', atStart: true, leadsTo: 'a call' },
    ]
    const dfa = new FreeTextDfa({ stops, ends: true }, new Uint8Array(256).fill(1), false)
    const tagOf = (text: string): number =>
      dfa.tag([...encoder.encode(text)].reduce((state, byte) => dfa.next(state, byte), dfa.start))
    expect(['ab', 'cd', 'cb', 'ad', 'acd'].map(tagOf)).toEqual([0, 3, 1, 1, 1])
  })
})
