/**
 * The official suite: of the schemas that compile, no invalid instance is accepted and no valid one refused, but for what
 * stands under a named narrowing or annotation. `docs/coverage.md` counts what compiles.
 */
import { describe, expect, test } from 'vitest'
import {
  ANNOTATIONS,
  DRAFTS,
  hasSuite,
  judgeCase,
  NARROWINGS,
  optionsOf,
  readSuite,
  reasonFor,
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
      for (const { description, text } of verdict.invalidAccepted) {
        if (reasonFor(ANNOTATIONS, name, text) === undefined)
          wrong.push(`invalid accepted: ${each.description}: ${description}`)
      }
      for (const { description, text } of verdict.validRefused) {
        if (reasonFor(NARROWINGS, name, text) === undefined)
          wrong.push(`valid refused: ${each.description}: ${description}`)
      }
    }
    expect(wrong).toEqual([])
  })
})
