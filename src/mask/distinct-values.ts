/**
 * The least values that can be written at a node, each once: what arrays of items that must differ are completed with.
 *
 * Values of scalars hang on nothing else, so that they are known while the least texts of rules are still being found;
 * those of containers are found by a search that is kept and goes on when more are asked for.
 */
import { bytesOf } from '../automaton/latin1.ts'
import type { ArrayPart } from '../automaton/parts.ts'
import type { Program } from '../automaton/program.ts'
import { DistinctSearch, type Estimates } from './distinct-search.ts'
import { itemOf } from './history.ts'
import { type Item, isNew } from './item-index.ts'
import type { Least } from './least.ts'
import type { Thread } from './threads.ts'

interface Value extends Least {
  readonly key: string
}

interface Values {
  readonly search: DistinctSearch
  readonly found: Value[]
  ended: boolean
}

export class DistinctValues {
  readonly #program: Program
  readonly #estimates: Estimates
  readonly #values = new Map<string, Values>()
  readonly #scalars = new Map<number, boolean>()
  /** Searches that are under way: what they need of each other they do without. */
  #busy = 0

  constructor(program: Program, estimates: Estimates) {
    this.#program = program
    this.#estimates = estimates
  }

  /** The context behind the outermost array whose items must differ. */
  goalOf(context: number): number {
    const { watched, parent } = this.#program.contexts
    let goal = context
    while (watched[goal] === 1) goal = parent[goal]!
    return goal
  }

  /** Whether items of an array must differ that are not all scalars of one node: which ones are its least is then searched for. */
  isHard(part: ArrayPart): boolean {
    return part.isUnique && part.owed(0) > 1 && !(part.isUniform(0) && this.isScalar(part.step(0).node))
  }

  /** The least array, if it stands in `depth` containers; `null` where there is none. */
  leastArray(at: number, depth: number): Least | null {
    const { parent } = this.#program.contexts
    const context = this.#program.standing(at, depth)
    const [bracket] = this.#program.closure(context).starts
    return bracket === undefined ? null : this.#search(context, parent[bracket.context]!).next()
  }

  /** The `count` least values that are none of `items` nor `current`, fewer where there are no more; `null` where they cannot be told now. */
  least(
    node: number,
    depth: number,
    count: number,
    items: Item | null,
    current: string | null,
  ): readonly Value[] | null {
    if (!this.isScalar(node) && (this.#busy > 0 || !this.#estimates.isSettled)) return null
    const key = `${node},${depth}`
    let values = this.#values.get(key)
    if (values === undefined) {
      this.#busy++
      const context = this.#program.standing(node, depth)
      const goal = this.#program.contexts.parent[context]!
      values = { search: this.#search(context, goal), found: [], ended: false }
      this.#busy--
      this.#values.set(key, values)
    }
    const least: Value[] = []
    for (let i = 0; least.length < count; i++) {
      if (i === values.found.length && !this.#extend(values)) break
      const value = values.found[i]!
      if (value.key !== current && isNew(value.key, items)) least.push(value)
    }
    return least
  }

  /**
   * As many least values of the positions that are owed, whichever position each is for: no choice of values for them is
   * shorter. `null` where that cannot be told.
   */
  leastOfAll(
    part: ArrayPart,
    from: number,
    owed: number,
    items: Item | null,
    current: string | null,
  ): readonly Least[] | null {
    if (part.isCounted) return null
    const all = new Map<string, Value>()
    let count = from
    for (let i = 0; i < owed; i++) {
      const { node, after } = part.step(count)
      if (!this.isScalar(node)) return null
      for (const value of this.least(node, 0, owed, items, current) ?? []) {
        const known = all.get(value.key)
        if (known === undefined || value.text.length < known.text.length) all.set(value.key, value)
      }
      if (part.isUniform(count)) break
      count = after
    }
    return [...all.values()].sort((a, b) => a.text.length - b.text.length).slice(0, owed)
  }

  /** Whether some tally asks for more items than there are values left that count for it. */
  isStuck(part: ArrayPart, count: number, items: Item | null, current: string | null): boolean {
    return part.unmet(count).some(({ missing, nodes }) => {
      const left = new Set<string>()
      for (const node of nodes) {
        if (!this.isScalar(node)) return false
        for (const { key } of this.least(node, 0, missing, items, current) ?? []) left.add(key)
        if (left.size >= missing) return false
      }
      return true
    })
  }

  #extend(values: Values): boolean {
    if (values.ended) return false
    this.#busy++
    const found = values.search.next()
    this.#busy--
    if (found === null) {
      values.ended = true
      return false
    }
    const bytes = bytesOf(found.text)
    values.found.push({
      text: found.text,
      tokens: found.tokens,
      key: itemOf(bytes, 0, bytes.length, null).key,
    })
    return true
  }

  #search(context: number, goal: number): DistinctSearch {
    const from: Thread = { dfa: null, state: 0, context, history: null, start: 0, frame: null }
    const nothing = { bytes: new Uint8Array(0), length: 0 }
    return new DistinctSearch(
      this.#program,
      this.#estimates,
      from,
      nothing,
      (thread) => thread.context === goal,
    )
  }

  /** Whether only scalars, and no rules, stand at a node. Depth of recursion: that of expressions. */
  isScalar(at: number): boolean {
    const known = this.#scalars.get(at)
    if (known !== undefined) return known
    const node = this.#program.nodes[at]!
    this.#scalars.set(at, false)
    const scalar =
      node.kind === 'return' ||
      (node.kind === 'terminal' && this.isScalar(node.next)) ||
      (node.kind === 'split' && node.options.every((option) => this.isScalar(option)))
    this.#scalars.set(at, scalar)
    return scalar
  }
}
