/**
 * Whole requests: a strict call with jumps and without, beside a loop that writes the same text without a mask; prompts that
 * begin alike, with a session and without; four calls in a batch and one after another.
 *
 * Before anything is timed the prompt is read into a session, so that what is compared is the writing. All else that a call does
 * counts: rendering the prompt, compiling the tools, masks.
 */
import { Batch } from '../../src/decode/batch.ts'
import { readMessages } from '../../src/decode/messages.ts'
import { Sampler } from '../../src/decode/sampler.ts'
import { call, type Message, type Model, type Result, Session } from '../../src/index.ts'
import { formatOf } from '../../src/tools/call.ts'
import { readTools } from '../../src/tools/definitions.ts'
import { callPrompt } from '../../src/tools/prompt.ts'
import { REQUESTS, TOOLS } from '../../test/tools/requests.ts'
import { percent, type RawTable, Samples } from '../lib.ts'
import type { Progress } from '../terminal.ts'

const MAX_TOKENS = 250
const WHITESPACE = ['model', 'compact'] as const

type Options = NonNullable<Parameters<typeof call>[1]>

interface Written {
  readonly result: Result
  readonly ms: number
}

/** Sums over the requests. */
interface Sums {
  tokens: number
  forced: number
  ms: number
  maskMs: number
}

export interface CallFigures {
  readonly whitespace: string
  readonly requests: number
  readonly jumps: Sums
  readonly asked: Sums
  /** The text of the call with jumps, and that of the one without, in the tokens of the tokenizer. */
  readonly unmasked: { readonly jumps: Sums; readonly asked: Sums }
  /** Requests whose text is another with jumps. */
  readonly changed: number
  /** Requests whose text is another where the same jumps are read a token at a time. */
  readonly changedByBlocks: number
}

const messagesOf = (request: string): Message[] => [{ role: 'user', content: request }]

export async function measureCalls(
  model: Model,
  requests: number,
  progress: Progress,
): Promise<CallFigures[]> {
  const session = new Session(model)
  const single = readingSingly(model)
  const singleSession = new Session(single)
  const figures: CallFigures[] = []
  const sums = (): Sums => ({ tokens: 0, forced: 0, ms: 0, maskMs: 0 })
  for (const whitespace of WHITESPACE) {
    const jumps = sums()
    const asked = sums()
    const unmasked = { jumps: sums(), asked: sums() }
    let changed = 0
    let changedByBlocks = 0
    for (const [index, request] of REQUESTS.slice(0, requests).entries()) {
      progress.show(`calls, whitespace ${whitespace}: request ${index + 1} of ${requests}`)
      const options = { tools: TOOLS, messages: messagesOf(request), whitespace, session }
      await write(model, { ...options, maxTokens: 1, jumpForward: false })
      const fast = await write(model, { ...options, maxTokens: MAX_TOKENS })
      add(jumps, fast)
      await rewrite(model, options.messages, session, fast.result.text, unmasked.jumps)
      const slow = await write(model, { ...options, maxTokens: MAX_TOKENS, jumpForward: false })
      add(asked, slow)
      await rewrite(model, options.messages, session, slow.result.text, unmasked.asked)
      if (fast.result.text !== slow.result.text) changed++
      const singly = await write(single, { ...options, maxTokens: MAX_TOKENS, session: singleSession })
      if (singly.result.text !== fast.result.text) changedByBlocks++
    }
    const count = Math.min(requests, REQUESTS.length)
    figures.push({ whitespace, requests: count, jumps, asked, unmasked, changed, changedByBlocks })
  }
  return figures
}

/** The same model, which reads a token at a time once it has read a prompt: kernels for one row round otherwise. */
function readingSingly(model: Model): Model {
  const { vocabulary, tokenizer, chat, contextLength } = model
  return {
    vocabulary,
    tokenizer,
    chat,
    contextLength,
    startSequence: (limit) => {
      const inner = model.startSequence(limit)
      let hasPrompt = false
      return {
        get length() {
          return inner.length
        },
        append: async (ids, signal) => {
          if (!hasPrompt) {
            hasPrompt = true
            return inner.append(ids, signal)
          }
          let logits: Float32Array | null = null
          for (const id of ids) logits = await inner.append([id], signal)
          return logits
        },
        truncate: (length) => {
          inner.truncate(length)
          hasPrompt = false
        },
      }
    },
    release: async () => {},
  }
}

/** One call, whatever the model would rather do. */
const ONE = { toolChoice: 'required', parallelToolCalls: false } as const

async function write(model: Model, options: Options): Promise<Written> {
  const start = performance.now()
  const result = await call(model, { ...ONE, ...options }).result
  return { result, ms: performance.now() - start }
}

function add(sums: Sums, { result: { usage }, ms }: Written): void {
  sums.tokens += usage.tokens
  sums.forced += usage.forcedTokens
  sums.maskMs += usage.maskMs
  sums.ms += ms
}

/** Writes a text without a mask: the model is asked for each of its tokens, whatever it would say. */
async function rewrite(
  model: Model,
  messages: readonly Message[],
  session: Session,
  text: string,
  sums: Sums,
): Promise<void> {
  const start = performance.now()
  const { ids: prompt } = callPrompt(
    model,
    formatOf(model),
    { tools: readTools(TOOLS), mayTalk: false, max: 1 },
    readMessages(messages),
  )
  const ids = model.tokenizer.encodeText(text)
  const sampler = new Sampler(model.vocabulary.size)
  const { sequence, reused, release } = session.take(model, prompt)
  let unread = prompt.slice(reused)
  for (const [place, id] of ids.entries()) {
    const logits = await sequence.append(unread)
    sampler.sample(logits!, null, place)
    unread = [id]
  }
  release()
  sums.tokens += ids.length
  sums.ms += performance.now() - start
}

export function callTable(figures: readonly CallFigures[]): { tables: RawTable[]; notes: string[] } {
  const row = (name: string, { tokens, forced, ms, maskMs }: Sums, beside: Sums | null): string[] => [
    name,
    String(tokens),
    percent(forced, tokens),
    (ms / 1000).toFixed(2),
    (ms / tokens).toFixed(1),
    ((1000 * tokens) / ms).toFixed(1),
    beside === null ? '' : (ms / beside.ms).toFixed(2),
    beside === null ? '' : percent(maskMs, ms),
  ]
  const rows = figures.flatMap(({ whitespace, jumps, asked, unmasked }) => [
    row(`strict, jumps · ${whitespace}`, jumps, unmasked.jumps),
    row(`strict, every token asked for · ${whitespace}`, asked, unmasked.asked),
    row(`the text of the first, no mask · ${whitespace}`, unmasked.jumps, null),
    row(`the text of the second, no mask · ${whitespace}`, unmasked.asked, null),
  ])
  const shares = (key: 'changed' | 'changedByBlocks'): string =>
    figures
      .map(({ whitespace, requests, [key]: count }) => `${count} of ${requests} (${whitespace})`)
      .join(', ')
  return {
    tables: [
      {
        title: `${figures[0]!.requests} calls, their prompts read before`,
        header: ['run · white space', 'tokens', 'forced', 's', 'ms/token', 'tokens/s', 'to no mask', 'masks'],
        rows,
      },
    ],
    notes: [
      `Texts that are others with jumps than without: ${shares('changed')}. ` +
        `Others than where the same jumps are read a token at a time, by kernels that round otherwise: ${shares('changedByBlocks')}.`,
    ],
  }
}

export interface PrefixFigures {
  readonly promptTokens: number
  readonly reusedTokens: number
  readonly freshMs: number
  readonly sessionMs: number
}

/** Time until the prompt is read, for requests behind the first; medians. */
export async function measurePrefix(
  model: Model,
  requests: number,
  progress: Progress,
): Promise<PrefixFigures> {
  const session = new Session(model)
  const fresh = new Samples()
  const reused = new Samples()
  let usage: Result['usage'] | undefined
  for (const [index, request] of REQUESTS.slice(0, Math.max(2, requests)).entries()) {
    progress.show(`prefix: request ${index + 1} of ${Math.max(2, requests)}`)
    const options = { ...ONE, tools: TOOLS, messages: messagesOf(request), maxTokens: 1, jumpForward: false }
    fresh.add((await call(model, options).result).usage.modelMs)
    usage = (await call(model, { ...options, session }).result).usage
    if (index > 0) reused.add(usage.modelMs)
  }
  return {
    promptTokens: usage!.promptTokens,
    reusedTokens: usage!.reusedTokens,
    freshMs: fresh.percentile(50),
    sessionMs: reused.percentile(50),
  }
}

export function prefixTable({ promptTokens, reusedTokens, freshMs, sessionMs }: PrefixFigures): RawTable {
  return {
    title: 'Reading a prompt of which another request has read the beginning',
    header: ['run', 'prompt tokens', 'reused', 'ms p50'],
    rows: [
      ['without a session', String(promptTokens), '0', freshMs.toFixed(0)],
      ['with a session', String(promptTokens), String(reusedTokens), sessionMs.toFixed(0)],
    ],
  }
}

export interface BatchFigures {
  readonly requests: number
  readonly singles: { readonly tokens: number; readonly ms: number }
  readonly batch: { readonly tokens: number; readonly ms: number }
  /** Requests that say another text in the batch. */
  readonly changed: number
}

/** Calls one after another and together, each reading its own prompt. */
export async function measureBatch(
  model: Model,
  requests: number,
  progress: Progress,
): Promise<BatchFigures> {
  const options = REQUESTS.slice(0, requests).map((request) => ({
    ...ONE,
    tools: TOOLS,
    messages: messagesOf(request),
    maxTokens: MAX_TOKENS,
    jumpForward: false,
  }))
  const tokensOf = (results: readonly Result[]): number =>
    results.reduce((sum, { usage }) => sum + usage.tokens, 0)
  let start = performance.now()
  const alone: Result[] = []
  for (const each of options) {
    progress.show(`batch: call ${alone.length + 1} of ${requests}`)
    alone.push(await call(model, each).result)
  }
  const singles = { tokens: tokensOf(alone), ms: performance.now() - start }
  progress.show(`batch: ${requests} calls together`)
  start = performance.now()
  const batch = new Batch(model, { maxRuns: requests })
  const together = await Promise.all(options.map((each) => call(model, { ...each, batch }).result))
  return {
    requests: options.length,
    singles,
    batch: { tokens: tokensOf(together), ms: performance.now() - start },
    changed: together.filter(({ text }, i) => text !== alone[i]!.text).length,
  }
}

export function batchTable({ requests, singles, batch, changed }: BatchFigures): RawTable {
  const row = (name: string, { tokens, ms }: { tokens: number; ms: number }): string[] => [
    name,
    String(tokens),
    (ms / 1000).toFixed(2),
    ((1000 * tokens) / ms).toFixed(1),
  ]
  return {
    title: `${requests} calls, prompts included, every token asked for (${changed} texts are others in the batch)`,
    header: ['run', 'tokens', 's', 'tokens/s'],
    rows: [row('one after another', singles), row('in a batch', batch)],
  }
}
