/**
 * Kimi K2: a section of calls, each behind an id that says its name and its number.
 *
 *     <|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{...}<|tool_call_end|>
 *     <|tool_call_begin|>functions.NAME:1<|tool_call_argument_begin|>{...}<|tool_call_end|><|tool_calls_section_end|>
 *
 * with nothing between them. The number counts the calls of the whole conversation from 0, as `docs/tool_call_guidance.md` of
 * MoonshotAI/Kimi-K2 says, and the model writes it: so the grammar has the number of each call in its place, and as many
 * calls as it has numbers for. A result stands below its id, since the template prints no other link.
 */
import { framed } from './framing.ts'
import { ARGUMENTS, CONTENT, ID, NAME, NUMBER } from './pieces.ts'

const SECTION_BEGIN = '<|tool_calls_section_begin|>'
const SECTION_END = '<|tool_calls_section_end|>'
const CALL_BEGIN = '<|tool_call_begin|>'
const CALL_END = '<|tool_call_end|>'
const ARGUMENTS_BEGIN = '<|tool_call_argument_begin|>'
const CONTROLS = [SECTION_BEGIN, SECTION_END, CALL_BEGIN, CALL_END, ARGUMENTS_BEGIN]

const makeId = (n: number, name: string): string => `functions.${name}:${n}`

export const kimi = framed({
  name: 'kimi',
  controls: CONTROLS,
  needs: CONTROLS,
  openers: [
    { trigger: SECTION_BEGIN, atStart: false, before: SECTION_BEGIN },
    // Models leave the section out.
    { trigger: CALL_BEGIN, atStart: false, before: '', isRead: true },
  ],
  call: [`${CALL_BEGIN}functions.`, NAME, ':', NUMBER, ARGUMENTS_BEGIN, ARGUMENTS, CALL_END],
  between: '',
  after: SECTION_END,
  closing: SECTION_END,
  result: ['## Return of ', ID, '\n', CONTENT],
  maxCalls: 32,
  makeId,
  ids: { taken: /^functions\.[A-Za-z0-9_-]{1,64}:(0|[1-9]\d{0,5})$/u, make: makeId },
})
