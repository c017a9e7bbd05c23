/** `espalier lint`: what it prints, what it writes, and its exit codes. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../support/program.ts'

let folder = ''
const file = (name: string) => join(folder, name)

const good = {
  name: 'stop',
  description: 'Use this when the user wants to stop.',
  strict: true,
  input_schema: { type: 'object', properties: {}, additionalProperties: false },
}
const bounded = {
  type: 'function',
  function: {
    name: 'set',
    description: 'Use this when the user asks for a level.',
    parameters: {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 7, maximum: 9.0, description: 'The level.' } },
      required: ['n'],
    },
  },
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-lint-'))
  const files = {
    'good.json': JSON.stringify([good]),
    'bounded.json': JSON.stringify(bounded).replace(':9,', ':9.0,'),
    'map.json': JSON.stringify({
      ...good,
      input_schema: { type: 'object', additionalProperties: { type: 'null' } },
    }),
    'nothing.json': '[7]',
    'broken.json': '{"a"',
    'deep.json': '['.repeat(5_000) + ']'.repeat(5_000),
  }
  for (const [name, content] of Object.entries(files)) await writeFile(file(name), content)
})
afterAll(() => rm(folder, { recursive: true }))

const lint = (...args: string[]): ReturnType<typeof run> => run('lint', ...args)
const ANTHROPIC = ['--dialect', 'anthropic-strict']

describe('findings', () => {
  it('end with 0 where there are no errors, whatever the dialect', async () => {
    for (const dialect of ['anthropic-strict', 'openai-strict', 'json-schema']) {
      const { code, out, err } = await lint(file('good.json'), '--dialect', dialect)
      expect({ code, err }, dialect).toEqual({ code: 0, err: '' })
      const warnings = dialect === 'openai-strict' ? '1 warning' : '0 warnings'
      expect(out).toMatch(new RegExp(`passes .*, ${dialect}: 0 errors, ${warnings}`))
    }
    expect((await lint(file('bounded.json'))).code).toBe(0)
  })

  it('end with 1 where there are errors, and name place, reason and what to do', async () => {
    const { code, out } = await lint(file('bounded.json'), ...ANTHROPIC)
    expect(code).toBe(1)
    expect(out).toContain('error  #/function/parameters/properties/n/minimum')
    expect(out).toContain('Anthropic refuses minimum in strict tools')
    expect(out).toContain('instead: say the bound in the description')
    expect(out).toMatch(/refused .*: 3 errors, 2 warnings, 0 notes/)
  })

  it('are JSON with --json', async () => {
    const { code, out } = await lint(file('bounded.json'), ...ANTHROPIC, '--json')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toContainEqual({
      severity: 'error',
      pointer: '#/function/parameters/properties/n/minimum',
      keyword: 'minimum',
      tool: 'set',
      why: 'Anthropic refuses minimum in strict tools',
      instead: 'say the bound in the description, and check it when the call comes',
    })
  })
})

describe('--fix', () => {
  it('writes the tools to stdout and the changes to stderr', async () => {
    const { code, out, err } = await lint(file('bounded.json'), ...ANTHROPIC, '--fix')
    expect(code).toBe(0)
    const { parameters } = JSON.parse(out).function
    expect(parameters.properties.n.description).toBe('The level. Rules: at least 7; at most 9.0.')
    expect(err).toContain('looser  #/function/parameters/properties/n/minimum')
    expect(err).toContain('narrower  #/function/parameters  the object is closed')
    expect(err).toMatch(/4 changes; passes {2}the tools, anthropic-strict: 0 errors, 1 warning/)
    await writeFile(file('fixed.json'), out)
    expect((await lint(file('fixed.json'), ...ANTHROPIC)).code).toBe(0)
  })

  it('writes the tools to a file with --output, and all else as JSON with --json', async () => {
    const output = file('out.json')
    const quiet = await lint(file('bounded.json'), ...ANTHROPIC, '--fix', '--output', output)
    expect({ code: quiet.code, out: quiet.out }).toEqual({ code: 0, out: '' })
    expect(JSON.parse(await readFile(output, 'utf8')).function.strict).toBe(true)
    const { out } = await lint(file('bounded.json'), ...ANTHROPIC, '--fix', '--json')
    const { tools, changes, left } = JSON.parse(out)
    expect(tools.function.strict).toBe(true)
    expect({ changes: changes.length, left }).toEqual({ changes: 4, left: [] })
  })

  it('ends with 1 where an error is left, and says which', async () => {
    const { code, out, err } = await lint(file('map.json'), ...ANTHROPIC, '--fix')
    expect(code).toBe(1)
    expect(JSON.parse(out).name).toBe('stop')
    expect(err).toContain('error  #/input_schema/additionalProperties')
  })
})

describe('a document that a fix makes deeper than lint reads', () => {
  let schema: object = { type: 'string' }
  for (let level = 0; level < 190; level++) schema = { type: 'object', const: 1, properties: { p: schema } }

  it.each([[[]], [['--json']]])('is written and counted: %j', async (flags) => {
    await writeFile(
      file('deepened.json'),
      JSON.stringify({ name: 'f', parameters: { type: 'object', properties: { schema } } }),
    )
    const { code, out, err } = await lint(
      file('deepened.json'),
      '--dialect',
      'openai-strict',
      '--fix',
      ...flags,
    )
    expect(code).toBe(1)
    expect(out).toContain('Write null to leave it out.')
    const last = err.trimEnd().split('\n').at(-1)
    if (flags.length === 0)
      expect(last).toMatch(/^\d+ changes; refused {2}the tools, openai-strict: 1 error,/)
  })
})

describe('bad input', () => {
  it.each([
    [2, ['good.json', '--dialect', 'gemini'], /gemini/],
    [2, ['absent.json'], /no such file/],
    [2, ['good.json', '--output', 'x.json'], /--fix/],
    [2, ['good.json', '--fix', '--output', '/'], /cannot be written/],
    [4, ['nothing.json'], /a tool must be an object/],
    [4, ['broken.json'], /is not JSON/],
    [4, ['deep.json'], /nesting depth/],
  ] as const)('ends with %i: %j', async (code, [name, ...flags], message) => {
    const result = await lint(file(name), ...flags)
    expect(result.code).toBe(code)
    expect(result.err).toMatch(message)
  })
})
