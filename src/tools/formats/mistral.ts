/**
 * Mistral, in both shapes of `[TOOL_CALLS]`.
 *
 * Up to version 7 a list, `[TOOL_CALLS][{"name": "NAME", "arguments": {...}, "id": "NINELETTE"}]`; from version 11 on each call
 * by itself, `[TOOL_CALLS]NAME[ARGS]{...}`. Ids are nine letters and digits, else the templates refuse them. A result of the
 * former is a JSON value, `[TOOL_RESULTS]{"content": ..., "call_id": "NINELETTE"}[/TOOL_RESULTS]`: a text that is none is
 * quoted, as mistral-common does, and the templates do not.
 */
import { randomId } from './format.ts'
import { framed } from './framing.ts'
import { ARGUMENTS, CONTENT, CONTENT_AS_JSON, ID, NAME } from './pieces.ts'

const TRIGGER = '[TOOL_CALLS]'
const makeId = (): string => randomId(9)
const ids = {
  taken: /^[A-Za-z0-9]{9}$/u,
  make: (n: number): string => `call${String(n + 1).padStart(5, '0')}`,
}

export const mistral = framed({
  name: 'mistral',
  controls: [TRIGGER],
  needs: [TRIGGER],
  openers: [{ trigger: TRIGGER, atStart: false, before: `${TRIGGER}[` }],
  call: ['{"name": "', NAME, '", "arguments": ', ARGUMENTS, ', "id": "', ID, '"}'],
  between: ', ',
  after: ']',
  closing: ']',
  result: ['[TOOL_RESULTS]{"content": ', CONTENT_AS_JSON, ', "call_id": "', ID, '"}[/TOOL_RESULTS]'],
  makeId,
  ids,
})

export const mistralArgs = framed({
  name: 'mistral-args',
  controls: [TRIGGER, '[ARGS]'],
  needs: [TRIGGER, '[ARGS]'],
  openers: [{ trigger: TRIGGER, atStart: false, before: '' }],
  call: [TRIGGER, NAME, '[ARGS]', ARGUMENTS],
  between: '',
  after: '',
  closing: '',
  result: ['[TOOL_RESULTS]', CONTENT, '[/TOOL_RESULTS]'],
  makeId,
  ids,
})
