/** Memory of a process over schemas that come one after another, its garbage collected. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { compile } from '../../src/core.ts'
import { idsOf } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { shippedVocabulary } from '../support/vocabularies.ts'
import { WORKLOADS } from '../support/workloads.ts'

const SCHEMAS = 1_000
const MOST = 250 * 1024 * 1024

test('1,000 schemas over one vocabulary end within 250 MB of the start', () => {
  const random = new Random(seedOf('memory of many schemas'))
  const vocabulary = shippedVocabulary()
  const before = heldBytes()
  let highest = 0
  for (let index = 0; index < SCHEMAS; index++) {
    const matcher = compile(variant(index), vocabulary).matcher()
    for (let step = 0; step < 20 && !matcher.mustStop(); step++)
      matcher.accept(random.pick(idsOf(matcher.mask())))
    if (index % 100 === 99) highest = Math.max(highest, heldBytes() - before)
  }
  expect(highest).toBeLessThan(MOST)
})

/** A schema that shares its parts with others, and has a pattern, names and values of its own. */
function variant(index: number): object {
  const { schema } = WORKLOADS[index % WORKLOADS.length]!
  const inner = schema as { $defs?: object }
  return {
    ...(inner.$defs === undefined ? {} : { $defs: inner.$defs }),
    type: 'object',
    properties: {
      [`name_${index}`]: inner,
      code: { type: 'string', pattern: `^[a-z]{${1 + (index % 40)}}-[^${index % 10}"]*x${index}$` },
      kind: { enum: [`kind ${index}`, `other ${index * 7}`, index] },
    },
    additionalProperties: { type: 'string', maxLength: 1 + (index % 300) },
  }
}

function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
