/**
 * Tokens that consist of characters of one set, and the places where other tokens leave it.
 *
 * A set's mask is that of a larger set that is known, without what lies below the characters that are too many; or, where
 * that is more to take out than to put in, a walk along the set's own characters. The tables of a vocabulary hold at
 * most `MAX_BYTES`: beyond that all are dropped, and made again when asked for.
 */
import { addBits, clearBits, emptyBits, hasBit, lowestBit, setBit, setBits } from '../bits.ts'
import { effort } from '../effort.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { type Characters, INSIDE, PARTIAL, SET_SIZE, SET_WORDS } from './characters.ts'
import { MAX_DEPTH } from './closure.ts'

const MAX_BYTES = 4 << 20

export interface ClassTable {
  /** The tokens of characters of the set, and of beginnings of one where it has them. */
  readonly mask: Uint32Array
  /** The nodes of a kind above which there are only characters of the set. */
  leaving(kind: number): Int32Array
  /** The nodes of the set's characters that are one more than `MAX_DEPTH`, above which there are only such. */
  deep(): Deep
}

export class ClassTables {
  readonly #characters: Characters
  readonly #size: number
  readonly #tables = new Map<string, Table>()
  readonly #all: Table
  #bytes = 0
  #short: Uint32Array[] | null = null
  #deep: Deep | null = null

  constructor(vocabulary: Vocabulary, characters: Characters) {
    this.#characters = characters
    this.#size = vocabulary.size
    const every = emptyBits(SET_SIZE)
    for (let atom = 0; atom < SET_SIZE; atom++) if (atom !== INSIDE) setBit(every, atom)
    this.#all = new Table(this, characters, every, emptyBits(this.#size))
    this.#add(this.#all)
  }

  /** The table of a set of atoms. */
  of(atoms: Uint32Array): ClassTable {
    const key = atoms.join()
    let table = this.#tables.get(key)
    if (table === undefined) {
      table = this.#make(atoms)
      this.hold(table.mask.byteLength)
      this.#tables.set(key, table)
    }
    return table
  }

  /** Counts bytes that a table takes. */
  hold(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= MAX_BYTES) return
    this.#tables.clear()
    this.#bytes = bytes
  }

  #make(atoms: Uint32Array): Table {
    let nearest = this.#all
    let least = this.#excess(this.#all, atoms, Number.POSITIVE_INFINITY)
    for (const table of this.#tables.values()) {
      const excess = this.#excess(table, atoms, least)
      if (excess >= least) continue
      nearest = table
      least = excess
    }
    const { weight } = this.#characters
    let own = 0
    for (let atom = 0; atom < SET_SIZE; atom++) if (hasBit(atoms, atom)) own += weight[atom]!
    const table = new Table(this, this.#characters, atoms.slice(), nearest.mask.slice())
    if (least <= own) {
      this.#clear(table, nearest)
    } else {
      table.mask.fill(0)
      this.#add(table)
    }
    return table
  }

  /** Tokens to be taken out of the larger set's mask; `Infinity` where it is not larger. */
  #excess({ atoms }: Table, smaller: Uint32Array, limit: number): number {
    let sum = 0
    for (let word = 0; word < SET_WORDS; word++) {
      if ((smaller[word]! & ~atoms[word]!) !== 0) return Number.POSITIVE_INFINITY
      for (let rest = atoms[word]! & ~smaller[word]!; rest !== 0; rest &= rest - 1) {
        sum += this.#characters.weight[word * 32 + lowestBit(rest)]!
        if (sum >= limit) return sum
      }
    }
    return sum
  }

  #clear({ atoms, mask }: Table, larger: Table): void {
    const { nodes, starts } = this.#characters
    const { first, skip, tokens } = this.#characters.trie
    for (let atom = 0; atom < SET_SIZE; atom++) {
      if (hasBit(atoms, atom) || !hasBit(larger.atoms, atom)) continue
      effort.reads += starts[atom + 1]! - starts[atom]!
      for (let at = starts[atom]!; at < starts[atom + 1]!; at++) {
        const node = nodes[at]!
        clearBits(mask, tokens, first[node]!, first[atom === PARTIAL ? node + 1 : skip[node]!]!)
      }
    }
  }

  #add({ atoms, mask }: Table): void {
    const { kind, trie } = this.#characters
    const { first, skip, tokens, size } = trie
    let read = 0
    for (let i = 1; i < size; ) {
      read++
      const k = kind[i]!
      if (k >= SET_SIZE || (k < INSIDE && !hasBit(atoms, k))) {
        i = skip[i]!
        continue
      }
      if (k !== PARTIAL || hasBit(atoms, PARTIAL)) setBits(mask, tokens, first[i]!, first[i + 1]!)
      i++
    }
    effort.reads += read
  }

  /** The tokens of the mask, which is one of a table, that have at most `length` characters; `length` is at most `MAX_DEPTH`. */
  upTo(mask: Uint32Array, length: number): Uint32Array {
    this.#short ??= this.#measure()
    const short = this.#short[length]!
    const bits = new Uint32Array(mask.length)
    for (let i = 0; i < bits.length; i++) bits[i] = mask[i]! & short[i]!
    return bits
  }

  /** For each length up to `MAX_DEPTH` the tokens that are not longer. */
  #measure(): Uint32Array[] {
    const { kind, count, trie } = this.#characters
    const { first, tokens, size } = trie
    const short = Array.from({ length: MAX_DEPTH + 1 }, () => emptyBits(this.#size))
    for (let i = 1; i < size; i++) {
      const k = kind[i]!
      if (k >= SET_SIZE) continue
      const length = k === PARTIAL ? count[i]! + 1 : count[i]!
      if (length > MAX_DEPTH) continue
      setBits(short[length]!, tokens, first[i]!, first[i + 1]!)
    }
    for (let length = 1; length <= MAX_DEPTH; length++) addBits(short[length]!, short[length - 1]!)
    return short
  }

  /** Where tokens go on behind `MAX_DEPTH` characters, whichever these are. */
  get deep(): Deep {
    if (this.#deep === null) {
      const { kind, count, parent } = this.#characters
      const nodes: number[] = []
      const above: number[] = []
      for (let i = 1; i < kind.length; i++) {
        if (kind[i] === PARTIAL ? count[i] !== MAX_DEPTH : kind[i]! >= INSIDE || count[i] !== MAX_DEPTH + 1)
          continue
        const path: number[] = []
        for (let up = parent[i]!; up !== 0; up = parent[up]!) if (kind[up]! < INSIDE) path.push(up)
        // Others are behind a quote or an escape.
        if (path.length !== MAX_DEPTH) continue
        nodes.push(i)
        above.push(...path.reverse())
      }
      this.#deep = { nodes: Int32Array.from(nodes), above: Int32Array.from(above) }
    }
    return this.#deep
  }
}

/** Nodes with one character more than `MAX_DEPTH`, and for each as many nodes above it, the characters from the first on. */
export interface Deep {
  readonly nodes: Int32Array
  readonly above: Int32Array
}

class Table implements ClassTable {
  readonly atoms: Uint32Array
  readonly mask: Uint32Array
  readonly #owner: ClassTables
  readonly #characters: Characters
  readonly #leaving = new Map<number, Int32Array>()
  #deep: Deep | null = null

  constructor(owner: ClassTables, characters: Characters, atoms: Uint32Array, mask: Uint32Array) {
    this.#owner = owner
    this.#characters = characters
    this.atoms = atoms
    this.mask = mask
  }

  leaving(kind: number): Int32Array {
    let found = this.#leaving.get(kind)
    if (found === undefined) {
      const { nodes, starts } = this.#characters
      found = this.#below(nodes.subarray(starts[kind]!, starts[kind + 1]!))
      this.#leaving.set(kind, found)
      this.#owner.hold(found.byteLength)
    }
    return found
  }

  deep(): Deep {
    if (this.#deep === null) {
      const { kind } = this.#characters
      const { nodes, above } = this.#owner.deep
      const kept: number[] = []
      const paths: number[] = []
      for (let i = 0; i < nodes.length; i++) {
        const path = above.subarray(i * MAX_DEPTH, (i + 1) * MAX_DEPTH)
        if (!hasBit(this.atoms, kind[nodes[i]!]!) || !path.every((node) => hasBit(this.atoms, kind[node]!)))
          continue
        kept.push(nodes[i]!)
        paths.push(...path)
      }
      this.#deep = { nodes: Int32Array.from(kept), above: Int32Array.from(paths) }
      this.#owner.hold(this.#deep.nodes.byteLength + this.#deep.above.byteLength)
    }
    return this.#deep
  }

  /** The nodes above which there are only characters of the set. */
  #below(nodes: Int32Array): Int32Array {
    const { kind, parent } = this.#characters
    const { atoms } = this
    const found: number[] = []
    effort.reads += nodes.length
    for (const node of nodes) {
      let up = parent[node]!
      while (up !== 0) {
        const k = kind[up]!
        if (k >= SET_SIZE || (k < INSIDE && !hasBit(atoms, k))) break
        up = parent[up]!
      }
      if (up === 0) found.push(node)
    }
    return Int32Array.from(found)
  }
}
