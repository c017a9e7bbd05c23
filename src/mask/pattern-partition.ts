/**
 * Partitions of strings with a pattern, found by characters.
 *
 * From a state of the pattern a closed set of characters is sought (`closure.ts`): the tokens made of it are one mask
 * (`class-table.ts`). What is left to read are the tokens that leave the set, from the places where they do on; and where
 * there is no such set, the trie from its root. Either way the language's own states are walked, one step a character;
 * where all below a node is of a set that is closed there, its tokens are taken as a range. Lengths are counted beside.
 *
 * Only for strings whose characters can all be spelled: then a text goes on exactly where the language does.
 *
 * PERF: `npm run bench -- patterns`, Llama 3.1, Node 20.20, median of a state, other programs running: the trie walked by
 * bytes → this: `^[^/]+$` 1.5 ms → 60 µs, `^.*$` 1.5 ms → 35, `^(\S+\s+){0,49}\S+$` 1.5 ms → 70, uri 0.65 ms → 85. Of the masks of
 * every 5th schema of MaskBench patterns were 40 % of the time and are 12 %. Rejected: a bit for each node of the trie and
 * class (1 ms a class); exploring the states within 16 characters before asking the structure (`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?`
 * 2 × as long); stepping along each long token (150 µs).
 */
import type { CharLanguage } from '../automaton/char-language.ts'
import type { Spelling } from '../automaton/least-spelling.ts'
import type { Content, StringDfa } from '../automaton/string-dfa.ts'
import { effort } from '../effort.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { Characters, ESCAPE, ESCAPED, ESCAPES, HEX, INSIDE, PARTIAL, QUOTE } from './characters.ts'
import { type ClassTable, ClassTables } from './class-table.ts'
import { type Closure, Closures, MAX_DEPTH } from './closure.ts'
import { LanguageView, leastLength, MIXED } from './language-view.ts'
import { type Exit, finishPartition, type Partition } from './partition-parts.ts'
import type { Rests } from './rest.ts'
import { IdList } from './walker.ts'

/** Sets with fewer tokens are walked. */
const SMALL = 2_000
/** Subtrees with fewer nodes are walked, unless their state's closed set is known. */
const SMALL_SUBTREE = 32

/** Closed sets that are kept, of all languages together: half a kilobyte each, two where they are of a row of states. */
const MAX_CLOSURES = 8_192

export class PatternPartitions {
  readonly #vocabulary: Vocabulary
  readonly #rests: Rests
  readonly #free: (spelling: Spelling) => Partition
  readonly #characters: Characters
  readonly #tables: ClassTables
  #languages = new WeakMap<CharLanguage, Closures>()
  /** Closed sets that they hold. */
  readonly #held = { closures: 0 }
  /** By depth in the trie: the language's state and the characters before. */
  readonly #states: Int32Array
  readonly #counts: Int32Array
  readonly #slacks = new WeakMap<Closure, number>()
  readonly #pathStates = new Int32Array(MAX_DEPTH + 1)
  readonly #ids = new IdList()
  /** Nodes at which the string ends, by tag. */
  #leaving = new Map<number, number[]>()
  // What is being walked.
  #dfa!: StringDfa
  #chars!: CharLanguage
  #closures!: Closures
  #view!: LanguageView
  #need = 0
  #rest = Number.POSITIVE_INFINITY
  #isBounded = false
  /** Whether a state can be finished within the lengths whatever the token; and, by state and count, whether it can. */
  readonly #ample = new Map<number, boolean>()
  readonly #fits = new Map<number, boolean>()

  /** @param free for each spelling the partition of a string with any characters that may not end yet */
  constructor(vocabulary: Vocabulary, rests: Rests, free: (spelling: Spelling) => Partition) {
    this.#vocabulary = vocabulary
    this.#rests = rests
    this.#free = free
    this.#characters = new Characters(vocabulary.trie)
    this.#tables = new ClassTables(vocabulary, this.#characters)
    const depths = vocabulary.trie.maxDepth + 1
    this.#states = new Int32Array(depths)
    this.#counts = new Int32Array(depths)
  }

  /** The partition of a content. */
  of(dfa: StringDfa, content: Content): Partition {
    this.#begin(dfa, content)
    const { language } = content
    const closure = this.#closures.of(language)
    const around = closure === null || closure.weight < SMALL ? null : this.#planOf(closure)
    let base: Uint32Array | null = null
    if (closure?.isEndless === true && around?.most === Number.POSITIVE_INFINITY)
      base = this.#anywhere(closure)
    else if (around === null) this.#descend(0, language, 0)
    else base = this.#around(closure!, around)
    return this.#finish(base)
  }

  /** The partition of the state before the opening quote. */
  opening(dfa: StringDfa, content: Content): Partition {
    this.#begin(dfa, content)
    const node = this.#vocabulary.trie.child(0, 0x22)
    if (node !== 0) this.#arrive(node, content.language, 0)
    return this.#finish(null)
  }

  #begin(dfa: StringDfa, { language, need, rest }: Content): void {
    const chars = dfa.chars!
    if (this.#held.closures > MAX_CLOSURES) {
      this.#languages = new WeakMap()
      this.#held.closures = 0
    }
    let closures = this.#languages.get(chars)
    if (closures === undefined) {
      closures = new Closures(new LanguageView(chars, this.#characters), this.#held)
      this.#languages.set(chars, closures)
    }
    this.#dfa = dfa
    this.#chars = chars
    this.#closures = closures
    this.#view = closures.view
    // A bound that every text of the language keeps is none.
    this.#need = need > 0 && need <= leastLength(chars, language) ? 0 : need
    this.#rest = rest
    this.#isBounded = this.#need > 0 || rest < Number.POSITIVE_INFINITY
    this.#ids.length = 0
    this.#leaving = new Map()
    this.#ample.clear()
    this.#fits.clear()
  }

  #finish(base: Uint32Array | null): Partition {
    const { trie } = this.#vocabulary
    const exits: Exit[] = []
    for (const [tag, nodes] of this.#leaving) {
      const places = nodes.map((node) => ({ trie, node }))
      for (const rest of this.#rests.below(places)) exits.push({ tag, rest })
    }
    const { ids, length } = this.#ids
    return finishPartition(this.#vocabulary, base, ids.subarray(0, length), exits)
  }

  /** How the closed set is used; `null` where the trie is better walked. */
  #planOf(closure: Closure): Plan | null {
    const { depth, stops } = closure
    const longest = this.#characters.longest[0]!
    let most = depth
    let isEnd = stops
    if (this.#isBounded) {
      const slack = this.#slackOf(closure)
      if (slack < 0 || this.#need + slack > this.#rest) return null
      if (this.#need > 0 && depth < Number.POSITIVE_INFINITY) return null
      if (this.#rest - slack < most) {
        most = this.#rest - slack
        isEnd = slack === 0
      }
    }
    if (most >= longest) return { most: Number.POSITIVE_INFINITY, goesOn: false }
    if (isEnd && most <= MAX_DEPTH) return { most, goesOn: false }
    return most >= MAX_DEPTH ? { most, goesOn: true } : null
  }

  /** Characters that a text of the closed set needs to be finished, at most; -1 where that is not known. */
  #slackOf(closure: Closure): number {
    if (closure.slack !== null) return closure.slack === Number.POSITIVE_INFINITY ? -1 : closure.slack
    let slack = this.#slacks.get(closure)
    if (slack === undefined) {
      slack = this.#findSlack(closure)
      this.#slacks.set(closure, slack)
    }
    return slack
  }

  #findSlack({ states }: Closure): number {
    let slack = 0
    for (const state of states) slack = Math.max(slack, this.#view.distance(state))
    return slack === Number.POSITIVE_INFINITY ? -1 : slack
  }

  /** The tokens of any text, and those that end one. */
  #anywhere(closure: Closure): Uint32Array | null {
    const { dense, ids } = this.#free(this.#dfa.spelling)
    for (const id of ids) this.#ids.push(id)
    const { count, kind } = this.#characters
    const least = Math.max(this.#need, leastLength(this.#chars, closure.states[0]!))
    for (const node of this.#characters.endings) {
      if (kind[node] === QUOTE && count[node]! < least) continue
      const state = this.#stateAbove(node, closure)
      if (state === 0) continue
      if (kind[node] === QUOTE) this.#close(node, state, count[node]!)
      else this.#walkHex(node, state, count[node]!)
    }
    return dense
  }

  /** The tokens of the closed set, and what leaves it. */
  #around(closure: Closure, { most, goesOn }: Plan): Uint32Array {
    const table = this.#tables.of(closure.atoms)
    const near = goesOn ? MAX_DEPTH : most
    for (const out of closure.outside) this.#leave(table, out, closure, near)
    this.#leave(table, ESCAPE, closure, near)
    if (closure.accepts) this.#leave(table, QUOTE, closure, near)
    if (goesOn) this.#goOn(table, closure, most)
    return near === Number.POSITIVE_INFINITY ? table.mask : this.#tables.upTo(table.mask, near)
  }

  /** The tokens that have more than `MAX_DEPTH` characters of the set before any other; up to `most` of them are allowed unread. */
  #goOn(table: ClassTable, { states: [first], groups }: Closure, most: number): void {
    const { longest, below } = this.#characters
    const { nodes, above } = table.deep()
    // The states before the characters of a path: nodes next to each other have most of it in common.
    const states = this.#pathStates
    states[0] = first!
    let known = -1
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i]!
      if (longest[node]! <= most && (below[node]! & ~groups) === 0) {
        this.#takeBelow(node)
        continue
      }
      const start = i * MAX_DEPTH
      let at = 0
      if (known >= 0) while (at < MAX_DEPTH && above[start + at] === above[known + at]) at++
      for (; at < MAX_DEPTH; at++) states[at + 1] = this.#next(states[at]!, above[start + at]!)
      known = start
      if (states[MAX_DEPTH] !== 0) this.#reach(node, states[MAX_DEPTH]!, MAX_DEPTH)
    }
  }

  /** The tokens at and below a node. */
  #takeBelow(node: number): void {
    const { first, skip, tokens } = this.#vocabulary.trie
    for (let t = first[node]!; t < first[skip[node]!]!; t++) this.#ids.push(tokens[t]!)
  }

  /** The tokens whose first character outside the set is of a kind, behind at most `most` characters. */
  #leave(table: ClassTable, out: number, closure: Closure, most: number): void {
    const { count } = this.#characters
    const nodes = table.leaving(out)
    const own = out < INSIDE ? 1 : 0
    const least = out === QUOTE ? Math.max(this.#need, leastLength(this.#chars, closure.states[0]!)) : 0
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i]!
      const before = count[node]! - own
      if (before >= least && before <= most) this.#reach(node, this.#stateAbove(node, closure), before)
    }
  }

  /** The state that the characters above a node, all of the closed set, lead to. */
  #stateAbove(node: number, { states, isFixed }: Closure): number {
    if (isFixed) return states[0]!
    const { kind, parent } = this.#characters
    const path = this.#states
    let length = 0
    for (let up = parent[node]!; up !== 0; up = parent[up]!)
      if (kind[up]! < INSIDE || kind[up] === ESCAPED) path[length++] = up
    let state = states[0]!
    while (length > 0 && state !== 0) state = this.#next(state, path[--length]!)
    return state
  }

  /** The state after the character that ends at a node. */
  #next(state: number, node: number): number {
    const characters = this.#characters
    const kind = characters.kind[node]!
    if (kind === ESCAPED) {
      const letter = this.#vocabulary.trie.byte[node]!
      if (letter === 0x2f && this.#dfa.spelling === 'key') return 0
      return this.#chars.next(state, this.#chars.classOf(ESCAPES[letter]!))
    }
    const cls = this.#view.classOfAtom[kind]!
    return this.#chars.next(state, cls === MIXED ? this.#chars.classOf(characters.codePointAt(node)) : cls)
  }

  /** Whether a content can be finished: its state after so many characters from where the walk began. */
  #isAlive(state: number, count: number): boolean {
    if (state === 0) return false
    if (!this.#isBounded) return true
    const rest = this.#rest - count
    if (rest < 0) return false
    let ample = this.#ample.get(state)
    if (ample === undefined) {
      const least = this.#rest - this.#characters.longest[0]!
      ample =
        this.#need === 0
          ? this.#view.distance(state) <= least
          : least >= this.#need && this.#chars.hasLength(state, this.#need, least) === true
      this.#ample.set(state, ample)
    }
    if (ample) return true
    const key = state * 0x10000 + count
    let fits = this.#fits.get(key)
    if (fits === undefined) {
      fits = this.#dfa.contentAt(state, Math.max(0, this.#need - count), rest) !== 0
      this.#fits.set(key, fits)
    }
    return fits
  }

  /** A node that a token comes to from `state`, which stands above it, with `count` characters before. */
  #reach(node: number, state: number, count: number): void {
    const k = this.#characters.kind[node]!
    if (k < INSIDE) {
      const next = this.#next(state, node)
      if (this.#isAlive(next, count + 1)) this.#arrive(node, next, count + 1)
    } else if (k === PARTIAL) {
      if (this.#canBegin(node, state, count)) this.#take(node)
    } else if (k === QUOTE) {
      this.#close(node, state, count)
    } else if (this.#canEscape(state, count)) {
      this.#arrive(node, state, count)
    }
  }

  /** The tokens at and below a node, which leads to `state`. */
  #arrive(node: number, state: number, count: number): void {
    this.#take(node)
    const { skip } = this.#vocabulary.trie
    if (skip[node]! > node + 1) this.#descend(node, state, count)
  }

  #take(node: number): void {
    const { first, tokens } = this.#vocabulary.trie
    for (let t = first[node]!; t < first[node + 1]!; t++) this.#ids.push(tokens[t]!)
  }

  #close(node: number, state: number, count: number): void {
    if (count < this.#need) return
    const tag = this.#chars.tag(state)
    if (tag === 0) return
    this.#take(node)
    if (!this.#vocabulary.trie.hasBelow(node)) return
    const nodes = this.#leaving.get(tag)
    if (nodes === undefined) this.#leaving.set(tag, [node])
    else nodes.push(node)
  }

  /** Whether some character that begins with the bytes up to a node goes on. */
  #canBegin(node: number, state: number, count: number): boolean {
    const [low, high] = this.#characters.blockAt(node)
    return this.#hasAlive(state, count, low, high)
  }

  /** Whether some code point of [low, high] goes on. */
  #hasAlive(state: number, count: number, low: number, high: number): boolean {
    const { rangeStarts, rangeClass } = this.#chars
    for (let i = this.#view.rangeAt(low); i < rangeStarts.length && rangeStarts[i]! <= high; i++)
      if (this.#isAlive(this.#chars.next(state, rangeClass[i]!), count + 1)) return true
    return false
  }

  /** Whether some character can be written as an escape. */
  #canEscape(state: number, count: number): boolean {
    const chars = this.#chars
    if (this.#dfa.spelling === 'key') {
      for (let c = 0; c < 0x20; c++)
        if (this.#isAlive(chars.next(state, chars.classOf(c)), count + 1)) return true
      return [0x22, 0x5c].some((c) => this.#isAlive(chars.next(state, chars.classOf(c)), count + 1))
    }
    for (let cls = 0; cls < chars.classCount; cls++)
      if (this.#isAlive(chars.next(state, cls), count + 1)) return true
    return false
  }

  /** The tokens strictly below `node`, which leads to `state` after `count` characters. */
  #descend(node: number, state: number, count: number): void {
    if (this.#takeAll(node, state, count)) return
    const characters = this.#characters
    const { kind } = characters
    const { byte, depth, skip, first } = this.#vocabulary.trie
    const chars = this.#chars
    const { classOfAtom } = this.#view
    const states = this.#states
    const counts = this.#counts
    const isBounded = this.#isBounded
    const end = skip[node]!
    states[depth[node]!] = state
    counts[depth[node]!] = count
    let read = 0
    for (let i = node + 1; i < end; ) {
      read++
      const d = depth[i]!
      const k = kind[i]!
      const from = states[d - 1]!
      let before = counts[d - 1]!
      let to = from
      if (k < INSIDE || k === ESCAPED) {
        let cls = k < INSIDE ? classOfAtom[k]! : chars.classOf(ESCAPES[byte[i]!]!)
        if (cls === MIXED) cls = chars.classOf(characters.codePointAt(i))
        to = chars.next(from, cls)
        before++
        if (to !== 0 && isBounded && !this.#isAlive(to, before)) to = 0
        if (k === ESCAPED && byte[i] === 0x2f && this.#dfa.spelling === 'key') to = 0
      } else if (k === INSIDE || k === PARTIAL) {
        if (!this.#canBegin(i, from, before)) to = 0
      } else if (k === ESCAPE) {
        if (!this.#canEscape(from, before)) to = 0
      } else {
        if (k === QUOTE) this.#close(i, from, before)
        else if (k === HEX) this.#walkHex(i, from, before)
        to = 0
      }
      if (to === 0) {
        i = skip[i]!
        continue
      }
      if (first[i]! < first[i + 1]!) this.#take(i)
      if (skip[i] === i + 1 || (k < INSIDE && this.#takeAll(i, to, before))) {
        i = skip[i]!
        continue
      }
      states[d] = to
      counts[d] = before
      i++
    }
    effort.reads += read
  }

  /** Takes the tokens strictly below a node if all of them are of a set that is closed there; whether they are. */
  #takeAll(node: number, state: number, count: number): boolean {
    const { below, longest } = this.#characters
    const { first, skip, tokens } = this.#vocabulary.trie
    const size = skip[node]! - node
    if (node === 0 || size === 1 || below[node]! < 0) return false
    const closure =
      size < SMALL_SUBTREE ? this.#closures.known(state) : this.#closures.having(state, below[node]!)
    if (closure === null || (below[node]! & ~closure.groups) !== 0) return false
    if (longest[node]! - count > closure.depth) return false
    if (this.#isBounded) {
      if (this.#need > 0 && closure.depth < Number.POSITIVE_INFINITY) return false
      const slack = this.#slackOf(closure)
      if (slack < 0 || Math.max(this.#need, longest[node]!) + slack > this.#rest) return false
    }
    for (let t = first[node + 1]!; t < first[skip[node]!]!; t++) this.#ids.push(tokens[t]!)
    return true
  }

  /** `\u` and digits. Where tokens go on behind the fourth one, and in keys, which escape little so, by the string's automaton. */
  #walkHex(node: number, state: number, count: number): void {
    const { depth, skip } = this.#vocabulary.trie
    let isLong = this.#dfa.spelling === 'key'
    for (let i = node + 1; i < skip[node]! && !isLong; i++) isLong = depth[i]! >= depth[node]! + 4
    if (isLong) this.#walkUnits(node, state, count)
    else this.#walkDigits(node, state, count, 0, 4)
  }

  /** Behind `\u` and some digits with this value; `left` digits are lacking, one or more. */
  #walkDigits(node: number, state: number, count: number, value: number, left: number): void {
    const low = value * 16 ** left
    const high = low + 16 ** left - 1
    const pairLow = Math.max(low, 0xd800)
    const pairHigh = Math.min(high, 0xdbff)
    const goesOn =
      (low < 0xd800 && this.#hasAlive(state, count, low, Math.min(high, 0xd7ff))) ||
      (high > 0xdfff && this.#hasAlive(state, count, Math.max(low, 0xe000), high)) ||
      (pairLow <= pairHigh && this.#hasAlive(state, count, astral(pairLow), astral(pairHigh) + 0x3ff))
    if (!goesOn) return
    this.#take(node)
    const { byte, skip } = this.#vocabulary.trie
    for (let child = node + 1; child < skip[node]!; child = skip[child]!) {
      const digit = digitOf(byte[child]!)
      if (digit >= 0) this.#walkDigits(child, state, count, value * 16 + digit, left - 1)
    }
  }

  #walkUnits(node: number, state: number, count: number): void {
    const dfa = this.#dfa
    const content = dfa.contentAt(state, Math.max(0, this.#need - count), this.#rest - count)
    const behind = content === 0 ? 0 : dfa.next(content, 0x5c)
    const digits = behind === 0 ? 0 : dfa.next(behind, 0x75)
    if (digits !== 0) this.#walkBytes(node, digits)
  }

  #walkBytes(node: number, state: number): void {
    const tag = this.#dfa.tag(state)
    this.#take(node)
    if (tag !== 0) {
      if (!this.#vocabulary.trie.hasBelow(node)) return
      const nodes = this.#leaving.get(tag)
      if (nodes === undefined) this.#leaving.set(tag, [node])
      else nodes.push(node)
      return
    }
    const { byte, skip } = this.#vocabulary.trie
    for (let child = node + 1; child < skip[node]!; child = skip[child]!) {
      const next = this.#dfa.next(state, byte[child]!)
      // Recursion is as deep as the longest token at most.
      if (next !== 0) this.#walkBytes(child, next)
    }
  }
}

interface Plan {
  /** Characters of the longest tokens that are allowed unread. */
  readonly most: number
  /** Whether longer ones are to be read. */
  readonly goesOn: boolean
}

function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** The first code point of those that a high surrogate begins. */
function astral(high: number): number {
  return 0x10000 + (high - 0xd800) * 0x400
}
