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

export type Draft = 'draft2020-12' | 'draft2019-09' | 'draft7' | 'draft6' | 'draft4'
export const DRAFTS: readonly Draft[] = ['draft2020-12', 'draft2019-09', 'draft7', 'draft6', 'draft4']

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

/** The files up to draft 7 leave the dialect to who reads them. */
function withDialect(schema: JsonValue, draft: Draft): JsonValue {
  const number = /^draft([467])$/.exec(draft)?.[1]
  if (number === undefined || !(schema instanceof Map) || schema.has('$schema')) return schema
  return new Map<string, JsonValue>([
    ['$schema', `http://json-schema.org/draft-0${number}/schema#`],
    ...schema,
  ])
}

/** An instance of a case, by its description, and its text. */
export interface SuiteInstance {
  readonly description: string
  readonly text: string
}

export type Verdict =
  /** `keywords` are those refused, `reason` the first message without what differs from schema to schema. */
  | { readonly kind: 'refused'; readonly keywords: readonly string[]; readonly reason: string }
  | {
      /** `empty`: refused because nothing satisfies it. */
      readonly kind: 'compiled' | 'empty'
      readonly validRefused: readonly SuiteInstance[]
      readonly invalidAccepted: readonly SuiteInstance[]
    }

/** Compiles the schema of a case and feeds each instance byte by byte. What is no refusal is thrown. */
export function judgeCase({ schema, tests }: SuiteCase, options: SchemaOptions): Verdict {
  let grammar: CompiledSchema
  try {
    grammar = compile(schema, byteVocabulary(), options)
  } catch (error) {
    if (error instanceof LimitError) {
      return { kind: 'refused', keywords: [], reason: `limit: ${withoutDetails(error.what)}` }
    }
    if (!(error instanceof SchemaError)) throw error
    const keywords = new Set(error.errors.flatMap(({ keyword }) => (keyword === undefined ? [] : [keyword])))
    if (keywords.size > 0) {
      const message = error.errors.find(({ keyword }) => keyword !== undefined)?.message ?? error.message
      return { kind: 'refused', keywords: [...keywords].sort(), reason: withoutDetails(message) }
    }
    return { kind: 'empty', validRefused: tests.filter(({ valid }) => valid), invalidAccepted: [] }
  }
  const wrong = tests.filter(({ text, valid }) => accepts(grammar, text) !== valid)
  return {
    kind: 'compiled',
    validRefused: wrong.filter(({ valid }) => valid),
    invalidAccepted: wrong.filter(({ valid }) => !valid),
  }
}

/** Whether the text, given byte by byte, is whole in the end. */
export function accepts(grammar: CompiledSchema, text: string): boolean {
  const matcher = grammar.matcher()
  for (const byte of Buffer.from(text, 'utf8')) if (!matcher.accept(byte)) return false
  return matcher.isComplete()
}

function withoutDetails(message: string): string {
  return message.replace(/"(?:[^"\\]|\\.)*"|#\/\S*|https?:\S*|\d+/g, '…')
}

/** Where the engine judges otherwise than the suite on purpose. */
export interface Deviation {
  readonly why: string
  readonly files: RegExp
  /** The instances it is about. */
  readonly covers: (text: string) => boolean
}

/** Valid instances that are not accepted: what a generator does not write although the schema allows it. */
export const NARROWINGS: readonly Deviation[] = [
  {
    why: 'no label of a host name has `--` in third and fourth place: what `xn--` encodes has rules that are not regular',
    files: /^optional\/format\/(?:idn-)?hostname$/,
    covers: (text) => /[".]..--/u.test(text),
  },
  {
    why: 'no international host name has a combining mark, a joiner, or a label of more than 20 characters',
    files: /^optional\/format\/idn-(?:hostname|email)$/,
    covers: (text) => /[\p{M}\u200c\u200d]|[^".\u3002\uff0e\uff61]{21}/u.test(text),
  },
  {
    why: 'no pattern of format `regex` has a named group: names must differ, and references must be to names that are there',
    files: /^optional\/format\/(?:ecmascript-)?regex$/,
    covers: (text) => text.includes('(?<n'),
  },
]

/** Invalid instances that are accepted: assertions that the specification leaves to the implementation. */
export const ANNOTATIONS: readonly Deviation[] = [
  {
    why: '`contentEncoding` and `contentMediaType`, which draft 7 lets assert, are annotations, and reported',
    files: /^optional\/content$/,
    covers: () => true,
  },
]

/** Why the engine judges an instance of the file otherwise on purpose; `undefined` if it does not. */
export function reasonFor(list: readonly Deviation[], file: string, text: string): string | undefined {
  return list.find(({ files, covers }) => files.test(file) && covers(text))?.why
}
