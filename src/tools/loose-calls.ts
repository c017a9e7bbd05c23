/**
 * Finds calls in an output that no mask has held to its format: JSON objects with a name and arguments, in whatever spacing,
 * tags, lists or code fences. What stands in them is the model's own text, slice by slice, also where it is not JSON.
 */
import { readJson } from '../json/read.ts'
import { JsonEnd } from './formats/json-end.ts'

export interface LooseCall {
  readonly name: string
  readonly argumentsText: string
}

export interface LooseOutput {
  readonly calls: readonly LooseCall[]
  /** What is around them. */
  readonly content: string
  /** Why an object in the output is no call; the first of them. */
  readonly problem: string | null
}

/** Keys under which calls stand, one or a list. */
const WRAPPERS = ['tool_calls', 'tool_call', 'function'] as const
const NAMES = ['name', 'tool_name'] as const
const ARGUMENTS = ['arguments', 'parameters'] as const

/** How often an output is read over for brackets that begin no call, as those of prose and those that never end. */
const MAX_READS = 32
/** Lists and wrappers around a call. */
const MAX_DEPTH = 8

/** `marks` are texts of the format that are no content. In an output that was cut, an object that is not closed is no call. */
export function findCalls(text: string, marks: readonly string[], isCut = false): LooseOutput {
  const calls: LooseCall[] = []
  let content = ''
  let problem: string | null = null
  let at = 0
  let left = MAX_READS * text.length
  while (at < text.length && left > 0) {
    const begin = text.slice(at).search(/[[{]/u)
    if (begin < 0) break
    const start = at + begin
    const end = new JsonEnd()
    const length = end.read(text.slice(start))
    const value = text.slice(start, start + length)
    left -= length
    const found = isCut && !end.isDone ? [] : callsIn(value)
    if (found.length > 0) {
      content += text.slice(at, start)
      at = start + length
      calls.push(...found)
      continue
    }
    if (text[start] === '{')
      problem ??= end.isDone ? 'the object has no "name" of a tool' : 'the object is not closed'
    // A bracket in prose: what is behind it may hold a call.
    content += text.slice(at, start + 1)
    at = start + 1
  }
  content += text.slice(at)
  return { calls, content: calls.length === 0 ? text : withoutMarks(content, marks), problem }
}

function callsIn(text: string, depth = 0): LooseCall[] {
  if (depth > MAX_DEPTH) return []
  if (text.startsWith('[')) return itemsOf(text).flatMap((item) => callsIn(item, depth + 1))
  if (!text.startsWith('{')) return []
  const entries = entriesOf(text)
  for (const key of WRAPPERS) {
    const inner = entries.get(key)
    if (inner !== undefined && /^[[{]/u.test(inner)) return callsIn(inner, depth + 1)
  }
  const name = NAMES.map((key) => stringOf(entries.get(key))).find((each) => each !== null)
  if (name === undefined) return []
  const argumentsText = ARGUMENTS.map((key) => entries.get(key)).find((each) => each !== undefined)
  return [{ name, argumentsText: argumentsText ?? '' }]
}

function stringOf(text: string | undefined): string | null {
  if (text === undefined) return null
  try {
    const value = readJson(text)
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}

/** The texts of the entries of an object, by their keys; the last of equal ones. */
function entriesOf(text: string): Map<string, string> {
  const entries = new Map<string, string>()
  for (const part of partsOf(text)) {
    const [lead = '', key] = /^\s*("(?:[^"\\]|\\.)*")\s*:/su.exec(part) ?? []
    const name = stringOf(key)
    if (name !== null) entries.set(name, part.slice(lead.length).trim())
  }
  return entries
}

function itemsOf(text: string): string[] {
  return partsOf(text).map((part) => part.trim())
}

/** What stands between the commas of a container, outside of strings and of what is in it. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 1
  for (const { 0: match, index } of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{},]/gsu)) {
    if (match === '{' || match === '[') depth++
    else if (match === '}' || match === ']') depth--
    else if (match !== ',' || depth !== 1) continue
    else {
      parts.push(text.slice(start, index))
      start = index + 1
    }
    if (depth === 0) return [...parts, text.slice(start, index)]
  }
  return [...parts, text.slice(start)]
}

function withoutMarks(content: string, marks: readonly string[]): string {
  return marks
    .reduce((text, mark) => text.replaceAll(mark, ''), content)
    .replace(/```(?:json)?/gu, '')
    .trim()
}
