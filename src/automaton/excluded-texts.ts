/**
 * A language over code points without a few texts: beside the language's own state runs the place in a trie of these texts.
 *
 * Once a text has left the trie it is read by the language alone. A state within it is alive if the language accepts there
 * and the text is none of them, or if some character leads on: decided once for each place in the trie, since all that
 * leaves the trie is alive.
 */
import { MAX_CODE_POINT } from '../regex/charset.ts'
import type { CharLanguage } from './char-language.ts'
import { ONLY_TAG } from './dfa.ts'

/** Any text: one state, one class. */
const ANYTHING = 1

export class ExcludedTexts implements CharLanguage {
  readonly start: number
  readonly classCount: number
  readonly rangeStarts: Int32Array
  readonly rangeClass: Uint16Array
  readonly #base: CharLanguage | null
  /** For each class that of the language. */
  readonly #baseClass: number[] = []
  /** Children of each place in the trie by class; place 0 is outside, 1 the root. */
  readonly #children: Map<number, number>[] = [new Map(), new Map()]
  readonly #ends: boolean[] = [false, false]
  /** Each state as (state of the language, place in the trie). */
  readonly #bases: number[] = [0]
  readonly #places: number[] = [0]
  readonly #ids = new Map<number, number>()
  readonly #alive = new Map<number, boolean>()

  /** @param base the language, with tag 1; `null` for any text */
  constructor(base: CharLanguage | null, texts: readonly string[]) {
    this.#base = base
    const singles = [...new Set(texts.flatMap((text) => [...text].map((c) => c.codePointAt(0)!)))].sort(
      (a, b) => a - b,
    )
    const starts = new Set<number>([0, ...(base?.rangeStarts ?? [])])
    for (const code of singles) {
      starts.add(code)
      if (code < MAX_CODE_POINT) starts.add(code + 1)
    }
    this.rangeStarts = Int32Array.from([...starts].sort((a, b) => a - b))
    // A character of the texts is a class of its own, the others are those of the language.
    const single = new Map<number, number>()
    const plain = new Map<number, number>()
    const known = new Set(singles)
    this.rangeClass = Uint16Array.from(this.rangeStarts, (code) => {
      const own = base === null ? 0 : base.classOf(code)
      const classes = known.has(code) ? single : plain
      const key = known.has(code) ? code : own
      let cls = classes.get(key)
      if (cls === undefined) {
        cls = this.#baseClass.push(own) - 1
        classes.set(key, cls)
      }
      return cls
    })
    this.classCount = this.#baseClass.length
    for (const text of texts) this.#insert([...text].map((c) => single.get(c.codePointAt(0)!)!))
    this.start = this.#state(base === null ? ANYTHING : base.start, 1)
  }

  #insert(classes: readonly number[]): void {
    let place = 1
    for (const cls of classes) {
      let child = this.#children[place]!.get(cls)
      if (child === undefined) {
        child = this.#children.push(new Map()) - 1
        this.#ends.push(false)
        this.#children[place]!.set(cls, child)
      }
      place = child
    }
    this.#ends[place] = true
  }

  #state(base: number, place: number): number {
    if (base === 0 || (place !== 0 && !this.#isAlive(base, place))) return 0
    const key = base * 0x100000 + place
    let state = this.#ids.get(key)
    if (state === undefined) {
      state = this.#bases.push(base) - 1
      this.#places.push(place)
      this.#ids.set(key, state)
    }
    return state
  }

  #isAlive(base: number, place: number): boolean {
    const pending = [[base, place] as const]
    for (let top = pending[0]; top !== undefined; top = pending[pending.length - 1]) {
      const [at, node] = top
      const key = at * 0x100000 + node
      if (this.#alive.has(key)) {
        pending.pop()
        continue
      }
      let alive = this.#isAliveAtOnce(at, node)
      let waits = false
      if (!alive) {
        for (const [cls, child] of this.#children[node]!) {
          const next = this.#base!.next(at, this.#baseClass[cls]!)
          const known = next === 0 ? false : this.#alive.get(next * 0x100000 + child)
          if (known === undefined) {
            pending.push([next, child])
            waits = true
          } else alive ||= known
        }
      }
      if (alive || !waits) this.#alive.set(key, alive)
    }
    return this.#alive.get(base * 0x100000 + place)!
  }

  /** Whether a text ends here, or some character leads out of the trie. */
  #isAliveAtOnce(base: number, place: number): boolean {
    if (this.#base === null || this.#base.infinite(base)) return true
    if (!this.#ends[place] && this.#base.tag(base) !== 0) return true
    return this.#baseClass.some(
      (own, cls) => !this.#children[place]!.has(cls) && this.#base!.next(base, own) !== 0,
    )
  }

  classOf(codePoint: number): number {
    let low = 0
    let high = this.rangeStarts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.rangeStarts[middle]! <= codePoint) low = middle
      else high = middle - 1
    }
    return this.rangeClass[low]!
  }
  next(state: number, cls: number): number {
    const base = this.#bases[state]!
    const next = this.#base === null ? ANYTHING : this.#base.next(base, this.#baseClass[cls]!)
    return this.#state(next, this.#children[this.#places[state]!]!.get(cls) ?? 0)
  }
  tag(state: number): number {
    if (this.#ends[this.#places[state]!]) return 0
    return this.#base === null ? 1 : this.#base.tag(this.#bases[state]!)
  }
  anyTag(state: number): number {
    if (this.#places[state] !== 0) return 0
    return this.#base === null ? 1 : this.#base.anyTag(this.#bases[state]!)
  }
  tagsFrom(_state: number): readonly number[] {
    return ONLY_TAG
  }
  minLength(state: number): number {
    return this.#base === null ? 0 : this.#base.minLength(this.#bases[state]!)
  }
  infinite(state: number): boolean {
    return this.#base === null || this.#base.infinite(this.#bases[state]!)
  }
}
