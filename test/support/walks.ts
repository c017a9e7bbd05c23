/**
 * Random walks: from each state a random token of the mask, with structure half of the time and with an end at some point.
 * No mask may be empty before the end, no token of a mask may be refused, and what is finished must be an instance: at
 * random, or by the completion that the matcher offers where the walk has gone on for long enough.
 */
import fc from 'fast-check'
import { sampleMaskbench } from '../../bench/lib.ts'
import { bitCount, emptyBits, hasBit, lowestBit, setBit } from '../../src/bits.ts'
import {
  type CompiledSchema,
  compile,
  LimitError,
  SchemaError,
  type SchemaOptions,
  type Vocabulary,
} from '../../src/core.ts'
import { anySchema } from '../schema/random.ts'
import { disagreementOn } from './disagreements.ts'
import { hyperjumpOf } from './hyperjump.ts'
import { Disagreed, isExact, Judge } from './judges.ts'
import { restOfCompletion } from './masks.ts'
import type { Random } from './random.ts'
import { wideSchemas } from './random-schemas.ts'
import { MODES } from './schemas.ts'
import { tinyVocabulary } from './vocabularies.ts'

export interface WalkTally {
  schemas: number
  /** Refused by the compiler, for what it does not enforce or as satisfied by nothing. */
  refused: number
  /** Tokens drawn at random; those of completions are not counted. */
  steps: number
  texts: number
  /** Finished texts that the first judges say nothing of. */
  readonly unjudged: { readonly name: string; readonly schema: string; readonly text: string }[]
  /** Walks that a documented limit stopped. */
  stopped: number
  readonly deadEnds: string[]
  readonly invalid: string[]
  /** Texts on which the judges disagree and nobody knows why. */
  readonly disputed: string[]
}

function newTally(): WalkTally {
  return {
    schemas: 0,
    refused: 0,
    steps: 0,
    texts: 0,
    unjudged: [],
    stopped: 0,
    deadEnds: [],
    invalid: [],
    disputed: [],
  }
}

/** Asks the second judge of what the first say nothing of; what it says nothing of, too, stays. */
export async function judgeRest(tally: WalkTally): Promise<void> {
  for (const each of tally.unjudged.splice(0)) {
    const verdict = isExact(each.text) ? (await hyperjumpOf(each.schema))?.(each.text) : undefined
    if (verdict === undefined) tally.unjudged.push(each)
    else if (!verdict && disagreementOn(each.schema, 'hyperjump') === undefined)
      tally.invalid.push(`${each.name}: ${each.text}`)
  }
}

/** A longer walk is completed: most schemas have no text of more interest. */
const MAX_WALK = 120
/** Steps on each random schema, and on each of MaskBench at least. */
const RANDOM_STEPS = 40
const MASKBENCH_STEPS = 60

/** A vocabulary as a walk needs it. */
class Walker {
  readonly #vocabulary: Vocabulary
  readonly #structural: Uint32Array
  /** Tokens of one byte. */
  readonly #single = new Map<number, number>()
  readonly #mask: Uint32Array
  readonly #random: Random

  constructor(vocabulary: Vocabulary, random: Random) {
    this.#vocabulary = vocabulary
    this.#random = random
    this.#mask = emptyBits(vocabulary.size)
    this.#structural = new Uint32Array(this.#mask.length)
    for (let id = 0; id < vocabulary.size; id++) {
      const bytes = vocabulary.bytes(id)
      if (bytes === null) continue
      if (bytes.length === 1) this.#single.set(bytes[0]!, id)
      if (bytes.some((byte) => '"{}[],:'.includes(String.fromCharCode(byte)))) setBit(this.#structural, id)
    }
  }

  /** Walks a schema, given as JSON text, until so many steps are made. */
  walk(name: string, schema: string, options: SchemaOptions, steps: number, tally: WalkTally): void {
    tally.schemas++
    let grammar: CompiledSchema
    try {
      grammar = compile(schema, this.#vocabulary, options)
    } catch (error) {
      if (!(error instanceof SchemaError || error instanceof LimitError)) throw error
      tally.refused++
      return
    }
    const judge = new Judge(schema)
    const until = tally.steps + steps
    while (tally.steps < until) {
      const before = tally.steps
      try {
        const text = this.#text(grammar, tally)
        tally.texts++
        const verdict = judge.verdict(text)
        if (verdict === null) tally.unjudged.push({ name, schema, text })
        else if (!verdict) tally.invalid.push(`${name} ${JSON.stringify(options)}: ${text}`)
      } catch (error) {
        if (error instanceof DeadEnd)
          tally.deadEnds.push(`${name} ${JSON.stringify(options)}: ${error.message}`)
        else if (error instanceof Disagreed) tally.disputed.push(`${name}: ${error.message}`)
        else if (error instanceof LimitError) tally.stopped++
        else throw error
      }
      // A schema of few texts is left after one that needed no choice.
      if (tally.steps <= before) break
    }
  }

  /** One finished text. */
  #text(grammar: CompiledSchema, tally: WalkTally): string {
    const matcher = grammar.matcher()
    const random = this.#random
    const mask = this.#mask
    const patience = 1 + random.below(MAX_WALK)
    const { endTokens } = this.#vocabulary
    for (let step = 0; ; step++) {
      matcher.mask(mask)
      const ends = endTokens.filter((id) => hasBit(mask, id))
      if (ends.length > 0 !== matcher.isComplete())
        throw new DeadEnd(`the end is ${ends.length > 0 ? '' : 'not '}allowed after ${matcher.text()}`)
      if (step >= patience) break
      const structural = random.chance(0.5)
      let id = ends.length > 0 && random.chance(0.3) ? random.pick(ends) : -1
      if (id < 0 && structural) id = this.#pick(this.#structural)
      if (id < 0) id = this.#pick(null)
      if (id < 0) throw new DeadEnd(`no token is allowed after ${matcher.text()}`)
      tally.steps++
      if (!matcher.accept(id)) throw new DeadEnd(`token ${id} of the mask is refused after ${matcher.text()}`)
      if (endTokens.includes(id)) return matcher.text()
    }
    for (const byte of restOfCompletion(matcher)) {
      const id = this.#single.get(byte)
      matcher.mask(mask)
      if (id === undefined || !hasBit(mask, id) || !matcher.accept(id)) {
        throw new DeadEnd(
          `the completion ${matcher.shortestCompletion().text} is refused after ${matcher.text()}`,
        )
      }
    }
    if (!matcher.isComplete()) throw new DeadEnd(`the completion ends early: ${matcher.text()}`)
    return matcher.text()
  }

  /** A random id of the mask, and of `within`; -1 if there is none. */
  #pick(within: Uint32Array | null): number {
    const mask = this.#mask
    let count = 0
    for (let word = 0; word < mask.length; word++) {
      count += bitCount(within === null ? mask[word]! : mask[word]! & within[word]!)
    }
    if (count === 0) return -1
    let rank = this.#random.below(count)
    for (let word = 0; word < mask.length; word++) {
      let bits = within === null ? mask[word]! : mask[word]! & within[word]!
      const here = bitCount(bits)
      if (rank >= here) {
        rank -= here
        continue
      }
      while (rank-- > 0) bits &= bits - 1
      return word * 32 + lowestBit(bits)
    }
    return -1
  }
}

class DeadEnd extends Error {
  override readonly name = 'DeadEnd'
}

/**
 * Walks the schemas of a MaskBench folder. Every schema has the same part of the steps; where they are too few
 * for all, every so many is walked.
 */
export async function walkMaskbench(
  folder: string,
  vocabulary: Vocabulary,
  steps: number,
  random: Random,
): Promise<WalkTally> {
  const tally = newTally()
  const walker = new Walker(vocabulary, random)
  const schemas: [string, string][] = []
  for await (const { id, schema } of sampleMaskbench(folder)) schemas.push([id, schema])
  const each = Math.max(MASKBENCH_STEPS, Math.ceil(steps / schemas.length))
  const every = Math.max(1, Math.floor((schemas.length * each) / steps))
  for (let round = 0; tally.steps < steps && round < every * 4; round++) {
    for (let index = round % every; index < schemas.length && tally.steps < steps; index += every) {
      const [id, schema] = schemas[index]!
      walker.walk(id, schema, random.pick(MODES), each, tally)
    }
  }
  return tally
}

/** Walks random schemas of all keywords under a small vocabulary. */
export function walkRandom(steps: number, seed: number, random: Random): WalkTally {
  const tally = newTally()
  const walker = new Walker(tinyVocabulary().vocabulary, random)
  const kinds = [
    wideSchemas,
    anySchema({ hard: true, unevaluated: false, counted: true }),
    anySchema({ hard: false, unevaluated: true, counted: false }),
  ]
  for (let batch = 0; tally.steps < steps; batch++) {
    const schemas = fc.sample(kinds[batch % kinds.length]! as fc.Arbitrary<unknown>, {
      seed: seed + batch,
      numRuns: 200,
    })
    for (const [index, schema] of schemas.entries()) {
      if (tally.steps >= steps) break
      const text = JSON.stringify(schema)
      walker.walk(`random ${seed + batch}.${index} ${text}`, text, random.pick(MODES), RANDOM_STEPS, tally)
    }
  }
  return tally
}
