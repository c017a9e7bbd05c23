/** Random walks: no dead end, and every finished text is an instance. `npm run bench -- walks` takes a million steps. */
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Random, seedOf } from '../support/random.ts'
import { llamaVocabulary, tinyVocabulary } from '../support/vocabularies.ts'
import { type WalkTally, walkMaskbench, walkRandom } from '../support/walks.ts'

const seed = seedOf('random walks')
const folder = process.env.MASKBENCH ?? '../shared/maskbench/dev'
const present = existsSync(folder)
if (!present) process.stdout.write(`MaskBench is not at ${folder}: skipped\n`)

/** In CI some forty seconds, else some seconds. */
const STEPS = process.env.ESPALIER_CI ? 80_000 : 6_000

function expectLegal(tally: WalkTally): void {
  const { deadEnds, invalid, disputed, unjudged, texts } = tally
  expect({ deadEnds, invalid, disputed }).toEqual({ deadEnds: [], invalid: [], disputed: [] })
  expect(unjudged).toBeLessThan(texts / 20)
}

test('random schemas have no dead end and no text that is none', () => {
  expectLegal(walkRandom(STEPS, seed, new Random(seed)))
})

describe.skipIf(!present)('schemas of MaskBench', () => {
  test('have no dead end and no text that is none', async () => {
    expectLegal(await walkMaskbench(folder, tinyVocabulary().vocabulary, STEPS, new Random(seed)))
  })

  test('nor under a real vocabulary', async () => {
    expectLegal(await walkMaskbench(folder, llamaVocabulary(), STEPS / 2, new Random(seed)))
  })
})
