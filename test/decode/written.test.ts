/** What a run has written, and what is told of it before and after the prompt is read. */
import { describe, expect, it } from 'vitest'
import { TextEvents } from '../../src/decode/reader.ts'
import type { RunEvent } from '../../src/decode/result.ts'
import { Written } from '../../src/decode/written.ts'
import { Vocabulary } from '../../src/vocab/vocabulary.ts'

const START = { type: 'start', promptTokens: 3, maxTokens: 9, seed: 1, promptMs: 0 } as const
/** Two halves of a character, a letter, a control token and the end. */
const vocabulary = Vocabulary.fromBytes(
  [[0xc3], [0xa9], [0x61], ...['<tag>', '<end>'].map((text) => [...new TextEncoder().encode(text)])].map(
    (bytes) => Uint8Array.from(bytes),
  ),
  { controlTokens: ['<tag>'], endTokens: ['<end>'] },
)
const [LEAD, REST, LETTER, TAG, END] = [0, 1, 2, 3, 4] as const

function begun() {
  const events: RunEvent[] = []
  const written = new Written(
    [],
    vocabulary,
    () => new TextEvents(),
    (event) => events.push(event),
  )
  const texts = () => events.flatMap((event) => (event.type === 'text' ? [event.text] : []))
  const write = (...ids: number[]) => ids.map((id) => written.write(id, false, 0, 0))
  return { events, written, texts, write }
}
const { signal } = new AbortController()

describe('Written', () => {
  it('tells of characters when they are whole, and of none that a control token breaks off', () => {
    const { written, texts, write } = begun()
    written.begin(START)
    expect(write(LETTER, LEAD, REST, LEAD, TAG, LETTER, END)).toEqual([
      ...[false, false, false, false, false, false],
      true,
    ])
    expect(texts()).toEqual(['a', 'é', '\ufffd<tag>', 'a'])
    expect(written.text).toBe('aé\ufffd<tag>a')
    expect(written.tokens).toBe(7)
    expect(written.place).toBe(1 + 2 + 1 + 5 + 1 + 5)
  })

  it('holds back what is written before the prompt is read', () => {
    const { events, written, texts, write } = begun()
    write(LETTER)
    expect(events).toEqual([])
    written.begin(START)
    expect(events[0]).toBe(START)
    expect(texts()).toEqual(['a'])
  })

  it('forgets what is taken back, its events and what they would have made of the output', async () => {
    const { events, written, write } = begun()
    write(LETTER, LETTER)
    written.takeBack()
    written.begin(START)
    expect(events).toEqual([START])
    expect([written.text, written.tokens]).toEqual(['', 0])
    expect(await written.end('aborted', signal)).toMatchObject({ content: '' })
  })
})
