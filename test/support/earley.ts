/**
 * A plain Earley parser (Earley 1970, nullable rules as by Aycock and Horspool 2002) over bytes, for grammars as data: what
 * the engine is compared with where grammars are recursive. It shares no code with it.
 *
 * It can be asked after each byte whether some text goes on so, and bytes can be taken back.
 */

export type Piece =
  /** One byte of these. */
  | { readonly kind: 'bytes'; readonly bytes: readonly number[] }
  /** Any text of a rule. */
  | { readonly kind: 'rule'; readonly rule: number }

/** The alternatives of each rule; rule 0 is the root. */
export type Productions = readonly (readonly (readonly Piece[])[])[]

/** One alternative of a rule, read up to some symbol: numbers, so that sets of them are cheap. */
interface Dotted {
  readonly rule: number
  /** What comes next; `undefined` at the end. */
  readonly symbol: Piece | undefined
}

/** Origins are below this. */
const LENGTHS = 2 ** 16

/** All items of one length: dotted alternatives by number, each with where it began. */
interface ItemSet {
  readonly items: number[]
  readonly met: Set<number>
  /** By rule: the items that wait for it. */
  readonly waiting: Map<number, number[]>
}

export class Earley {
  readonly #dotted: Dotted[] = []
  /** By rule: the beginnings of its alternatives, as numbers of dotted ones. */
  readonly #begins: readonly (readonly number[])[]
  readonly #nullable: readonly boolean[]
  readonly #chart: ItemSet[] = []

  constructor(productions: Productions) {
    const productive = closure(productions, (symbol, known) => symbol.kind === 'bytes' || known(symbol.rule))
    const rules = productions.map((alternatives) =>
      alternatives.filter((symbols) =>
        symbols.every((symbol) => symbol.kind === 'bytes' || productive[symbol.rule]),
      ),
    )
    this.#begins = rules.map((alternatives, rule) =>
      alternatives.map((symbols) => {
        const begin = this.#dotted.length
        for (let dot = 0; dot <= symbols.length; dot++) this.#dotted.push({ rule, symbol: symbols[dot] })
        return begin
      }),
    )
    this.#nullable = closure(rules, (symbol, known) => symbol.kind === 'rule' && known(symbol.rule))
    this.#grow((add) => {
      for (const begin of this.#begins[0]!) add(begin * LENGTHS)
    })
  }

  /** Whether the grammar has any text. */
  get hasTexts(): boolean {
    return this.#begins[0]!.length > 0
  }

  /** Reads a byte; whether some text begins with all that was read. */
  push(byte: number): boolean {
    const { items } = this.#last
    const next = this.#grow((add) => {
      for (const item of items) {
        const { symbol } = this.#dotted[Math.floor(item / LENGTHS)]!
        if (symbol?.kind === 'bytes' && symbol.bytes.includes(byte)) add(item + LENGTHS)
      }
    })
    return next.items.length > 0
  }

  /** Takes back the last byte. */
  pop(): void {
    this.#chart.pop()
  }

  /** Whether what was read is a text. */
  get isComplete(): boolean {
    return this.#last.items.some((item) => {
      const { rule, symbol } = this.#dotted[Math.floor(item / LENGTHS)]!
      return rule === 0 && symbol === undefined && item % LENGTHS === 0
    })
  }

  get #last(): ItemSet {
    return this.#chart[this.#chart.length - 1]!
  }

  /** A further set: what is scanned, and all that is predicted and completed by it. */
  #grow(scan: (add: (item: number) => void) => void): ItemSet {
    const at = this.#chart.length
    const set: ItemSet = { items: [], met: new Set(), waiting: new Map() }
    this.#chart.push(set)
    const add = (item: number): void => {
      if (set.met.has(item)) return
      set.met.add(item)
      set.items.push(item)
    }
    scan(add)
    for (const item of set.items) {
      const { rule, symbol } = this.#dotted[Math.floor(item / LENGTHS)]!
      if (symbol === undefined) {
        for (const waiting of this.#chart[item % LENGTHS]!.waiting.get(rule) ?? []) add(waiting + LENGTHS)
      } else if (symbol.kind === 'rule') {
        const waiting = set.waiting.get(symbol.rule)
        if (waiting === undefined) {
          set.waiting.set(symbol.rule, [item])
          for (const begin of this.#begins[symbol.rule]!) add(begin * LENGTHS + at)
        } else waiting.push(item)
        if (this.#nullable[symbol.rule]) add(item + LENGTHS)
      }
    }
    return set
  }
}

/** The rules with an alternative of which all symbols have some property that the rules found so far tell. */
function closure(
  rules: Productions,
  has: (symbol: Piece, known: (rule: number) => boolean) => boolean,
): boolean[] {
  const found = rules.map(() => false)
  for (let changed = true; changed; ) {
    changed = false
    rules.forEach((alternatives, rule) => {
      if (
        found[rule] ||
        !alternatives.some((symbols) => symbols.every((s) => has(s, (other) => found[other]!)))
      )
        return
      found[rule] = true
      changed = true
    })
  }
  return found
}
