/**
 * A terminal's automaton: a DFA over bytes that is built as it is asked.
 *
 * State 0 is dead: `next` returns it exactly when no text of the terminal continues that way, so that every other state
 * can still be finished. An accepting state carries a tag (1 and up) that tells which way the terminal was left: a
 * separator ends in `,` or in `}`, a key is one of the declared ones. A state that accepts and has no successor is
 * *final*; the automaton above leaves it at once, so that equal positions have equal threads.
 */
import { effort } from '../effort.ts'

export abstract class Dfa {
  /** Unique within a process; identifies the automaton in interned threads. */
  readonly id: number = nextId++
  /** What the masks keep of this automaton, so that it goes when the automaton goes. */
  kept: unknown = null

  /** The first state, 0 if the language is empty. */
  abstract readonly start: number
  /** The successor; 0 where no text continues. */
  abstract next(state: number, byte: number): number
  /** 0 where the state does not accept, else which way the terminal ends here. */
  abstract tag(state: number): number
  /** Whether nothing can follow within the terminal; only asked of accepting states. */
  abstract final(state: number): boolean
  /** All bytes that have a successor, and perhaps some that have none; `null` where they are too many to be worth listing. */
  abstract edges(state: number): readonly number[] | null
  /** The tags of the accepting states that can be reached from the state, and perhaps some that cannot. */
  abstract tagsFrom(state: number): Iterable<number>
  /** The shortest text, in bytes, from the state to an accepting one with the tag; ties: lowest bytes. `null` where there is none. */
  abstract shortest(state: number, tag: number): Uint8Array | null
  /** Whether bytes may follow a terminal that was left with the tag; `false` only where that is known. */
  leadsOn(_tag: number): boolean {
    return true
  }
}

/** Bytes that the rows of an automaton take. */
const MAX_ROW_BYTES = 1 << 22
/** A row has eight pages of 32 bytes that follow one another in the alphabet: texts of ASCII read three of them. */
const PAGES_BITS = 3
const PAGE_BITS = 5
const IN_PAGE = (1 << PAGE_BITS) - 1
/** States that have rows, and pages, at first. */
const FEW_ROWS = 4
const FEW_PAGES = 8

/**
 * An automaton whose successors cost something to find out: its rows are kept.
 *
 * - `#pages`, 8 Int32 a state: where in `#cells` the page of so many bytes begins; 0 where none was asked for
 * - `#cells`, 32 Int32 a page: the successor plus 1; 0 where not yet asked. The first page is nobody's
 *
 * Asking costs two loads when filled. Pages are made where a byte of theirs is asked for, since a state on a path through a text is
 * asked for a byte or two: rows of 256 cells were a seventh of all the memory that masks took. The rows are those of consecutive
 * states; a string that counts its characters has a state for each, and where they would take too much the rows begin anew at
 * the state that is asked for: a text goes on from there.
 */
export abstract class RowDfa extends Dfa {
  #pages = new Int32Array(FEW_ROWS << PAGES_BITS)
  #cells = new Int32Array(FEW_PAGES << PAGE_BITS)
  /** Where in a table of all pages these begin. */
  #base = 0
  /** Where the next page is to be. */
  #end = 1 << PAGE_BITS

  /** The successor, computed; 0 where no text continues. */
  protected abstract transition(state: number, byte: number): number

  next(state: number, byte: number): number {
    const at = ((state << PAGES_BITS) | (byte >>> PAGE_BITS)) - this.#base
    if (at >= 0 && at < this.#pages.length) {
      // Of a page that is not there this reads the first one, which stays 0.
      const known = this.#cells[this.#pages[at]! | (byte & IN_PAGE)]!
      if (known !== 0) return known - 1
    }
    effort.transitions++
    const target = this.transition(state, byte)
    // The computation may have asked for other rows, and so have moved them.
    this.#cells[this.#place(state, byte) | (byte & IN_PAGE)] = target + 1
    return target
  }

  /** Where the page of a state and byte is; there is one from here on. */
  #place(state: number, byte: number): number {
    let at = ((state << PAGES_BITS) | (byte >>> PAGE_BITS)) - this.#base
    if (at >= 0 && at < this.#pages.length && this.#pages[at] !== 0) return this.#pages[at]!
    let rows = this.#pages.length
    while (rows <= at) rows *= 2
    const isFull = this.#end === this.#cells.length
    const cells = isFull ? 2 * this.#end : this.#cells.length
    if (at < 0 || 4 * (rows + cells) > MAX_ROW_BYTES) {
      this.#base = state << PAGES_BITS
      this.#pages = new Int32Array(FEW_ROWS << PAGES_BITS)
      this.#cells = new Int32Array(FEW_PAGES << PAGE_BITS)
      this.#end = 1 << PAGE_BITS
      at = byte >>> PAGE_BITS
    } else {
      if (rows > this.#pages.length) this.#pages = longer(this.#pages, rows)
      if (isFull) this.#cells = longer(this.#cells, cells)
    }
    const page = this.#end
    this.#end += 1 << PAGE_BITS
    this.#pages[at] = page
    return page
  }

  /** A terminal of this kind is left in one way only. */
  tagsFrom(_state: number): readonly number[] {
    return ONLY_TAG
  }
}

function longer(cells: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(length)
  copy.set(cells)
  return copy
}

/** The state after a text, one byte a unit; 0 where none goes on so. */
export function stateAfter(dfa: Dfa, text: string): number {
  let state = dfa.start
  for (let i = 0; i < text.length && state !== 0; i++) state = dfa.next(state, text.charCodeAt(i))
  return state
}

/** The tag with which the automaton accepts a whole text; 0 where it does not. */
export function tagOf(dfa: Dfa, text: string): number {
  const state = stateAfter(dfa, text)
  return state === 0 ? 0 : dfa.tag(state)
}

export const ONLY_TAG: readonly number[] = [1]

let nextId = 1

/**
 * The least continuation of `state` to an accepting state with `tag`, or `null`, by breadth-first search over bytes. The
 * queue holds states in the order of (length, bytes) of the least text that reaches them, so the first one that accepts is
 * the answer. O(states * 256).
 */
function shortestByBytes(dfa: Dfa, state: number, tag: number): Uint8Array | null {
  if (dfa.tag(state) === tag) return new Uint8Array(0)
  const parent = new Map<number, { from: number; byte: number }>()
  const queue = [state]
  const seen = new Set(queue)
  for (let head = 0; head < queue.length; head++) {
    const from = queue[head]!
    for (let byte = 0; byte < 256; byte++) {
      const to = dfa.next(from, byte)
      if (to === 0 || seen.has(to)) continue
      seen.add(to)
      parent.set(to, { from, byte })
      if (dfa.tag(to) === tag) {
        const text: number[] = []
        for (let at = to; at !== state; at = parent.get(at)!.from) text.push(parent.get(at)!.byte)
        return Uint8Array.from(text.reverse())
      }
      queue.push(to)
    }
  }
  return null
}

/** An automaton written down state by state: separators, brackets, literals. */
export class TableDfa extends Dfa {
  readonly start: number
  readonly #edges: Map<number, number>[] = [new Map()]
  readonly #tags: number[] = [0]
  /** By state, those with an edge. */
  readonly #bytes: readonly (readonly number[])[]

  constructor(build: (table: TableBuilder) => number, alphabet: Uint8Array) {
    super()
    this.start = build({
      state: (tag = 0) => {
        this.#edges.push(new Map())
        return this.#tags.push(tag) - 1
      },
      edge: (from, byte, to) => {
        if (alphabet[byte] === 1) this.#edges[from]!.set(byte, to)
      },
    })
    this.#trim()
    this.#bytes = this.#edges.map((edges) => [...edges.keys()])
  }

  /** Removes edges into states from which no accepting one can be reached (bytes the vocabulary cannot spell cause them). */
  #trim(): void {
    const alive = this.#tags.map((tag) => tag !== 0)
    for (let changed = true; changed; ) {
      changed = false
      this.#edges.forEach((edges, state) => {
        if (alive[state] || ![...edges.values()].some((to) => alive[to])) return
        alive[state] = true
        changed = true
      })
    }
    for (const edges of this.#edges) for (const [byte, to] of edges) if (!alive[to]) edges.delete(byte)
    if (!alive[this.start]) (this as { start: number }).start = 0
  }

  next(state: number, byte: number): number {
    return this.#edges[state]!.get(byte) ?? 0
  }
  edges(state: number): readonly number[] {
    return this.#bytes[state]!
  }
  tag(state: number): number {
    return this.#tags[state]!
  }
  final(state: number): boolean {
    return this.#edges[state]!.size === 0
  }
  tagsFrom(_state: number): number[] {
    return [...new Set(this.#tags)].filter((tag) => tag !== 0)
  }
  shortest(state: number, tag: number): Uint8Array | null {
    return shortestByBytes(this, state, tag)
  }
}

export interface TableBuilder {
  /** A new state, accepting with `tag` if that is not 0. */
  state(tag?: number): number
  edge(from: number, byte: number, to: number): void
}
