import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readModelFolder } from '../../src/decode/folder.ts'
import type { Graph } from '../../src/decode/graph.ts'
import { openGraph } from '../../src/decode/open-graph.ts'
import { OnnxSequence } from '../../src/decode/sequence.ts'
import { ModelError } from '../../src/errors.ts'

const tiny = ['tiny-positions', 'tiny-keep', 'tiny-half-padded', 'tiny-merged'].map(
  (name) => `test/fixtures/models/${name}`,
)
const shipped = 'models/smollm2-135m-instruct'

const ids = Array.from({ length: 150 }, (_, i) => (7 * i * i + 13 * i) % 300)
const limit = 1024

function best(logits: Float32Array | null): number {
  let top = 0
  for (let id = 1; id < logits!.length; id++) if (logits![id]! > logits![top]!) top = id
  return top
}

function largestDifference(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0)
}

for (const path of tiny) {
  describe(`a sequence on ${path.split('/').at(-1)}`, () => {
    let graph: Graph
    beforeAll(async () => {
      graph = await openGraph(await readModelFolder(path), 1)
    })
    afterAll(() => graph.session.release())

    it('leaves a graph which concatenates its cache as it is', () => {
      expect(graph.addsRows).toBe(false)
    })

    it('gives the same logits for one block, several blocks and single tokens, while its buffers grow', async () => {
      const whole = new OnnxSequence(graph, limit)
      const expected = Float32Array.from((await whole.append(ids))!)
      expect(expected.length).toBe(graph.width)
      expect(expected.every((value) => Number.isFinite(value))).toBe(true)
      for (const size of [1, 7, 64, 149]) {
        const parts = new OnnxSequence(graph, limit)
        let logits: Float32Array | null = null
        for (let from = 0; from < ids.length; from += size)
          logits = await parts.append(ids.slice(from, from + size))
        expect(parts.length).toBe(ids.length)
        // Half precision rounds sums of another order differently.
        expect(largestDifference(logits!, expected)).toBeLessThan(
          graph.logitsType === 'float16' ? 0.05 : 1e-4,
        )
      }
    })

    it('goes on after a truncation as if the rest had never been read', async () => {
      const sequence = new OnnxSequence(graph, limit)
      await sequence.append(ids.slice(0, 40))
      await sequence.append([5, 6, 7])
      sequence.truncate(30)
      const logits = Float32Array.from((await sequence.append(ids.slice(30, 60)))!)
      const straight = new OnnxSequence(graph, limit)
      const expected = (await straight.append(ids.slice(0, 60)))!
      expect(largestDifference(logits, expected)).toBeLessThan(graph.logitsType === 'float16' ? 0.05 : 1e-4)
      expect(() => sequence.truncate(61)).toThrow(RangeError)
      sequence.truncate(0)
      expect(sequence.length).toBe(0)
    })

    it('refuses what does not fit the context, before it runs', async () => {
      const sequence = new OnnxSequence(graph, 20)
      await expect(sequence.append(ids.slice(0, 21))).rejects.toThrow(ModelError)
      expect(sequence.length).toBe(0)
      await sequence.append(ids.slice(0, 20))
      await expect(sequence.append([1])).rejects.toThrow(/21 positions/)
      await expect(sequence.append([])).rejects.toThrow(RangeError)
    })

    it('stops between two chunks when it is aborted, and reports a failing run with its place', async () => {
      const sequence = new OnnxSequence(graph, limit)
      const logits = await sequence.append(ids.slice(0, 3), AbortSignal.abort())
      // A graph that computes one row of logits reads three tokens in one chunk, any other the last one by itself.
      expect(logits === null).toBe(graph.keepDims === null)
      const failing = new OnnxSequence(graph, limit, { silent: true })
      await expect(failing.append([1_000_000])).rejects.toThrow(/failed at position 0/)
    })
  })
}

describe('a sequence on the shipped model', () => {
  let edited: Graph
  let plain: Graph
  beforeAll(async () => {
    const folder = await readModelFolder(shipped)
    edited = await openGraph(folder)
    plain = await openGraph(folder, undefined, true)
  })
  afterAll(async () => {
    await edited.session.release()
    await plain.session.release()
  })

  it('reads the past where it lies, and gives the logits of the graph as it was', async () => {
    expect(edited.addsRows).toBe(true)
    expect(plain.addsRows).toBe(false)
    expect(edited.session.outputNames).toHaveLength(plain.session.outputNames.length)
    const sequences = [new OnnxSequence(edited, 8192), new OnnxSequence(plain, 8192)]
    const both = async (step: (sequence: OnnxSequence) => Promise<Float32Array | null>) => {
      const [a, b] = [await step(sequences[0]!), await step(sequences[1]!)]
      expect(largestDifference(a!, b!)).toBe(0)
      return best(a)
    }
    let id = await both((sequence) => sequence.append(ids.slice(0, 60)))
    // Across the growth of the buffers at 64 positions.
    for (let i = 0; i < 8; i++) id = await both((sequence) => sequence.append([id]))
    for (const sequence of sequences) sequence.truncate(50)
    await both((sequence) => sequence.append([9, 8, 7]))
    await both((sequence) => sequence.append([6]))
  })
})
