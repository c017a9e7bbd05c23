import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run, runBeforePerson, runInColumns } from '../support/program.ts'

const MODEL = 'test/fixtures/models/tiny-keep'
const SCHEMA = {
  title: 'T',
  type: 'object',
  properties: {
    a: { type: 'integer', minimum: 0, maximum: 99 },
    b: { enum: ['red', 'green'] },
    c: { type: 'array', items: { type: 'string' }, minItems: 1 },
  },
  required: ['a', 'b', 'c'],
  additionalProperties: false,
}
const TOOL = {
  type: 'function',
  function: {
    name: 'set',
    parameters: {
      type: 'object',
      properties: { on: { type: 'boolean' }, n: { type: 'integer', minimum: 7, maximum: 9 } },
      required: ['on', 'n'],
      additionalProperties: false,
    },
  },
}

let folder = ''
const file = (name: string) => join(folder, name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-cli-'))
  const files = {
    'schema.json': JSON.stringify(SCHEMA),
    'tool.json': JSON.stringify(TOOL),
    'twice.json': JSON.stringify([TOOL, TOOL]),
    'none.json': '[]',
    'loose.json': JSON.stringify({ name: 'set', strict: false, input_schema: { type: 'object' } }),
    'broken.json': '{"a":\n  tru}',
    'unsatisfiable.json': '{"type": "object", "properties": {"x": {"enum": []}}, "required": ["x"]}',
    'nowhere.json': '{"$ref": "#/$defs/a"}',
    // Back-references are what no grammar will ever enforce.
    'unknown.json': '{"properties": {"a": {"pattern": "(a)\\\\1"}, "b": {"pattern": "(b)\\\\1"}}}',
    'deep.json': '['.repeat(1_000_000),
    'deep-schema.json': '{"items":'.repeat(100_000),
    'good.json': ' {"c": ["x"], "a": 12, "b": "green"}\n',
    'bad.json': '{"a": 12,\n "b": "rid"}',
    'cut.json': '{"a": 12, "b": "gr',
    'latin1.json': Buffer.from([0x22, 0xe9, 0x22]),
    'bom.json': '\ufeff{}',
    'empty.json': '',
    'lenient.json': '{"type": "object", "properties": {"a": {"type": "string", "pattern": "(a)\\\\1"}}}',
    'format.json': '{"type": "string", "format": "idn-hostname"}',
    'refers.json': '{"$ref": "https://example.com/a.json?x=1"}',
    'integer.json': '{"type": "integer"}',
    'acute.json': '{"const": "é"}',
  }
  for (const [name, content] of Object.entries(files)) await writeFile(file(name), content)
})
afterAll(() => rm(folder, { recursive: true }))

describe('espalier check', () => {
  it('says what a schema compiles to', async () => {
    const { code, out, err } = await run('check', file('schema.json'))
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/compiles .*schema\.json: \d+ states/)
    expect(out).toContain('{"a":0,"b":"red","c":[""]}')
    expect(out).toContain('title')
    const json = JSON.parse((await run('check', file('schema.json'), '--json')).out)
    expect(json).toMatchObject({
      shortest: '{"a":0,"b":"red","c":[""]}',
      annotations: [{ keyword: 'title' }],
    })
  })

  it('lists every refusal with its pointer, exit code 4', async () => {
    const { code, out, err } = await run('check', file('unknown.json'))
    expect({ code, out }).toEqual({ code: 4, out: '' })
    expect(err).toContain('#/properties/a/pattern')
    expect(err).toContain('#/properties/b/pattern')
    const json = await run('check', file('unknown.json'), '--json')
    expect(json.code).toBe(4)
    expect(JSON.parse(json.out).errors).toHaveLength(2)
    for (const name of ['unsatisfiable.json', 'nowhere.json']) {
      expect((await run('check', file(name))).code, name).toBe(4)
    }
  })

  it('accepts an instance in any order and with any space, exit code 0', async () => {
    const { code, out } = await run('check', file('schema.json'), file('good.json'))
    expect(code).toBe(0)
    expect(out).toContain('accepted')
    expect((await run('check', file('schema.json'), file('good.json'), '--model', MODEL)).code).toBe(0)
  })

  it('refuses an instance at a byte, with what could have followed, exit code 1', async () => {
    const { code, out } = await run('check', file('schema.json'), file('bad.json'))
    expect(code).toBe(1)
    expect(out).toContain('at byte 18 (line 2, column 9)')
    expect(out).toMatch(/could have followed: e\n/)
    const json = JSON.parse((await run('check', file('schema.json'), file('bad.json'), '--json')).out)
    expect(json).toMatchObject({ verdict: 'refused', byte: 18, line: 2, column: 9, expected: ['e'] })
    const number = await run('check', file('schema.json'), file('deep.json'))
    expect(number).toMatchObject({ code: 1, err: '' })
  })

  it('calls the beginning of an instance incomplete, with the open stack, exit code 3', async () => {
    const { code, out } = await run('check', file('schema.json'), file('cut.json'))
    expect(code).toBe(3)
    expect(out).toMatch(/^incomplete/)
    expect(out).toMatch(/object +needs "c": · \}/)
    expect(out).toContain('een","c":[""]}')
    const json = JSON.parse((await run('check', file('schema.json'), file('cut.json'), '--json')).out)
    expect(json.cut.frames.map(({ kind }: { kind: string }) => kind)).toEqual(['object', 'literal'])
    expect(json.cut.partial).toEqual({ a: 12 })
  })
})

describe('espalier check, corner cases', () => {
  it('lists what is ignored, narrower and not enforced, each with option and flag', async () => {
    const { code, out } = await run('check', file('schema.json'))
    expect(code).toBe(0)
    expect(out).toContain('#/title  title constrains nothing')
    expect(out).toContain("propertyOrder: 'any' (--property-order any) lifts it")
    const any = await run('check', file('schema.json'), '--property-order', 'any', '--numbers', 'any')
    expect(any.out).not.toContain('lifts it\n  #  properties')
    expect(any.out).not.toContain('--property-order')
    const format = await run('check', file('format.json'))
    expect(format.out).toContain('#/format  international host names')
    expect(format.out).toContain("formats: 'annotate' (--formats annotate) lifts it")
    const annotated = await run('check', file('format.json'), '--formats', 'annotate')
    expect(annotated.out).not.toContain('international host names')
    expect(annotated.out).toContain('is not enforced under formats:')
    const lenient = await run('check', file('lenient.json'), '--lenient')
    expect(lenient.code).toBe(0)
    expect(lenient.out).toMatch(
      /not enforced\n {2}#\/properties\/a\/pattern {2}a back-reference .*: it cannot be enforced\n/,
    )
    const json = JSON.parse((await run('check', file('lenient.json'), '--lenient', '--json')).out)
    expect(json.unenforced).toEqual([
      {
        pointer: '#/properties/a/pattern',
        keyword: 'pattern',
        message: expect.stringMatching(/: it cannot be enforced$/),
      },
    ])
  })

  it('names the flag where a message names the option', async () => {
    const cases: [string[], string][] = [
      [[file('lenient.json')], 'lenient: true (--lenient)'],
      [[file('refers.json')], 'option references (--reference URI=FILE)'],
      [[file('schema.json'), '--max-steps', '1'], 'limits.maxSteps (--max-steps)'],
    ]
    for (const [args, words] of cases) {
      const { code, err } = await run('check', ...args)
      expect(code).toBe(4)
      expect(err).toContain(words)
    }
  })

  it('reads other documents for --reference', async () => {
    const reference = `https://example.com/a.json?x=1=${file('integer.json')}`
    const { code, out } = await run('check', file('refers.json'), '--reference', reference)
    expect({ code, shortest: out.includes('shortest instance  0 ') }).toEqual({ code: 0, shortest: true })
    for (const wrong of ['x', '=x', 'x=', 'https://example.com/a.json=-'])
      expect((await run('check', file('refers.json'), '--reference', wrong)).code, wrong).toBe(2)
    const broken = `https://example.com/a.json?x=1=${file('broken.json')}`
    expect((await run('check', file('refers.json'), '--reference', broken)).err).toMatch(
      /broken\.json is not JSON/,
    )
  })

  it('calls an empty instance incomplete, and shows a byte order mark', async () => {
    const empty = await run('check', file('schema.json'), file('empty.json'))
    expect(empty.code).toBe(3)
    expect(empty.out).toContain('nothing yet: the text has not begun')
    const marked = await run('check', file('schema.json'), file('bom.json'))
    expect(marked.code).toBe(1)
    expect(marked.out).toContain('at byte 0 (line 1, column 1)\n  \\u{feff}{}\n')
    const schema = await run('check', file('bom.json'))
    expect(schema).toMatchObject({ code: 2, out: '' })
    expect(schema.err).toContain('bom.json begins with a byte order mark (U+FEFF); save it without')
  })

  it('refuses to read standard input twice', async () => {
    for (const args of [
      ['check', '-', '-'],
      ['call', '--model', MODEL, '--tools', '-'],
      ['call', '--model', MODEL, '--tools', '-', '-'],
      ['generate', '--model', MODEL, '--schema', '-'],
    ]) {
      const { code, err } = await run(...args)
      expect(code, args.join(' ')).toBe(2)
      expect(err).toMatch(/standard input is to be the \w+ and the \w+; it can be one of them only/)
    }
  })

  it('prints every known error as one JSON object with --json', async () => {
    const model = ['--model', MODEL]
    const cases: [number, string, string[]][] = [
      [2, 'UsageError', ['check', file('absent.json')]],
      [2, 'UsageError', ['check']],
      [2, 'UsageError', ['check', file('schema.json'), '--max-steps', '0']],
      [2, 'UsageError', ['dance']],
      [2, 'UsageError', ['mask', file('schema.json'), ...model, '--token', '']],
      [4, 'JsonError', ['check', file('broken.json')]],
      [4, 'SchemaError', ['check', file('unknown.json')]],
      [4, 'SchemaError', ['check', file('nowhere.json')]],
      [4, 'LimitError', ['check', file('deep-schema.json')]],
      [4, 'SchemaError', ['mask', file('unknown.json'), ...model]],
      [4, 'SchemaError', ['generate', ...model, '--threads', '1', '--schema', file('unknown.json'), 'x']],
      [5, 'ModelError', ['mask', file('schema.json'), '--model', file('absent')]],
    ]
    for (const [code, error, args] of cases) {
      const result = await run(...args, '--json')
      const printed = JSON.parse(result.out)
      expect({ code: result.code, printed }, args.join(' ')).toMatchObject({
        code,
        printed: { error, exitCode: code, message: expect.any(String) },
      })
      expect(result.err).not.toBe('')
    }
    const { out } = await run('check', file('broken.json'), '--json')
    expect(JSON.parse(out)).toMatchObject({ line: 2, column: 3 })
  })

  it('prints its version', async () => {
    expect(await run('--version')).toEqual({
      code: 0,
      out: `${JSON.parse(await readFile('package.json', 'utf8')).version}\n`,
      err: '',
    })
  })
})

describe('espalier grammar', () => {
  it('prints a schema as GBNF, which it reads and prints again', async () => {
    const printed = await run('grammar', file('integer.json'))
    expect(printed).toMatchObject({ code: 0, err: '' })
    expect(printed.out).toBe(
      'root ::= integer\ninteger ::= "-" [1-9] [0-9]{0,63} | "0" | [1-9] [0-9]{0,63}\n',
    )
    await writeFile(file('integer.gbnf'), printed.out)
    const again = await run('grammar', file('integer.gbnf'))
    expect(again).toMatchObject({ code: 0, err: '' })
    await writeFile(file('again.gbnf'), again.out)
    expect(await run('grammar', file('again.gbnf'))).toEqual(again)
  })

  it('takes the options of a compile, and says what a print leaves out', async () => {
    const { out } = await run(
      'grammar',
      file('schema.json'),
      '--whitespace',
      'compact',
      '--property-order',
      'any',
    )
    expect(out).toMatch(/^# left out: of objects with keys in any order, that no key comes twice/)
    expect(out).toContain('root ::= "{" ')
    expect(out).not.toContain('" "?')
  })

  it('says where a grammar is none, exit code 4', async () => {
    await writeFile(file('broken.gbnf'), 'root ::= "a\n')
    const { code, out, err } = await run('grammar', file('broken.gbnf'))
    expect({ code, out }).toEqual({ code: 4, out: '' })
    expect(err).toContain('(line 1, column 10)')
    expect((await run('grammar', file('none.gbnf'))).code).toBe(2)
  })
})

describe('espalier template', () => {
  const folders = ['--model', MODEL, '--compare', 'models/smollm2-135m-instruct']

  it('shows the prompts of two models side by side, with control tokens marked', async () => {
    const { code, out } = await run('template', ...folders)
    expect(code).toBe(0)
    const lines = out.split('\n')
    expect(lines[0]).toMatch(/^test\/fixtures\/models\/tiny-keep +│ models\/smollm2-135m-instruct$/u)
    expect(lines[1]).toMatch(/^hermes · \d+ tokens +│ hermes · \d+ tokens$/u)
    // The tags are tokens to the one and text to the other.
    expect(out).toMatch(/^⟦<tool_call>⟧ +│ <tool_call>$/mu)
    for (const line of lines.slice(1)) expect([...line].length).toBeLessThanOrEqual(120)
  })

  it('is as wide as the terminal', async () => {
    const { code, out } = await runInColumns(80, 'template', ...folders)
    expect(code).toBe(0)
    const lines = out.split('\n').slice(1)
    expect(lines[0]!.indexOf('│')).toBe(39)
    for (const line of lines) expect([...line].length).toBeLessThanOrEqual(80)
  })

  it('takes tools and messages from files, and prints token ids with --json', async () => {
    await writeFile(file('messages.json'), '[{"role": "user", "content": "hello <|im_end|>"}]')
    const files = ['--tools', file('tool.json'), '--messages', file('messages.json')]
    const { code, out } = await run('template', ...folders.slice(0, 2), ...files, '--json')
    expect(code).toBe(0)
    const [view] = JSON.parse(out)
    expect(view).toMatchObject({ folder: MODEL, format: 'hermes' })
    expect(view.text).toContain('hello <|im_end|>⟦<|im_end|>⟧')
    expect(view.ids.length).toBeGreaterThan(50)
  })

  it('says what cannot be read', async () => {
    expect((await run('template', '--model', 'nowhere')).code).toBe(5)
    expect((await run('template')).code).toBe(2)
    expect((await run('template', ...folders, '--messages', file('integer.json'))).code).toBe(2)
  })
})

describe('espalier mask', () => {
  const mask = (prefix: string, ...more: string[]) =>
    run('mask', file('schema.json'), '--model', MODEL, '--prefix', prefix, ...more)

  it('counts the tokens that may follow, and shows some with the open stack', async () => {
    const { code, out } = await mask('{"a": ')
    expect(code).toBe(0)
    expect(out).toMatch(/^\d+ tokens of 313 may follow\n/)
    expect(out).toContain('"7"')
    expect(out).toContain('object')
    const json = JSON.parse((await mask('{"a": ', '--json')).out)
    expect(json.shortest[0]).toMatchObject({ text: '0' })
    expect(json.ends).toEqual([])
    expect(json.frames[0].needs).toEqual(expect.arrayContaining(['"b":', '"c":', '}']))
  })

  it('says why a token may or may not follow', async () => {
    expect((await mask('{"a": ', '--token', '"')).out).toContain(
      'may not follow: here " is refused; there could follow: 0-9',
    )
    expect((await mask('{"a": ', '--token', '7')).out).toContain('"7" (token')
    expect((await mask('{"a": ', '--token', '12"')).out).toContain(
      'not one token of this vocabulary) may not follow: after "12", ',
    )
    expect((await mask('{"a": ', '--token', '<|im_end|>')).out).toContain('the text is not complete')
    expect((await mask('{"a": 1, "b": "red", "c": ["x"]}', '--token', '<|im_end|>')).out).toContain(
      'may follow: it ends the text',
    )
    expect((await mask('{"a": ', '--token', '<tool_call>')).out).toContain('control token')
  })

  it('refuses a prefix at a byte, exit code 1', async () => {
    const { code, out, err } = await mask('{"a": x')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('refused at byte 6')
    const json = await mask('{"a": x', '--json')
    expect(JSON.parse(json.out)).toEqual({ verdict: 'refused', byte: 6, expected: ['0-9'] })
    expect(json).toMatchObject({ code: 1, err: '' })
  })

  it('ends with 0 for a token that may follow and with 1 for one that may not', async () => {
    const cases: [string, string, number][] = [
      ['{"a": ', '7', 0],
      ['{"a": ', '12, "b', 0],
      ['{"a": ', 'é', 1],
      ['{"a": ', '\ufeff', 1],
      ['{"a": ', '<tool_call>', 1],
      ['{"a": ', '<|im_end|>', 1],
      ['{"a": 1, "b": "red", "c": ["x"]}', '<|im_end|>', 0],
      ['{"a": 1, "b": "red", "c": ["x"]}', ' ', 1],
      ['{"a": 1, "b": "red", "c": ["', 'é€', 0],
    ]
    for (const [prefix, token, code] of cases) {
      expect((await mask(prefix, '--token', token)).code, `${prefix} ${token}`).toBe(code)
      const json = await mask(prefix, '--token', token, '--json')
      expect(json.code).toBe(code)
      expect(JSON.parse(json.out).token.allowed).toBe(code === 0)
    }
    expect((await mask('{"a": ', '--token', 'é')).out).toContain('here é is refused')
    // Which differs from the é that is required in its second byte.
    const half = ['mask', file('acute.json'), '--model', MODEL, '--prefix', '"', '--token', 'è']
    expect((await run(...half)).out).toContain('here è is refused; there could follow: the next byte')
    expect((await mask('{"a": ', '--token', '\ufeff')).out).toContain('here \\u{feff} is refused')
    expect(await mask('{"a": ', '--token', '')).toMatchObject({ code: 2, out: '' })
  })

  it('says whether nothing is open yet, or nothing any more', async () => {
    const begin = await mask('')
    expect(begin.code).toBe(0)
    expect(begin.out).toContain('nothing yet: the text has not begun')
    const end = await mask('{"a": 1, "b": "red", "c": ["x"]}')
    expect(end.code).toBe(0)
    expect(end.out).toContain('0 tokens of 313 may follow, and the text may end here')
    expect(end.out).toContain('nothing: the text is whole')
  })
})

describe('espalier call and generate', () => {
  const call = (...more: string[]) =>
    run('call', '--model', MODEL, '--tools', file('tool.json'), '--threads', '1', ...more)

  it('prints the call and nothing else on stdout', async () => {
    const { code, out, err } = await call('--temperature', '1', '--seed', '3', 'on', 'please')
    expect(code).toBe(0)
    expect(out).toMatch(/^\{"name":"set","arguments":\{"on": ?(true|false), ?"n": ?[789]\}\}\n$/u)
    expect(err).toMatch(
      /^\d+ tokens \(\d+ forced\) from a prompt of \d+ · model .* · mask .* · calls as hermes · seed 3\n$/,
    )
    const slow = await call('--temperature', '1', '--seed', '3', '--no-jump-forward', 'on', 'please')
    expect(slow.code).toBe(0)
    expect(slow.err).toMatch(/^\d+ tokens from a prompt of \d+ · model .* · mask /)
  })

  it('says the seed of a sampled run, which gives it again, and none of a greedy one', async () => {
    const first = await call('--temperature', '1', 'on', 'please')
    const [, seed] = / · seed (\d+)\n$/u.exec(first.err)!
    const again = await call('--temperature', '1', '--seed', seed!, '--json', 'on', 'please')
    const { calls, seed: said } = JSON.parse(again.out)
    expect(said).toBe(Number(seed))
    expect(calls[0].arguments).toEqual(JSON.parse(first.out).arguments)
    expect((await call('--seed', '3', 'on')).err).not.toContain('seed')
  })

  it('shows a call while it is written, where stderr is a terminal', async () => {
    const args = ['--model', MODEL, '--tools', file('tool.json'), '--threads', '1', '--max-tokens', '20']
    const { code, err } = await runBeforePerson('call', ...args, '--retry', '400', 'on')
    expect(code).toBe(0)
    expect(err).toMatch(/ in \d attempts from a prompt of /u)
    expect(err).toContain('cut, again with 80 tokens')
    expect(err).toMatch(/ set \{"on": ?[tf]/u)
  })

  it('prints a document of a schema', async () => {
    const { code, out } = await run(
      'generate',
      '--model',
      MODEL,
      '--schema',
      file('schema.json'),
      '--whitespace',
      'compact',
      '--temperature',
      '0.1',
      '--seed',
      '1',
      '--max-tokens',
      '900',
      'x',
    )
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ b: expect.stringMatching(/red|green/) })
  })

  it('says on stderr what --lenient left out, with --json in the result', async () => {
    const args = ['--model', MODEL, '--threads', '1', '--schema', file('lenient.json'), '--lenient']
    const more = ['--max-tokens', '2', 'x']
    const { code, err } = await run('generate', ...args, ...more)
    expect(code).toBe(3)
    expect(err).toContain('not enforced: #/properties/a/pattern  a back-reference is not regular')
    const json = await run('generate', ...args, '--json', ...more)
    expect(JSON.parse(json.out).unenforced).toHaveLength(1)
  })

  it('keeps its own instructions beside --system', async () => {
    const args = ['--model', MODEL, '--threads', '1', '--schema', file('schema.json'), '--json']
    const usage = async (...more: string[]) => {
      const { out } = await run('generate', ...args, '--max-tokens', '1', ...more, 'x')
      return JSON.parse(out).usage.promptTokens as number
    }
    expect(await usage('--system', 'Be brief.')).toBeGreaterThan(await usage())
  })

  it('prints the whole result with --json', async () => {
    const { code, out, err } = await call('--json', 'on')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const result = JSON.parse(out)
    expect(Object.keys(result)).toEqual(['stopReason', 'text', 'content', 'calls', 'rejected', 'usage'])
    expect(Object.keys(result.usage)).toEqual([
      'promptTokens',
      'reusedTokens',
      'tokens',
      'forcedTokens',
      'modelMs',
      'maskMs',
    ])
    expect(result.calls[0].arguments).toEqual(JSON.parse(result.calls[0].argumentsText))
  })

  it('reports a cut on stderr, with --json on stdout, exit code 3', async () => {
    const { code, out, err } = await call('--max-tokens', '20', 'on')
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toContain('cut by max_tokens after 20 tokens')
    expect(err).toMatch(/open +tag +needs <\/tool_call>/)
    expect(err).toMatch(/to end .*<\/tool_call>/)
    const json = await call('--max-tokens', '20', '--json', 'on')
    expect(json).toMatchObject({ code: 3, err: '' })
    const result = JSON.parse(json.out)
    expect(result).toMatchObject({ stopReason: 'max_tokens', calls: [] })
    expect(result.text + result.cut.completion).toMatch(/^<tool_call>.*<\/tool_call>$/su)
  })

  it('ends bad usage with 2, refused tools with 4, a missing model with 5', async () => {
    const cases: [number, RegExp, string[]][] = [
      [2, /max-tokens/, ['--max-tokens', '0', 'x']],
      [2, /It must be the most tokens of an attempt, as in 2048/, ['--retry', 'often', 'x']],
      [2, /It must be the most tokens of an attempt/, ['--retry', '4:', 'x']],
      [2, /It must be the most tokens of an attempt/, ['--retry', '4:5:6', 'x']],
      [2, /a factor above 1 and a cap, as in 2:2048/, ['--retry', '1:2048', 'x']],
      [2, /--retry allows 20 tokens at most, and --max-tokens is 512/, ['--retry', '20', 'x']],
      [2, /temperature/, ['--temperature', 'NaN', 'x']],
      [2, /temperature/, ['--temperature', '-1', 'x']],
      [2, /top-p/, ['--top-p', '0', 'x']],
      [2, /top-k/, ['--top-k', '1.5', 'x']],
      [2, /seed/, ['--seed', '', 'x']],
      [2, /whitespace/, ['--whitespace', 'wide', 'x']],
      [2, /unknown option/, ['--colour', 'x']],
      [2, /no such file/, ['--tools', file('absent.json'), 'x']],
      [2, /not UTF-8/, ['--tools', file('latin1.json'), 'x']],
      [
        2,
        /toolChoice \(--tool-choice\) names the tool "get", and the tools are "set"/,
        ['--tool-choice', 'get', 'x'],
      ],
      [
        2,
        /parallelToolCalls \(--parallel\) asks for up to 2 calls/,
        ['--tool-format', 'llama', '--parallel', '2', 'x'],
      ],
      [
        2,
        /finishWithin \(--finish-within\) needs/,
        ['--tools', file('loose.json'), '--finish-within', 'budget', 'x'],
      ],
      [2, /--max-tokens/, ['--finish-within', 'budget', '--max-tokens', '3', 'x']],
      [4, /broken\.json is not JSON: .*line 2, column 3/, ['--tools', file('broken.json'), 'x']],
      [4, /nesting depth/, ['--tools', file('deep.json'), 'x']],
      [4, /nesting depth/, ['--tools', file('deep-schema.json'), 'x']],
      [4, /defined twice/, ['--tools', file('twice.json'), 'x']],
      [4, /no tools/, ['--tools', file('none.json'), 'x']],
      [5, /no such folder/, ['--model', file('absent'), 'x']],
      [5, /no graph for dtype fp16; there are: q4/, ['--dtype', 'fp16', 'x']],
      [5, /context/, ['x'.repeat(3000)]],
    ]
    for (const [code, message, args] of cases) {
      const result = await call(...args)
      expect({ code: result.code, out: result.out }, args.join(' ').slice(0, 80)).toEqual({ code, out: '' })
      expect(result.err).toMatch(message)
    }
    expect((await run('generate', '--schema', file('schema.json'), 'x')).code).toBe(2)
    expect((await run('dance')).code).toBe(2)
    expect((await run('--help')).code).toBe(0)
  })
})
