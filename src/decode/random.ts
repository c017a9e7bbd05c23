/**
 * Random numbers by place: the same seed and place give the same number on any machine, in whatever order they are
 * asked for. So a sampled run can be repeated, and does not depend on how many numbers were drawn before.
 *
 * A number is sfc32 (Chris Doty-Humphrey's "small fast counting" generator, passes PractRand) started from seed and place
 * and mixed as long as its author asks for; seeds go through splitmix32, so that nearby ones share nothing. Not for secrets.
 */
export class PlacedRandom {
  readonly #a: number
  readonly #b: number
  readonly #c: number

  /** `seed` is a whole number from 0 to 2^53 - 1. */
  constructor(seed: number) {
    const next = splitmix32((seed >>> 0) ^ Math.imul(Math.floor(seed / 2 ** 32), 0x9e3779b9))
    this.#a = next()
    this.#b = next()
    this.#c = next()
  }

  /** Uniform in [0, 1), with 53 random bits. `place` is a whole number from 0 to 2^32 - 1. */
  at(place: number): number {
    let a = this.#a ^ splitmix32(place)()
    let b = this.#b
    let c = this.#c
    let counter = place | 0
    let sum = 0
    let high = 0
    for (let i = 0; i < MIXING + 2; i++) {
      high = sum >>> 5
      sum = (((a + b) | 0) + counter) | 0
      counter = (counter + 1) | 0
      a = b ^ (b >>> 9)
      b = (c + (c << 3)) | 0
      c = (((c << 21) | (c >>> 11)) + sum) | 0
    }
    return (high * 2 ** 26 + (sum >>> 6)) / 2 ** 53
  }
}

/** Rounds before a state is used. */
const MIXING = 12

function splitmix32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) | 0
  }
}
