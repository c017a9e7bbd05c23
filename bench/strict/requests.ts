/** The requests of `bench/requests` and their tools, as `bench/requests/README.md` describes them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../lib.ts'

export type Arguments = Readonly<Record<string, unknown>>

export interface ExpectedCall {
  readonly name: string
  readonly arguments: Arguments
}

export interface Request {
  readonly id: string
  readonly request: string
  /** The right calls; none where no tool is right. */
  readonly expected: readonly ExpectedCall[]
  /** Arguments that the request leaves open, as `tool.argument`: absent from what is expected, and not judged. */
  readonly free: readonly string[]
  /** How many calls are right and why; of requests for one tool always `single`. */
  readonly kind: string
}

/** A tool in OpenAI's shape. */
export interface Tool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object }
}

const folder = join(root, 'bench', 'requests')
export const STAMP = 'queue_stamp_request'

/** The 100 requests for one tool. */
export function stampRequests(): Request[] {
  return lines('stamp-requests.jsonl').map(({ id, request, expected, free }) => ({
    id,
    request,
    expected: [{ name: STAMP, arguments: expected as Arguments }],
    free: (free as string[]).map((name) => `${STAMP}.${name}`),
    kind: 'single',
  }))
}

/** The 60 requests for twelve tools. */
export function toolRequests(): Request[] {
  return lines('tool-requests.jsonl').map(({ id, request, expected, free, kind }) => ({
    id,
    request,
    expected: expected as ExpectedCall[],
    free: free as string[],
    kind: kind!,
  }))
}

/** `generated` is the schema that the application's validator asserts; `handwritten` a careless one of the same tool. */
export function stampTool(schema: 'generated' | 'handwritten'): Tool {
  return read(schema === 'generated' ? 'stamp-tool.json' : 'stamp-tool-handwritten.json') as Tool
}

export function tools(): Tool[] {
  return read('tools.json') as Tool[]
}

interface Line {
  readonly id: string
  readonly request: string
  readonly expected: unknown
  readonly free: unknown
  readonly kind?: string
}

function lines(file: string): Line[] {
  const text = readFileSync(join(folder, file), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(folder, file), 'utf8'))
}
