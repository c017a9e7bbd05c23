/** A search for the least text over states: each is taken with its least text only (A* with reopening). */
import { Frontier, type Ranked } from './frontier.ts'

interface Entry extends Ranked {
  readonly state: number
}

export class LeastFirst {
  readonly #frontier = new Frontier<Entry>()
  /** The best text with which each state was taken. */
  readonly #taken = new Map<number, string>()

  /**
   * @param text the text that leads to the state, one byte a unit
   * @param rest bytes that must follow the text, never more than truly must; `Infinity` if no end follows
   */
  offer(state: number, text: string, rest = 0): void {
    if (rest === Number.POSITIVE_INFINITY) return
    const taken = this.#taken.get(state)
    if (taken !== undefined && !isLess(text, taken)) return
    this.#frontier.push({ state, order: text, estimate: text.length + rest })
  }

  /** The next entry, or `null` when there is none. A state comes again only with a better text. */
  take(): { state: number; text: string } | null {
    for (let top = this.#frontier.pop(); top !== undefined; top = this.#frontier.pop()) {
      const { state, order: text } = top
      const taken = this.#taken.get(state)
      if (taken !== undefined && !isLess(text, taken)) continue
      this.#taken.set(state, text)
      return { state, text }
    }
    return null
  }
}

function isLess(a: string, b: string): boolean {
  return a.length !== b.length ? a.length < b.length : a < b
}
