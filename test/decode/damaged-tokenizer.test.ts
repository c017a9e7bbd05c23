/**
 * Files of a tokenizer that are cut, damaged, or of another shape than they should be: an error that says so, or a tokenizer;
 * nothing else is thrown, and nothing hangs. `SEED` repeats a run.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadTextModel } from '../../src/decode/model.ts'
import { ModelError, VocabularyError } from '../../src/errors.ts'
import { Random, seedOf } from '../support/random.ts'
import { sentencePiece, unigram } from '../support/sentence-piece.ts'

const seed = seedOf('damaged tokenizers')
const RUNS = process.env.ESPALIER_CI ? 800 : 200

const PIECES = ['▁', 't', 'h', 'e', '▁t', '▁th', '▁the', '"']
const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: false }
const fixture = 'test/fixtures/models/tiny-positions'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-damaged-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function prepare(tokenizer: string | Uint8Array): Promise<void> {
  await writeFile(join(folder, 'config.json'), '{"eos_token_id": 2}')
  await writeFile(join(folder, 'tokenizer_config.json'), '{"bos_token": "<s>"}')
  await writeFile(join(folder, 'tokenizer.json'), tokenizer)
}

/** Loads it and writes a prompt; whether that works. Throws whatever is no error of ours. */
async function works(tokenizer: string | Uint8Array): Promise<boolean> {
  await prepare(tokenizer)
  try {
    const model = await loadTextModel(folder)
    const ids = model.tokenizer.encode(
      [
        { text: '<s>the "é</s>', trusted: true },
        { text: 'the <s>', trusted: false },
      ],
      true,
    )
    expect([...ids, ...model.tokenizer.encodeText(' the')].every(Number.isSafeInteger)).toBe(true)
    return true
  } catch (error) {
    if (error instanceof ModelError || error instanceof VocabularyError) return false
    throw error
  }
}

const OTHERS: readonly unknown[] = [
  null,
  true,
  5,
  -1,
  0.5,
  'x',
  '',
  [],
  {},
  [1],
  ['x', 'y'],
  { type: 'x' },
  [[]],
  [null],
  1e9,
]

/** A copy in which one value, anywhere, is another; lists that are long are changed near their beginning. */
function changed(random: Random, value: unknown): unknown {
  const isList = Array.isArray(value)
  if (typeof value !== 'object' || value === null || random.chance(0.12)) return random.pick(OTHERS)
  const keys = Object.keys(value).slice(0, 12)
  if (keys.length === 0) return random.pick(OTHERS)
  const key = random.pick(keys)
  const member = (value as Record<string, unknown>)[key]
  const copy: Record<string, unknown> = isList ? ([...value] as never) : { ...value }
  if (random.chance(0.1)) delete copy[key]
  else copy[key] = changed(random, member)
  return copy
}

const DOCUMENTS: readonly [name: string, document: object][] = [
  ['BPE of SentencePiece', sentencePiece(PIECES, { bytes: false })],
  ['BPE with Metaspace', { ...sentencePiece(PIECES), normalizer: null, pre_tokenizer: metaspace }],
  ['Unigram', { ...unigram(PIECES, { byteFallback: true }), normalizer: null, pre_tokenizer: metaspace }],
]

describe.each(DOCUMENTS)('a tokenizer.json of %s', (_, document) => {
  it('works', async () => {
    expect(await works(JSON.stringify(document))).toBe(true)
  })

  it('in which any value is another is refused with a reason, or works', async () => {
    const random = new Random(seed)
    let refused = 0
    for (let run = 0; run < RUNS; run++) {
      const text = JSON.stringify(changed(random, document))
      const isFine = await works(text).catch((error: unknown) => {
        throw new Error(`${text.slice(0, 3000)}: ${error instanceof Error ? error.stack : error}`)
      })
      if (!isFine) refused++
    }
    expect(refused).toBeGreaterThan(RUNS / 5)
  })
})

describe('the tokenizer.json of a model', () => {
  it.each(['normalizer', 'pre_tokenizer', 'post_processor', 'decoder', 'added_tokens', 'extra'])(
    'in which %s is a hundred thousand deep is refused with a reason, or works',
    async (part) => {
      const list = part === 'normalizer' ? 'normalizers' : part === 'decoder' ? 'decoders' : 'pretokenizers'
      const deep = `${`{"type": "Sequence", "${list}": [`.repeat(100_000)}${']}'.repeat(100_000)}`
      const document = { ...sentencePiece(PIECES, { bytes: false }), [part]: 'DEEP' }
      expect(await works(JSON.stringify(document).replace('"DEEP"', deep))).toBe(part === 'extra')
    },
  )

  it('that is cut off says where, wherever that is', async () => {
    const whole = await readFile(`${fixture}/tokenizer.json`)
    for (let length = 0; length < whole.length - 1; length += 97) {
      await prepare(whole.subarray(0, length))
      const loading = loadTextModel(folder)
      await expect(loading).rejects.toThrow(VocabularyError)
      await expect(loading).rejects.toThrow(/not JSON, or is cut off: |gives the id/u)
    }
  })

  it('in which any byte is another is refused with a reason, or works', async () => {
    const whole = await readFile(`${fixture}/tokenizer.json`)
    const random = new Random(seed)
    for (let run = 0; run < RUNS; run++) {
      const damaged = Uint8Array.from(whole)
      damaged[random.below(whole.length)] = random.pick([
        0,
        0x22,
        0x2c,
        0x5c,
        0x5d,
        0x7d,
        0x80,
        0xff,
        random.below(256),
      ])
      await works(damaged)
    }
  })
})
