/**
 * The most that completing a text may cost behind the tokens of one place: near the end of a budget, only what may exceed it is
 * looked at.
 *
 * A ceiling is found as a fragment is, terminal by terminal, but it is a number. What a context adds to its stack does not
 * depend on the stack: so it is kept by node and counter, with the rests that reach the stack, and hence known in all
 * depths of all texts once it was found in one. Where that is not so, in unions and in grammars that are not JSON alone, it is
 * kept by context.
 */
import { END_CONTEXT, UNION } from '../automaton/contexts.ts'
import type { Dfa } from '../automaton/dfa.ts'
import { KeyDfa } from '../automaton/key-dfa.ts'
import type { Program } from '../automaton/program.ts'
import { type Completions, LONGER_KEY } from './completion.ts'
import type { Partitions } from './partition.ts'
import type { PartitionCache } from './partition-cache.ts'
import type { Rest } from './rest.ts'
import type { TokenGroup, TokenGroups } from './token-groups.ts'

/** What a context, or a terminal that runs in it, makes of tokens. */
interface Own {
  /** Tokens beyond what its parent owes, at most. */
  most: number
  /** What goes on in the parent. */
  readonly passed: Set<Rest>
}

/** Numbers that are kept: beyond them all are forgotten. */
const MAX_KNOWN = 1 << 16
/** Nodes, and states, are below this. */
const COUNTS = 2 ** 26
const INFINITE = Number.POSITIVE_INFINITY
/** Where nothing is allowed. */
const NONE = Number.NEGATIVE_INFINITY

export class Ceilings {
  readonly #program: Program
  readonly #partitions: Partitions
  readonly #parts: PartitionCache
  readonly #groups: TokenGroups
  readonly #completions: Completions
  readonly #isShared: boolean
  /** By node and counter, and rest. `null` where the stack matters. */
  readonly #contexts = new Map<number, Map<Rest, Own | null>>()
  /** By terminal and state, and node and counter. */
  readonly #terminals = new Map<number, Map<number, Own | null>>()
  /** By context and rest. */
  readonly #absolute = new Map<number, Map<Rest, number>>()
  #size = 0

  constructor(
    program: Program,
    { partitions, groups }: { readonly partitions: Partitions; readonly groups: TokenGroups },
    parts: PartitionCache,
    completions: Completions,
  ) {
    this.#program = program
    this.#partitions = partitions
    this.#parts = parts
    this.#groups = groups
    this.#completions = completions
    // Lines are indented by how many containers are open.
    this.#isShared = program.isJson && program.layout.whitespace !== 'pretty'
  }

  /** The most that completing the text costs behind a token of a thread, end token included. */
  ofThread(dfa: Dfa | null, state: number, context: number): number {
    if (this.#size > MAX_KNOWN) this.#forget()
    if (dfa === null) return 1 + this.#ofStarts(context)
    const own = this.#ofTerminal(dfa, state, context, false)
    const tag = dfa.tag(state)
    return 1 + (tag === 0 ? own : Math.max(own, this.#ofStarts(this.#program.exit(context, tag))))
  }

  /** The same of the tokens of a rest that a context can read, without the end token. */
  of(context: number, rest: Rest): number {
    const own = this.#mayShare(context) ? this.#ownOf(context, rest) : null
    if (own !== null) return this.#over(context, own)
    const known = mapAt(this.#absolute, context)
    let most = known.get(rest)
    if (most === undefined) {
      const found = nothing()
      for (const { dfa, context: inside } of this.#program.closure(context).starts)
        this.#visit({ dfa, state: dfa.start, context: inside, isBegun: true }, rest, null, found)
      most = found.most
      known.set(rest, most)
      this.#size++
    }
    return most
  }

  #forget(): void {
    this.#contexts.clear()
    this.#terminals.clear()
    this.#absolute.clear()
    this.#size = 0
  }

  /** All that may begin at a context. The end of the text costs nothing more. */
  #ofStarts(context: number): number {
    const { starts, tokens } = this.#program.closure(context)
    let most = 0
    for (const { dfa, context: inside } of starts)
      most = Math.max(most, this.#ofTerminal(dfa, dfa.start, inside, true))
    for (const { context: behind } of tokens) most = Math.max(most, this.#stack(behind))
    return most
  }

  #ofTerminal(dfa: Dfa, state: number, context: number, isBegun: boolean): number {
    const running = { dfa, state, context, isBegun }
    if (this.#mayShare(context)) {
      const { node, count, parent } = this.#program.contexts
      const known = mapAt(this.#terminals, dfa.id * COUNTS + state)
      const key = 2 * (node[context]! * COUNTS + count[context]!) + (isBegun ? 1 : 0)
      let own = known.get(key)
      if (own === undefined) {
        const found = nothing()
        own = this.#visit(running, null, parent[context]!, found) ? found : null
        known.set(key, own)
        this.#size++
      }
      if (own !== null) return this.#over(context, own)
    }
    const found = nothing()
    this.#visit(running, null, null, found)
    return found.most
  }

  /** What a context makes of a rest, whatever stands below it; `null` where that is not told apart. */
  #ownOf(context: number, rest: Rest): Own | null {
    const { node, count, parent } = this.#program.contexts
    const known = mapAt(this.#contexts, node[context]! * COUNTS + count[context]!)
    let own = known.get(rest)
    if (own === undefined) {
      const found = nothing()
      const { starts } = this.#program.closure(context)
      const isOwn = starts.every(({ dfa, context: inside }) =>
        this.#visit({ dfa, state: dfa.start, context: inside, isBegun: true }, rest, parent[context]!, found),
      )
      own = isOwn ? found : null
      known.set(rest, own)
      this.#size++
    }
    return own
  }

  /** Whether what stands below a context can be told apart from what it adds. */
  #mayShare(context: number): boolean {
    const { node, parent } = this.#program.contexts
    if (!this.#isShared || context === END_CONTEXT || node[context] === UNION) return false
    const below = this.#stack(parent[context]!)
    return below > NONE && below < INFINITE
  }

  #over(context: number, { most, passed }: Own): number {
    const below = this.#program.contexts.parent[context]!
    let all = this.#stack(below) + most
    for (const rest of passed) all = Math.max(all, this.of(below, rest))
    return all
  }

  /** What a stack owes, with what its objects may make it more. */
  #stack(context: number): number {
    const least = this.#completions.ofContext(context)
    if (least === undefined) return INFINITE
    return least === null ? NONE : least.tokens + this.#completions.slackOf(context)
  }

  /**
   * Adds what a terminal makes of the tokens, or of a rest.
   *
   * @param floor the context up to whose stack is counted; `null` for all of it
   * @returns whether nothing but what stands over the floor plays a part
   */
  #visit(
    { dfa, state, context, isBegun }: Running,
    rest: Rest | null,
    floor: number | null,
    out: Own,
  ): boolean {
    const below = floor === null ? 0 : this.#stack(floor)
    const add = (groups: readonly TokenGroup[], more: number): void => {
      for (const { ends } of groups)
        for (const { tag, least } of ends)
          out.most = Math.max(
            out.most,
            least.tokens + more + this.#stack(this.#program.exit(context, tag)) - below,
          )
    }
    const { exits, amendment } = this.#partitions.of(dfa, state, rest, this.#parts)
    if (dfa instanceof KeyDfa) {
      const free = dfa.free(state)
      // A key that begins in a token may have to be none of the others that the token has.
      const isAny = free === 0 || dfa.freeKeys!.isAny
      if (free !== 0)
        add(this.#groups.of(dfa.freeKeys!, free, rest), !isBegun ? 0 : isAny ? LONGER_KEY : INFINITE)
      add(this.#groups.along(dfa, state, rest, this.#partitions), 0)
    } else add(this.#groups.of(dfa, state, rest), 0)
    for (const { tag, rest: behind } of exits)
      if (!this.#lift(this.#program.exit(context, tag), behind, floor, out)) return false
    for (const { tag, rest: behind } of amendment?.exits ?? [])
      if (!this.#lift(this.#program.exit(context, tag), behind, floor, out)) return false
    return true
  }

  /** Adds what a context over the floor, or the floor itself, makes of a rest. */
  #lift(context: number, rest: Rest, floor: number | null, out: Own): boolean {
    if (floor === null) {
      out.most = Math.max(out.most, this.of(context, rest))
      return true
    }
    if (context === floor) {
      out.passed.add(rest)
      return true
    }
    // Parents are older than their children.
    if (context < floor || !this.#mayShare(context)) return false
    const own = this.#ownOf(context, rest)
    if (own === null) return false
    const parent = this.#program.contexts.parent[context]!
    out.most = Math.max(out.most, own.most + this.#stack(parent) - this.#stack(floor))
    for (const passed of own.passed) if (!this.#lift(parent, passed, floor, out)) return false
    return true
  }
}

/** A terminal that runs. */
interface Running {
  readonly dfa: Dfa
  readonly state: number
  readonly context: number
  readonly isBegun: boolean
}

function nothing(): Own {
  return { most: NONE, passed: new Set() }
}

function mapAt<K, V>(maps: Map<number, Map<K, V>>, key: number): Map<K, V> {
  let map = maps.get(key)
  if (map === undefined) {
    map = new Map()
    maps.set(key, map)
  }
  return map
}
