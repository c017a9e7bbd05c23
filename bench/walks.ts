/**
 * Random walks: does any sequence of legal tokens lead into a corner, and is every finished text an instance?
 *
 * A step is a random token of the mask. Schemas are those of MaskBench, under a small vocabulary made of what goes wrong
 * and under Llama's, and random ones. A dead end is a mask without tokens before the end, a token of a mask that is
 * refused, or a completion that is; finished texts are judged by Ajv, by a plain validator with exact numbers, and where
 * neither says anything by Hyperjump's.
 */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Random } from '../test/support/random.ts'
import { llamaVocabulary, tinyVocabulary } from '../test/support/vocabularies.ts'
import { judgeRest, type WalkTally, walkMaskbench, walkRandom } from '../test/support/walks.ts'
import { count, data, machine, percent, positive, table, UsageError } from './lib.ts'
import type { Options } from './terminal.ts'

export const summary = 'random walks over MaskBench and random schemas: dead ends, invalid texts'

/** Steps of the whole: so many parts in a hundred go to each kind of schema. */
const SHARES = { tiny: 40, llama: 20, random: 40 }

export const options = {
  steps: { type: 'string', default: '1000000', value: 'N', help: 'tokens of all walks' },
  seed: { type: 'string', default: '20261130', value: 'N', help: 'of the random numbers' },
  data,
  verbose: { type: 'boolean', default: false, help: 'names every finding' },
} satisfies Options

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  const steps = positive('--steps', values.steps)
  const seed = positive('--seed', values.seed)
  if (!existsSync(values.data))
    throw new UsageError(`no MaskBench data at ${values.data}: name its folder with --data`)
  const started = performance.now()
  const random = new Random(seed)
  const rows: [string, WalkTally][] = []
  const share = (kind: keyof typeof SHARES): number => Math.ceil((steps * SHARES[kind]) / 100)
  rows.push([
    'MaskBench · tiny',
    await walkMaskbench(values.data, tinyVocabulary().vocabulary, share('tiny'), random),
  ])
  rows.push([
    'MaskBench · Llama 3.1',
    await walkMaskbench(values.data, llamaVocabulary(), share('llama'), random),
  ])
  rows.push(['random · tiny', walkRandom(share('random'), seed, random)])
  for (const [, tally] of rows) await judgeRest(tally)
  print(rows, values.verbose)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`\nseed ${seed}, ${seconds} s, ${machine()}`)
}

function print(rows: readonly (readonly [string, WalkTally])[], verbose: boolean): void {
  const header = [
    ...[
      'schemas',
      'walked',
      'refused',
      'steps',
      'texts',
      'not judged',
      'stopped',
      'dead ends',
      'invalid',
      'disputed',
    ],
  ]
  const cells = rows.map(([name, tally]) => [
    name,
    count(tally.schemas),
    percent(tally.schemas - tally.refused, tally.schemas),
    ...[tally.refused, tally.steps, tally.texts, tally.unjudged.length, tally.stopped].map(count),
    ...[tally.deadEnds.length, tally.invalid.length, tally.disputed.length].map(count),
  ])
  console.log(table(['walks', ...header], cells))
  for (const [name, { deadEnds, invalid, disputed }] of rows) {
    const list = (kind: string, all: readonly string[]): void => {
      for (const line of verbose ? all : all.slice(0, 5)) console.log(`${name}: ${kind}: ${line}`)
    }
    list('dead end', deadEnds)
    list('invalid', invalid)
    list('disputed', disputed)
  }
}
