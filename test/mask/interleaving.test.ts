/**
 * Whatever is done to matchers, and in whatever order, they stand where their texts say: tokens and bytes that were taken and
 * taken back, forks, drafts that were judged, matchers written as bytes and restored, of a grammar that was so itself. Each is compared with a new matcher that is given the text from its beginning.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  CompiledGrammar,
  compile,
  compileGbnf,
  LimitError,
  type Matcher,
  SchemaError,
  type SchemaOptions,
  type Vocabulary,
} from '../../src/core.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import { distinctSchema } from '../support/distinct-schemas.ts'
import { grammars } from '../support/grammars.ts'
import { chooseToken, idsOf, snapshot } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { wideSchemas } from '../support/random-schemas.ts'
import { MODES, SCHEMAS } from '../support/schemas.ts'
import { shippedVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('interleaving')
const tiny = tinyVocabulary()

/** A token by its id, or bytes that came at once. */
type Step = number | Uint8Array

/** A matcher, and what it was told since its beginning. */
interface Told {
  matcher: Matcher
  steps: Step[]
  /** The most steps there were since the beginning: so many less `maxRollback` are fixed. */
  most: number
}

const MAX_ROLLBACK = 12

/** The ids of the tokens of one byte. */
function singleBytes(vocabulary: Vocabulary): Map<number, number> {
  const ids = new Map<number, number>()
  for (let id = 0; id < vocabulary.size; id++) {
    const bytes = vocabulary.bytes(id)
    if (bytes?.length === 1 && !vocabulary.endTokens.includes(id)) ids.set(bytes[0]!, id)
  }
  return ids
}

class Interleaving {
  readonly #grammar: CompiledGrammar
  /** The same, read from its bytes. */
  readonly #loaded: CompiledGrammar
  readonly #random: Random
  /** The tokens of one byte; `null` where the grammar names such by their ids, and bytes are not what they are. */
  readonly #single: ReadonlyMap<number, number> | null
  readonly #log: string[] = []
  readonly #all: Told[]

  constructor(grammar: CompiledGrammar, single: ReadonlyMap<number, number> | null, random: Random) {
    this.#grammar = grammar
    this.#loaded = CompiledGrammar.deserialize(grammar.serialize(), grammar.vocabulary)
    this.#single = single
    this.#random = random
    this.#all = [{ matcher: grammar.matcher({ maxRollback: MAX_ROLLBACK }), steps: [], most: 0 }]
  }

  /** What was done and is not as it should be; `null` where all is. */
  run(turns: number): unknown {
    for (let turn = 0; turn < turns; turn++) {
      const told = this.#random.pick(this.#all)
      this.#act(told)
      for (const each of this.#random.chance(0.2) ? this.#all : [told]) {
        const actual = snapshot(each.matcher)
        const expected = snapshot(this.#replayed(each.steps))
        if (JSON.stringify(actual) !== JSON.stringify(expected)) return { log: this.#log, actual, expected }
        if (each.matcher.tokenCount !== each.steps.length) return { log: this.#log, count: each.steps.length }
      }
    }
    return null
  }

  /** A new matcher at the same place: bytes that came at once come one by one. */
  #replayed(steps: readonly Step[]): Matcher {
    const matcher = this.#grammar.matcher()
    for (const step of steps) {
      const isTaken = typeof step === 'number' ? matcher.accept(step) : this.#takes(matcher, step)
      if (!isTaken) throw new Error(`refused: ${this.#log.join(' ')}`)
    }
    return matcher
  }

  /** Whether a matcher takes the bytes one by one. */
  #takes(matcher: Matcher, bytes: Iterable<number>): boolean {
    for (const byte of bytes) {
      const id = this.#single?.get(byte)
      if (!(id === undefined ? matcher.acceptBytes(Uint8Array.of(byte)) : matcher.accept(id))) return false
    }
    return true
  }

  #act(told: Told): void {
    const { matcher, steps } = told
    const turn = this.#random.next()
    if (turn < 0.4) this.#accept(told)
    else if (turn < 0.6) this.#acceptBytes(told)
    else if (turn < 0.75) {
      const most = steps.length - Math.max(0, told.most - MAX_ROLLBACK)
      const n = this.#random.below(most + 1)
      this.#log.push(`back ${n}`)
      expect(() => matcher.rollback(most + 1)).toThrow(RangeError)
      matcher.rollback(n)
      steps.length -= n
    } else if (turn < 0.85) {
      this.#log.push('fork')
      const fork = { matcher: matcher.fork(), steps: [...steps], most: told.most }
      if (this.#all.length < 4) this.#all.push(fork)
      else this.#all[this.#random.below(4)] = fork
    } else if (turn < 0.9) {
      this.#log.push('restore')
      told.matcher = this.#random.pick([this.#grammar, this.#loaded]).restore(matcher.serialize())
    } else if (turn < 0.93) {
      this.#log.push('reset')
      matcher.reset()
      told.steps = []
      told.most = 0
    } else this.#draft(told)
  }

  #take(told: Told, step: Step): void {
    told.steps.push(step)
    told.most = Math.max(told.most, told.steps.length)
  }

  #accept(told: Told): void {
    const { matcher } = told
    if (matcher.isComplete() && idsOf(matcher.mask()).length === 0) return
    const id = this.#choose(matcher)
    this.#log.push(`accept ${id}`)
    expect(matcher.accept(id)).toBe(true)
    this.#take(told, id)
  }

  #choose(matcher: Matcher): number {
    return chooseToken(matcher, this.#grammar.vocabulary, this.#random, this.#random.chance(0.3))
  }

  /** The bytes of a few tokens, the last one perhaps cut; or some that may be refused. */
  #acceptBytes(told: Told): void {
    const { matcher } = told
    const ahead = this.#replayed(told.steps)
    const bytes: number[] = []
    for (let n = this.#random.below(this.#random.chance(0.1) ? 40 : 5); n > 0; n--) {
      if (idsOf(ahead.mask()).length === 0) break
      const id = this.#choose(ahead)
      const token = this.#grammar.vocabulary.bytes(id)
      if (token === null || this.#grammar.vocabulary.endTokens.includes(id)) break
      ahead.accept(id)
      bytes.push(...token)
    }
    if (bytes.length > 0 && this.#random.chance(0.4)) bytes.length -= this.#random.below(bytes.length)
    if (this.#random.chance(0.2)) bytes.push(this.#random.below(256))
    const judge = this.#replayed(told.steps)
    const isEnded = judge.isComplete() && idsOf(judge.mask()).length === 0
    const isLegal = !isEnded && this.#takes(judge, bytes)
    this.#log.push(`bytes ${JSON.stringify(Buffer.from(bytes).toString('latin1'))}`)
    expect(matcher.acceptBytes(Uint8Array.from(bytes))).toBe(isLegal)
    if (isLegal) this.#take(told, Uint8Array.from(bytes))
  }

  /** A draft that is legal up to somewhere. */
  #draft({ matcher, steps }: Told): void {
    const ahead = this.#replayed(steps)
    const draft: number[] = []
    for (let n = this.#random.below(6); n > 0 && idsOf(ahead.mask()).length > 0; n--) {
      const id = this.#choose(ahead)
      ahead.accept(id)
      draft.push(id)
    }
    const size = this.#grammar.vocabulary.size
    const more = [this.#random.below(size), -1, size, 1e9, 0.5, Number.NaN]
    if (this.#random.chance(0.7)) draft.push(this.#random.pick(more), this.#random.below(size))
    const judge = this.#replayed(steps)
    const refused = draft.findIndex((id) => !judge.accept(id))
    this.#log.push(`draft ${draft.join()}`)
    expect(matcher.validatePrefix(draft)).toBe(refused < 0 ? draft.length : refused)
  }
}

const single = singleBytes(tiny.vocabulary)
const TURNS = 30

/** The schema compiled for the tiny vocabulary; `null` where nothing satisfies it, or it is hard to decide. */
function compiled(schema: object | boolean, options: SchemaOptions): CompiledGrammar | null {
  try {
    return compile(schema as object, tiny.vocabulary, options)
  } catch (error) {
    if (error instanceof SchemaError || error instanceof LimitError) return null
    throw error
  }
}

describe('a matcher stands where its text says', () => {
  const some = SCHEMAS.filter((_, i) => (i + seed) % 3 === 0)
  test.each(some)('$name', ({ schema, options, name }) => {
    const random = new Random(seed ^ name.length)
    const grammar = compile(schema, tiny.vocabulary, { ...random.pick(MODES), ...options })
    expect(new Interleaving(grammar, single, random).run(TURNS)).toBeNull()
  })

  test.each(grammars(tiny.control))('$name', ({ build, name }) => {
    const random = new Random(seed ^ name.length)
    const grammar = compileGrammar(build(), tiny.vocabulary)
    for (let round = 0; round < 3; round++)
      expect(new Interleaving(grammar, single, random).run(TURNS)).toBeNull()
  })

  test.each([
    'root ::= root "+" [0-9] | [0-9]',
    'root ::= "a" root "b" | "ab"? "c"',
    'root ::= s s | "a"\ns ::= s "b" | [ab]{0,3} | "(" root ")"',
    'root ::= (!<[97]> | <tool>){2,6} [a-z]* <[98]>',
    'root ::= "1" (<end> | "," root)',
  ])('%s', (gbnf) => {
    const grammar = compileGbnf(gbnf, tiny.vocabulary)
    const byBytes = /<\[/.test(gbnf) ? null : single
    for (let round = 0; round < 3; round++)
      expect(new Interleaving(grammar, byBytes, new Random(seed + round)).run(TURNS)).toBeNull()
  })

  test('in random schemas', () => {
    const random = new Random(seed)
    for (const schema of fc.sample(wideSchemas, { numRuns: 60, seed })) {
      const grammar = compiled(schema, random.pick(MODES))
      const wrong = grammar === null ? null : new Interleaving(grammar, single, random).run(15)
      expect({ schema, wrong }).toEqual({ schema, wrong: null })
    }
  })

  test('among items that must differ', () => {
    const random = new Random(seed)
    for (let round = 0; round < 20; round++) {
      const schema = distinctSchema(random)
      const grammar = compiled(schema, random.pick(MODES))
      const wrong = grammar === null ? null : new Interleaving(grammar, single, random).run(15)
      expect({ schema, wrong }).toEqual({ schema, wrong: null })
    }
  })

  test('over the vocabulary of the shipped model', () => {
    const vocabulary = shippedVocabulary()
    const bytes = singleBytes(vocabulary)
    const few = SCHEMAS.filter((_, i) => (i + seed) % 31 === 0)
    for (const { schema, options } of few) {
      const grammar = compile(schema, vocabulary, options)
      expect(new Interleaving(grammar, bytes, new Random(seed)).run(15)).toBeNull()
    }
  })
})
