/**
 * Command R and R+: a list in a code fence behind `Action:`, in plain text.
 *
 *     Action: ```json
 *     [
 *         {
 *             "tool_name": "NAME",
 *             "parameters": {...}
 *         }
 *     ]```
 */
import { framed } from './framing.ts'
import { ARGUMENTS, CONTENT, NAME } from './pieces.ts'

export const commandR = framed({
  name: 'command-r',
  controls: [],
  openers: [{ trigger: 'Action:', atStart: false, before: 'Action: ```json\n[\n' }],
  call: ['    {\n        "tool_name": "', NAME, '",\n        "parameters": ', ARGUMENTS, '\n    }'],
  between: ',\n',
  after: '\n]```',
  closing: ']```',
  result: ['<results>\n', CONTENT, '\n</results>'],
})
