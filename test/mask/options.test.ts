/** The options of a compile, and that every entry which compiles knows them all. */
import { beforeAll, describe, expect, it } from 'vitest'
import { call, compile, generate, LimitError, loadModel, type Model } from '../../src/index.ts'
import { byteVocabulary } from '../support/vocabularies.ts'

const schema = { type: 'object', properties: { a: { type: 'string', minLength: 40 } }, required: ['a'] }
const limits = {
  maxSteps: 1e6,
  maxStates: 1e5,
  maxContexts: 1e6,
  maxClosureSteps: 1e5,
  maxThreads: 1e4,
  maxMaskBytes: 1e6,
  maxCompletionBytes: 1e5,
}

describe('options of a compile', () => {
  let model: Model
  beforeAll(async () => {
    model = await loadModel('test/fixtures/models/tiny-keep', { threads: 1 })
    return () => model.release()
  })
  const entries: [string, (options: object) => unknown][] = [
    ['compile', (options) => compile(schema, byteVocabulary(), options)],
    ['generate', (options) => generate(model, { prompt: 'x', schema, maxTokens: 1, ...options })],
    [
      'call',
      (options) => {
        const tools = { name: 'f', parameters: schema }
        return call(model, { messages: [{ role: 'user', content: 'x' }], tools, maxTokens: 1, ...options })
      },
    ],
  ]

  it.each(entries)('%s takes every limit, and keeps to them', (_name, run) => {
    expect(() => run({ limits })).not.toThrow()
    expect(() => run({ limits: { maxCompletionBytes: 10 } })).toThrow(LimitError)
    expect(() => run({ limits: { maxCompletionBytes: 10 } })).toThrow('raise limits.maxCompletionBytes')
    expect(() => run({ limits: { maxSteps: 1 } })).toThrow('raise limits.maxSteps')
    expect(() => run({ limits: { maxContexts: 0 } })).toThrow(RangeError)
  })

  it.each(entries)('%s says which limits and options there are', (name, run) => {
    expect(() => run({ limits: { maxTime: 1 } })).toThrow(
      'unknown limit "maxTime"; known are maxSteps, maxStates, maxContexts, maxClosureSteps, maxThreads, maxMaskBytes, maxCompletionBytes',
    )
    expect(() => run({ limits: 5 })).toThrow('option limits must be an object')
    expect(() => run({ limits: null })).toThrow('option limits must be an object')
    const own = {
      compile: '',
      generate:
        'messages, prompt, schema, grammar, maxTokens, signal, temperature, topK, topP, minP, seed, jumpForward, finishWithin, retry, session, batch, ',
      call: 'tools, messages, system, toolChoice, parallelToolCalls, toolFormat, strict, thinking, maxTokens, signal, temperature, topK, topP, minP, seed, jumpForward, finishWithin, retry, session, batch, ',
    }[name]
    expect(() => run({ maxToken: 5 })).toThrow(
      `unknown option "maxToken"; known are ${own}whitespace, indent, maxWhitespace, propertyOrder, numbers, formats, lenient, references, limits`,
    )
  })

  it('limits that are met later are named as well', () => {
    const at = (name: string) => () =>
      compile(schema, byteVocabulary(), { limits: { [name]: 1 } })
        .matcher()
        .accept(0x7b)
    expect(at('maxContexts')).toThrow('raise limits.maxContexts')
    expect(at('maxClosureSteps')).toThrow('raise limits.maxClosureSteps')
    const counted = compile('{"type": "string", "pattern": "^a{20}$"}', byteVocabulary(), {
      limits: { maxStates: 10 },
    }).matcher()
    expect(() => [...Buffer.from(`"${'a'.repeat(20)}"`)].every((byte) => counted.accept(byte))).toThrow(
      'raise limits.maxStates',
    )
  })

  it('a run has the report of its schema, a call with pointers into the tools', async () => {
    const lenient = { type: 'object', properties: { a: { type: 'string', pattern: '(a)\\1' } }, title: 't' }
    const made = generate(model, { prompt: 'x', schema: lenient, maxTokens: 1, lenient: true })
    expect(made.report?.unenforced.map(({ pointer }) => pointer)).toEqual(['#/properties/a/pattern'])
    const tools = [{ type: 'function', function: { name: 'f', parameters: lenient } }]
    const messages = [{ role: 'user' as const, content: 'x' }]
    const called = call(model, { tools, messages, maxTokens: 1, lenient: true })
    expect(called.report?.unenforced.map(({ pointer }) => pointer)).toEqual([
      '#/0/function/parameters/properties/a/pattern',
    ])
    expect(called.report?.annotations.map(({ pointer }) => pointer)).toEqual([
      '#/0/function/parameters/title',
    ])
    const free = generate(model, { prompt: 'x', maxTokens: 1 })
    expect(free.report).toBeUndefined()
    await Promise.all([made.result, called.result, free.result])
  })

  it('an option of the schema without a schema is a TypeError', () => {
    expect(() => generate(model, { prompt: 'x', lenient: true })).toThrow(
      'option lenient says how a schema is compiled, and no schema is given',
    )
  })
})
