/**
 * Llama 3.1, 3.2 and 3.3: one call, `{"name": "NAME", "parameters": {...}}`, as the whole turn, or behind `<|python_tag|>`.
 *
 * There is no tag: the turn is a call if its first byte is `{`. Anywhere else braces are text. Templates render one call at
 * most.
 */
import { framed } from './framing.ts'
import { ARGUMENTS, NAME } from './pieces.ts'

export const llama = framed({
  name: 'llama',
  controls: ['<|python_tag|>'],
  openers: [
    { trigger: '{', atStart: true, before: '' },
    { trigger: '<|python_tag|>', atStart: false, before: '<|python_tag|>', isToken: true },
  ],
  call: ['{', { maybe: '"type": "function", ' }, '"name": "', NAME, '", "parameters": ', ARGUMENTS, '}'],
  between: '',
  after: '',
  closing: '}',
  maxCalls: 1,
})
