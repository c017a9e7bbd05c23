/**
 * Runs requests in several ways on one model, and keeps what was written.
 *
 * Ways take turns at each request, so that what else the machine does hits them alike; those with one prompt share a session,
 * which reads the beginning that all requests have once. A line is kept as soon as it is there, so that a run that was
 * stopped can go on.
 */
import { appendFileSync } from 'node:fs'
import { type CallOptions, call, type Message, type Model, Session } from '../../src/index.ts'
import type { Progress } from '../terminal.ts'
import { shownTool, stampMessages, toolMessages } from './prompt.ts'
import { type Request, stampRequests, stampTool, type Tool, toolRequests, tools } from './requests.ts'

export const MAX_TOKENS = 160
/** Most calls of a turn, of the requests for twelve tools. */
const MAX_CALLS = 3

/** What the requests of a set are asked with. */
interface Prompt {
  /** As the model is shown them. */
  readonly tools: readonly Tool[]
  readonly messages: (request: string) => Message[]
  readonly maxCalls: number
}

export interface Way {
  readonly name: string
  readonly set: 'stamp' | 'tools'
  readonly prompt: string
  readonly mask: 'off' | 'on' | 'budget'
}

const PROMPTS: Readonly<Record<string, () => Prompt>> = {
  handwritten: () => stampPrompt('handwritten'),
  generated: () => stampPrompt('generated'),
  tools: () => ({ tools: tools(), messages: toolMessages, maxCalls: MAX_CALLS }),
}

function stampPrompt(schema: 'generated' | 'handwritten'): Prompt {
  return { tools: [shownTool(stampTool(schema))], messages: stampMessages, maxCalls: 1 }
}

export const WAYS: readonly Way[] = [
  { name: 'handwritten', set: 'stamp', prompt: 'handwritten', mask: 'off' },
  { name: 'handwritten-mask', set: 'stamp', prompt: 'handwritten', mask: 'on' },
  { name: 'generated', set: 'stamp', prompt: 'generated', mask: 'off' },
  { name: 'generated-mask', set: 'stamp', prompt: 'generated', mask: 'on' },
  { name: 'generated-mask-budget', set: 'stamp', prompt: 'generated', mask: 'budget' },
  { name: 'tools', set: 'tools', prompt: 'tools', mask: 'off' },
  { name: 'tools-mask', set: 'tools', prompt: 'tools', mask: 'on' },
  { name: 'tools-mask-budget', set: 'tools', prompt: 'tools', mask: 'budget' },
]

/** What one way made of one request; milliseconds. */
export interface Line {
  readonly way: string
  readonly id: string
  readonly text: string
  readonly stop: string
  /** Calls that the library returned; absent without a mask. */
  readonly calls?: number
  readonly promptTokens: number
  readonly reusedTokens: number
  readonly tokens: number
  readonly forcedTokens: number
  readonly promptMs: number
  readonly modelMs: number
  readonly maskMs: number
  /** All of it, compiling the tools included. */
  readonly ms: number
}

export const requestsOf = (set: Way['set']): Request[] => (set === 'stamp' ? stampRequests() : toolRequests())

export interface Settings {
  readonly ways: readonly Way[]
  readonly every: number
  /** Lines that are there already. */
  readonly known: readonly Line[]
  /** Where new ones are appended. */
  readonly file: string | undefined
}

/** Every line, those that were known first. */
export async function runWays(
  model: Model,
  { ways, every, known, file }: Settings,
  progress: Progress,
): Promise<Line[]> {
  const done = new Set(known.map(({ way, id }) => `${way} ${id}`))
  const lines = [...known]
  for (const set of ['stamp', 'tools'] as const) {
    const own = ways.filter((way) => way.set === set)
    const prompts = new Map<string, { prompt: Prompt; session: Session }>()
    const requests = own.length === 0 ? [] : requestsOf(set).filter((_, index) => index % every === 0)
    for (const [index, request] of requests.entries()) {
      for (const way of own) {
        if (done.has(`${way.name} ${request.id}`)) continue
        progress.show(`${set}: request ${index + 1} of ${requests.length}, ${way.name}`)
        let shared = prompts.get(way.prompt)
        if (shared === undefined) {
          shared = { prompt: PROMPTS[way.prompt]!(), session: new Session(model) }
          prompts.set(way.prompt, shared)
        }
        const line = await runLine(model, way, shared.prompt, request, shared.session)
        lines.push(line)
        if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`)
      }
    }
    for (const { session } of prompts.values()) session.clear()
  }
  progress.end()
  return lines
}

async function runLine(
  model: Model,
  way: Way,
  prompt: Prompt,
  request: Request,
  session: Session,
): Promise<Line> {
  const begun = performance.now()
  const run = call(model, { ...optionsOf(prompt, request, session), ...MASKS[way.mask] })
  let promptMs = 0
  for await (const event of run) if (event.type === 'start') promptMs = event.promptMs
  const { text, stopReason, calls, usage } = await run.result
  const { promptTokens, reusedTokens, tokens, forcedTokens, modelMs, maskMs } = usage
  return {
    way: way.name,
    id: request.id,
    text,
    stop: stopReason,
    ...(way.mask === 'off' ? {} : { calls: calls.length }),
    promptTokens,
    reusedTokens,
    tokens,
    forcedTokens,
    promptMs: rounded(promptMs),
    modelMs: rounded(modelMs),
    maskMs: rounded(maskMs),
    ms: rounded(performance.now() - begun),
  }
}

const MASKS: Readonly<Record<Way['mask'], Partial<CallOptions>>> = {
  off: { strict: false },
  on: {},
  budget: { finishWithin: 'budget' },
}

function optionsOf(prompt: Prompt, { request }: Request, session: Session): CallOptions {
  return {
    tools: prompt.tools,
    messages: prompt.messages(request),
    toolChoice: 'required',
    parallelToolCalls: prompt.maxCalls === 1 ? false : { max: prompt.maxCalls },
    maxTokens: MAX_TOKENS,
    session,
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}
