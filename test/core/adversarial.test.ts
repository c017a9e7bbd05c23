/**
 * Schemas that are hard on a compiler: each compiles, or is refused with what it costs; none hangs and none needs more than
 * a limited number of steps. Times are measured by `npm run bench -- adversarial`; here a watchdog guards against hangs.
 */
import { expect, test } from 'vitest'
import { compile, LimitError, SchemaError } from '../../src/core.ts'
import { ADVERSARIAL } from '../support/adversarial.ts'
import { byteVocabulary } from '../support/vocabularies.ts'

test.each(ADVERSARIAL)('%s', { timeout: 30_000 }, (_, make) => {
  const schema = JSON.stringify(make())
  try {
    const mask = compile(schema, byteVocabulary()).matcher().mask()
    expect(mask.some((word) => word !== 0)).toBe(true)
  } catch (error) {
    if (error instanceof LimitError) expect(error.actual).toBeGreaterThanOrEqual(error.limit)
    else if (error instanceof SchemaError) expect(error.errors.length).toBeGreaterThan(0)
    else throw error
  }
})
