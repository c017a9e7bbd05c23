/**
 * The oracle on real schemas: along instances of MaskBench the masks, what is accepted and the completions are what the
 * recogniser says. The data lies beside the checkout; without it this is skipped.
 */
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type MaskbenchLine, sampleMaskbench } from '../../bench/lib.ts'
import {
  type CompiledSchema,
  compile,
  LimitError,
  SchemaError,
  type SchemaOptions,
  type Vocabulary,
} from '../../src/core.ts'
import { difference, expectedMask, restOfCompletion, showBytes } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { Recogniser } from '../support/recogniser.ts'
import { llamaVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('masks of MaskBench against the oracle')
const folder = process.env.MASKBENCH ?? '../shared/maskbench/dev'
const present = existsSync(folder)
if (!present) process.stdout.write(`MaskBench is not at ${folder}: skipped\n`)

const MODE: SchemaOptions = { whitespace: 'any', propertyOrder: 'any', numbers: 'any' }
/** Longer instances only repeat what shorter ones show. */
const MAX_LENGTH = 20_000

/** Every `every`-th line of all files, beginning somewhere. */
async function sample(every: number, random: Random): Promise<MaskbenchLine[]> {
  const lines: MaskbenchLine[] = []
  for await (const line of sampleMaskbench(folder, every, random.below(every))) lines.push(line)
  return lines
}

function idsByBytes(vocabulary: Vocabulary): ReadonlyMap<string, number> {
  const ids = new Map<string, number>()
  for (let id = 0; id < vocabulary.size; id++) {
    const bytes = vocabulary.bytes(id)
    if (bytes !== null && bytes.length > 0) ids.set(Buffer.from(bytes).toString('latin1'), id)
  }
  return ids
}

/** Reads an instance in tokens of random length; looks at the mask and the completion in `states` places. */
function judge(
  grammar: CompiledSchema,
  recogniser: Recogniser,
  text: string,
  ids: ReadonlyMap<string, number>,
  states: number,
  random: Random,
): string[] {
  const matcher = grammar.matcher()
  const places = new Set(Array.from({ length: states }, () => random.below(text.length + 1)))
  let state = recogniser.start
  let at = 0
  while (at < text.length) {
    let length = random.chance(0.7) ? 20 : 1 + random.below(6)
    while (length > 1 && !ids.has(text.slice(at, at + length))) length--
    if ([...places].some((place) => place >= at && place < at + length)) {
      const wrong = difference(
        matcher.mask(),
        expectedMask(recogniser, state, grammar.vocabulary),
        grammar.vocabulary,
      )
      if (wrong !== '') return [`after ${showBytes(matcher.bytes())}: ${wrong}`]
      if (!recogniser.isComplete(recogniser.run(state, restOfCompletion(matcher)))) {
        return [`after ${showBytes(matcher.bytes())}: the completion ${matcher.shortestCompletion().text}`]
      }
    }
    const bytes = Buffer.from(text.slice(at, at + length), 'latin1')
    const accepted = matcher.accept(ids.get(bytes.toString('latin1'))!)
    state = recogniser.run(state, bytes)
    if (accepted !== (state !== 0))
      return [
        `after ${showBytes(matcher.bytes())}: ${showBytes(bytes)} is ${accepted ? 'accepted' : 'refused'}`,
      ]
    if (!accepted) return []
    at += length
  }
  return matcher.isComplete() === recogniser.isComplete(state) ? [] : [`complete: ${matcher.isComplete()}`]
}

describe.skipIf(!present)('along instances', () => {
  test.each([
    ['a tiny vocabulary', () => tinyVocabulary().vocabulary, 20, 4],
    ['Llama 3.1', llamaVocabulary, 160, 2],
  ] as const)(
    'on %s the masks are what the recogniser allows',
    { timeout: 600_000 },
    async (_, load, every, states) => {
      const random = new Random(seed)
      const vocabulary = load()
      const ids = idsByBytes(vocabulary)
      const wrong: string[] = []
      for (const { id, schema, tests } of await sample(every, random)) {
        let grammar: CompiledSchema
        try {
          grammar = compile(schema, vocabulary, MODE)
        } catch (error) {
          if (error instanceof SchemaError || error instanceof LimitError) continue
          throw error
        }
        if (!Recogniser.covers(schema, MODE)) continue
        const recogniser = Recogniser.ofSchema(schema, MODE)
        for (const { text } of tests.slice(0, 3)) {
          if (text.length > MAX_LENGTH) continue
          const found = judge(
            grammar,
            recogniser,
            Buffer.from(text, 'utf8').toString('latin1'),
            ids,
            states,
            random,
          )
          wrong.push(...found.map((line) => `${id} ${line}`))
        }
      }
      expect(wrong).toEqual([])
    },
  )
})
