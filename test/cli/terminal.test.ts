import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { withFlags } from '../../src/cli/compile-flags.ts'
import { renderCut, renderRejected, visible } from '../../src/cli/report.ts'
import { duration, PLAIN, plural, styleFor, Terminal } from '../../src/cli/terminal.ts'
import type { Result } from '../../src/decode/result.ts'

describe('styleFor', () => {
  it('colours a terminal only, unless NO_COLOR or FORCE_COLOR say otherwise', () => {
    const coloured = (isTTY: boolean, env: NodeJS.ProcessEnv) => styleFor({ isTTY }, env).red('x') !== 'x'
    expect(coloured(true, {})).toBe(true)
    expect(coloured(false, {})).toBe(false)
    expect(coloured(true, { NO_COLOR: '1' })).toBe(false)
    expect(coloured(true, { NO_COLOR: '' })).toBe(true)
    expect(coloured(true, { TERM: 'dumb' })).toBe(false)
    expect(coloured(false, { FORCE_COLOR: '1' })).toBe(true)
    expect(coloured(true, { FORCE_COLOR: '0' })).toBe(false)
    expect(coloured(true, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false)
  })
})

describe('Terminal', () => {
  it('colours results by what stdout is, notes by what stderr is', () => {
    const stream = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY })
    const env = { ...process.env }
    for (const name of ['NO_COLOR', 'FORCE_COLOR', 'TERM']) delete process.env[name]
    const terminal = new Terminal(stream(false), stream(true))
    Object.assign(process.env, env)
    expect(terminal.resultStyle.red('x')).toBe('x')
    expect(terminal.style.red('x')).not.toBe('x')
  })
})

describe('withFlags', () => {
  it('puts the flag behind each option that a message names', () => {
    expect(withFlags("compile with formats: 'annotate' or lenient: true; raise limits.maxSteps")).toBe(
      "compile with formats: 'annotate' (--formats annotate) or lenient: true (--lenient); raise limits.maxSteps (--max-steps)",
    )
    expect(
      withFlags("option propertyOrder: 'any' and option references, not option x or maxTokensLowered"),
    ).toBe(
      "option propertyOrder: 'any' (--property-order any) and option references (--reference URI=FILE), not option x or maxTokensLowered",
    )
    expect(withFlags('parallelToolCalls goes with limits.maxMaskBytes')).toBe(
      'parallelToolCalls (--parallel) goes with limits.maxMaskBytes (--max-mask-bytes)',
    )
    expect(withFlags('shorten the prompt or maxTokens')).toBe(
      'shorten the prompt or maxTokens (--max-tokens)',
    )
  })
})

describe('renderRejected', () => {
  it('lists every violation with its source and place, and shows control characters', () => {
    const call = { id: 'call_1', name: 'f', argumentsText: '{"a": "\u001b"}' }
    const text = renderRejected(
      [
        {
          ...call,
          violations: [
            { pointer: '/a', message: 'string where an integer is required', source: 'schema' },
            { pointer: '', message: 'missing required "b"', source: 'schema' },
          ],
        },
        { ...call, name: '', violations: [{ pointer: '', message: 'no call can be read', source: 'parse' }] },
      ],
      PLAIN,
    )
    expect(text).not.toContain('\u001b')
    expect(text.split('\n').map((line) => line.trim())).toEqual([
      'rejected: a call of f',
      expect.stringContaining('{"a": "'),
      'schema     /a  string where an integer is required',
      'schema     missing required "b"',
      'no call',
      expect.stringContaining('{"a": "'),
      'parse      no call can be read',
    ])
  })
})

describe('renderCut', () => {
  const result: Result = {
    stopReason: 'max_tokens',
    text: '<tool_call>\n{"name": "f", "arguments": {"a": ["x\u001b[31m',
    content: '',
    calls: [],
    rejected: [],
    usage: { promptTokens: 10, reusedTokens: 0, tokens: 24, forcedTokens: 0, modelMs: 1, maskMs: 1 },
    cut: {
      frames: [
        { kind: 'tag', pointer: '', text: '…', needs: ['</tool_call>'] },
        {
          kind: 'object',
          pointer: '',
          text: '{"a": ["x',
          needs: ['"b":', '"c":', '"d":', '"e":', '"f":', '"g":', '}'],
        },
        { kind: 'array', pointer: '/a', text: '["x', needs: ['2 items', ']'] },
        { kind: 'string', pointer: '/a/0', text: '"x', needs: ['"'] },
      ],
      completion: '"]}\n</tool_call>',
      completionTokens: 9,
    },
  }

  it('shows what is open from the outside in, what each needs, and the way to an end', () => {
    expect(renderCut(result, PLAIN).split('\n')).toEqual([
      'cut by max_tokens after 24 tokens',
      '  so far   <tool_call>⏎{"name": "f", "arguments": {"a": ["x\\u{1b}[31m▌',
      '  open     tag                needs </tool_call>',
      '             object           needs "b": · "c": · "d": · "e": · "f": · 2 more',
      '               array /a       needs 2 items · ]',
      '                 string /a/0  needs ", has "x',
      '  to end   "]}⏎</tool_call>  in 9 tokens',
      '  budget   with 33 tokens it could have ended; there were 24',
    ])
  })

  it('says that a run was stopped, without a report where there was no grammar', () => {
    const { cut: _cut, ...free } = result
    expect(renderCut({ ...free, stopReason: 'aborted' }, PLAIN)).toMatch(
      /^stopped after 24 tokens\n {2}so far {3}.*▌$/,
    )
  })
})

describe('what is printed', () => {
  it('gives a terminal no orders', () => {
    expect(visible('a\nb\tc\u001b[2J\u202e\u0000')).toBe('a⏎b⇥c\\u{1b}[2J\\u{202e}\\u{0}')
  })

  it('counts and measures in words', () => {
    expect([plural(1, 'token'), plural(0, 'token')]).toEqual(['1 token', '0 tokens'])
    expect([duration(1.234), duration(12.3), duration(2345)]).toEqual(['1.2 ms', '12 ms', '2.3 s'])
  })
})
