/**
 * The official suite: of the schemas that compile, no invalid instance is accepted and no valid one refused, but for what
 * is listed in `ON_PURPOSE` with its reason. `docs/coverage.md` counts what compiles.
 */
import { describe, expect, test } from 'vitest'
import {
  DRAFTS,
  hasSuite,
  judgeCase,
  ON_PURPOSE,
  optionsOf,
  readSuite,
  suiteFolder,
} from '../support/suite.ts'

const folder = suiteFolder('.')
const present = hasSuite(folder)
if (!present) process.stdout.write(`the official suite is not at ${folder}: skipped\n`)

describe.skipIf(!present).each(DRAFTS)('%s', (draft) => {
  test.each(present ? readSuite(folder, draft) : [])('$name', ({ name, cases }) => {
    const wrong: string[] = []
    for (const each of cases) {
      const verdict = judgeCase(each, optionsOf(folder, name))
      if (verdict.kind === 'refused') continue
      for (const test of verdict.invalidAccepted) wrong.push(`invalid accepted: ${each.description}: ${test}`)
      for (const test of verdict.validRefused) wrong.push(`valid refused: ${each.description}: ${test}`)
    }
    if (!ON_PURPOSE.has(`${draft}/${name}`)) expect(wrong).toEqual([])
  })
})
