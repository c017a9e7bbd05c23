/**
 * One strict call, step by step: for each number of tokens what `call` says when it is cut there, and what the mask makes of
 * the model's next choice; then the same call with as many tokens as it needs at least, and with each number above that,
 * when it has to finish within them.
 *
 * The model writes the call once. Every cut is a run of its own on what it remembers.
 */
import { hasBit, lowestBit } from '../../src/bits.ts'
import { type CallOptions, call, type Model, type OpenFrame } from '../../src/index.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import { formatOf } from '../../src/tools/call.ts'
import { turnGrammar } from '../../src/tools/call-grammar.ts'
import { readTools } from '../../src/tools/definitions.ts'
import type { Progress } from '../terminal.ts'
import { RememberedModel } from './remembered.ts'
import type { Scene } from './scene.ts'

/** Enough for the call, whatever the model writes. */
const MAX_TOKENS = 400
const CONTAINERS = new Set<OpenFrame['kind']>(['tag', 'object', 'array'])
/** Tokens that are shown of a choice. */
const SHOWN = 8

export interface Candidate {
  readonly text: string
  /** Of the choice as the model would make it, or of what the mask leaves. */
  readonly share: number
  readonly allowed: boolean
  readonly chosen: boolean
}

/** What the model would say next, and what the mask makes of that. */
export interface Choice {
  /** Tokens that are allowed. */
  readonly allowed: number
  /** Their share before the mask. */
  readonly mass: number
  /** The best tokens before the mask, and after it. */
  readonly before: readonly Candidate[]
  readonly after: readonly Candidate[]
}

/** After as many tokens as its place in the list says. */
export interface Step {
  readonly text: string
  /** From the outside in. */
  readonly frames: readonly OpenFrame[]
  /** The shortest way to an end, and the tokens that it costs. */
  readonly completion: string
  readonly cost: number
  /** `null` where the call is whole. */
  readonly next: Choice | null
}

/** The call within a budget. */
export interface Finished {
  readonly budget: number
  readonly tokens: number
  /** `null` where there is no call. */
  readonly argumentsText: string | null
}

export interface Trace {
  readonly model: string
  readonly request: string
  readonly tool: string
  readonly vocabulary: number
  readonly steps: readonly Step[]
  /** One for each budget from the least on. */
  readonly within: readonly Finished[]
}

export async function traceCall(
  inner: Model,
  name: string,
  { request, tool, messages }: Scene,
  progress: Progress,
): Promise<Trace> {
  const model = new RememberedModel(inner)
  const options = {
    tools: tool,
    messages,
    toolChoice: 'required',
    parallelToolCalls: false,
    jumpForward: false,
  } as const
  const ids = await tokensOf(model, { ...options, maxTokens: MAX_TOKENS }, progress)
  const format = formatOf(model)
  const turn = { format, tools: readTools(tool), mayTalk: false, max: 1, thinking: null }
  const matcher = compileGrammar(turnGrammar(turn, model.vocabulary).grammar, model.vocabulary).matcher()
  const steps: Step[] = []
  for (let count = 0; count <= ids.length; count++) {
    const next =
      count === ids.length
        ? null
        : choiceOf(model, await model.logitsBehind(ids.slice(0, count)), matcher.mask(), ids[count]!)
    steps.push({ ...(await cutAt(model, options, count, () => matcher.shortestCompletion())), next })
    if (count < ids.length && !matcher.accept(ids[count]!))
      throw new Error(`token ${ids[count]} was written and is refused`)
  }
  const within: Finished[] = []
  for (let budget = steps[0]!.cost; budget <= ids.length; budget++) {
    progress.show(`within a budget of ${budget} tokens, up to ${ids.length}`)
    const run = call(model, { ...options, maxTokens: budget, finishWithin: 'budget' })
    const { calls, usage } = await run.result
    within.push({ budget, tokens: usage.tokens, argumentsText: calls[0]?.argumentsText ?? null })
  }
  progress.end()
  return { model: name, request, tool: tool.function.name, vocabulary: model.vocabulary.size, steps, within }
}

/** The tokens of the call when it has room. */
async function tokensOf(model: Model, options: CallOptions, progress: Progress): Promise<number[]> {
  const ids: number[] = []
  const run = call(model, options)
  for await (const event of run) {
    if (event.type !== 'token') continue
    ids.push(event.id)
    progress.show(`the model writes: ${ids.length} tokens`)
  }
  await run.result
  return ids
}

/** What the library says of a call that has so many tokens. */
async function cutAt(
  model: Model,
  options: CallOptions,
  maxTokens: number,
  atStart: () => { readonly text: string; readonly tokens: number },
): Promise<Omit<Step, 'next'>> {
  if (maxTokens === 0) {
    const { text, tokens } = atStart()
    return { text: '', frames: [], completion: text, cost: tokens }
  }
  const { text, cut } = await call(model, { ...options, maxTokens }).result
  if (cut === undefined) return { text, frames: [], completion: '', cost: 0 }
  // What a container holds is shown by what is in it.
  const frames = cut.frames.map((frame) => (CONTAINERS.has(frame.kind) ? { ...frame, text: '' } : frame))
  return { text, frames, completion: cut.completion, cost: cut.completionTokens }
}

function choiceOf(model: Model, logits: Float32Array, mask: Uint32Array, chosen: number): Choice {
  let top = Number.NEGATIVE_INFINITY
  for (const logit of logits) top = Math.max(top, logit)
  const weights = Float64Array.from(logits, (logit) => Math.exp(logit - top))
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  let allowed = 0
  let kept = 0
  const inMask: number[] = []
  for (let word = 0; word < mask.length; word++) {
    for (let bits = mask[word]!; bits !== 0; bits &= bits - 1) {
      const id = word * 32 + lowestBit(bits)
      allowed++
      kept += weights[id]!
      inMask.push(id)
    }
  }
  const best = (ids: readonly number[], total: number): Candidate[] =>
    [...ids]
      .sort((a, b) => weights[b]! - weights[a]! || a - b)
      .slice(0, SHOWN)
      .map((id) => ({
        text: tokenText(model, id),
        share: rounded(weights[id]! / total),
        allowed: hasBit(mask, id),
        chosen: id === chosen,
      }))
  return {
    allowed,
    mass: rounded(kept / all),
    before: best([...weights.keys()], all),
    after: best(inMask, kept),
  }
}

const decoder = new TextDecoder()

function tokenText({ vocabulary }: Model, id: number): string {
  const bytes = vocabulary.bytes(id)
  return bytes === null ? (vocabulary.literal(id) ?? `token ${id}`) : decoder.decode(bytes)
}

function rounded(share: number): number {
  return Math.round(share * 1e5) / 1e5
}
