/**
 * Real schemas printed and read back: the same masks along random walks, or more where the print says so. The data lies
 * beside the checkout; without it this is skipped. `EVERY` asks for more or fewer of them.
 */
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sampleMaskbench } from '../../bench/lib.ts'
import { type CompiledSchema, compile, LimitError, SchemaError } from '../../src/core.ts'
import { judgePrint } from '../support/printed.ts'
import { Random, seedOf } from '../support/random.ts'
import { tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('printing MaskBench')
const folder = process.env.MASKBENCH ?? '../shared/maskbench/dev'
const present = existsSync(folder)
if (!present) process.stdout.write(`MaskBench is not at ${folder}: skipped\n`)

const EVERY = Number(process.env.EVERY ?? (process.env.ESPALIER_CI ? 5 : 300))

function compiled(schema: string): CompiledSchema | null {
  try {
    return compile(schema, tinyVocabulary().vocabulary)
  } catch (error) {
    if (error instanceof SchemaError || error instanceof LimitError) return null
    throw error
  }
}

describe.skipIf(!present)('schemas of MaskBench', () => {
  test('printed and read back are what they were, or looser where they say so', async () => {
    const random = new Random(seed)
    const wrong: string[] = []
    let count = 0
    for await (const { id, schema } of sampleMaskbench(folder, EVERY, random.below(EVERY))) {
      const grammar = compiled(schema)
      if (grammar === null) continue
      count++
      for (const line of judgePrint(grammar, random, 2, 12)) wrong.push(`${id} ${line}`)
    }
    expect(count).toBeGreaterThan(4_000 / EVERY)
    expect(wrong).toEqual([])
  }, 600_000)
})
