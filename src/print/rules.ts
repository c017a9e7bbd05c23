/**
 * The rules of a grammar that is being printed: their names, their order, and what the print leaves out.
 *
 * Work is counted in characters that are written: past the limit there is a `LimitError`, so that a print is never larger
 * than somebody could want.
 */
import { LimitError } from '../errors.ts'
import type { Piece } from './notation.ts'

/** Characters of all rules together. */
const MAX_LENGTH = 4_000_000
/** Columns of a line that holds a choice. */
const MAX_COLUMNS = 100

export class Rules {
  readonly #bodies = new Map<string, Piece | null>()
  readonly #counts = new Map<string, number>()
  readonly #shared = new Map<string, Piece>()
  readonly #leftOut = new Set<string>()
  #length = 0

  /** Takes a name, changed where it is none in GBNF, or is taken; its rule is written by `define`. */
  declare(wanted: string): string {
    const base = wanted.replace(/[^A-Za-z0-9]+/gu, '-').replace(/^-|-$/gu, '') || 'rule'
    let name = base
    for (let n = this.#counts.get(base) ?? 1; this.#bodies.has(name); this.#counts.set(base, n))
      name = `${base}-${++n}`
    this.#bodies.set(name, null)
    return name
  }

  define(name: string, body: Piece): void {
    this.#length += name.length + body.text.length
    if (this.#length > MAX_LENGTH) {
      const hint = 'it has too many or too large patterns and numbers to be shown'
      throw new LimitError('characters of a printed grammar', MAX_LENGTH, this.#length, hint)
    }
    this.#bodies.set(name, body)
  }

  /** A rule with this body, as what calls it. */
  add(wanted: string, body: Piece): Piece {
    const name = this.declare(wanted)
    this.define(name, body)
    return callOf(name)
  }

  /** The one rule with this name, which always has this body. */
  shared(name: string, body: Piece): Piece {
    let call = this.#shared.get(name)
    if (call === undefined) {
      call = this.add(name, body)
      this.#shared.set(name, call)
    }
    return call
  }

  /** Says that the print is looser than the grammar, and what it does not see to. */
  leaveOut(what: string): void {
    this.#leftOut.add(what)
  }

  /** The rules that the first one needs, each behind the one that needs it first. */
  toString(): string {
    const notes = [...this.#leftOut].map((what) => `# left out: ${what}\n`)
    const [first] = this.#bodies.keys()
    const lines: string[] = []
    const seen = new Set<string>()
    const waiting = first === undefined ? [] : [first]
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (seen.has(name)) continue
      seen.add(name)
      const body = this.#bodies.get(name)!
      lines.push(`${name} ::= ${wrapped(body)}\n`)
      waiting.push(...namesIn(body.text).reverse())
    }
    return [...notes, ...lines].join('')
  }
}

/** The rules that are called in a text. */
function namesIn(text: string): string[] {
  const names: string[] = []
  for (const [, name] of text.matchAll(
    /"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|<[^>]*>|\{[^}]*\}|([A-Za-z0-9-]+)/gu,
  ))
    if (name !== undefined) names.push(name)
  return names
}

export function callOf(name: string): Piece {
  return { text: name, level: 2 }
}

/** A choice that is too long for a line has one for each option; llama.cpp takes a rule to go on behind a bar only. */
function wrapped({ text, options }: Piece): string {
  return options !== undefined && text.length > MAX_COLUMNS
    ? options.map((option) => option.text).join(' |\n  ')
    : text
}
