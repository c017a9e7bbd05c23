import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyBits, setBit } from '../../src/bits.ts'
import { PlacedRandom } from '../../src/decode/random.ts'
import { Sampler, type SamplerOptions } from '../../src/decode/sampler.ts'
import { ModelError } from '../../src/errors.ts'

function maskOf(ids: readonly number[], width: number): Uint32Array {
  const mask = emptyBits(width)
  for (const id of ids) setBit(mask, id)
  return mask
}

/** The ids that may be drawn, by sorting everything. */
function support(
  logits: readonly number[],
  allowed: readonly number[],
  options: SamplerOptions,
): Set<number> {
  const { temperature = 0, topK = 0, topP = 1, minP = 0 } = options
  const top = Math.max(...allowed.map((id) => logits[id]!))
  let kept = allowed.map((id) => ({ id, weight: Math.exp((logits[id]! - top) / temperature) }))
  kept = kept.filter(({ weight }) => weight > 0 && weight >= minP)
  kept.sort((a, b) => b.weight - a.weight || a.id - b.id)
  if (topK > 0) kept = kept.slice(0, topK)
  const total = kept.reduce((sum, { weight }) => sum + weight, 0)
  const ids = new Set<number>()
  let share = 0
  for (const { id, weight } of kept) {
    ids.add(id)
    share += weight
    if (topP < 1 && share >= topP * total - 1e-12) break
  }
  return ids
}

describe('Sampler', () => {
  it('takes the best allowed token when greedy, the lower id among equals', () => {
    const logits = Float32Array.of(1, 9, 3, 5, 5)
    const sampler = new Sampler(5)
    expect(sampler.sample(logits, null, 0)).toBe(1)
    expect(sampler.sample(logits, maskOf([0, 2, 3, 4], 5), 0)).toBe(3)
    expect(sampler.sample(logits, maskOf([0], 5), 0)).toBe(0)
  })

  it('reads masks across words and ignores bits beyond the logits', () => {
    const logits = new Float32Array(70).map((_, id) => id)
    expect(new Sampler(70).sample(logits, maskOf([31, 32, 63, 64, 69], 96), 0)).toBe(69)
    expect(new Sampler(70).sample(logits, maskOf([3, 31], 96), 0)).toBe(31)
    const beyond = maskOf([5, 90], 96)
    expect(new Sampler(70).sample(logits, beyond, 0)).toBe(5)
    expect(new Sampler(70, { temperature: 1, seed: 1 }).sample(logits, beyond, 0)).toBe(5)
  })

  it('takes an allowed token although every allowed logit is -Infinity, or one is Infinity', () => {
    const logits = Float32Array.of(2, -Infinity, -Infinity, Infinity)
    for (const temperature of [0, 1]) {
      const sampler = new Sampler(4, { temperature, seed: 3 })
      expect(sampler.sample(logits, maskOf([1, 2], 4), 0)).toBe(1)
      expect(sampler.sample(logits, maskOf([0, 1, 3], 4), 0)).toBe(3)
    }
  })

  it('says so when the model computes NaN or nothing is allowed, and steps over single NaNs', () => {
    const broken = new Float32Array(4).fill(Number.NaN)
    for (const temperature of [0, 1]) {
      const sampler = new Sampler(4, { temperature, seed: 3 })
      expect(() => sampler.sample(broken, null, 0)).toThrow(ModelError)
      expect(() => sampler.sample(Float32Array.of(1, 2, 3, 4), maskOf([], 4), 0)).toThrow(ModelError)
      expect(sampler.sample(Float32Array.of(Number.NaN, 2, Number.NaN, 1), maskOf([0, 1, 2], 4), 0)).toBe(1)
    }
  })

  it('draws only what mask, min-p, top-k and top-p leave, and all of it in time', () => {
    const setting = fc.record({
      width: fc.integer({ min: 1, max: 80 }),
      temperature: fc.double({ min: 0.2, max: 4, noNaN: true }),
      topK: fc.integer({ min: 0, max: 12 }),
      topP: fc.double({ min: 0.05, max: 1, noNaN: true }),
      minP: fc.double({ min: 0, max: 0.9, noNaN: true }),
      seed: fc.integer({ min: 0, max: 1e9 }),
    })
    fc.assert(
      fc.property(setting, ({ width, seed, ...rest }) => {
        const random = new PlacedRandom(seed)
        let drawn = 0
        // Distinct, coarse logits: the reference and the sampler must not differ by rounding alone.
        const logits = Array.from({ length: width }, (_, id) => Math.floor(random.at(drawn++) * 8) + id / 128)
        const allowed = logits.map((_, id) => id).filter((id) => random.at(drawn++) < 0.7 || id === 0)
        const expected = support(logits, allowed, rest)
        const sampler = new Sampler(width, { ...rest, seed })
        for (let i = 0; i < 30; i++) {
          expect(expected).toContain(sampler.sample(Float32Array.from(logits), maskOf(allowed, width), i))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('draws in proportion to the renormalised probabilities', () => {
    const logits = Float32Array.of(Math.log(1), Math.log(2), Math.log(100), Math.log(5))
    const counts = [0, 0, 0, 0]
    for (const options of [{}, { topK: 3 }, { topP: 0.9999 }]) {
      counts.fill(0)
      const sampler = new Sampler(4, { temperature: 1, seed: 11, ...options })
      for (let i = 0; i < 8000; i++) counts[sampler.sample(logits, maskOf([0, 1, 3], 4), i)]!++
      expect(counts[2]).toBe(0)
      expect(counts[0]! / 8000).toBeCloseTo(1 / 8, 1)
      expect(counts[1]! / 8000).toBeCloseTo(2 / 8, 1)
      expect(counts[3]! / 8000).toBeCloseTo(5 / 8, 1)
    }
  })

  it('repeats with the same seed, and differs with another', () => {
    const logits = new Float32Array(1000).map((_, id) => (id * 37) % 11)
    const draw = (seed: number) => {
      const sampler = new Sampler(1000, { temperature: 1, seed })
      return Array.from({ length: 20 }, (_, place) => sampler.sample(logits, null, place)).join()
    }
    expect(draw(7)).toBe(draw(7))
    expect(new Set([draw(7), draw(8), draw(7 + 2 ** 32), draw(0)]).size).toBe(4)
  })

  it('refuses settings that mean nothing, by name and value', () => {
    const cases: [SamplerOptions, string][] = [
      [{ temperature: -1 }, 'temperature'],
      [{ temperature: Number.NaN }, 'temperature'],
      [{ temperature: Infinity }, 'temperature'],
      [{ topK: -1 }, 'topK'],
      [{ topK: 1.5 }, 'topK'],
      [{ topP: 0 }, 'topP'],
      [{ topP: 1.1 }, 'topP'],
      [{ topP: Number.NaN }, 'topP'],
      [{ minP: -0.1 }, 'minP'],
      [{ minP: 2 }, 'minP'],
      [{ seed: -1 }, 'seed'],
      [{ seed: 0.5 }, 'seed'],
    ]
    for (const [options, name] of cases) {
      expect(() => new Sampler(8, options)).toThrow(RangeError)
      expect(() => new Sampler(8, options)).toThrow(name)
    }
  })
})

describe('PlacedRandom', () => {
  it('is uniform enough in every tenth, over places and over seeds, and never 1', () => {
    const random = new PlacedRandom(42)
    const overPlaces = Array.from({ length: 20_000 }, (_, place) => random.at(place))
    const overSeeds = Array.from({ length: 20_000 }, (_, seed) => new PlacedRandom(seed).at(7))
    for (const numbers of [overPlaces, overSeeds]) {
      const counts = new Array<number>(10).fill(0)
      for (const number of numbers) counts[Math.floor(number * 10)]!++
      for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(200)
    }
  })

  it('says nothing of the next place, and the same of the same one whenever it is asked', () => {
    const random = new PlacedRandom(3)
    const above = Array.from({ length: 20_000 }, (_, place) => random.at(place) >= 0.5)
    for (const distance of [1, 2, 3, 8, 256, 4096]) {
      const equal = above.filter((bit, place) => bit === above[(place + distance) % above.length]).length
      expect(Math.abs(equal - 10_000), `${distance}`).toBeLessThan(400)
    }
    expect(new PlacedRandom(3).at(17)).toBe(random.at(17))
  })
})
