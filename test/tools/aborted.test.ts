/** Runs of `call` that are aborted: at every token, and while a call is being judged. */
import { describe, expect, it } from 'vitest'
import { call, type Model, type RunEvent, Session } from '../../src/index.ts'
import { FORMATS } from '../../src/tools/formats/index.ts'
import { Vocabulary } from '../../src/vocab/vocabulary.ts'
import { sayModel } from './say-model.ts'

const messages = [{ role: 'user', content: 'go' }]
const parameters = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
const CALLS = ['{"a": "xé"}', '{"a": "y"}'].map((argumentsText, i) => ({
  id: `abcdefgh${i}`,
  name: 'f',
  argumentsText,
}))

describe('a run that is aborted', () => {
  it.each(['hermes', 'llama', 'command-r', 'json'] as const)(
    'has whole calls alone, of which each was told, and leaves its session of use: %s',
    async (toolFormat) => {
      const format = FORMATS[toolFormat]
      const calls = CALLS.slice(0, format.maxCalls)
      const text = format.write(calls)
      for (const strict of [true, false])
        for (const retry of [undefined, { maxTokensCap: 400, factor: 2 }])
          for (let at = 0; at < text.length; at += 9) {
            const model = sayModel(text)
            const session = new Session(model)
            const tools = [{ name: 'f', parameters, strict }]
            const options = { tools, messages, toolFormat, jumpForward: false, session } as const
            const controller = new AbortController()
            if (at === 0) controller.abort()
            const maxTokens = retry === undefined ? 400 : 20
            const more = retry === undefined ? {} : { retry }
            const run = call(model, { ...options, ...more, maxTokens, signal: controller.signal })
            const told: RunEvent[] = []
            let tokens = 0
            for await (const event of run) {
              told.push(event as RunEvent)
              if (event.type === 'token' && ++tokens === at) controller.abort()
            }
            const result = await run.result
            const about = `${toolFormat} ${strict} ${retry !== undefined} ${at}`
            const whole = told.flatMap((event) => (event.type === 'call' ? [event.call] : []))
            expect(result.calls, about).toEqual(whole)
            expect(result.rejected, about).toEqual([])
            const known = calls.map((each) => each.argumentsText)
            for (const each of whole) expect(known, about).toContain(each.argumentsText)
            for (const [index, each] of whole.entries()) {
              const deltas = told.map((event) =>
                event.type === 'call-arguments' && event.index === index ? event.text : '',
              )
              expect(deltas.join(''), about).toBe(each.argumentsText)
            }
            const again = await call(model, { ...options, maxTokens: 400 }).result
            expect([again.stopReason, again.text], about).toEqual(['complete', text])
          }
    },
  )

  it('does not wait for the judgement of a call, which is then neither whole nor rejected', async () => {
    const never = {
      '~standard': { version: 1, vendor: 'test', validate: () => new Promise(() => {}) },
    } as const
    const jsonSchema = { type: 'object', properties: {}, additionalProperties: false }
    const text = FORMATS.hermes.write([{ id: '', name: 'f', argumentsText: '{}' }])
    for (const strict of [true, false]) {
      const controller = new AbortController()
      const run = call(sayModel(text), {
        tools: [{ name: 'f', parameters: never, jsonSchema }],
        messages,
        toolFormat: 'hermes',
        jumpForward: false,
        strict,
        signal: controller.signal,
      })
      setTimeout(() => controller.abort(), 20)
      expect(await run.result).toMatchObject({ stopReason: 'aborted', calls: [], rejected: [] })
    }
  })
})

describe('a control token behind half a character', () => {
  it('stands behind what the half is read as', async () => {
    const base = sayModel('')
    const tag = new TextEncoder().encode('<tool_call>')
    const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
    const vocabulary = Vocabulary.fromBytes([...bytes, null, tag], {
      endTokens: [256],
      controlTokens: ['<tool_call>'],
    })
    const script = [0x61, 0xe4, 0xbd, 257, 0x62]
    let written = 0
    const model: Model = {
      ...base,
      vocabulary,
      startSequence: () => ({
        length: 0,
        append: async () => {
          const logits = new Float32Array(258)
          logits[script[written++] ?? 256] = 1
          return logits
        },
        truncate: () => {},
      }),
    }
    const tools = [{ name: 'f', strict: false }]
    const { text } = await call(model, { tools, messages, toolFormat: 'hermes', jumpForward: false }).result
    expect(text).toBe('a\ufffd<tool_call>b')
  })
})
