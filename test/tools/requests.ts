/** Tools and requests for runs on the shipped model: small, invented, over the keywords that tools use most. */
export const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'schedule_inspection',
      description: 'Send an inspector to a building site.',
      parameters: {
        type: 'object',
        additionalProperties: false,
        required: ['site', 'discipline', 'hours', 'day'],
        properties: {
          site: { type: 'string', pattern: '^[A-Z]{2}-\\d{4}$', description: 'Code of the site.' },
          discipline: { enum: ['structural', 'mechanical', 'electrical', 'fire_protection'] },
          hours: { type: 'integer', minimum: 1, maximum: 8 },
          day: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] },
        },
      },
    },
  },
  {
    type: 'function',
    function: {
      name: 'order_parts',
      description: 'Order spare parts from the store.',
      parameters: {
        type: 'object',
        additionalProperties: false,
        required: ['parts'],
        properties: {
          parts: {
            type: 'array',
            minItems: 1,
            maxItems: 3,
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
          rush: { type: 'boolean' },
        },
      },
    },
  },
] as const

export const REQUESTS = [
  'Electrical inspection of site KT-0417 on 12 March 2027, three hours.',
  'Order 40 bolts and 12 washers, please. It is urgent.',
  'Fire protection check at BD-2210, two hours, no date yet.',
  'We need five hinges.',
  'Send somebody to MQ-7731 for a structural inspection, the whole day.',
  'Pide 3 bombillas y 10 metros de cable.',
  'Mechanical, RX-5503, four hours, 2027-06-30.',
  'One gasket. No rush at all.',
  'Inspection at ZZ-0001.',
  'Order nothing but "M8 nuts", 500 of them.',
]
