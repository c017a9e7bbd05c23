/**
 * The official JSON Schema test suite, read without loss and judged by the engine: compiled or refused, and each instance
 * accepted or not. It lies beside the checkout, or in the folder that `JSON_SCHEMA_TEST_SUITE` names.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CompiledSchema,
  compile,
  type JsonValue,
  LimitError,
  SchemaError,
  type SchemaOptions,
} from '../../src/core.ts'
import { printJson } from '../../src/json/print.ts'
import { readJson } from '../../src/json/read.ts'
import { byteVocabulary } from './vocabularies.ts'

export type Draft = 'draft2020-12' | 'draft7'
export const DRAFTS: readonly Draft[] = ['draft2020-12', 'draft7']

/** Where the suite should lie, seen from the folder of package.json. */
export function suiteFolder(root: string): string {
  return process.env.JSON_SCHEMA_TEST_SUITE ?? join(root, '..', 'shared', 'json-schema-test-suite')
}

export function hasSuite(folder: string): boolean {
  return existsSync(join(folder, 'tests'))
}

export interface SuiteCase {
  readonly description: string
  /** JSON text, with the dialect of its draft where it names none. */
  readonly schema: string
  readonly tests: readonly { readonly description: string; readonly text: string; readonly valid: boolean }[]
}

export interface SuiteFile {
  /** `anyOf`, `optional/bignum`, `optional/format/date`. */
  readonly name: string
  readonly cases: readonly SuiteCase[]
}

/**
 * How texts are read: in every spelling, with the suite's remote documents at hand. Formats are annotations but in the
 * files about them.
 */
export function optionsOf(folder: string, file: string): SchemaOptions {
  const formats = file.startsWith('optional/format/') ? 'assert' : 'annotate'
  return { whitespace: 'any', propertyOrder: 'any', numbers: 'any', formats, references: remotesOf(folder) }
}

const remotes = new Map<string, ReadonlyMap<string, string>>()

/** The documents that the suite takes to lie at http://localhost:1234/. */
function remotesOf(folder: string): ReadonlyMap<string, string> {
  let documents = remotes.get(folder)
  if (documents === undefined) {
    const base = join(folder, 'remotes')
    const names = existsSync(base) ? readdirSync(base, { recursive: true, encoding: 'utf8' }) : []
    documents = new Map(
      names
        .filter((name) => name.endsWith('.json'))
        .map((name) => [
          `http://localhost:1234/${name.replaceAll('\\', '/')}`,
          readFileSync(join(base, name), 'utf8'),
        ]),
    )
    remotes.set(folder, documents)
  }
  return documents
}

/** The files of a draft in the order of their names, those that must hold before the optional ones. */
export function readSuite(folder: string, draft: Draft): SuiteFile[] {
  const base = join(folder, 'tests', draft)
  const names = ['', 'optional/', 'optional/format/'].flatMap((sub) =>
    readdirSync(join(base, sub))
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => sub + name.slice(0, -'.json'.length)),
  )
  return names.map((name) => {
    const groups = readJson(readFileSync(join(base, `${name}.json`), 'utf8')) as readonly JsonValue[]
    return { name, cases: groups.map((group) => readCase(group as Map<string, JsonValue>, draft)) }
  })
}

function readCase(group: Map<string, JsonValue>, draft: Draft): SuiteCase {
  const schema = group.get('schema') as JsonValue
  const tests = group.get('tests') as readonly Map<string, JsonValue>[]
  return {
    description: String(group.get('description')),
    schema: printJson(withDialect(schema, draft)),
    tests: tests.map((test) => ({
      description: String(test.get('description')),
      text: printJson(test.get('data') as JsonValue),
      valid: test.get('valid') === true,
    })),
  }
}

/** The files of draft 7 leave the dialect to who reads them. */
function withDialect(schema: JsonValue, draft: Draft): JsonValue {
  if (draft !== 'draft7' || !(schema instanceof Map) || schema.has('$schema')) return schema
  return new Map<string, JsonValue>([['$schema', 'http://json-schema.org/draft-07/schema#'], ...schema])
}

export type Verdict =
  | { readonly kind: 'refused'; readonly reason: string }
  /** Refused because nothing satisfies it; `validRefused` are instances that say otherwise. */
  | {
      readonly kind: 'empty'
      readonly validRefused: readonly string[]
      readonly invalidAccepted: readonly []
    }
  | {
      readonly kind: 'compiled'
      /** Descriptions of instances that are valid and were not accepted, and the other way round. */
      readonly validRefused: readonly string[]
      readonly invalidAccepted: readonly string[]
    }

/** Compiles the schema of a case and feeds each instance byte by byte. What is no refusal is thrown. */
export function judgeCase({ schema, tests }: SuiteCase, options: SchemaOptions): Verdict {
  let grammar: CompiledSchema
  try {
    grammar = compile(schema, byteVocabulary(), options)
  } catch (error) {
    if (!(error instanceof SchemaError || error instanceof LimitError)) throw error
    if (error instanceof LimitError || error.keyword !== undefined)
      return { kind: 'refused', reason: reasonOf(error) }
    const valid = tests.filter((test) => test.valid).map(({ description }) => description)
    return { kind: 'empty', validRefused: valid, invalidAccepted: [] }
  }
  const wrong = tests.filter(({ text, valid }) => accepts(grammar, text) !== valid)
  return {
    kind: 'compiled',
    validRefused: wrong.filter(({ valid }) => valid).map(({ description }) => description),
    invalidAccepted: wrong.filter(({ valid }) => !valid).map(({ description }) => description),
  }
}

/** Whether the text, given byte by byte, is whole in the end. */
export function accepts(grammar: CompiledSchema, text: string): boolean {
  const matcher = grammar.matcher()
  for (const byte of Buffer.from(text, 'utf8')) if (!matcher.accept(byte)) return false
  return matcher.isComplete()
}

/** The keyword that was refused, or the message without what differs from schema to schema. */
function reasonOf(error: SchemaError | LimitError): string {
  if (error instanceof LimitError) return `limit: ${error.what}`
  const problem = error.errors[0]
  return problem?.keyword ?? (problem?.message ?? error.message).replace(/"[^"]*"|#\/\S*|\d+/g, '…')
}

/** Where the engine judges otherwise than the suite on purpose, and why: in optional files only. */
export const ON_PURPOSE: ReadonlyMap<string, string> = new Map([
  [
    'draft2020-12/optional/format/hostname',
    'the Unicode rules of punycode labels are not regular: such labels are left out',
  ],
  [
    'draft7/optional/format/hostname',
    'the Unicode rules of punycode labels are not regular: such labels are left out',
  ],
  ['draft7/optional/content', '`contentEncoding` and `contentMediaType` are annotations, and reported'],
])
