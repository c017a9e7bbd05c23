import { describe, expect, it } from 'vitest'
import { DIMENSIONS, VOCABULARY_WORKLOAD } from '../../bench/scale/dimensions.ts'
import { compile } from '../../src/core.ts'
import { byteVocabulary } from '../support/vocabularies.ts'

describe('what the bench of growth measures', () => {
  const plain = DIMENSIONS.flatMap(({ name, sizes, make }) =>
    sizes.slice(0, 2).map((n) => [`${name} · ${n}`, make(n)] as const),
  ).filter(([, { tools }]) => tools !== true)
  it.each([...plain, ['vocabulary', VOCABULARY_WORKLOAD] as const])(
    '%s: the text is one of the schema',
    (_, workload) => {
      const matcher = compile(workload.schema, byteVocabulary()).matcher()
      for (const byte of new TextEncoder().encode(workload.text)) expect(matcher.accept(byte)).toBe(true)
      expect(matcher.isComplete()).toBe(true)
    },
  )
})
