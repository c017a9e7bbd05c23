import { test } from 'vitest'
import { Random } from './support/random.ts'
import { walkRandom } from './support/walks.ts'

test('x', () => {
  const t = walkRandom(6000, 20261130, new Random(20261130))
  console.log(t.schemas, t.steps, t.deadEnds, t.invalid)
}, 300000)
