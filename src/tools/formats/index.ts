/** The call formats that are known, and which of them a model writes. */
import { commandR } from './command-r.ts'
import { deepseek } from './deepseek.ts'
import type { CallFormat } from './format.ts'
import { harmony } from './harmony.ts'
import { hermes } from './hermes.ts'
import { json } from './json.ts'
import { kimi } from './kimi.ts'
import { llama } from './llama.ts'
import { mistral, mistralArgs } from './mistral.ts'

/** Every format by its name. */
export const FORMATS = {
  hermes,
  llama,
  mistral,
  'mistral-args': mistralArgs,
  deepseek,
  'command-r': commandR,
  harmony,
  kimi,
  json,
} as const satisfies Readonly<Record<string, CallFormat>>

export type FormatName = keyof typeof FORMATS

export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[]

/** What tells a format: the model's chat template, and which literals are control tokens. */
export interface ModelTraits {
  /** The source of the template that renders tools; empty where there is none. */
  readonly template: string
  readonly isToken: (literal: string) => boolean
}

/** In the order in which they are asked: the first that knows the model has it. */
const MARKS: readonly (readonly [FormatName, (traits: ModelTraits) => boolean])[] = [
  ['deepseek', ({ isToken }) => isToken('<｜tool▁calls▁begin｜>')],
  ['kimi', ({ isToken }) => isToken('<|tool_calls_section_begin|>')],
  ['harmony', ({ template, isToken }) => template.includes('<|channel|>') || isToken('<|constrain|>')],
  ['mistral-args', ({ isToken }) => isToken('[TOOL_CALLS]') && isToken('[ARGS]')],
  ['mistral', ({ isToken }) => isToken('[TOOL_CALLS]')],
  ['command-r', ({ template }) => template.includes('Action:') && template.includes('tool_name')],
  ['hermes', ({ template, isToken }) => template.includes('<tool_call>') || isToken('<tool_call>')],
  ['llama', ({ template, isToken }) => template.includes('ipython') || isToken('<|python_tag|>')],
  // Templates that know no tools: those of ChatML are asked as Hermes is, which grew out of it.
  ['hermes', ({ template }) => template.includes('<|im_start|>')],
  ['json', ({ template }) => template.includes('<start_of_turn>')],
]

/** The format that a model writes, as far as its template and its tokens tell; `null` where they do not. */
export function recogniseFormat(traits: ModelTraits): FormatName | null {
  return MARKS.find(([, knows]) => knows(traits))?.[0] ?? null
}
