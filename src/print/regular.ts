/**
 * Regular languages as GBNF: by their structure, where that is made of what the notation has, so that counts stay counts and
 * texts stay texts; else, where they are intersections or complements, by their automaton.
 */
import type { Spelling } from '../automaton/least-spelling.ts'
import { LimitError } from '../errors.ts'
import { CharDfa } from '../regex/chardfa.ts'
import { ANY, CharSet } from '../regex/charset.ts'
import { spine } from '../regex/node.ts'
import type { Regex, RegexBuilder } from '../regex/regex.ts'
import type { Machine } from './least-machine.ts'
import { printMachine } from './machine.ts'
import { choiceOf, EMPTY, literalOf, type Piece, repeatOf, sequenceOf } from './notation.ts'
import { callOf, type Rules } from './rules.ts'
import type { Characters } from './spelling.ts'

/** Beyond this what stands twice is a rule. */
const MAX_TWICE = 40
/** States of a pattern that are worth showing. */
const MAX_STATES = 400
/** States of a pattern beside its length: with more of them the length is left out. */
const MAX_COUNTED = 1_000

/** Bounds on a text, in characters. */
export interface Lengths {
  readonly min: number
  readonly max: number
}

export class Languages {
  readonly #regexes: RegexBuilder
  readonly #rules: Rules
  readonly #characters: Characters
  readonly #known = new Map<string, Piece>()
  readonly #references = new Map<string, Piece>()

  constructor(regexes: RegexBuilder, rules: Rules, characters: Characters) {
    this.#regexes = regexes
    this.#rules = rules
    this.#characters = characters
  }

  /** The texts of a language within bounds, spelled so, without quotes. */
  of(language: Regex, spelling: Spelling, name: string, lengths: Lengths = ANY_LENGTH): Piece {
    const { min, max } = lengths
    const isFree = min <= language.minLength && max >= language.maxLength
    const bounded = isFree
      ? language
      : this.#regexes.and(language, this.#regexes.repeat(this.#regexes.chars(ANY), min, max))
    if (isFree || !hasProduct(bounded)) return this.#print(bounded, spelling, name)
    try {
      const dfa = new CharDfa(this.#regexes, language, { maxStates: MAX_COUNTED })
      const machine = withLengths(machineOf(dfa), lengths)
      return printMachine(machine, (set) => this.#characters.of(set, spelling), this.#rules, name, {
        maxStates: MAX_COUNTED,
      })
    } catch (error) {
      if (!(error instanceof LimitError)) throw error
      this.#rules.leaveOut('the lengths of some strings with a pattern')
      return this.#print(language, spelling, name)
    }
  }

  #print(language: Regex, spelling: Spelling, name: string): Piece {
    const uses = new Map<Regex, number>()
    count(language, uses)
    return this.#piece(language, spelling, name, uses)
  }

  /** What stands in one language twice, and is of some length, is a rule. Recursion is as deep as languages are, which is bounded. */
  #piece(regex: Regex, spelling: Spelling, name: string, uses: ReadonlyMap<Regex, number>): Piece {
    const key = `${spelling} ${regex.id}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    let piece = this.#make(regex, spelling, name, uses)
    const isShared = (uses.get(regex) ?? 0) > 1
    if (isShared && piece.text.length > MAX_TWICE) piece = this.#rules.add(`${name}-part`, piece)
    if (isShared) this.#known.set(key, piece)
    return piece
  }

  #make(regex: Regex, spelling: Spelling, name: string, uses: ReadonlyMap<Regex, number>): Piece {
    const inner = (part: Regex): Piece => this.#piece(part, spelling, name, uses)
    switch (regex.kind) {
      case 'none':
        throw new RangeError('a language without a text is no part of a grammar')
      case 'epsilon':
        return EMPTY
      case 'all':
        return repeatOf(this.#characters.of(ANY, spelling), 0, Number.POSITIVE_INFINITY)
      case 'chars':
        return this.#characters.of(regex.set, spelling)
      case 'texts': {
        const { values, from, to, offset } = regex.texts
        return choiceOf(values.slice(from, to).map((value) => this.#text(value.slice(offset), spelling)))
      }
      case 'concat':
        return sequenceOf(this.#joined(spine(regex), spelling, inner))
      case 'or':
        return choiceOf(regex.items.map(inner))
      case 'repeat':
        return repeatOf(inner(regex.body), regex.min, regex.max)
      case 'reference': {
        const key = `${spelling} ${regex.id}`
        let call = this.#references.get(key)
        if (call === undefined) {
          const own = this.#rules.declare(name)
          call = callOf(own)
          this.#references.set(key, call)
          this.#rules.define(own, this.#print(regex.body, spelling, name))
        }
        return call
      }
      case 'and':
      case 'not':
        return this.#machine(regex, spelling, name, inner)
    }
  }

  /** Of an intersection that cannot be shown, one of the languages that are; else any text. The print says so. */
  #machine(regex: Regex, spelling: Spelling, name: string, inner: (part: Regex) => Piece): Piece {
    const spell = (set: CharSet): Piece => this.#characters.of(set, spelling)
    try {
      const dfa = new CharDfa(this.#regexes, regex, { maxStates: MAX_STATES })
      return printMachine(machineOf(dfa), spell, this.#rules, name, { maxStates: MAX_STATES })
    } catch (error) {
      if (!(error instanceof LimitError)) throw error
      this.#rules.leaveOut('some of what patterns and formats say')
      const shown = regex.kind === 'and' ? regex.items.find((item) => !hasProduct(item)) : undefined
      return shown === undefined ? repeatOf(spell(ANY), 0, Number.POSITIVE_INFINITY) : inner(shown)
    }
  }

  /** Single characters that stand beside each other are one literal, where they are written as they are. */
  #joined(parts: readonly Regex[], spelling: Spelling, inner: (part: Regex) => Piece): Piece[] {
    if (spelling !== 'raw') return parts.map(inner)
    const pieces: Piece[] = []
    let text = ''
    for (const part of parts) {
      const one = singleOf(part)
      if (one !== null) {
        text += one
        continue
      }
      if (text !== '') pieces.push(literalOf(text))
      text = ''
      pieces.push(inner(part))
    }
    if (text !== '') pieces.push(literalOf(text))
    return pieces
  }

  #text(text: string, spelling: Spelling): Piece {
    if (text === '') return EMPTY
    if (spelling === 'raw') return literalOf(text)
    return sequenceOf([...text].map((character) => this.#characters.of(CharSet.from(character), spelling)))
  }
}

const ANY_LENGTH: Lengths = { min: 0, max: Number.POSITIVE_INFINITY }

/** The text of one character that the expression is; `null` for others. */
function singleOf(regex: Regex): string | null {
  if (regex.kind !== 'chars') return null
  const [low, high] = regex.set.ranges
  return regex.set.ranges.length === 2 && low === high ? String.fromCodePoint(low!) : null
}

/** How often each part stands in a language; what an automaton stands for is not looked into. */
function count(language: Regex, uses: Map<Regex, number>): void {
  const pending = [language]
  for (let regex = pending.pop(); regex !== undefined; regex = pending.pop()) {
    const before = uses.get(regex) ?? 0
    uses.set(regex, before + 1)
    if (before === 0) pending.push(...parts(regex))
  }
}

function parts(regex: Regex): readonly Regex[] {
  switch (regex.kind) {
    case 'concat':
      return spine(regex)
    case 'or':
      return regex.items
    case 'repeat':
      return [regex.body]
    default:
      return []
  }
}

/** Whether a language is an intersection or a complement, or has one in it. */
function hasProduct(language: Regex): boolean {
  const uses = new Map<Regex, number>()
  count(language, uses)
  return [...uses.keys()].some(({ kind }) => kind === 'and' || kind === 'not')
}

function machineOf(dfa: CharDfa): Machine {
  const sets: CharSet[] = []
  const ranges: (readonly [number, number])[][] = Array.from({ length: dfa.classCount }, () => [])
  dfa.rangeStarts.forEach((low, i) => {
    ranges[dfa.rangeClass[i]!]!.push([low, (dfa.rangeStarts[i + 1] ?? 0x110000) - 1])
  })
  for (const each of ranges) sets.push(CharSet.of(...each))
  return {
    start: dfa.start,
    accepting: (state) => dfa.accepting(state),
    *steps(state) {
      const byTarget = new Map<number, CharSet>()
      for (let cls = 0; cls < dfa.classCount; cls++) {
        const target = dfa.next(state, cls)
        const set = sets[cls]!
        if (target !== 0 && !set.isEmpty) byTarget.set(target, byTarget.get(target)?.union(set) ?? set)
      }
      yield* byTarget
    },
  }
}

/** The texts of a machine within bounds: a state is one of the machine's, and how many characters were read, as far as that matters. */
function withLengths(machine: Machine, { min, max }: Lengths): Machine {
  const last = max === Number.POSITIVE_INFINITY ? min : max
  const width = last + 1
  return {
    start: machine.start * width,
    accepting: (state) => state % width >= min && machine.accepting(Math.floor(state / width)),
    *steps(state) {
      const read = state % width
      if (read === max) return
      const next = Math.min(read + 1, last)
      for (const [target, set] of machine.steps(Math.floor(state / width))) yield [target * width + next, set]
    },
  }
}
