/**
 * `espalier demo`: the main job on the model of this repository, in three runs.
 *
 * One request with a strict call; the same prompt without the mask, judged by the same schema; and the strict call once
 * more with too small a budget, for the report of what was open.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { call, loadModel, type Message, type Result, Session } from '../index.ts'
import { EXIT } from './exit.ts'
import { UsageError } from './input.ts'
import { renderCut, visible } from './report.ts'
import { follow, usageLine } from './run.ts'
import type { Style, Terminal } from './terminal.ts'

const MODEL = fileURLToPath(new URL('../../models/smollm2-135m-instruct', import.meta.url))

const TOOL = {
  type: 'function',
  function: {
    name: 'schedule_inspection',
    description: 'Send an inspector to a building site.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['site', 'discipline', 'hours', 'urgent', 'contact', 'note'],
      properties: {
        site: {
          type: 'string',
          pattern: '^[A-Z]{2}-\\d{4}$',
          description: 'Code of the site, such as AB-1234.',
        },
        discipline: { enum: ['structural', 'mechanical', 'electrical', 'fire_protection'] },
        hours: { type: 'integer', minimum: 1, maximum: 8 },
        urgent: { type: 'boolean' },
        contact: {
          anyOf: [{ type: 'string', maxLength: 40 }, { type: 'null' }],
          description: 'Person on site; null if none is named.',
        },
        note: { type: 'string', maxLength: 60, description: 'One short remark for the inspector.' },
      },
    },
  },
} as const

/** A small model needs to be shown the job once or twice; these are earlier turns of the conversation. */
const EXAMPLES = [
  example('A mechanical inspection of site RX-5503, 4 hours, ask for Ben Ode.', {
    site: 'RX-5503',
    discipline: 'mechanical',
    hours: 4,
    urgent: false,
    contact: 'Ben Ode',
    note: '',
  }),
  example('Urgent: structural inspection at WL-9182, 1 hour. Note: bring a ladder.', {
    site: 'WL-9182',
    discipline: 'structural',
    hours: 1,
    urgent: true,
    contact: null,
    note: 'bring a ladder',
  }),
].flat()

const REQUEST = 'Fire protection check at BD-2210, two hours, no rush.'

/** Enough for the call, and too little for it. */
const BUDGET = 160
const SMALL_BUDGET = 38

export async function runDemo(folder: string | undefined, terminal: Terminal): Promise<number> {
  const style = terminal.resultStyle
  if (folder === undefined && !existsSync(MODEL)) {
    throw new UsageError(
      'the demo needs a model, and the package comes without one: name a folder in the Hugging Face layout with --model',
    )
  }
  const start = performance.now()
  terminal.status('loading the model')
  const model = await loadModel(folder ?? MODEL)
  const messages: Message[] = [...EXAMPLES, { role: 'user', content: REQUEST }]
  const say = (line = '') => {
    terminal.clearStatus()
    terminal.result(line)
  }
  say(`${style.dim('request')}   ${REQUEST}`)
  say(`${style.dim('tool')}      schedule_inspection(site, discipline, hours, urgent, contact, note)`)
  say()

  // The three runs have one prompt, which is read once.
  const session = new Session(model)
  const request = { tools: TOOL, messages, toolChoice: 'required', parallelToolCalls: false } as const
  const strict = await follow(call(model, { ...request, maxTokens: BUDGET, session }), terminal)
  say(style.bold('with the mask'))
  for (const { name, argumentsText } of strict.calls)
    say(`  ${style.green('✓')} ${name} ${visible(argumentsText)}`)
  say(`  ${style.dim(usageLine(strict))}`)
  say()

  terminal.status('the same prompt without it')
  const free = await follow(call(model, { ...request, strict: false, maxTokens: BUDGET, session }), terminal)
  say(style.bold('the same prompt without it'))
  say(`    ${visible(free.text)}`)
  for (const line of verdict(free, style)) say(`  ${line}`)
  say(`  ${style.dim(usageLine(free, false))}`)
  say()

  const cut = await follow(call(model, { ...request, maxTokens: SMALL_BUDGET, session }), terminal)
  say(style.bold(`with the mask, and ${SMALL_BUDGET} tokens only: no call, but an account of it`))
  for (const line of renderCut(cut, style).split('\n')) say(`  ${line}`)
  say()
  say(style.dim(`${((performance.now() - start) / 1000).toFixed(1)} s in all, the model's loading included`))
  await model.release()
  return EXIT.complete
}

function example(request: string, args: object): Message[] {
  const target = {
    name: TOOL.function.name,
    arguments: JSON.stringify(args).replaceAll('":', '": ').replaceAll(',"', ', "'),
  }
  return [
    { role: 'user', content: request },
    { role: 'assistant', content: null, tool_calls: [{ type: 'function', function: target }] },
    { role: 'tool', content: '{"scheduled": true}' },
  ]
}

/** Whether free text happens to be a call, and what is wrong with it if not. */
function verdict({ calls, rejected }: Result, style: Style): string[] {
  if (calls.length > 0) return [`${style.green('✓')} a valid call, this time`]
  const wrong = rejected.flatMap(({ violations }) => violations)
  if (wrong.length === 0) return [`${style.red('✗')} no call within ${BUDGET} tokens`]
  return wrong.map(
    ({ pointer, message }) =>
      `${style.red('✗')} ${pointer === '' ? '' : `${visible(pointer)}  `}${visible(message)}`,
  )
}
