/**
 * The least texts of a program's nodes: the shortest from a node to the end of its part, the lowest bytes among those, and
 * what it costs in tokens.
 *
 * Least texts of rules are a least fixed point, found by rounds over the rules: a text only ever becomes shorter. Where a
 * text depends on how many containers stand around it, there is one a depth. A node is written once for each count and
 * depth, O(its part) where what it calls is known; texts share their parts.
 */
import { latin1Of } from '../automaton/latin1.ts'
import { type Bracket, type Punctuation, punctuation } from '../automaton/layout.ts'
import type { Node } from '../automaton/nodes.ts'
import type { ArrayPart, ObjectPart } from '../automaton/parts.ts'
import type { Program } from '../automaton/program.ts'
import type { DistinctValues } from './distinct-values.ts'
import { owedEntries, type Pieces, Prices, type TakenKeys } from './entries.ts'
import { isBetter, join, joined, type Least, NOTHING } from './least.ts'
import type { PieceTable } from './piece-table.ts'

export class LeastTexts {
  readonly #program: Program
  readonly #pieces: PieceTable
  readonly #distinct: DistinctValues
  /** The same where items that must differ may be equal if it is hard to see: what a search for others goes by. */
  readonly #relaxed: LeastTexts | null
  /** By depth: where a text does not depend on it there is but one. */
  readonly #bases = new Map<number, Base>()
  /** The rules by which the one is written that is being written. */
  #reading: Set<number> | null = null
  /** Choices of that rule that were written already, by node and depth. */
  readonly #splits = new Map<string, Least | null>()
  #isSettled = false
  readonly #positions = new Map<string, Least | null>()
  readonly #prices: (Prices | undefined)[] = []
  /** By node and depth: the least arrays that were searched for. */
  readonly #arrays = new Map<string, Least | null>()

  constructor(program: Program, pieces: PieceTable, distinct: DistinctValues, relaxed: LeastTexts | null) {
    this.#program = program
    this.#pieces = pieces
    this.#distinct = distinct
    this.#relaxed = relaxed
  }

  /** Whether the least texts of rules are known. */
  get isSettled(): boolean {
    return this.#isSettled
  }

  /** Finds the least texts of rules. */
  settle(): void {
    this.#baseAt(0)
  }

  /** Whether a text depends on how many containers are open around it. */
  get isNested(): boolean {
    return this.#program.layout.whitespace === 'pretty'
  }

  /** Whether what a rule's text is depends on more than the rule, so that it is written anew where it is called. */
  get #isFollowed(): boolean {
    return this.isNested || this.#relaxed !== null
  }

  /**
   * What is found with choices that hold: again, if an array was searched for that they took to be shorter than it is.
   *
   * @param forget drops what was kept of what these choices gave
   */
  fresh<T>(find: () => T, forget: () => void): T {
    for (;;) {
      try {
        return find()
      } catch (error) {
        if (error !== STALE) throw error
        this.#isSettled = false
        this.#bases.clear()
        this.#positions.clear()
        this.#prices.length = 0
        forget()
      }
    }
  }

  /** The least from a node to the end of its part, if its object holds these free keys; `null` where nothing can be written. */
  ofNode(at: number, count: number, depth: number, taken: TakenKeys = []): Least | null {
    return taken.length === 0
      ? this.#settled(at, count, depth)
      : this.#evaluate(at, count, depth, null, taken)
  }

  /** The least from a node to the end of its part. `null` where nothing can be written. */
  #settled(at: number, count: number, depth: number): Least | null {
    const key = `${at},${count},${depth}`
    let least = this.#positions.get(key)
    if (least === undefined) {
      least = this.#evaluate(at, count, depth, null)
      this.#positions.set(key, least)
    }
    return least
  }

  /** Rounds over the rules until nothing becomes shorter. Rules tend to call later ones, so they are gone through backwards. */
  #baseAt(depth: number): Base {
    let base = this.#bases.get(depth)
    if (base === undefined) {
      base = {
        rules: this.#program.rules.map(() => null),
        reads: [],
        changes: this.#program.rules.map(() => 0),
        clock: 0,
        picks: new Map(),
        lowers: new Map(),
      }
      this.#bases.set(depth, base)
      const isSettled = this.#isSettled
      this.#isSettled = false
      try {
        for (let changed = true; changed; ) changed = this.#improve(base, depth)
        this.#isSettled = isSettled || depth === 0
      } catch (error) {
        // A limit was met: nobody is to take what was found so far for the least.
        this.#bases.delete(depth)
        this.#isSettled = isSettled
        throw error
      }
    }
    return base
  }

  /** Writes every rule by the others as they are known so far; whether any became less. */
  #improve(base: Base, depth: number): boolean {
    const { rules, reads, changes } = base
    const around = this.#reading
    let changed = false
    for (let rule = rules.length - 1; rule >= 0; rule--) {
      const read = reads[rule]
      // Where nothing that it was written by became less, it would be the same text, and comparing long ones is dear.
      if (read !== undefined && !read.rules.some((other) => changes[other]! > read.at)) continue
      this.#reading = new Set()
      this.#splits.clear()
      const at = base.clock
      const least = this.#evaluate(this.#program.rules[rule]!, 0, depth, base)
      reads[rule] = { at, rules: [...this.#reading] }
      const known = rules[rule]!
      if (least !== null && (known === null || isBetter(least, known))) {
        rules[rule] = least
        changes[rule] = ++base.clock
        changed = true
      }
    }
    this.#reading = around
    this.#splits.clear()
    return changed
  }

  /** Behind a choice all options go on alike: what follows is written once for a rule. */
  #written(at: number, count: number, depth: number, base: Base): Least | null {
    if (this.#program.nodes[at]!.kind !== 'split' || count !== 0)
      return this.#evaluate(at, count, depth, base)
    const key = `${at} ${depth}`
    const known = this.#splits.get(key)
    if (known !== undefined) return known
    const least = this.#evaluate(at, count, depth, base)
    this.#splits.set(key, least)
    return least
  }

  /**
   * @param base what rules are written by; `null` once it is known, where choices follow it and rules are written anew at
   *   their depth
   */
  #evaluate(
    at: number,
    count: number,
    depth: number,
    base: Base | null,
    taken: TakenKeys = [],
  ): Least | null {
    const settled = base === null
    const known = base ?? this.#baseAt(0)
    const node = this.#program.nodes[at]!
    const of = (next: number, nextCount = 0, nextDepth = depth): Least | null =>
      settled ? this.#settled(next, nextCount, nextDepth) : this.#written(next, nextCount, nextDepth, base)
    switch (node.kind) {
      case 'end':
      case 'return':
      case 'union':
      case 'frame-open':
        return NOTHING
      case 'terminal': {
        const dfa = node.dfa()
        return dfa.start === 0 ? null : joined(this.#pieces.rest(dfa, dfa.start, 1), of(node.next))
      }
      case 'free-text':
        return this.#freeText(node, of)
      case 'free-text-exits':
        throw new RangeError('what follows free text depends on how it ends')
      case 'token':
        return joined(this.#pieces.token(node.ids), of(node.next))
      case 'call': {
        const rule = this.#program.rules[node.rule]!
        this.#reading?.add(node.rule)
        const callee = settled && this.#isFollowed ? of(rule) : known.rules[node.rule]!
        return joined(callee, of(node.next))
      }
      case 'split':
        return settled && this.isNested
          ? this.#leastOf(node.options, of, depth)
          : this.#split(at, node.options, of, known.picks, settled)
      case 'marked':
        throw new RangeError('a value that meets demands is completed together with its object')
      case 'repeat': {
        const item = of(node.item)
        const times = Math.max(0, node.min - count)
        if (times > 0 && item === null) return null
        return joined(times === 0 ? NOTHING : this.#times(item!, times), of(node.next))
      }
      case 'frame':
        return joined(of(node.body), of(node.next))
      case 'object': {
        const marks = punctuation('{', depth + 1, this.#program.layout)
        return joined(this.#object(node.part, of, depth + 1, marks, settled), of(node.next))
      }
      case 'array': {
        const marks = punctuation('[', depth + 1, this.#program.layout)
        const least = this.#distinct.isHard(node.part)
          ? this.#searched(at, node.part, { of, depth: depth + 1, marks, settled })
          : this.#array(node.part, { of, depth: depth + 1, marks, settled })
        return joined(least, of(node.next))
      }
      case 'object-place': {
        const marks = punctuation('{', depth, this.#program.layout)
        // Before a key one must come, whether any is owed or not.
        const due = node.place === 'before-key' && node.part.owed(count).length === 0 ? 1 : 0
        const extra = Math.max(node.part.extra(count), due)
        const lead = node.place === 'before-key' ? '' : marks.separator
        const entries = this.#entries(node.part, count, extra, of, depth, marks, lead, taken, settled)
        return joined(entries, this.#pieces.of(marks.close))
      }
      case 'array-place': {
        const marks = punctuation('[', depth, this.#program.layout)
        const lead = node.place === 'before-item' ? '' : marks.separator
        const due = node.place === 'before-item'
        return joined(
          this.#items(node.part, count, { of, depth, marks, settled }, lead, due),
          this.#pieces.of(marks.close),
        )
      }
    }
  }

  /** The text that is nothing at all, or a stop; what follows tells which. */
  #freeText({ text, exits }: FreeTextNode, of: Evaluate): Least | null {
    const { nexts } = this.#program.nodes[exits] as Extract<Node, { kind: 'free-text-exits' }>
    let best: Least | null = null
    nexts.forEach((next, i) => {
      if (next < 0) return
      const lead = i === 0 ? NOTHING : this.#pieces.of(latin1Of(text.stops[i - 1]!.text))
      const least = joined(lead, of(next))
      if (least !== null && (best === null || isBetter(least, best))) best = least
    })
    return best
  }

  #split(
    at: number,
    options: readonly number[],
    of: Evaluate,
    picks: Base['picks'],
    settled: boolean,
  ): Least | null {
    const pick = picks.get(at)
    if (settled && pick !== undefined) return of(pick.option)
    let best = pick ?? null
    for (const option of options) {
      const least = of(option)
      if (least !== null && (best === null || isBetter(least, best.least))) best = { option, least }
    }
    if (best === null) return null
    picks.set(at, best)
    return best.least
  }

  /** The least of several nodes; those that are too long whatever their rules are not written, so that recursion ends. */
  #leastOf(nodes: readonly number[], of: (node: number) => Least | null, depth: number): Least | null {
    let best: Least | null = null
    for (const node of [...nodes].sort((a, b) => this.#lower(a, depth) - this.#lower(b, depth))) {
      if (best !== null && this.#lower(node, depth) > best.text.length) break
      const least = of(node)
      if (least !== null && (best === null || isBetter(least, best))) best = least
    }
    return best
  }

  /**
   * The least length of a node if the values of rules within it were no deeper than itself: as they are, it is longer, if
   * anything. What leads back to itself is longer by this, too, the more so the deeper it is.
   */
  #lower(node: number, depth: number): number {
    const own = this.isNested ? depth : 0
    const base = this.#baseAt(own)
    let lower = base.lowers.get(node)
    if (lower === undefined) {
      lower = this.#evaluate(node, 0, own, base)?.text.length ?? Number.POSITIVE_INFINITY
      this.#splits.clear()
      base.lowers.set(node, lower)
    }
    return lower
  }

  #times(item: Least, times: number): Least {
    this.#pieces.limit(item.text.length * times)
    return { text: item.text.repeat(times), tokens: item.tokens * times }
  }

  #object(part: ObjectPart, of: Evaluate, depth: number, marks: Punctuation, settled: boolean): Least | null {
    if (part.canClose(0)) return this.#pieces.of(EMPTY['{'])
    const entries = this.#entries(part, 0, part.extra(0), of, depth, marks, marks.open, [], settled)
    return joined(entries, this.#pieces.of(marks.close))
  }

  #array(part: ArrayPart, around: Around): Least | null {
    if (part.canClose(0)) return this.#pieces.of(EMPTY['['])
    return joined(this.#items(part, 0, around, around.marks.open, false), this.#pieces.of(around.marks.close))
  }

  /**
   * An array whose least items are searched for, once, where a completion writes it. Up to then rules are written with what
   * is no longer.
   */
  #searched(at: number, part: ArrayPart, around: Around): Least | null {
    if (this.#relaxed === null) return this.#array(part, around)
    const depth = this.isNested ? around.depth - 1 : 0
    const key = `${at},${depth}`
    let least = this.#arrays.get(key)
    if (least === undefined) {
      if (!around.settled) return this.#array(part, around)
      least = this.#relaxed.#leastArray(at, depth)
      this.#arrays.set(key, least)
      throw STALE
    }
    return least
  }

  #leastArray(at: number, depth: number): Least | null {
    this.#baseAt(0)
    return this.#distinct.leastArray(at, depth)
  }

  #pricesAt(depth: number): Prices {
    let prices = this.#prices[depth]
    if (prices === undefined) {
      prices = new Prices()
      this.#prices[depth] = prices
    }
    return prices
  }

  /** The entries that an object still owes, the first one led in by `lead`, the others by a separator. */
  #entries(
    part: ObjectPart,
    count: number,
    extra: number,
    of: Evaluate,
    depth: number,
    marks: Punctuation,
    lead: string,
    taken: TakenKeys,
    settled: boolean,
  ): Least | null {
    const pieces: Pieces = {
      piece: (text) => this.#pieces.of(text),
      value: (entry) => of(entry, 0, depth),
      lower: settled && this.#isFollowed ? (entry) => this.#lower(entry, depth) : null,
      separator: marks.separator.length,
      prices: settled ? this.#pricesAt(depth) : null,
    }
    const entries = owedEntries(part, count, extra, taken, pieces)
    if (entries === null) return null
    return entries.reduce(
      (least, entry, i) => join(join(least, this.#pieces.of(i === 0 ? lead : marks.separator)), entry),
      NOTHING,
    )
  }

  /** The items that an array still owes, one at least where it is `due`; the first is led in by `lead`, the others by a separator. */
  #items(part: ArrayPart, count: number, around: Around, lead: string, due: boolean): Least | null {
    if (part.isCounted) return this.#counted(part, count, around, lead, due)
    const { of, depth } = around
    const separator = this.#pieces.of(around.marks.separator)
    const owed = Math.max(part.owed(count), due ? 1 : 0)
    if (part.isUnique && part.isUniform(count) && owed > 1) {
      const values = this.#distinct.least(part.step(count).node, depth, owed, null, null)
      if (values !== null) {
        if (values.length < owed) return null
        // In any order they are as long: the lowest bytes come first.
        const ascending = [...values].sort((a, b) => (a.text < b.text ? -1 : 1))
        return ascending.reduce(
          (least, value, i) => join(join(least, i === 0 ? this.#pieces.of(lead) : separator), value),
          NOTHING,
        )
      }
    }
    let least = NOTHING
    let at = count
    for (let written = 0; part.owed(at) > 0 || (due && written === 0); written++) {
      const { node, after } = part.step(at)
      const item = of(node, 0, depth)
      if (item === null) return null
      const rest = part.isUniform(at) ? part.owed(at) - 1 : 0
      least = join(join(least, written === 0 ? this.#pieces.of(lead) : separator), item)
      if (rest > 0) return join(least, this.#times(join(separator, item), rest))
      at = after
    }
    return least
  }

  /** The same where items are counted: the least over all ways to meet the counts, from the last counter backwards. */
  #counted(
    part: ArrayPart,
    start: number,
    { of, depth, marks, settled }: Around,
    lead: string,
    due: boolean,
  ): Least | null {
    const separator = this.#pieces.of(marks.separator)
    const known = new Map<number, Least | null>()
    const best = (at: number, first: Least): Least | null => {
      let least: Least | null = null
      const steps = settled
        ? [...part.steps(at)].sort((a, b) => this.#lower(a.node, depth) - this.#lower(b.node, depth))
        : part.steps(at)
      for (const { node, after } of steps) {
        // Where the counts are met they stay so; where they are not, an item that changes none leads nowhere.
        const rest = part.canClose(after) ? NOTHING : after === at ? null : known.get(after)!
        if (rest === null) continue
        if (
          least !== null &&
          settled &&
          first.text.length + this.#lower(node, depth) + rest.text.length > least.text.length
        )
          continue
        const option = joined(joined(first, of(node, 0, depth)), rest)
        if (option !== null && (least === null || isBetter(option, least))) least = option
      }
      return least
    }
    if (part.canClose(start)) return due ? best(start, this.#pieces.of(lead)) : NOTHING
    const pending = [start]
    while (pending.length > 0) {
      const at = pending[pending.length - 1]!
      const open = part
        .steps(at)
        .map(({ after }) => after)
        .filter((after) => after !== at && !part.canClose(after) && !known.has(after))
      if (open.length > 0 && !known.has(at)) {
        pending.push(...open)
        continue
      }
      known.set(at, best(at, separator))
      pending.pop()
    }
    return best(start, this.#pieces.of(lead))
  }
}

/** Where the entries of a container stand. */
interface Around {
  readonly of: Evaluate
  readonly depth: number
  readonly marks: Punctuation
  /** Whether the fixed point is reached. */
  readonly settled: boolean
}

/** The least texts of rules if those of the rules within them stood at one depth: a fixed point. */
interface Base {
  readonly rules: (Least | null)[]
  /** By rule: which ones it was written by, and when that was. */
  readonly reads: ({ readonly at: number; readonly rules: readonly number[] } | undefined)[]
  /** When rules last became less. */
  readonly changes: number[]
  /** Counts the times that one did. */
  clock: number
  /** The option of each choice that its least text takes. */
  readonly picks: Map<number, { readonly option: number; readonly least: Least }>
  /** The least lengths of nodes. */
  readonly lowers: Map<number, number>
}

type FreeTextNode = Extract<Node, { kind: 'free-text' }>
type Evaluate = (node: number, count?: number, depth?: number) => Least | null

/** Thrown once an array was searched for: the choices that are known took it to be shorter than it may be. */
const STALE = new Error('an array was searched for')

const EMPTY: Readonly<Record<Bracket, string>> = { '{': '{}', '[': '[]' }
