/** The request whose call is cut: a tool whose arguments nest, so that the stack of what is open has a shape. */
import type { Message } from '../../src/index.ts'

/** What is asked, with which tool, after which conversation; the last message is the request. */
export interface Scene {
  readonly request: string
  readonly tool: { readonly type: 'function'; readonly function: { readonly name: string } }
  readonly messages: readonly Message[]
}

const NAME = 'order_parts'

const TOOL = {
  type: 'function',
  function: {
    name: NAME,
    description: 'Order spare parts for a site.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['site', 'parts', 'contact', 'note'],
      properties: {
        site: { type: 'string', pattern: '^[A-Z]{2}-\\d{4}$', description: 'Code of the site.' },
        parts: {
          type: 'array',
          minItems: 1,
          maxItems: 4,
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['name', 'count'],
            properties: {
              name: { type: 'string', minLength: 1, maxLength: 24 },
              count: { type: 'integer', minimum: 1, maximum: 500 },
            },
          },
        },
        contact: {
          type: 'object',
          additionalProperties: false,
          required: ['name', 'phone'],
          properties: {
            name: { type: 'string', maxLength: 30 },
            phone: { anyOf: [{ type: 'string', pattern: '^\\d{3}-\\d{4}$' }, { type: 'null' }] },
          },
        },
        note: { type: 'string', maxLength: 60 },
      },
    },
  },
} as const

export const REQUEST =
  'To BD-2210: 12 door hinges, 40 wood screws, 3 locks. Ask for Ana Reyes, 555-0134. Note: please ring twice.'

/** A small model has to be shown the job: earlier turns of the conversation. */
const EXAMPLES = [
  [
    'Site RX-5503 needs 3 light bulbs and 2 fuses, for Ben Ode. Note: at the gate.',
    '{"site": "RX-5503", "parts": [{"name": "light bulb", "count": 3}, {"name": "fuse", "count": 2}], "contact": {"name": "Ben Ode", "phone": null}, "note": "at the gate"}',
  ],
  [
    'Send one gasket to WL-9182. Contact Kim Sole, 555-0199.',
    '{"site": "WL-9182", "parts": [{"name": "gasket", "count": 1}], "contact": {"name": "Kim Sole", "phone": "555-0199"}, "note": ""}',
  ],
] as const

export function sceneOf(request: string): Scene {
  const shown = EXAMPLES.flatMap(([asked, values]): Message[] => [
    { role: 'user', content: asked },
    {
      role: 'assistant',
      content: `<tool_call>\n{"name": "${NAME}", "arguments": ${values}}\n</tool_call>`,
    },
  ])
  return { request, tool: TOOL, messages: [...shown, { role: 'user', content: request }] }
}
