/**
 * The first token of a call with the shipped model: the prompt that names the tools is read, once from its beginning and once
 * behind another request, in a session.
 *
 * Everything from `call(…)` to the first token counts. What does not fit into the context of the model is named and not run.
 */
import { readMessages } from '../../src/decode/messages.ts'
import { call, type Message, type Model, Session } from '../../src/index.ts'
import { formatOf } from '../../src/tools/call.ts'
import { readTools } from '../../src/tools/definitions.ts'
import { callPrompt } from '../../src/tools/prompt.ts'
import { count, type RawTable, Samples } from '../lib.ts'
import type { Progress } from '../terminal.ts'
import { repeatedTools } from './repeated.ts'

const FIRST: Message[] = [{ role: 'user', content: 'How many accounts are frozen?' }]
const SECOND: Message[] = [{ role: 'user', content: 'What is the balance of account 40071?' }]
/** Tokens of a prompt that its answer needs beside it. */
const ANSWER = 160

export interface FirstToken {
  readonly tools: number
  readonly promptTokens: number
  /** Milliseconds, a sample a run; `null` where the prompt does not fit. */
  readonly times: { readonly first: Samples; readonly again: Samples; readonly prompt: Samples } | null
}

export async function measureFirstTokens(
  model: Model,
  counts: readonly number[],
  runs: number,
  progress: Progress,
): Promise<FirstToken[]> {
  const measured: FirstToken[] = []
  for (const tools of counts) {
    const given = repeatedTools(tools)
    const request = { tools: readTools(given), mayTalk: false, max: 1 }
    const { ids } = callPrompt(model, formatOf(model), request, readMessages(FIRST))
    if (ids.length + ANSWER > model.contextLength) {
      measured.push({ tools, promptTokens: ids.length, times: null })
      continue
    }
    const [first, again, prompt] = [new Samples(), new Samples(), new Samples()]
    for (let i = 0; i < runs; i++) {
      progress.show(`first token, ${tools} tools, ${i + 1} of ${runs}`)
      const session = new Session(model)
      const begun = await firstToken(model, given, FIRST, session)
      first.add(begun.ms)
      prompt.add(begun.promptMs)
      again.add((await firstToken(model, given, SECOND, session)).ms)
      session.clear()
    }
    measured.push({ tools, promptTokens: ids.length, times: { first, again, prompt } })
  }
  return measured
}

async function firstToken(
  model: Model,
  tools: unknown,
  messages: Message[],
  session: Session,
): Promise<{ ms: number; promptMs: number }> {
  const begun = performance.now()
  let promptMs = 0
  // One call, as the prompt is asked for whose tokens are counted.
  const one = { toolChoice: 'required', parallelToolCalls: false } as const
  const options = { tools, messages, session, maxTokens: ANSWER, ...one }
  for await (const event of call(model, options)) {
    if (event.type === 'start') promptMs = event.promptMs
    if (event.type === 'token') return { ms: performance.now() - begun, promptMs }
  }
  throw new Error('a call had no token')
}

export function firstTokenTable(measured: readonly FirstToken[], contextLength: number): RawTable {
  return {
    title: 'To the first token with the shipped model, median',
    header: ['tools', 'prompt tokens', 'first request', 'of that the prompt', 'next request, in the session'],
    rows: measured.map(({ tools, promptTokens, times }) => {
      const head = [String(tools), count(promptTokens)]
      if (times === null) return [...head, `– (the context holds ${count(contextLength)})`, '–', '–']
      const ms = (samples: Samples): string => `${samples.percentile(50).toFixed(0)} ms`
      return [...head, ms(times.first), ms(times.prompt), ms(times.again)]
    }),
  }
}
