import { describe, expect, it } from 'vitest'
import { shownTool, stampMessages, toolMessages } from '../../bench/strict/prompt.ts'
import { stampRequests, stampTool, toolRequests, tools } from '../../bench/strict/requests.ts'
import { type Line, WAYS } from '../../bench/strict/run.ts'
import { score, Validator } from '../../bench/strict/score.ts'
import { strictTables } from '../../bench/strict/tables.ts'
import type { Message } from '../../src/index.ts'
import { findCalls } from '../../src/tools/loose-calls.ts'

const validator = new Validator([stampTool('generated')])
const [request] = stampRequests()
const right = { ...request!.expected[0]!.arguments, notes: 'anything' }

function written(values: unknown, name = 'queue_stamp_request'): string {
  return `<tool_call>\n{"name": "${name}", "arguments": ${JSON.stringify(values)}}\n</tool_call>`
}

function scored(text: string, stop = 'complete', calls?: number): ReturnType<typeof score> {
  return score({ text, stop, ...(calls === undefined ? {} : { calls }) }, request!, validator)
}

describe('the score of an answer', () => {
  it('is right where all but what is free is as it was to be', () => {
    expect(scored(written(right))).toMatchObject({ outcome: 'exact', violations: [], extra: 0 })
    expect(scored(`Sure: \`\`\`json\n${written(right).slice(12, -13)}\n\`\`\``).outcome).toBe('exact')
    expect(scored(written({ ...right, revision: 5 }))).toMatchObject({
      outcome: 'valid',
      fields: { drawing_set_id: true, revision: false, sheet_count: true },
    })
  })

  it('names what the validator rejects, of alternatives what the one of the right type lacks', () => {
    const { pe_license_number: _, ...without } = right as Record<string, unknown>
    const reasons = (values: unknown): readonly string[] => scored(written(values)).violations
    expect(reasons({ ...right, pe_license_number: '77618' })).toEqual(['pattern of pe_license_number'])
    expect(reasons({ ...right, pe_license_number: 77618 })).toEqual(['type of pe_license_number'])
    expect(reasons({ ...right, needed_by: '2027-02-30' })).toEqual(['format of needed_by'])
    expect(reasons({ ...right, sheet_count: '20' })).toEqual(['type of sheet_count'])
    expect(reasons({ ...without, note: '' })).toEqual(['required pe_license_number', 'additionalProperties'])
    expect(scored(written(right, 'stamp')).violations).toEqual(['no tool of this name'])
    expect(
      scored(written(right).replace('"revision": ', '"revision"').replace('"revision":', '"revision"')),
    ).toMatchObject({ outcome: 'rejected', violations: ['arguments are not JSON'] })
  })

  it('tells a call that was cut from one that breaks off, and both from none', () => {
    const open = written(right).slice(0, 90)
    expect(scored(open, 'max_tokens').outcome).toBe('cut')
    expect(scored(open).outcome).toBe('rejected')
    expect(scored('I cannot do that.').outcome).toBe('none')
    expect(scored('I cannot do that, and', 'max_tokens').outcome).toBe('none')
    // With a mask the library says how many calls there are: this one lacks its tag.
    expect(scored(written(right).slice(0, -13), 'max_tokens', 0).outcome).toBe('cut')
  })

  it('counts calls by their tools', () => {
    const all = new Validator(tools())
    const parallel = toolRequests().find(({ kind }) => kind === 'parallel')!
    const text = parallel.expected.map(({ name, arguments: values }) => written(values, name))
    const of = (calls: readonly string[]): ReturnType<typeof score> =>
      score({ text: calls.join('\n'), stop: 'complete' }, parallel, all)
    expect(of(text.toReversed())).toMatchObject({ outcome: 'exact', missing: 0, extra: 0, wrongNames: 0 })
    expect(of(text.slice(1))).toMatchObject({ outcome: 'valid', missing: 1, extra: 0 })
    expect(of([...text, text[0]!])).toMatchObject({ outcome: 'valid', missing: 0, extra: 1 })
    const none = toolRequests().find(({ kind }) => kind === 'none')!
    expect(score({ text: 'That cannot be done.', stop: 'complete' }, none, all).outcome).toBe('exact')
  })
})

describe('the prompts', () => {
  const examples = (messages: readonly Message[]): string[] =>
    messages.flatMap(({ role, content }) => (role === 'assistant' ? [String(content)] : []))

  it.each([
    ['one tool', [stampTool('generated')], stampMessages],
    ['twelve tools', tools(), toolMessages],
  ] as const)('for %s show calls that are valid', (_, offered, messages) => {
    const all = new Validator(offered)
    for (const text of examples(messages('')))
      for (const { name, argumentsText } of findCalls(text, []).calls)
        expect(all.violations({ name, arguments: JSON.parse(argumentsText) })).toEqual([])
  })

  it('differ in the parameters of the tool alone', () => {
    const [generated, handwritten] = (['generated', 'handwritten'] as const).map((schema) => {
      const { parameters, ...rest } = shownTool(stampTool(schema)).function
      return rest
    })
    expect(generated).toEqual(handwritten)
  })

  it('show nothing that is among the requests', () => {
    const asked = stampMessages('').flatMap(({ role, content }) => (role === 'user' ? [String(content)] : []))
    const known = new Set([...stampRequests(), ...toolRequests()].map(({ request: text }) => text))
    for (const text of asked) expect(known.has(text)).toBe(false)
  })
})

describe('the tables', () => {
  it('say of each way what became of its requests', () => {
    const line = (way: string, text: string): Line => ({
      way,
      id: request!.id,
      text,
      stop: 'complete',
      ...(way.includes('mask') ? { calls: 1 } : {}),
      promptTokens: 600,
      reusedTokens: 500,
      tokens: 100,
      forcedTokens: 40,
      promptMs: 100,
      modelMs: 1100,
      maskMs: 10,
      ms: 1200,
    })
    const tables = strictTables([line('generated', 'no'), line('generated-mask', written(right))])
    expect(tables[0]!.rows).toEqual([
      ['generated schema, no mask', '1', '0', '0', '0', '0', '1', '–'],
      ['generated schema, mask', '1', '1', '0', '0', '0', '0', '0.0 %'],
    ])
    expect(tables.at(-1)!.rows[1]).toEqual([
      'generated schema, mask',
      '600',
      '83.3 %',
      '100',
      '40.0 %',
      '1.2',
      '11.0',
      '0.8 %',
    ])
    expect(WAYS.map(({ name }) => name)).toContain('generated-mask-budget')
    // A table of reasons without any would be a header alone.
    const titles = (text: string) =>
      strictTables([line('generated', text)]).map(({ title }) => title.slice(0, 24))
    expect(titles(written(right))).not.toContain('Why calls were rejected;')
    expect(titles(written({ ...right, revision: 'x' }))).toContain('Why calls were rejected;')
  })
})
