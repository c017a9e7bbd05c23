const NO_KEYS = new Float64Array(1).fill(-1)
const NO_VALUES = new Int32Array(1)
/** Slots that the first key makes. */
const LEAST = 256

/**
 * Non-negative integers to integers, by open addressing: about a third of a `Map`'s cost in the walk's inner loop.
 *
 * An empty one holds nothing: a grammar that is compiled is not walked yet.
 */
export class IntMap {
  #keys = NO_KEYS
  #values = NO_VALUES
  size = 0

  /** The value of `key`, or -1. */
  get(key: number): number {
    const keys = this.#keys
    const mask = keys.length - 1
    let at = mix(key) & mask
    for (;;) {
      const k = keys[at]!
      if (k === key) return this.#values[at]!
      if (k < 0) return -1
      at = (at + 1) & mask
    }
  }

  /** Adds a key that is not there yet. */
  add(key: number, value: number): void {
    if (this.size * 2 + 2 > this.#keys.length) this.#rehash()
    this.#place(key, value)
    this.size++
  }

  #place(key: number, value: number): void {
    const mask = this.#keys.length - 1
    let at = mix(key) & mask
    while (this.#keys[at]! >= 0) at = (at + 1) & mask
    this.#keys[at] = key
    this.#values[at] = value
  }

  #rehash(): void {
    const keys = this.#keys
    const values = this.#values
    const length = Math.max(LEAST, keys.length * 2)
    this.#keys = new Float64Array(length).fill(-1)
    this.#values = new Int32Array(length)
    for (let i = 0; i < keys.length; i++) if (keys[i]! >= 0) this.#place(keys[i]!, values[i]!)
  }

  get byteLength(): number {
    return this.#keys.byteLength + this.#values.byteLength
  }
}

function mix(key: number): number {
  const high = Math.floor(key / 0x100000000)
  let h = Math.imul(key | 0, 0x9e3779b1) ^ Math.imul(high, 0x85ebca77)
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d)
  return (h ^ (h >>> 13)) >>> 0
}
