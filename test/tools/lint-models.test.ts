/** What makes models err: warnings, and what must give none. */
import { describe, expect, it } from 'vitest'
import { lintTools } from '../../src/index.ts'

const warnings = (tools: unknown) =>
  lintTools(tools)
    .filter(({ severity }) => severity === 'warning')
    .map(({ pointer, keyword }) => `${keyword} ${pointer}`)

const tool = (
  name: string,
  description?: string,
  properties: object = {},
  required: readonly string[] = [],
) => ({
  name,
  ...(description === undefined ? {} : { description }),
  input_schema: { type: 'object', properties, required, additionalProperties: false },
})
const USE = 'Use this when the user asks for it.'

describe('descriptions of tools', () => {
  it('are there, say more than the name, and say when', () => {
    expect(warnings(tool('f'))).toEqual(['description #'])
    expect(warnings(tool('f', 'Get weather.'))).toEqual(['description #/description'])
    expect(warnings(tool('f', 'Returns the weather of a city in Europe.'))).toEqual([
      'description #/description',
    ])
  })

  it.each([
    'Use this when the user asks about the weather.',
    'Returns the weather; call it before you give advice on clothes.',
    'Úsala cuando la persona pida bloquear una tarjeta.',
    'À appeler quand la personne demande la météo.',
    'Verwende dies, wenn nach dem Wetter gefragt wird.',
    '查询天气',
  ])('say when: %s', (description) => {
    expect(warnings(tool('f', description))).toEqual([])
  })
})

describe('tools that overlap', () => {
  const city = { city: { type: 'string', pattern: '^.+$', description: 'The city.' } }
  const both = { ...city, day: { type: 'string', format: 'date', description: 'The day.' } }

  it.each([
    [
      'names that mean the same',
      tool('get_user', USE),
      tool('fetchUsers', 'Only for accounts that are closed.'),
    ],
    [
      'descriptions that say the same',
      tool('weather', 'Use this when the user asks about the weather in a city.', city),
      tool('forecast', 'Use when a user asks about weather in the city.', both),
    ],
    [
      'the same arguments for much the same',
      tool('search_flights', 'Use this when someone wants to fly.', both),
      tool('find_cheap_flights', 'Call this if money is short.', both),
    ],
  ])('by %s', (_, a, b) => {
    expect(warnings([a, b])).toEqual(['description #/1'])
  })

  it('do not where one says when to use the other, or where they are about different things', () => {
    const balance = tool('read_balance', 'Use this when the user wants the balance of one account.', city)
    expect(
      warnings([balance, tool('get_balance', 'Use this for several accounts; for one use read_balance.')]),
    ).toEqual([])
    expect(
      warnings([
        balance,
        tool('read_logs', 'Use this when the user wants to see what a service logged.', city),
      ]),
    ).toEqual([])
  })
})

describe('parameters', () => {
  const of = (schema: object, required = true) =>
    warnings(tool('f', USE, { a: schema }, required ? ['a'] : [])).map((each) =>
      each.replace('#/input_schema/properties/a', ''),
    )

  it('have a description, unless their values or their own properties are one', () => {
    expect(of({ type: 'string' })).toEqual(['description '])
    expect(of({ type: 'boolean' })).toEqual(['description '])
    expect(of({ enum: ['x'] })).toEqual([])
    expect(of({ type: 'string', format: 'email' })).toEqual([])
  })

  it.each([
    'normal or rush',
    'civil, structural, mechanical, electrical or fire protection',
    'The level. One of: debug, info, warning.',
    'Must be either "asc" or "desc".',
    'low | medium | high',
    'uno de: efectivo, tarjeta, cheque',
  ])('that list choices are no free strings: %s', (description) => {
    expect(of({ type: 'string', description })).toEqual(['enum '])
    expect(of({ type: ['string', 'null'], description })).toEqual(['enum '])
    expect(of({ type: 'string', description, enum: ['a'] })).toEqual([])
  })

  it.each([
    'The name of the restaurant.',
    'City or zip code.',
    'name or id',
    'What to search for, e.g. "shoes" or "hats".',
    'A short note, in one or two sentences, for the engineer who seals the set.',
    'Text in quotation marks that a line must contain, only when asked.',
    'The words in quotation marks, exactly, when given; otherwise write it.',
  ])('that list none are left alone: %s', (description) => {
    expect(of({ type: 'string', description })).toEqual([])
  })

  it('are read in time linear in their length', () => {
    const start = performance.now()
    for (const text of ['x', 'x-', 'x,', ' ', 'x |', '"x', 'x or'])
      of({ type: 'string', description: `a ${text.repeat(50_000)}` })
    expect(performance.now() - start).toBeLessThan(2000)
  })

  it('that ask for dates have the format', () => {
    expect(of({ type: 'string', description: 'Day as YYYY-MM-DD.' })).toEqual(['format '])
    expect(
      of({ type: ['string', 'number'], description: 'Dates as YYYY-MM-DD, amounts as numbers.' }),
    ).toEqual([])
  })

  it('are required where the description says so, and not where it says that they are optional', () => {
    for (const description of [
      'Required. The site.',
      'The site (required).',
      'It must be given.',
      'Es obligatorio.',
    ])
      expect(of({ type: 'string', description }, false), description).toEqual(['required /description'])
    for (const description of ['Required only if b is set.', 'Not required.', 'A line must contain it.'])
      expect(of({ type: 'string', description }, false), description).toEqual([])
    expect(of({ type: 'string', description: 'Optional. The site.' })).toEqual(['required /description'])
    expect(of({ type: ['string', 'null'], description: 'Optional. The site.' })).toEqual([])
    expect(of({ enum: ['required', 'optional'], description: 'required unless it says optional.' })).toEqual(
      [],
    )
  })

  it('are not nullable in the way of OpenAPI', () => {
    expect(of({ type: 'string', nullable: true, description: 'The site.' })).toEqual(['nullable /nullable'])
  })

  it('stand in closed objects, also within definitions', () => {
    const open = {
      name: 'f',
      description: USE,
      parameters: { type: 'object', properties: { a: { enum: [1] } } },
    }
    expect(warnings(open)).toEqual(['additionalProperties #/parameters'])
  })
})
