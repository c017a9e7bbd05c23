/** The validator against the official suite, which lies beside the checkout or where `JSON_SCHEMA_TEST_SUITE` says. */
import { describe, expect, it } from 'vitest'
import { SchemaError } from '../../../src/errors.ts'
import { readJson } from '../../../src/json/read.ts'
import { Validator } from '../../../src/tools/verdict/validator.ts'
import {
  ANNOTATIONS,
  DRAFTS,
  hasSuite,
  optionsOf,
  readSuite,
  reasonFor,
  suiteFolder,
} from '../../support/suite.ts'

const folder = suiteFolder(process.cwd())
const isThere = hasSuite(folder)

/** What the engine does not write is not judged: international host names, and those that are encoded. */
const UNJUDGED: readonly { readonly file: RegExp; readonly text: RegExp }[] = [
  { file: /^optional\/format\/(?:idn-|ecmascript-regex)/, text: /^/ },
  { file: /^optional\/format\/hostname$/, text: /xn--/i },
]

describe.skipIf(!isThere)('Validator, on the official suite', () => {
  it.each(DRAFTS)('%s', (draft) => {
    const wrong: string[] = []
    for (const { name, cases } of readSuite(folder, draft)) {
      const { formats = 'assert', references } = optionsOf(folder, name)
      for (const { description, schema, tests } of cases) {
        let validator: Validator
        try {
          const documents = references as ReadonlyMap<string, unknown>
          validator = new Validator(readJson(schema), { formats, references: documents })
        } catch (error) {
          if (!(error instanceof SchemaError)) throw error
          wrong.push(`${name} · ${description}: ${error.message}`)
          continue
        }
        for (const { text, valid } of tests) {
          const violations = validator.violations(readJson(text))
          if ((violations.length === 0) === valid) continue
          if (UNJUDGED.some((each) => each.file.test(name) && each.text.test(text))) continue
          if (!valid && reasonFor(ANNOTATIONS, name, text) !== undefined) continue
          wrong.push(
            `${name} · ${description} · ${text} ${valid ? JSON.stringify(violations) : 'is invalid'}`,
          )
        }
      }
    }
    expect(wrong).toEqual([])
  })
})
