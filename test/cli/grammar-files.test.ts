/** Commands on a grammar in GBNF in the place of a schema. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { loadTextModel } from '../../src/decode/model.ts'
import { run } from '../support/program.ts'

const MODEL = 'test/fixtures/models/tiny-keep'
const DATE = 'grammars/iso-date.gbnf'

let folder = ''
const file = (name: string): string => join(folder, name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-grammar-'))
  const files = {
    'good.txt': '2024-02-29',
    'bad.txt': '2023-02-29',
    'cut.txt': '2024-0',
    'cut-sum.txt': '(1 + ',
    'long-sum.txt': '(1)!',
    'line.txt': '2024-02-29\n',
    'notes.gbnf': 'root ::= "a" | b\nb ::= "x" b\nc ::= "y"\n',
    'unknown.gbnf': 'root ::= "a" tial\n',
    'named.gbnf': 'root ::= <[52]> | <tool_call>\n',
    'token.gbnf': 'root ::= "a" <think>\n',
    'grammar.txt': 'root ::= "a"\n',
    'start.gbnf': 'start ::= "a"\nother ::= "123"\n',
    'other.txt': '123',
    'space.gbnf': 'root ::= " " nested\nnested ::= "(" nested ")" | "a"\n',
    'space.txt': ' ',
    'empty.gbnf': '# nothing yet\n',
    'schema.json': '{"const": 1}',
  }
  for (const [name, content] of Object.entries(files)) await writeFile(file(name), content)
})
afterAll(() => rm(folder, { recursive: true }))

test('check says what a grammar compiles to, and what is perhaps not meant', async () => {
  expect((await run('check', DATE)).out).toMatch(/compiles .*iso-date.*\n {2}shortest text {2}0001-01-01/)
  const { code, out } = await run('check', file('notes.gbnf'), '--json')
  expect(code).toBe(0)
  expect((JSON.parse(out) as { notes: unknown }).notes).toMatchObject([
    { line: 2, column: 1, message: 'the rule b can never end, and is left out' },
    { line: 3, column: 1, message: 'the rule c is not used' },
  ])
})

test.each([
  ['good.txt', 0, 'accepted'],
  ['bad.txt', 1, 'refused'],
  ['cut.txt', 3, 'incomplete'],
  ['line.txt', 1, 'refused'],
])('check of %s: every byte counts', async (name, code, verdict) => {
  const result = await run('check', DATE, file(name), '--json')
  expect(result.code).toBe(code)
  expect(JSON.parse(result.out)).toMatchObject({ verdict })
})

test('between two parts of a grammar nothing is open, and the text is not whole', async () => {
  const sum = 'grammars/arithmetic.gbnf'
  const cut = await run('check', sum, file('cut-sum.txt'))
  expect(cut.code).toBe(3)
  expect(cut.out).toContain('nothing, between two parts: the text goes on')
  const long = await run('check', sum, file('long-sum.txt'))
  expect(long.code).toBe(1)
  expect(long.out).toContain('nothing: the text is whole')
})

test('white space is the beginning of a text of a grammar, and of no JSON document', async () => {
  const of = async (grammar: string) => (await run('check', file(grammar), file('space.txt'))).out
  expect(await of('space.gbnf')).toContain('nothing, between two parts: the text goes on')
  expect(await of('schema.json')).toContain('nothing yet: the text has not begun')
})

test('a grammar that is refused is told with file, line and column', async () => {
  const { code, err } = await run('check', file('unknown.gbnf'))
  expect(code).toBe(4)
  expect(err).toMatch(/unknown\.gbnf: the rule tial is not defined \(line 1, column 14\)/)
})

test('what comes from standard input is called so', async () => {
  const from = (text: string) =>
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from(text)]) as never)
  try {
    from('root ::= tial')
    const { err } = await run('generate', '--model', MODEL, '--grammar', '-', 'x')
    expect(err).toContain('standard input: the rule tial is not defined (line 1, column 10)')
    from('{"const": 1}')
    expect((await run('check', '-')).out).toContain('compiles  standard input: ')
  } finally {
    vi.restoreAllMocks()
  }
})

test('a grammar whose name does not say so is no JSON, and what names do say is told', async () => {
  const model = ['--model', MODEL]
  for (const command of [['grammar'], ['check'], ['mask', ...model]]) {
    const { code, err } = await run(...command, file('grammar.txt'))
    expect(code).toBe(4)
    expect(err).toMatch(/grammar\.txt is not JSON: .*; a grammar in GBNF is a file whose name ends in \.gbnf/)
  }
  const { code, err } = await run('generate', ...model, '--schema', file('grammar.txt'), 'x')
  expect(code).toBe(4)
  expect(err).toMatch(/grammar\.txt is not JSON: .*; a grammar in GBNF is what --grammar takes/)
})

test('--root names the rule where texts begin, and a schema has none', async () => {
  const { code, err } = await run('check', file('start.gbnf'))
  expect(code).toBe(4)
  expect(err).toMatch(/no rule is called root.*; the rules are start, other; --root names another \(/)
  expect((await run('check', file('empty.gbnf'))).err).not.toContain('--root')
  const model = ['--model', MODEL]
  const root = ['--root', 'other']
  expect((await run('grammar', file('start.gbnf'), ...root)).out).toBe('root ::= "123"\n')
  expect(await run('check', file('start.gbnf'), file('other.txt'), ...root)).toMatchObject({ code: 0 })
  const { out } = await run('mask', file('start.gbnf'), ...model, ...root, '--prefix', '12', '--json')
  expect(JSON.parse(out)).toMatchObject({ shortest: [{ text: '3' }] })
  expect((await run('generate', ...model, '--grammar', file('start.gbnf'), ...root, 'x')).out).toBe('123\n')
  for (const command of [['check'], ['grammar'], ['mask', ...model], ['generate', ...model, '--schema']])
    expect(await run(...command, file('schema.json'), ...root)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--root names a rule of a grammar, and '),
    })
})

test('a token that is named wants a model', async () => {
  const { code, err } = await run('check', file('token.gbnf'))
  expect(code).toBe(4)
  expect(err).toMatch(/the vocabulary has no token <think>; .*; tokens are those of a model: --model/)
})

test('options that say how a schema is compiled are refused', async () => {
  expect(await run('check', DATE, '--whitespace', 'any')).toMatchObject({ code: 2 })
})

test('mask and grammar take one', async () => {
  const { out } = await run('mask', DATE, '--model', MODEL, '--prefix', '2024-02-2', '--json')
  expect(JSON.parse(out)).toMatchObject({ allowed: 10 })
  expect((await run('grammar', DATE)).out).toMatch(/^root ::= /m)
})

test('mask --token tells of tokens that the grammar names by their ids', async () => {
  const mask = (token: string) => run('mask', file('named.gbnf'), '--model', MODEL, '--token', token)
  const { vocabulary } = await loadTextModel(MODEL)
  const named = new TextDecoder().decode(vocabulary.bytes(52)!)
  expect(await mask(named)).toMatchObject({ code: 0, out: expect.stringContaining('may follow') })
  expect(await mask('<tool_call>')).toMatchObject({
    code: 0,
    out: expect.stringContaining('it is a control token, and the grammar names it here'),
  })
  expect(await mask('!')).toMatchObject({
    code: 1,
    out: expect.stringContaining(
      'there could follow: the token <[52]> or <tool_call>, which the grammar names',
    ),
  })
})

test('generate writes a text of it', async () => {
  const model = ['--model', MODEL, '--threads', '1']
  const { code, out } = await run(
    'generate',
    ...model,
    '--grammar',
    DATE,
    '--finish-within',
    'budget',
    'When?',
  )
  expect(code).toBe(0)
  expect(out).toMatch(/^\d{4}-\d\d-\d\d\n$/)
  expect(await run('generate', ...model, 'When?')).toMatchObject({ code: 2 })
  expect(await run('generate', ...model, '--grammar', DATE, '--schema', DATE, 'When?')).toMatchObject({
    code: 2,
  })
})
