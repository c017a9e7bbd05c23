/**
 * The one prompt of the experiment, whose only variable is the tool: what the library's own rendering says of it, and two
 * worked examples, which are not among the requests.
 *
 * A model of this size has to be shown the job, and all of it but the request has to stay within 600 tokens: of the tool's
 * description only the first sentence is kept, since the rest says of each argument what the schema is to say.
 */
import type { Message } from '../../src/index.ts'
import { type ExpectedCall, STAMP, type Tool } from './requests.ts'

const EXAMPLES = [
  [
    'QF-318, third revision, 8 sheets, HVAC, PE 40 527, ASAP, by 9 June 2027. Note: "call first".',
    {
      drawing_set_id: 'QF-318',
      revision: 3,
      discipline: 'mechanical',
      sheet_count: 8,
      pe_license_number: 'PE-40527',
      needed_by: '2027-06-09',
      priority: 'rush',
      notes: 'call first',
    },
  ],
  [
    'Grading, wk 220, initial issue, 7 sheets',
    {
      drawing_set_id: 'WK-220',
      revision: 0,
      discipline: 'civil',
      sheet_count: 7,
      pe_license_number: null,
      needed_by: null,
      priority: 'normal',
      notes: '',
    },
  ],
] as const

const TOOL_EXAMPLES: readonly Example[] = [
  [
    'How warm is it in Riga now?',
    [{ name: 'get_weather', arguments: { place: { city: 'Riga' }, units: 'metric' } }],
  ],
  [
    'Balance of Q1180 and of R9025, please.',
    [
      { name: 'read_balance', arguments: { account_id: 'Q1180' } },
      { name: 'read_balance', arguments: { account_id: 'R9025' } },
    ],
  ],
]

/** The tool as the prompt shows it. */
export function shownTool({ type, function: { name, description, parameters } }: Tool): Tool {
  return { type, function: { name, description: firstSentence(description), parameters } }
}

/** The conversation that ends with a request. */
export function stampMessages(request: string): Message[] {
  return conversation(
    EXAMPLES.map(([asked, answer]) => [asked, [{ name: STAMP, arguments: answer }]]),
    request,
  )
}

/** The same for twelve tools, of which all is shown. */
export function toolMessages(request: string): Message[] {
  return conversation(TOOL_EXAMPLES, request)
}

type Example = readonly [request: string, calls: readonly ExpectedCall[]]

function conversation(examples: readonly Example[], request: string): Message[] {
  const shown = examples.flatMap(([asked, calls]): Message[] => [
    { role: 'user', content: asked },
    { role: 'assistant', content: calls.map(written).join('\n') },
  ])
  return [...shown, { role: 'user', content: request }]
}

function firstSentence(text: string): string {
  const end = text.indexOf('. ')
  return end < 0 ? text : text.slice(0, end + 1)
}

/** A call as the format of the model has it, spaced as models write JSON. */
function written({ name, arguments: values }: ExpectedCall): string {
  const entries = Object.entries(values).map(([key, value]) => `"${key}": ${JSON.stringify(value)}`)
  return `<tool_call>\n{"name": "${name}", "arguments": {${entries.join(', ')}}}\n</tool_call>`
}
