/**
 * Hermes, Qwen 2.5 and 3, Granite 4, SmolLM 3, and models that know no tools but are asked in this way.
 *
 *     <tool_call>
 *     {"name": "NAME", "arguments": {...}}
 *     </tool_call>
 *
 * Several calls stand one below the other. The tags are control tokens in some vocabularies and text in others.
 */
import { framed } from './framing.ts'
import { ARGUMENTS, NAME } from './pieces.ts'

export const hermes = framed({
  name: 'hermes',
  controls: ['<tool_call>', '</tool_call>'],
  openers: [{ trigger: '<tool_call>', atStart: false, before: '' }],
  call: ['<tool_call>\n{"name": "', NAME, '", "arguments": ', ARGUMENTS, '}\n</tool_call>'],
  between: '\n',
  after: '',
  closing: '</tool_call>',
})
