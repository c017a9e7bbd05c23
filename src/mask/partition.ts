/**
 * What one state of one terminal makes of the vocabulary, whatever follows the terminal.
 *
 * The tokens fall into those that stay in the terminal to their last byte, or end exactly at its end (the *base*, a mask
 * or a short list), those that leave it on the way (the *exits*: what is left of them, as a trie to be walked through the
 * real context), and the rest. A partition depends on the vocabulary and the terminal only, so those of free strings,
 * keys, numbers and separators are computed once for all grammars.
 */
import type { Dfa } from '../automaton/dfa.ts'
import { DECLARED, isFree, KeyDfa } from '../automaton/key-dfa.ts'
import { type Content, type Spelling, StringDfa } from '../automaton/string-dfa.ts'
import { StringMinus } from '../automaton/string-minus.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { ClassTables, closedClass, isClosedAt } from './class-table.ts'
import { type Exit, exitsAt, finishPartition, NO_IDS, type Partition } from './partition-parts.ts'
import { StringTable } from './string-table.ts'

/** Partitions of one vocabulary, by terminal and state. */
export class Partitions {
  readonly #vocabulary: Vocabulary
  /** Those of automata that live as long as these do or longer: a grammar's own go with the grammar. */
  readonly #known = new WeakMap<Dfa, Map<number, Partition>>()
  readonly #tables = new Map<Spelling, StringTable>()
  readonly #classes: ClassTables
  #stack = new Int32Array(64)

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
    this.#classes = new ClassTables(vocabulary)
  }

  of(dfa: Dfa, state: number): Partition {
    let byState = this.#known.get(dfa)
    if (byState === undefined) {
      byState = new Map()
      this.#known.set(dfa, byState)
    }
    let partition = byState.get(state)
    if (partition === undefined) {
      partition = this.#make(dfa, state)
      byState.set(state, partition)
    }
    return partition
  }

  #make(dfa: Dfa, state: number): Partition {
    if (dfa instanceof KeyDfa && dfa.free(state) !== 0) return this.#key(dfa, state)
    if (dfa instanceof StringMinus) return this.#minus(dfa, state)
    if (dfa instanceof StringDfa && dfa.spelling !== 'raw') {
      const content = dfa.content(state)
      if (content !== null && content.language < 0) return this.#free(dfa.spelling, content)
      if (content !== null) return this.#pattern(dfa, state, content.rest)
    }
    return this.#walk(dfa, state, null)
  }

  /** Any text: what the tables of the vocabulary say, with the exits under the tag of this language. */
  #free(spelling: Spelling, { language, need, rest }: Content): Partition {
    const partition = this.#table(spelling).partition(need, rest)
    const tag = -language
    return tag === 1 ? partition : { ...partition, exits: partition.exits.map((exit) => ({ ...exit, tag })) }
  }

  #table(spelling: Spelling): StringTable {
    let table = this.#tables.get(spelling)
    if (table === undefined) {
      table = new StringTable(this.#vocabulary, spelling)
      this.#tables.set(spelling, table)
    }
    return table
  }

  /**
   * A free key's partition, with the declared names cut out and led to their own exits. Tokens that stay within a declared
   * name are added: where the free keys have a language of their own, it may know nothing of them.
   */
  #key(dfa: KeyDfa, state: number): Partition {
    const shared = this.of(dfa.freeKeys!, dfa.free(state))
    const { trie } = this.#vocabulary
    const clear: number[] = []
    const ids = new Set<number>()
    const exits: Exit[] = []
    const typed = dfa.typed(state)
    for (const name of dfa.declaredFrom(state)) {
      const spelling = dfa.names.spellings[name]!
      const allowed = dfa.isAllowed(name)
      let node = 0
      let at = state
      for (let i = typed; i < spelling.length; i++) {
        node = trie.child(node, spelling[i]!)
        if (node === 0) break
        // Where only a name that may not come could end the key, nothing is written that far.
        at = dfa.next(at, spelling[i]!)
        if (at === 0) break
        if (allowed) for (let t = trie.first[node]!; t < trie.first[node + 1]!; t++) ids.add(trie.tokens[t]!)
      }
      if (node === 0) continue
      clear.push(node)
      if (allowed && trie.hasBelow(node)) exits.push({ tag: name + DECLARED, trie, node })
    }
    if (clear.length === 0 && ids.size === 0) return shared
    return { ...shared, amendment: { clear, ids: Int32Array.from(ids), exits } }
  }

  /** The string's own partition without the tokens that end as one of the texts, or can become nothing else. */
  #minus(dfa: StringMinus, state: number): Partition {
    const { trie } = this.#vocabulary
    const { base } = dfa
    const shared = this.of(base, dfa.baseOf(state))
    const clear: number[] = []
    const pending = [{ node: 0, state }]
    for (let top = pending.pop(); top !== undefined; top = pending.pop()) {
      const end = trie.skip[top.node]!
      const own = dfa.baseOf(top.state)
      for (let child = top.node + 1; child < end; child = trie.skip[child]!) {
        const byte = trie.byte[child]!
        if (base.next(own, byte) === 0) continue
        const next = dfa.next(top.state, byte)
        if (next === 0) clear.push(child)
        else if (dfa.outside(next) === 0) pending.push({ node: child, state: next })
      }
    }
    return clear.length === 0 ? shared : { ...shared, amendment: { clear, ids: NO_IDS, exits: [] } }
  }

  /** A string with a pattern: tokens of a class that the pattern cannot be left by are allowed unread. */
  #pattern(dfa: StringDfa, state: number, rest: number): Partition {
    const closed = closedClass(dfa, state)
    if (closed === null || !isClosedAt(dfa, state, closed)) return this.#walk(dfa, state, null)
    const { mask, inside } = this.#classes.of(dfa.chars!, closed.classes)
    const base = this.#table(dfa.spelling).upTo(mask, rest)
    return this.#walk(dfa, state, { base, inside })
  }

  /** Reads the trie with the automaton alone, but for the subtrees that hold nothing beyond `known.base`. */
  #walk(dfa: Dfa, state: number, known: Known | null): Partition {
    const { trie } = this.#vocabulary
    const found: Found = { ids: [], leaving: new Map() }
    if (this.#stack.length <= trie.maxDepth) this.#stack = new Int32Array(trie.maxDepth + 1)
    if (known === null) this.#below(dfa, 0, state, found)
    else this.#sweep(dfa, 0, state, found, known.inside)
    const exits = [...found.leaving].flatMap(([tag, nodes]) => exitsAt(this.#vocabulary, trie, nodes, tag))
    return finishPartition(this.#vocabulary, known?.base ?? null, found.ids, exits)
  }

  /** Everything below `node`, which was reached in `state`: by the automaton's edges while they are few, else by the trie's. */
  #below(dfa: Dfa, node: number, state: number, found: Found): void {
    const edges = dfa.edges(state)
    if (edges === null) {
      this.#sweep(dfa, node, state, found, null)
      return
    }
    const { trie } = this.#vocabulary
    const { byte, skip } = trie
    const end = skip[node]!
    // Edges tend to come in the order of their bytes, as the children do: the search goes on where the last one ended.
    let child = node + 1
    for (const edge of edges) {
      if (child >= end || byte[child]! > edge) child = node + 1
      while (child < end && byte[child]! < edge) child = skip[child]!
      if (child >= end || byte[child] !== edge) continue
      const next = dfa.next(state, edge)
      // Recursion is as deep as the longest token at most.
      if (next !== 0 && this.#enter(dfa, child, next, found)) this.#below(dfa, child, next, found)
    }
  }

  /** Notes what a node that is reached in `state` holds; whether the terminal can go on below it. */
  #enter(dfa: Dfa, node: number, state: number, { ids, leaving }: Found): boolean {
    const { trie } = this.#vocabulary
    for (let t = trie.first[node]!; t < trie.first[node + 1]!; t++) ids.push(trie.tokens[t]!)
    const tag = dfa.tag(state)
    if (tag === 0) return true
    if (trie.hasBelow(node)) {
      const nodes = leaving.get(tag)
      if (nodes === undefined) leaving.set(tag, [node])
      else nodes.push(node)
    }
    return !dfa.final(state)
  }

  /** The subtree of `node` in preorder, without the subtrees that have their bit set in `inside`. */
  #sweep(dfa: Dfa, node: number, state: number, found: Found, inside: Uint32Array | null): void {
    const { byte, depth, skip, first } = this.#vocabulary.trie
    const stack = this.#stack
    const end = skip[node]!
    stack[depth[node]!] = state
    let i = node + 1
    while (i < end) {
      if (inside !== null && ((inside[i >>> 5]! >>> (i & 31)) & 1) === 1) {
        i = skip[i]!
        continue
      }
      const d = depth[i]!
      const next = dfa.next(stack[d - 1]!, byte[i]!)
      if (next === 0) {
        i = skip[i]!
        continue
      }
      if ((first[i]! < first[i + 1]! || dfa.tag(next) !== 0) && !this.#enter(dfa, i, next, found)) {
        i = skip[i]!
        continue
      }
      stack[d] = next
      i++
    }
  }
}

/** Tokens known to be allowed, and a bit for each node of the trie that has only such, or refused ones, at and below it. */
interface Known {
  readonly base: Uint32Array
  readonly inside: Uint32Array
}

interface Found {
  readonly ids: number[]
  /** Nodes at which the terminal may be left, by tag. */
  readonly leaving: Map<number, number[]>
}

/** Whether an exit ends a free key, which the history must hear of. */
export function endsFreeKey(dfa: Dfa, exit: Exit): boolean {
  return isFree(exit.tag) && dfa instanceof KeyDfa
}
