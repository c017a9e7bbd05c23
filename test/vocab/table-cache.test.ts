/** A token table read again is the table that was written, or nothing. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeTable, encodeTable } from '../../src/vocab/table-cache.ts'
import { TokenTable } from '../../src/vocab/token-table.ts'
import { readTokenizerJson } from '../../src/vocab/tokenizer-json.ts'
import { Vocabulary } from '../../src/vocab/vocabulary.ts'

const KEY = 'sha256 of something'
const tiny = encodeTable(
  readTokenizerJson({
    added_tokens: [
      { id: 9, content: '<|im_end|>', special: true },
      { id: 5, content: '\u2581\u2581', special: false },
    ],
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab: { b: 0, a: 1, ab: 2, Ġ: 3, 'not bytes': 4, '': 7 }, merges: [] },
  }),
  KEY,
)

/** Words of the header, by what they say. */
const VERSION = 1
const LENGTH = 2
const CHECKSUM = 4

function changed(bytes: Uint8Array, change: (copy: Uint8Array, words: Uint32Array) => void): Uint8Array {
  const copy = bytes.slice()
  change(copy, new Uint32Array(copy.buffer))
  return copy
}

/** Whether two arrays hold the same bytes: on large ones much faster than the matchers. */
function equal(a: NodeJS.TypedArray, b: NodeJS.TypedArray): boolean {
  const bytes = (array: NodeJS.TypedArray) => Buffer.from(array.buffer, array.byteOffset, array.byteLength)
  return bytes(a).equals(bytes(b))
}

describe('a cached token table', () => {
  it.each([
    ['the shipped model', 'models/smollm2-135m-instruct/tokenizer.json'],
    ['the tiny fixture', 'test/fixtures/models/tiny-positions/tokenizer.json'],
  ])('makes the vocabulary of %s as the file does, whatever the options', (_name, file) => {
    const table = readTokenizerJson(readFileSync(file))
    const encoded = encodeTable(table, KEY)
    const again = decodeTable(encoded, KEY)!
    expect(equal(again.data, table.data) && equal(again.offsets, table.offsets)).toBe(true)
    expect(again.added).toEqual(table.added)
    expect(equal(encodeTable(again, KEY), encoded)).toBe(true)
    const last = table.size - 1
    for (const options of [
      { endTokens: [last] },
      { endTokens: [0, 5], size: table.size + 77, controlTokens: [20, 'a'] },
      { endTokens: [1], size: 250, textTokens: [table.added[0]!.id] },
    ]) {
      const made = Vocabulary.fromTable(table, options)
      const cached = Vocabulary.fromTable(again, options)
      for (const part of ['byte', 'depth', 'skip', 'first', 'tokens'] as const)
        expect(equal(cached.trie[part], made.trie[part]), part).toBe(true)
      expect([cached.size, cached.endTokens]).toEqual([made.size, made.endTokens])
      for (let id = 0; id < made.size; id++) {
        const same = cached.isControl(id) === made.isControl(id) && cached.isHole(id) === made.isHole(id)
        if (!same) expect.fail(`token ${id}`)
      }
      for (const { content } of table.added) expect(cached.idOf(content)).toBe(made.idOf(content))
    }
  })

  it('keeps added tokens in their order', () => {
    const table = decodeTable(tiny, KEY)!
    expect(table.added).toEqual([
      { id: 9, content: '<|im_end|>', special: true },
      { id: 5, content: '\u2581\u2581', special: false },
    ])
    expect([...table.order!]).toEqual([3, 9, 1, 2, 0, 4, 5])
  })

  it('holds no memory but its own, also where the bytes are a Buffer', () => {
    const table = decodeTable(Buffer.from(tiny.buffer), KEY)!
    expect(table.data.constructor).toBe(Uint8Array)
    expect(table.data.buffer.byteLength).toBe(table.data.length)
    expect(table.offsets.buffer.byteLength).toBe(4 * table.offsets.length)
  })

  it('may be empty, and lie anywhere in a buffer', () => {
    const empty = new TokenTable(new Uint8Array(0), new Uint32Array(1), [], {
      text: null,
      stripsFirstSpace: false,
    })
    expect(decodeTable(encodeTable(empty, ''), '')!.size).toBe(0)
    for (let offset = 0; offset < 4; offset++) {
      const buffer = new Uint8Array(tiny.length + offset)
      buffer.set(tiny, offset)
      expect(decodeTable(buffer.subarray(offset), KEY)).toEqual(decodeTable(tiny, KEY))
    }
  })

  it('is nothing under another key, version or byte order, and where it is cut or longer', () => {
    expect(decodeTable(tiny, `${KEY}!`)).toBe(null)
    expect(
      decodeTable(
        changed(tiny, (_, words) => words[VERSION]!++),
        KEY,
      ),
    ).toBe(null)
    const swapped = changed(tiny, (_, words) => {
      const view = new DataView(words.buffer)
      words.forEach((word, i) => {
        view.setUint32(4 * i, word, new Uint8Array(Uint32Array.of(1).buffer)[0] === 0)
      })
    })
    expect(decodeTable(swapped, KEY)).toBe(null)
    for (let length = 0; length < tiny.length; length++)
      if (decodeTable(tiny.slice(0, length), KEY) !== null) expect.fail(`cut at ${length}`)
    for (const more of [4, 16, 64]) {
      const longer = new Uint8Array(tiny.length + more)
      longer.set(tiny)
      expect(decodeTable(longer, KEY)).toBe(null)
      expect(
        decodeTable(
          changed(longer, (bytes, words) => (words[LENGTH] = bytes.length)),
          KEY,
        ),
      ).toBe(null)
    }
  })

  it('is nothing where any one byte is any other', () => {
    for (let at = 0; at < tiny.length; at++) {
      for (let flip = 1; flip < 256; flip++) {
        const damaged = changed(tiny, (bytes) => {
          bytes[at]! ^= flip
        })
        if (decodeTable(damaged, KEY) !== null) expect.fail(`byte ${at} ^ ${flip}`)
      }
    }
  })

  it('is nothing where ranges are overwritten, zeroed, moved or exchanged', () => {
    const place = fc.nat(tiny.length - 1)
    const damage = fc.oneof(
      fc
        .tuple(place, fc.uint8Array({ minLength: 1, maxLength: 64 }))
        .map(([at, put]) => (bytes: Uint8Array) => {
          bytes.set(put.subarray(0, bytes.length - at), at)
        }),
      fc.tuple(place, place).map(([a, b]) => (bytes: Uint8Array) => {
        bytes.fill(0, Math.min(a, b), Math.max(a, b) + 1)
      }),
      fc.tuple(place, place, place).map(([to, a, b]) => (bytes: Uint8Array) => {
        bytes.copyWithin(to, Math.min(a, b), Math.max(a, b) + 1)
      }),
      // Words of one lane, exchanged: the checksum depends on their order.
      fc.tuple(place, place).map(([a, b]) => (bytes: Uint8Array) => {
        const words = new Uint32Array(bytes.buffer)
        const [i, j] = [a >> 2, ((b >> 4) << 2) | ((a >> 2) & 3)]
        const word = words[i]!
        words[i] = words[j]!
        words[j] = word
      }),
    )
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 4 }), (damages) => {
        const damaged = changed(tiny, (bytes) => {
          for (const one of damages) one(bytes)
        })
        fc.pre(damaged.some((byte, i) => byte !== tiny[i]))
        expect(decodeTable(damaged, KEY)).toBe(null)
      }),
      { numRuns: 3000 },
    )
  })

  it('has the checksum before all that it covers', () => {
    const other = encodeTable(decodeTable(tiny, KEY)!, KEY.replace('s', 'z'))
    const words = (bytes: Uint8Array) => new Uint32Array(bytes.buffer)
    expect(words(other).slice(0, CHECKSUM)).toEqual(words(tiny).slice(0, CHECKSUM))
    expect(words(other).slice(CHECKSUM, 8)).not.toEqual(words(tiny).slice(CHECKSUM, 8))
  })
})
