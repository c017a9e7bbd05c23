/**
 * A small seeded generator, so that a sampled run can be repeated on any machine: sfc32 (Chris Doty-Humphrey's
 * "small fast counting" generator, 128 bits of state, passes PractRand), seeded through splitmix32 so that nearby seeds
 * share nothing. Not for secrets.
 */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  /** `seed` is a whole number from 0 to 2^53 - 1. */
  constructor(seed: number) {
    const next = splitmix32((seed >>> 0) ^ Math.imul(Math.floor(seed / 2 ** 32), 0x9e3779b9))
    this.#a = next()
    this.#b = next()
    this.#c = next()
    for (let i = 0; i < 12; i++) this.#next32()
  }

  /** Uniform in [0, 1), with 53 random bits. */
  next(): number {
    const high = this.#next32() >>> 5
    const low = this.#next32() >>> 6
    return (high * 2 ** 26 + low) / 2 ** 53
  }

  #next32(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }
}

function splitmix32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) | 0
  }
}
