/**
 * DeepSeek V3 and R1: the arguments stand in a code fence, behind the name.
 *
 *     <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME
 *     ```json
 *     {...}
 *     ```<｜tool▁call▁end｜><｜tool▁calls▁end｜>
 */
import { framed } from './framing.ts'
import { ARGUMENTS, CONTENT, NAME } from './pieces.ts'

const CALLS_BEGIN = '<｜tool▁calls▁begin｜>'
const CALLS_END = '<｜tool▁calls▁end｜>'
const CALL_BEGIN = '<｜tool▁call▁begin｜>'
const CALL_END = '<｜tool▁call▁end｜>'
const SEPARATOR = '<｜tool▁sep｜>'
const CONTROLS = [CALLS_BEGIN, CALLS_END, CALL_BEGIN, CALL_END, SEPARATOR]
const RESULT_BEGIN = '<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>'
const RESULT_END = '<｜tool▁output▁end｜><｜tool▁outputs▁end｜>'

export const deepseek = framed({
  name: 'deepseek',
  controls: CONTROLS,
  needs: CONTROLS,
  openers: [{ trigger: CALLS_BEGIN, atStart: false, before: CALLS_BEGIN }],
  call: [`${CALL_BEGIN}function${SEPARATOR}`, NAME, '\n```json\n', ARGUMENTS, `\n\`\`\`${CALL_END}`],
  between: '\n',
  after: CALLS_END,
  closing: CALLS_END,
  result: [RESULT_BEGIN, CONTENT, RESULT_END],
})
