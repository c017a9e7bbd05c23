/** The page and the tables of a call that is cut, for a model that says what it is told to. */
import { describe, expect, it, vi } from 'vitest'
import { cutPage } from '../../bench/cut/page.ts'
import { budgetLines, curve, cutInFull, withinLines } from '../../bench/cut/print.ts'
import { RememberedModel } from '../../bench/cut/remembered.ts'
import { type Trace, traceCall } from '../../bench/cut/trace.ts'
import { Progress } from '../../bench/terminal.ts'
import { ChatTemplate } from '../../src/decode/chat.ts'
import type { Model, TokenSequence } from '../../src/index.ts'
import { bytesOf, END, ScriptModel } from '../decode/script-model.ts'

const CALL = '<tool_call>\n{"name": "f", "arguments": {"a": [{"b": 12}], "c": "</script>&"}}\n</tool_call>'

const TOOL = {
  type: 'function',
  function: {
    name: 'f',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['a', 'c'],
      properties: {
        a: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['b'],
            properties: { b: { type: 'integer' } },
          },
        },
        c: { type: 'string' },
      },
    },
  },
} as const
const REQUEST = 'Door hinges & "more" <now>'

/** Knows no tools; that it is of this family says how calls are written. */
const TEMPLATE =
  '{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>{% endfor %}'

/** Wants the next byte of the call, whatever was written before it. */
class Caller implements Model {
  readonly vocabulary = new ScriptModel([]).vocabulary
  readonly tokenizer = new ScriptModel([]).tokenizer
  readonly chat = new ChatTemplate(TEMPLATE, TEMPLATE, this.tokenizer, {})
  readonly contextLength = 10_000
  /** Tokens that were read, over all texts. */
  read = 0

  startSequence(): TokenSequence {
    const script = bytesOf(CALL)
    const logits = new Float32Array(257)
    const ids: number[] = []
    let prompt = 0
    return {
      get length() {
        return ids.length
      },
      append: async (more) => {
        this.read += more.length
        if (ids.length === 0) prompt = more.length
        ids.push(...more)
        logits.fill(0)
        logits[script[ids.length - prompt] ?? END] = 8
        return logits
      },
      truncate: (length) => {
        ids.length = length
      },
    }
  }

  async release(): Promise<void> {}
}

/** Traced anew. */
const trace = (): Promise<Trace> =>
  traceCall(
    new Caller(),
    'caller',
    { request: REQUEST, tool: TOOL, messages: [{ role: 'user', content: REQUEST }] },
    new Progress(),
  )

let first: Promise<Trace> | undefined

function traced(): Promise<Trace> {
  first ??= trace()
  return first
}

describe('a call that is cut', () => {
  it('is told step by step: what was open, and what it would have taken', async () => {
    const { steps, within } = await traced()
    expect(steps).toHaveLength(CALL.length + 1)
    expect(steps.at(-1)).toMatchObject({ text: CALL, frames: [], completion: '', cost: 0, next: null })
    for (const [count, { text, completion, cost, next }] of steps.entries()) {
      expect(text).toBe(CALL.slice(0, count))
      expect(text + completion).toMatch(/^<tool_call>\n\{.*\}\n<\/tool_call>$/su)
      // Its bytes are its tokens, and an end token behind them.
      expect(cost).toBe(next === null ? 0 : completion.length + 1)
      if (next === null) continue
      expect(next.after[0]).toMatchObject({ text: CALL[count], allowed: true, chosen: true })
      expect(next.after.every(({ allowed }) => allowed)).toBe(true)
      expect(next.mass).toBeGreaterThan(0.9)
    }
    expect(steps[CALL.indexOf('12') + 1]!.frames.map(({ kind }) => kind)).toEqual([
      'tag',
      'object',
      'array',
      'object',
      'number',
    ])
    expect(within.map(({ budget }) => budget)).toEqual(
      Array.from({ length: CALL.length - steps[0]!.cost + 1 }, (_, more) => steps[0]!.cost + more),
    )
    for (const { budget, tokens, argumentsText } of within) {
      expect(tokens).toBeLessThanOrEqual(budget)
      expect(JSON.parse(argumentsText!)).toHaveProperty('c')
    }
  })

  it('fits a terminal of 80 columns', async () => {
    const one = await traced()
    const shown = [curve(one), budgetLines(one), cutInFull(one.steps[60]!, 60), withinLines(one.within)]
    for (const line of shown.join('\n').split('\n')) expect([...line].length, line).toBeLessThanOrEqual(80)
  })

  it('asks the model once for each text, however many runs write it', async () => {
    const model = new Caller()
    const remembered = new RememberedModel(model)
    for (let run = 0; run < 3; run++) {
      const sequence = remembered.startSequence()
      await sequence.append([1, 2, 3])
      for (const id of bytesOf('abc')) await sequence.append([id])
    }
    expect(model.read).toBe(6)
    const other = remembered.startSequence()
    await other.append([1, 2, 3])
    await other.append(bytesOf('a'))
    await other.append(bytesOf('x'))
    expect(model.read).toBe(7)
  })
})

describe('the page', () => {
  it('loads nothing from elsewhere', async () => {
    const page = cutPage(await traced())
    expect(page).toContain(`content="default-src 'none';`)
    expect(page).not.toMatch(/\b(?:src|href|srcset|action|data)\s*=\s*["']/u)
    expect(page).not.toMatch(/@import|url\(|\bimport\s*\(|fetch\(|XMLHttpRequest/u)
    // The name of the namespace of SVG is no address.
    expect(page.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\//u)
    expect(page).not.toMatch(/__[A-Z]+__/u)
  })

  it('holds the trace as it is, and nothing of it as markup', async () => {
    const one = await traced()
    const page = cutPage(one)
    const [, data] = /<script type="application\/json" id="trace">\s*(.*?)\s*<\/script>/su.exec(page)!
    expect(JSON.parse(data!)).toEqual(one)
    expect(page.match(/<\/script>/gu)).toHaveLength(2)
    expect(page).toContain('Door hinges &amp; &quot;more&quot; &lt;now>')
  })

  it('is the same, byte by byte, for the same call', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] })
    const again = cutPage(await trace())
    vi.useRealTimers()
    expect(again).toBe(cutPage(await traced()))
  })
})
