/**
 * Jumps against the same run without them. On a model that sees bytes both must say the same text, whatever the
 * vocabulary; on one that writes as its tokenizer does, the tokens must be those of the tokenizer. `SEED` repeats a run.
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasBit } from '../../src/bits.ts'
import { type GenerateOptions, generate } from '../../src/decode/generate.ts'
import { loadVocabulary, type Model } from '../../src/decode/model.ts'
import type { Result } from '../../src/decode/result.ts'
import type { TokenSequence } from '../../src/decode/sequence.ts'
import { PromptTokenizer } from '../../src/decode/tokenizer.ts'
import {
  compile,
  LimitError,
  type RunEvent,
  SchemaError,
  type SchemaOptions,
  Vocabulary,
  VocabularyError,
} from '../../src/index.ts'
import { Random, seedOf } from '../support/random.ts'
import { wideSchemas } from '../support/random-schemas.ts'
import { MODES } from '../support/schemas.ts'
import { tinyVocabulary } from '../support/vocabularies.ts'
import { BytesModel } from './bytes-model.ts'

const seed = seedOf('jumps')
const RUNS = process.env.ESPALIER_CI ? 600 : 150

async function textSide(folder: string): Promise<{ vocabulary: Vocabulary; tokenizer: PromptTokenizer }> {
  const vocabulary = await loadVocabulary(folder)
  const read = (file: string) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'))
  const tokenizer = new PromptTokenizer(read('tokenizer.json'), read('tokenizer_config.json'), (id) =>
    vocabulary.isControl(id),
  )
  return { vocabulary, tokenizer }
}

const shipped = await textSide('models/smollm2-135m-instruct')
const keep = await textSide('test/fixtures/models/tiny-keep')
const byteIds = Array.from({ length: shipped.vocabulary.size }, (_, id) => id).filter(
  (id) => shipped.vocabulary.bytes(id)?.length === 1,
)

/** Tokens that go across nearly every place of a JSON text, and a tokenizer that is another's. */
const crossing = { vocabulary: tinyVocabulary().vocabulary, tokenizer: keep.tokenizer }

/** Texts that bytes could write and tokens cannot: of the letters only `a` and `n` stand alone. */
const gaps = {
  vocabulary: Vocabulary.fromBytes(
    [
      ...[...'an{}[]",: 0123456789.-'].map((character) => new TextEncoder().encode(character)),
      ...['ab', 'bc', 'nul', 'ull', 'l', 'tru', 'e', 'fals', '": "', '":', '", "', 'é', 'ba', 'abc'].map(
        (text) => new TextEncoder().encode(text),
      ),
      null,
    ],
    { endTokens: [36] },
  ),
  tokenizer: keep.tokenizer,
}

function compiled(schema: object, vocabulary: Vocabulary, options: SchemaOptions) {
  try {
    return compile(schema, vocabulary, options)
  } catch (error) {
    if (error instanceof LimitError || error instanceof SchemaError || error instanceof VocabularyError)
      return null
    throw error
  }
}

async function follow(model: Model, options: GenerateOptions): Promise<{ result: Result; ids: number[] }> {
  const run = generate(model, options)
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  const tokens = events.filter((event) => event.type === 'token')
  const result = await run.result
  expect(tokens.filter(({ forced }) => forced)).toHaveLength(result.usage.forcedTokens)
  return { result, ids: tokens.map(({ id }) => id) }
}

describe.each([
  ['the vocabulary of a tiny model', keep, RUNS],
  ['tokens that go across everything', crossing, RUNS],
  ['bytes that no token writes alone', gaps, RUNS],
  ['the shipped vocabulary', shipped, RUNS / 10],
] as const)('on a model that sees bytes, with %s', (_, { vocabulary, tokenizer }, runs) => {
  it('says the same text with and without jumps, greedy and sampled, in tokens that a matcher takes', async () => {
    let forced = 0
    let whole = 0
    await fc.assert(
      fc.asyncProperty(wideSchemas, fc.nat(), async (schema, runSeed) => {
        const random = new Random(runSeed)
        const grammar = compiled(schema, vocabulary, random.pick(MODES))
        if (grammar === null) return
        const sampling = random.pick([
          {},
          { temperature: 0.05 },
          { temperature: 0.3, topP: 0.9 },
          { temperature: 2 },
        ])
        const maxTokens = random.pick([3, 20, 60, 200])
        const options = { prompt: 'x', grammar, maxTokens, seed: runSeed, ...sampling }
        const model = new BytesModel(vocabulary, tokenizer, runSeed)
        const slow = await follow(model, { ...options, jumpForward: false })
        const fast = await follow(model, options)
        const prompt = tokenizer.encodeText('x')
        expect(model.fed).toEqual([...prompt, ...fast.ids].slice(0, model.fed.length))
        const matcher = grammar.matcher()
        for (const id of fast.ids)
          if (!matcher.accept(id)) throw new Error(`token ${id} is refused after ${matcher.text()}`)
        expect(matcher.text()).toBe(fast.result.text)
        forced += fast.result.usage.forcedTokens
        expect(slow.result.usage.forcedTokens).toBe(0)
        const ends = [slow, fast].filter(({ result }) => result.stopReason === 'complete').length
        if (ends === 2) {
          whole++
          expect(fast.result.text).toBe(slow.result.text)
        } else {
          // The budget is counted in tokens, and the tokens are others.
          const [short, long] = [slow.result.text, fast.result.text].sort((a, b) => a.length - b.length)
          expect(long!.startsWith(short!), `${short} and ${long}`).toBe(true)
        }
      }),
      { seed, numRuns: runs },
    )
    process.stdout.write(`jumps: ${forced} tokens forced, ${whole} texts whole\n`)
    expect(whole).toBeGreaterThan(runs / 8)
    expect(forced).toBeGreaterThan(runs / 2)
  })
})

/** Writes one text, as the tokenizer would, wherever it is asked to go on with it; fails where the tokenizer has no border. */
class WriterModel extends BytesModel {
  readonly #ids: readonly number[]

  constructor(text: string) {
    super(shipped.vocabulary, shipped.tokenizer, 0)
    this.#ids = [...shipped.tokenizer.encodeText(text), shipped.vocabulary.endTokens[0]!]
  }

  override startSequence(): TokenSequence {
    const logits = new Float32Array(this.vocabulary.size)
    const prompt = 1
    const read: number[] = []
    return {
      get length() {
        return read.length
      },
      append: async (ids) => {
        read.push(...ids)
        const at = read.length - prompt
        expect(read.slice(prompt)).toEqual(this.#ids.slice(0, at))
        logits.fill(0)
        logits[this.#ids[at]!] = 1
        return logits
      },
      truncate: () => {},
    }
  }
}

describe('the tokens of a jump', () => {
  it('are those of the tokenizer, wherever the text has a choice', async () => {
    let forced = 0
    let asked = 0
    await fc.assert(
      fc.asyncProperty(wideSchemas, fc.nat(), async (schema, guessSeed) => {
        const random = new Random(guessSeed)
        const options = random.pick(MODES)
        const grammar = compiled(schema, shipped.vocabulary, options)
        if (grammar === null) return
        // Any text of the grammar: a walk over the bytes, and the completion where it stops.
        const matcher = grammar.matcher()
        const steps = random.below(60)
        for (let step = 0; step < steps && !matcher.mustStop(); step++) {
          const bytes = byteIds.filter((id) => hasBit(matcher.mask(), id))
          if (bytes.length === 0) break
          matcher.accept(random.pick(bytes))
        }
        const text = matcher.text() + matcher.shortestCompletion().text
        const { result, ids } = await follow(new WriterModel(text), { prompt: 'x', grammar, maxTokens: 1000 })
        expect(result.text).toBe(text)
        expect(ids.filter((id) => id !== shipped.vocabulary.endTokens[0])).toEqual(
          shipped.tokenizer.encodeText(text),
        )
        forced += result.usage.forcedTokens
        asked += result.usage.tokens - result.usage.forcedTokens
      }),
      { seed, numRuns: RUNS },
    )
    process.stdout.write(`jumps: ${forced} tokens forced, ${asked} asked for\n`)
    expect(forced).toBeGreaterThan(RUNS)
  })

  it('end where the spelling may still merge with what follows', async () => {
    const schema = {
      type: 'object',
      properties: {
        guests: { type: 'integer', minimum: 1, maximum: 9 },
        name: { type: 'string' },
        note: { type: ['string', 'null'] },
      },
      required: ['guests', 'name', 'note'],
      additionalProperties: false,
    }
    /** A token that was forced stands behind a dot, one that was asked for behind a bar. */
    const line = async (text: string, whitespace: 'model' | 'compact'): Promise<string> => {
      const grammar = compile(schema, shipped.vocabulary, { whitespace })
      let line = ''
      for await (const event of generate(new WriterModel(text), { prompt: 'x', grammar })) {
        if (event.type === 'token') line += event.forced ? '·' : '|'
        if (event.type === 'text') line += event.text
      }
      return line
    }
    // A space may follow a comma, so the comma may be part of a longer token; of `":` that is so before a string only.
    expect(await line('{"guests": 4, "name": "/ab", "note": null}', 'model')).toBe(
      '·{"·gu·ests·":| |4|,| "·name|":| "/|ab|",| "·note|":| null·}',
    )
    expect(await line('{"guests":4,"name":"ab","note":""}', 'compact')).toBe(
      '·{"·gu·ests·":|4·,"·name|":"|ab|","·note|":|""·}',
    )
  })
})
