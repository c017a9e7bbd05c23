/**
 * How much completing a text may cost behind any one token: a bound on it that is had for a load, so that a mask with a budget
 * is the mask without one while the budget is far away.
 *
 * What is open behind a token was open before it, or the token has opened it. What was open owes no more than it did, entry by
 * entry; each container that the token opened owes at most what the dearest value of the grammar costs; and the terminal
 * that runs is finished with the longest rest that one may need. So the bound is what the stack owes, kept by context, and
 * a number that is the grammar's. It is `Infinity` where no such number is seen: objects that need an entry of some kind, items
 * that are counted, items that must differ and hold arrays, patterns of very many states, lines that are indented.
 *
 * Pieces are told in tokens where the same piece is owed before and after, and else in bytes: no piece has more tokens than bytes.
 */
import { END_CONTEXT, UNION } from '../automaton/contexts.ts'
import type { Node } from '../automaton/nodes.ts'
import type { ObjectPart } from '../automaton/parts.ts'
import type { Program } from '../automaton/program.ts'
import { LimitError } from '../errors.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { type Completions, LONGER_KEY } from './completion.ts'
import { isEndless, OtherValues } from './other-values.ts'
import { stringRest } from './string-rest.ts'
import { freeKeyRest, MANY, PUNCTUATION, spelledBytes, terminalRest } from './terminal-rest.ts'

const INFINITE = Number.POSITIVE_INFINITY
/** A text of this length has not so many keys, or items, that `MANY` others would not do. */
const MAX_TEXT = 50_000
/** Nodes that are no beginning of a text. */
const PLACES: ReadonlySet<Node['kind']> = new Set([
  'end',
  'return',
  'union',
  'frame-open',
  'object-place',
  'array-place',
  'free-text-exits',
])

export class Growth {
  readonly #program: Program
  readonly #completions: Completions
  /** What a stack owes, by context. */
  readonly #owed: (number | undefined)[] = []
  readonly #others: OtherValues
  /** What a token adds to that; found when first asked for. */
  #added: number | null = null
  readonly #opened: number

  constructor(program: Program, completions: Completions, vocabulary: Vocabulary) {
    this.#program = program
    this.#completions = completions
    this.#others = new OtherValues(program, completions)
    this.#opened = mostOpened(vocabulary)
  }

  /** No token that is allowed at a context, or in a terminal that runs in it, leaves more than this to be written, end token included. */
  above(context: number, length: number): number {
    this.#added ??= this.#most()
    if (this.#added === INFINITE || length > MAX_TEXT) return INFINITE
    return this.#added + (this.#owed[context] ?? this.#owedFrom(context))
  }

  /** Iteratively but for unions: contexts may be nested as deep as the text. */
  #owedFrom(context: number): number {
    const { node, parent } = this.#program.contexts
    const chain: number[] = []
    let at = context
    for (; at !== END_CONTEXT && this.#owed[at] === undefined && node[at] !== UNION; at = parent[at]!)
      chain.push(at)
    let owed = at === END_CONTEXT ? 0 : this.#owed[at]
    if (owed === undefined) {
      owed = 0
      // Behind a token it may be any of them.
      for (const member of this.#program.contexts.membersOf(at)) owed = Math.max(owed, this.#owedFrom(member))
      this.#owed[at] = owed
    }
    for (let own = chain.pop(); own !== undefined; own = chain.pop()) {
      owed += this.#own(own)
      this.#owed[own] = owed
    }
    return owed
  }

  /** What one context owes, whatever its object or array holds. */
  #own(context: number): number {
    const { nodes, contexts } = this.#program
    const node = nodes[contexts.node[context]!]!
    const count = contexts.count[context]!
    if (node.kind === 'free-text-exits')
      return Math.max(0, ...node.nexts.map((next) => (next < 0 ? 0 : this.#least(next))))
    if (contexts.watched[context] === 1) return this.#ownAmongItems(context, node, count)
    const least = this.#completions.ownOf(context)
    if (least === null) return INFINITE
    return least.tokens + (node.kind === 'object-place' ? longerKeys(node.part, count) : 0)
  }

  /** The same of an array whose items must differ, or within an item. */
  #ownAmongItems(context: number, node: Node, count: number): number {
    const { contexts } = this.#program
    const least = this.#completions.ownOf(context)?.text.length ?? INFINITE
    if (node.kind === 'array-place' && node.part.isUnique) {
      // An array that is an item itself may have to be as long as the others are many.
      return contexts.watched[contexts.parent[context]!] === 0
        ? least + this.#others.ofItems(node.part, count)
        : INFINITE
    }
    if (node.kind === 'object-place')
      return isEndless(node.part)
        ? least + this.#others.freeEntries(node.part, count)
        : this.#others.ofObject(node.part)
    if (this.#hasEndless(context)) return least
    return node.kind === 'array-place' ? INFINITE : this.#others.at(contexts.node[context]!)
  }

  /** Whether a context stands in an object of the item that one more key makes another. */
  #hasEndless(context: number): boolean {
    const { nodes, contexts } = this.#program
    for (let at = contexts.parent[context]!; at > END_CONTEXT; at = contexts.parent[at]!) {
      const node = nodes[contexts.node[at]!]!
      if (node.kind === 'array-place' && node.part.isUnique) return false
      if (node.kind === 'object-place' && isEndless(node.part)) return true
    }
    return false
  }

  #least(node: number): number {
    return this.#completions.leastAt(node)?.tokens ?? 0
  }

  /** What is too long to be written is no reason to refuse a mask that does not lead there. */
  #most(): number {
    try {
      return this.#find()
    } catch (error) {
      if (error instanceof LimitError) return INFINITE
      throw error
    }
  }

  #find(): number {
    const { nodes, layout } = this.#program
    // Indented, a value is the longer the deeper it stands.
    if (layout.whitespace === 'pretty') return INFINITE
    let rest = PUNCTUATION
    let value = 0
    let reordered = 0
    for (const node of nodes) rest = Math.max(rest, restOf(node))
    if (rest === INFINITE) return INFINITE
    for (const [at, node] of nodes.entries()) {
      value = Math.max(value, this.#valueOf(node, at))
      if (node.kind === 'object') reordered = Math.max(reordered, reorder(node.part))
    }
    if (value === INFINITE) return INFINITE
    const entry = rest + value + PUNCTUATION
    const opened = (this.#opened + 1) * (framesOf(this.#program) + 1)
    return opened * (value + reordered * entry + PUNCTUATION) + entry + 2 * LONGER_KEY + 1
  }

  /** What a node costs that a token may lead to. */
  #valueOf(node: Node, at: number): number {
    if (PLACES.has(node.kind)) return 0
    if (node.kind === 'object') return this.#least(at) + longerKeys(node.part, 0)
    if (node.kind !== 'array') return this.#least(at)
    if (node.part.isCounted) return INFINITE
    if (!node.part.isUnique) return this.#least(at)
    return (this.#completions.leastAt(at)?.text.length ?? 0) + this.#others.ofItems(node.part, 0)
  }
}

/** Brackets that one token opens, at most. */
function mostOpened(vocabulary: Vocabulary): number {
  let most = opened.get(vocabulary)
  if (most === undefined) {
    const { byte, depth, size, maxDepth } = vocabulary.trie
    const along = new Int32Array(maxDepth + 1)
    most = 0
    for (let node = 1; node < size; node++) {
      const d = depth[node]!
      along[d] = along[d - 1]! + (byte[node] === 0x7b || byte[node] === 0x5b ? 1 : 0)
      most = Math.max(most, along[d]!)
    }
    opened.set(vocabulary, most)
  }
  return most
}

const opened = new WeakMap<Vocabulary, number>()

/** Tokens by which the keys that an object still owes may be longer than the least, for those that it holds. */
function longerKeys(part: ObjectPart, count: number): number {
  if (part.free === null) return 0
  const free = part.free.dfa(null)
  return (free.isAny ? LONGER_KEY : stringRest(free, MANY)) * (part.extra(count) + 1)
}

/** Entries that an object may owe for one that was written: those it brings, or that can only come later. */
function reorder(part: ObjectPart): number {
  const brought = part.tied ? part.properties.length : 0
  return brought + (part.tied || !part.anyOrder ? part.min : 0)
}

/** Bytes by which a terminal of a node is finished, wherever it stands, at most. */
function restOf(node: Node): number {
  switch (node.kind) {
    case 'terminal':
      return node.terminal === null ? PUNCTUATION : terminalRest(node.terminal, node.dfa, 0)
    case 'free-text':
      return Math.max(4, ...node.text.stops.map(({ text }) => 3 * text.length))
    case 'object': {
      const { part } = node
      const names = part.declared.reduce((most, name) => Math.max(most, spelledBytes(name)), 0)
      if (part.free === null) return names
      return Math.max(names, freeKeyRest(part.free.dfa(null)))
    }
    case 'marked':
      return INFINITE
    default:
      return 0
  }
}

/** Frames that one byte may open beside a container's, at most: `Infinity` where rules lead back to themselves without one. */
function framesOf({ nodes, rules }: Program): number {
  const known = new Map<number, number>()
  const of = (at: number): number => {
    const found = known.get(at)
    if (found !== undefined) return found
    // What is asked for while it is being found leads back to itself.
    known.set(at, INFINITE)
    const frames = find(nodes[at]!)
    known.set(at, frames)
    return frames
  }
  const find = (node: Node): number => {
    switch (node.kind) {
      case 'terminal':
      case 'token':
        return of(node.next)
      case 'call': {
        const inside = of(rules[node.rule]!)
        return nodes[node.next]!.kind === 'return' ? inside : Math.max(1 + inside, of(node.next))
      }
      case 'split':
        return Math.max(...node.options.map(of))
      case 'repeat':
        return Math.max(1 + of(node.item), of(node.next))
      case 'frame':
        return Math.max(2 + of(node.body), of(node.next))
      case 'free-text':
        return of(node.exits)
      case 'free-text-exits':
        return Math.max(0, ...node.nexts.map((next) => (next < 0 ? 0 : of(next))))
      case 'object':
      case 'array':
        return of(node.next)
      default:
        return 0
    }
  }
  let most = 0
  for (let at = 0; at < nodes.length; at++) most = Math.max(most, of(at))
  return most
}
