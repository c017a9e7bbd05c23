/**
 * Where so many values can still come that no items, being as many as they are, have them all: positions at which arrays whose
 * items must differ have nothing to say.
 *
 * Seen from contexts and states of terminals alone, whatever was written: `true` is sure, `false` is not. A position has
 * room if what is still to be written of the innermost item can become anything of very many values: then the item can be
 * made to differ, and with it every item around it. Kept for each context; asking costs one load.
 */
import type { ContextTable } from '../automaton/contexts.ts'
import type { Dfa } from '../automaton/dfa.ts'
import { DECLARED, isFree, KeyDfa } from '../automaton/key-dfa.ts'
import type { Node } from '../automaton/nodes.ts'
import { NumberTerminal } from '../automaton/number-terminal.ts'
import type { ArrayPart, ObjectPart } from '../automaton/parts.ts'
import type { Plenty } from '../automaton/plenty.ts'
import type { Program, Start } from '../automaton/program.ts'
import { StringDfa } from '../automaton/string-dfa.ts'
import { StringMinus } from '../automaton/string-minus.ts'

/** What is known of a context: nothing yet, room, none. */
const ROOM = 1
const NONE = 2
/** Names of a key that are looked at. */
const MAX_NAMES = 32

export class Room {
  readonly #program: Program
  readonly #contexts: ContextTable
  readonly #plenty: Plenty
  /** Whether the choice of one item of an array decides about others. */
  readonly isTight: (part: ArrayPart) => boolean
  #known = new Uint8Array(1024)
  readonly #calm: (boolean | undefined)[] = []

  constructor(program: Program, plenty: Plenty, isTight: (part: ArrayPart) => boolean) {
    this.#program = program
    this.#contexts = program.contexts
    this.#plenty = plenty
    this.isTight = isTight
  }

  /** Whether what may come from a context to the end of the innermost item can be anything of very many values. */
  within(context: number): boolean {
    const { parent, watched } = this.#contexts
    const path: number[] = []
    let at = context
    let known = 0
    while (known === 0) {
      if (at < this.#known.length) known = this.#known[at]!
      if (known !== 0) break
      path.push(at)
      const node = this.#nodeOf(at)
      if (watched[at] === 0 || (node.kind === 'array-place' && node.part.isUnique))
        known = this.#isAnyTight(at) ? NONE : watched[at] === 0 ? ROOM : NONE
      else if (this.#hasOwn(at, node)) known = this.#isAnyTight(at) ? NONE : ROOM
      else at = parent[at]!
    }
    for (const c of path) this.#keep(c, known)
    return known === ROOM
  }

  /** Whether a terminal that runs can still become anything of very many values, or what follows it can. */
  of(dfa: Dfa, state: number, context: number): boolean {
    if (dfa instanceof KeyDfa) return this.#hasKeys(dfa, state, context)
    if (this.#program.isScalar(dfa))
      return this.within(context) || (isLoose(dfa, state) && !this.#isAnyTight(context))
    const tag = dfa.tag(state)
    if (tag !== 0) return this.behind(context, tag)
    const tags = [...dfa.tagsFrom(state)]
    const { whitespace } = this.#program.layout
    return whitespace === 'pretty'
      ? tags.every((each) => this.behind(context, each))
      : tags.some((each) => this.behind(context, each))
  }

  /** The same for what follows a terminal that was left with `tag`. Where an item ends, it is for others to say whether it may. */
  behind(context: number, tag: number): boolean {
    return this.within(this.#program.exit(context, tag))
  }

  /** The same where an item has ended: if it may, whether the array can go on or end. */
  afterItem(context: number): boolean {
    const { parent, watched, count } = this.#contexts
    const { part } = this.#nodeOf(context) as Extract<Node, { kind: 'array-place' }>
    if (this.#isAnyTight(context)) return false
    return (
      (part.canClose(count[context]!) && watched[parent[context]!] === 0) ||
      part.steps(count[context]!).some(({ node }) => this.#plenty.at(node))
    )
  }

  /** Whether each way to write the next item, behind one that has ended, has very many values. */
  isPlentiful(context: number): boolean {
    const { part } = this.#nodeOf(context) as Extract<Node, { kind: 'array-place' }>
    return part.steps(this.#contexts.count[context]!).every(({ node }) => this.#plenty.at(node))
  }

  /** How many values there are at least for the next item, behind one that has ended. */
  valuesBehind(context: number): number {
    const { part } = this.#nodeOf(context) as Extract<Node, { kind: 'array-place' }>
    return Math.max(
      0,
      ...part.steps(this.#contexts.count[context]!).map(({ node }) => this.#plenty.atLeast(node)),
    )
  }

  /** Whether an item that must differ from others ends in the context. */
  isEndOfItem(context: number): boolean {
    const node = this.#nodeOf(context)
    return node.kind === 'array-place' && node.place === 'after' && node.part.isUnique
  }

  /** Whether items have nothing to say of any terminal that may begin at a context, whatever becomes of it. */
  isCalm(context: number): boolean {
    let calm = this.#calm[context]
    if (calm === undefined) {
      calm = this.#program.closure(context).starts.every((start) => this.isCalmStart(start))
      this.#calm[context] = calm
    }
    return calm
  }

  isCalmStart({ dfa, context }: Start): boolean {
    return this.isCalmTerminal(dfa, context)
  }

  /** The same of a terminal, from its beginning on. */
  isCalmTerminal(dfa: Dfa, context: number): boolean {
    if (dfa instanceof KeyDfa) {
      let names = 0
      for (const tag of dfa.tagsFrom(dfa.start))
        if (++names > MAX_NAMES || !this.behind(context, tag)) return false
      return true
    }
    if (this.#program.isScalar(dfa)) return this.within(context)
    for (const tag of dfa.tagsFrom(dfa.start)) if (!this.behind(context, tag)) return false
    return true
  }

  #nodeOf(context: number): Node {
    return this.#program.nodes[this.#contexts.node[context]!]!
  }

  #keep(context: number, known: number): void {
    if (context >= this.#known.length) {
      const longer = new Uint8Array(Math.max(context + 1, this.#known.length * 2))
      longer.set(this.#known)
      this.#known = longer
    }
    this.#known[context] = known
  }

  #isAnyTight(context: number): boolean {
    const { parent, watched } = this.#contexts
    for (let at = context; watched[at] === 1; at = parent[at]!) {
      const node = this.#nodeOf(at)
      if (node.kind === 'array-place' && node.part.isUnique && this.isTight(node.part)) return true
    }
    return false
  }

  /** Whether what stands at the context itself can be anything of very many values, its parent left aside. */
  #hasOwn(context: number, node: Node): boolean {
    const count = this.#contexts.count[context]!
    if (node.kind === 'object-place') return this.#hasEntries(node.part, count)
    if (node.kind === 'array-place')
      return node.part.max === Number.POSITIVE_INFINITY && node.part.canEnter(count)
    return this.#plenty.at(this.#contexts.node[context]!)
  }

  #hasEntries(part: ObjectPart, count: number): boolean {
    if (part.unmet(count) !== 0) return false
    if (part.freeAllowed(count) && part.hasManyFreeKeys) return true
    return part.properties.some(({ entry }, i) => part.isAllowed(count, i) && this.#plenty.at(entry))
  }

  #hasKeys(dfa: KeyDfa, state: number, context: number): boolean {
    if (dfa.infinite(state)) {
      let all = true
      for (const tag of dfa.freeKeys!.tagsFrom(dfa.free(state))) all &&= this.behind(context, tag)
      if (all) return true
    }
    let names = 0
    for (const name of dfa.namesFrom(state)) {
      if (++names > MAX_NAMES) return false
      if (this.behind(context, name + DECLARED)) return true
    }
    const tag = dfa.tag(state)
    return isFree(tag) && tag !== 0 && this.behind(context, tag)
  }
}

/** Whether very many scalars can still come of a state, however the text before it was spelled. */
function isLoose(dfa: Dfa, state: number): boolean {
  if (dfa instanceof StringMinus) {
    const outside = dfa.outside(state)
    return outside !== 0 && isLoose(dfa.base, outside)
  }
  return (dfa instanceof NumberTerminal || dfa instanceof StringDfa) && dfa.isLoose(state)
}
