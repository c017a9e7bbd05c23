import { createHash } from 'node:crypto'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { loadModel, loadVocabulary } from '../../src/decode/model.ts'
import { decodeTable, encodeTable } from '../../src/vocab/table-cache.ts'
import { readTokenizerJson } from '../../src/vocab/tokenizer-json.ts'
import type { Vocabulary } from '../../src/vocab/vocabulary.ts'
import { Random, seedOf } from '../support/random.ts'

const fixture = 'test/fixtures/models/tiny-positions'
const made: string[] = []
let folder = ''
let cache = ''
let expected: Vocabulary

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-cache-'))
  made.push(folder)
  await cp(fixture, folder, { recursive: true })
  cache = join(folder, 'tokenizer.espalier')
  expected = await loadVocabulary(folder)
})
afterAll(async () => {
  for (const path of made) await rm(path, { recursive: true })
})

function load(vocabularyCache: boolean | string = true): Promise<Vocabulary> {
  return loadVocabulary(folder, { vocabularyCache })
}

function expectSame(vocabulary: Vocabulary): void {
  expect(vocabulary).toEqual(expected)
  for (let id = 0; id < expected.size; id++) {
    expect(vocabulary.bytes(id)).toEqual(expected.bytes(id))
    expect(vocabulary.isControl(id)).toBe(expected.isControl(id))
  }
}

/** What the process warns of while `act` runs. */
async function warnings(act: () => Promise<void>): Promise<string[]> {
  const seen: string[] = []
  const listen = (warning: Error & { code?: string }) => {
    if (warning.code === 'ESPALIER_VOCABULARY_CACHE') seen.push(warning.message)
  }
  process.on('warning', listen)
  await act()
  await new Promise(setImmediate)
  process.off('warning', listen)
  return seen
}

describe('the vocabulary cache', () => {
  it('is made only when asked for, beside tokenizer.json or where it is told to be', async () => {
    const before = await readdir(folder)
    await load(false)
    expect(await readdir(folder)).toEqual(before)
    expectSame(await load())
    expect(await readdir(folder)).toEqual([...before, 'tokenizer.espalier'].sort())
    const other = join(folder, 'onnx', 'words.bin')
    expectSame(await load(other))
    expect(await readFile(other)).toEqual(await readFile(cache))
    const model = await loadModel(folder, { threads: 1, vocabularyCache: true })
    expectSame(model.vocabulary)
    await model.release()
  })

  it('is what the vocabulary is read from, for these bytes of tokenizer.json and no others', async () => {
    const file = join(folder, 'tokenizer.json')
    const bytes = await readFile(file)
    const key = createHash('sha256').update(bytes).digest('hex')
    // Another token table under this file's key shows which of the two is read.
    const text = bytes.toString()
    const planted = encodeTable(readTokenizerJson(text.replace('"!"', '"!!"')), key)
    await writeFile(cache, planted)
    const found = await load()
    const differing = [...expected.trie.tokens].filter(
      (id) => found.bytes(id)?.length !== expected.bytes(id)!.length,
    )
    expect(differing.map((id) => Buffer.from(found.bytes(id)!).toString())).toEqual(['!!'])
    await writeFile(file, `${text} `)
    expectSame(await load())
    expect(decodeTable(await readFile(cache), key)).toBe(null)
    expectSame(await load())
  })

  it('serves other end tokens and another width', async () => {
    await load()
    const config = join(folder, 'generation_config.json')
    await writeFile(config, JSON.stringify({ eos_token_id: [3, 308] }))
    expected = await loadVocabulary(folder)
    expect(expected.endTokens).toContain(3)
    const before = await readFile(cache)
    expectSame(await load())
    expect(await readFile(cache)).toEqual(before)
  })

  it('is made anew where it is damaged, cut, empty or of another version', async () => {
    await load()
    const good = await readFile(cache)
    const random = new Random(seedOf('vocabulary cache'))
    const damages = Array.from({ length: 40 }, () => {
      const at = random.below(good.length)
      return { name: `byte ${at}`, bytes: Buffer.from(good).fill(good[at]! ^ 0x10, at, at + 1) }
    })
    damages.push({ name: 'version', bytes: Buffer.from(good).fill(99, 4, 5) })
    damages.push({ name: 'empty', bytes: Buffer.alloc(0) }, { name: 'text', bytes: Buffer.from('{}') })
    for (const { name, bytes } of damages) {
      await writeFile(cache, bytes)
      expectSame(await load())
      expect(good.equals(await readFile(cache)), name).toBe(true)
    }
    for (let length = 0; length < good.length; length += 997) {
      await truncate(cache, length)
      expectSame(await load())
      expect(good.equals(await readFile(cache)), `cut at ${length}`).toBe(true)
    }
  })

  it('is whole whenever it is there, whoever writes and reads at once', async () => {
    const bytes = await readFile(join(folder, 'tokenizer.json'))
    const key = createHash('sha256').update(bytes).digest('hex')
    const name = 'tokenizer.espalier'
    for (let round = 0; round < 5; round++) {
      await rm(cache, { force: true })
      let running = true
      const reader = (async () => {
        while (running) {
          const seen = await readFile(cache).catch(() => null)
          if (seen !== null && decodeTable(seen, key) === null) throw new Error('half a cache was seen')
        }
      })()
      const loaded = await Promise.all(Array.from({ length: 8 }, () => load()))
      running = false
      await reader
      for (const vocabulary of loaded) expectSame(vocabulary)
      expect((await readdir(folder)).filter((file) => file.startsWith('tokenizer.e'))).toEqual([name])
    }
  })

  it('that cannot be written is a warning, and leaves nothing behind', async () => {
    const blocked = join(folder, 'taken')
    await mkdir(join(blocked, 'inside'), { recursive: true })
    const paths = [join(folder, 'nowhere', 'cache'), join(folder, 'config.json', 'cache'), blocked]
    for (const path of paths) {
      const before = await readdir(folder)
      const seen = await warnings(async () => expectSame(await load(path)))
      expect(seen).toHaveLength(1)
      expect(seen[0]).toContain(`the vocabulary cache ${path} cannot be written: `)
      expect(await readdir(folder)).toEqual(before)
    }
    expect(await warnings(async () => expectSame(await load()))).toEqual([])
  })

  // Permissions do not hold for root.
  it.skipIf(process.getuid?.() === 0)('of a folder that is read-only is a warning', async () => {
    await chmod(folder, 0o555)
    const seen = await warnings(async () => expectSame(await load()))
    await chmod(folder, 0o755)
    expect(seen).toHaveLength(1)
  })

  it('is true, false or a path', async () => {
    await expect(load('')).rejects.toThrow(TypeError)
    await expect(load(1 as unknown as string)).rejects.toThrow(
      'option vocabularyCache must be true, false or a path, not 1',
    )
  })
})
