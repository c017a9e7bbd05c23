/** Random walks: no dead end, and every finished text is an instance. `npm run bench -- walks` takes a million steps. */
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Random, seedOf } from '../support/random.ts'
import { llamaVocabulary, tinyVocabulary } from '../support/vocabularies.ts'
import { judgeRest, type WalkTally, walkMaskbench, walkRandom } from '../support/walks.ts'

const seed = seedOf('random walks')
const folder = process.env.MASKBENCH ?? '../shared/maskbench/dev'
const present = existsSync(folder)
if (!present) process.stdout.write(`MaskBench is not at ${folder}: skipped\n`)

/** In CI half a minute, else some seconds. */
const STEPS = process.env.ESPALIER_CI ? 50_000 : 6_000

async function expectLegal(tally: WalkTally): Promise<void> {
  await judgeRest(tally)
  const { deadEnds, invalid, disputed, unjudged, texts } = tally
  expect({ deadEnds, invalid, disputed }).toEqual({ deadEnds: [], invalid: [], disputed: [] })
  expect(unjudged.length).toBeLessThan(texts / 50)
}

test('random schemas have no dead end and no text that is none', async () => {
  await expectLegal(walkRandom(STEPS, seed, new Random(seed)))
})

describe.skipIf(!present)('schemas of MaskBench', () => {
  test('have no dead end and no text that is none', async () => {
    await expectLegal(await walkMaskbench(folder, tinyVocabulary().vocabulary, STEPS, new Random(seed)))
  })

  test('nor under a real vocabulary', async () => {
    await expectLegal(await walkMaskbench(folder, llamaVocabulary(), STEPS / 2, new Random(seed)))
  })
})
