/**
 * Instances of MaskBench with one thing changed: the engine accepts what the judges say is valid. Labels speak of whole
 * instances; what lies beside them is where a schema is read wrongly.
 */
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sampleMaskbench } from '../../bench/lib.ts'
import { type CompiledSchema, compile, LimitError, SchemaError } from '../../src/core.ts'
import { readJson } from '../../src/json/read.ts'
import { Judge } from '../support/judges.ts'
import { neighbours } from '../support/mutations.ts'
import { Random, seedOf } from '../support/random.ts'
import { accepts } from '../support/suite.ts'
import { byteVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('changed instances')
const folder = process.env.MASKBENCH ?? '../shared/maskbench/dev'
const present = existsSync(folder)
if (!present) process.stdout.write(`MaskBench is not at ${folder}: skipped\n`)

const EVERY = process.env.ESPALIER_CI ? 8 : 60
const CHANGES = 6
/** Longer instances only repeat what shorter ones show. */
const MAX_LENGTH = 4_000

function compiled(schema: string): CompiledSchema | null {
  try {
    return compile(schema, byteVocabulary(), { whitespace: 'any', propertyOrder: 'any', numbers: 'any' })
  } catch (error) {
    if (error instanceof SchemaError || error instanceof LimitError) return null
    throw error
  }
}

describe.skipIf(!present)('instances of MaskBench with a change', () => {
  test('are accepted exactly if they are valid', async () => {
    const random = new Random(seed)
    const counts = { valid: 0, invalid: 0, unjudged: 0 }
    const wrong: string[] = []
    for await (const { id, schema, tests } of sampleMaskbench(folder, EVERY, random.below(EVERY))) {
      const grammar = compiled(schema)
      if (grammar === null) continue
      const judge = new Judge(schema)
      for (const { text } of tests.slice(0, 3)) {
        if (text.length > MAX_LENGTH) continue
        for (const changed of neighbours(readJson(text), random, CHANGES)) {
          const verdict = judge.verdict(changed)
          counts[verdict === null ? 'unjudged' : verdict ? 'valid' : 'invalid']++
          if (verdict !== null && accepts(grammar, changed) !== verdict)
            wrong.push(`${id} ${verdict ? 'refuses' : 'accepts'} ${changed}`)
        }
      }
    }
    process.stdout.write(`changed instances: ${JSON.stringify(counts)}\n`)
    expect(wrong).toEqual([])
    expect(counts.valid).toBeGreaterThan(counts.unjudged * 5)
    expect(counts.invalid).toBeGreaterThan(counts.unjudged * 5)
  })
})
