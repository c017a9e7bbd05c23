/**
 * MaskBench: what does a mask cost on real schemas, and is every instance judged rightly?
 *
 * The protocol is that of the public benchmark (guidance-ai/jsonschemabench): an instance is tokenized, and for each token
 * the time to compute the mask plus the time to accept the token is one sample; it stops at the first refused token. An
 * instance is accepted when every token was allowed and the end is allowed after the last. A grammar stays warm over one
 * schema's instances.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { Tokenizer } from '@huggingface/tokenizers'
import {
  type CompiledSchema,
  compile,
  LimitError,
  SchemaError,
  type SchemaOptions,
  Vocabulary,
} from '../src/core.ts'
import {
  bytes,
  count,
  llamaTokenizer,
  type MaskbenchLine,
  machine,
  maskbenchFiles,
  microseconds,
  percent,
  readMaskbench,
  residentBytes,
  root,
  Samples,
  table,
  UsageError,
} from './lib.ts'

export const summary = 'MaskBench: verdicts, mask + accept and compile times, memory'

/** Every spelling that an instance of the benchmark may have. */
const MODE: SchemaOptions = { whitespace: 'any', propertyOrder: 'any', numbers: 'any' }

interface Tally {
  schemas: number
  passing: number
  refused: number
  validRefused: number
  invalidAccepted: number
}

interface Run {
  readonly vocabulary: Vocabulary
  readonly encode: (text: string) => readonly number[]
  readonly tokens: Samples
  readonly compiles: Samples
  readonly firstMasks: Samples
  /** Message of a refusal, to the ids of the schemas. */
  readonly refusals: Map<string, string[]>
  readonly wrong: string[]
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      every: { type: 'string', default: '1' },
      tokenizer: { type: 'string', default: llamaTokenizer },
      data: { type: 'string', default: join(root, '..', 'shared', 'maskbench', 'dev') },
      'end-token': { type: 'string' },
      verbose: { type: 'boolean', default: false },
    },
  })
  const every = Number(values.every)
  if (!Number.isInteger(every) || every < 1)
    throw new UsageError(`--every takes a positive integer, not ${values.every}`)
  if (!existsSync(values.tokenizer)) throw new UsageError(`no tokenizer at ${values.tokenizer}`)

  const before = residentBytes()
  const started = performance.now()
  const text = readFileSync(values.tokenizer, 'utf8')
  const vocabulary = Vocabulary.fromTokenizerJson(text, {
    endTokens: [values['end-token'] ?? endTokenOf(text)],
  })
  const loaded = performance.now() - started
  const withVocabulary = residentBytes()
  const tokenizer = openTokenizer(values.tokenizer, text)
  const state: Run = {
    vocabulary,
    encode: (instance) => tokenizer.encode(instance, { add_special_tokens: false }).ids,
    tokens: new Samples(),
    compiles: new Samples(),
    firstMasks: new Samples(),
    refusals: new Map(),
    wrong: [],
  }
  const lines: { source: string; line: MaskbenchLine }[] = []
  let index = 0
  for (const { source, path } of maskbenchFiles(values.data)) {
    for await (const line of readMaskbench(path)) if (++index % every === 0) lines.push({ source, line })
  }
  warmUp(
    state,
    lines.slice(0, 60).map(({ line }) => line),
  )
  const start = residentBytes()
  const bySource = new Map<string, Tally>()
  for (const { source, line } of lines) {
    const tally = bySource.get(source) ?? {
      schemas: 0,
      passing: 0,
      refused: 0,
      validRefused: 0,
      invalidAccepted: 0,
    }
    bySource.set(source, tally)
    judge(line, state, tally)
  }
  print(state, bySource, values.verbose)
  console.log(`\n${machine()}; ${count(vocabulary.size)} tokens, read in ${loaded.toFixed(0)} ms`)
  console.log(
    `memory: vocabulary ${bytes(withVocabulary - before)}, run ${bytes(residentBytes() - start)} resident growth`,
  )
}

/** The end-of-text token by the names that byte-level vocabularies give it. */
function endTokenOf(text: string): string {
  const names = [
    '<|eot_id|>',
    '<|im_end|>',
    '<|endoftext|>',
    '<|return|>',
    '<｜end▁of▁sentence｜>',
    '</s>',
    '<eos>',
  ]
  const found = names.find((name) => text.includes(`"${name}"`))
  if (found === undefined) throw new UsageError('name the end token of this tokenizer with --end-token')
  return found
}

function openTokenizer(path: string, text: string): Tokenizer {
  const config = join(dirname(path), 'tokenizer_config.json')
  return new Tokenizer(JSON.parse(text), existsSync(config) ? JSON.parse(readFileSync(config, 'utf8')) : {})
}

/** Runs some schemas without measuring, so that the compiler of the JavaScript engine has seen the code. */
function warmUp(run: Run, lines: readonly MaskbenchLine[]): void {
  const unmeasured = { ...run, tokens: new Samples(), compiles: new Samples(), firstMasks: new Samples() }
  const tally = { schemas: 0, passing: 0, refused: 0, validRefused: 0, invalidAccepted: 0 }
  for (const line of lines) judge(line, { ...unmeasured, refusals: new Map(), wrong: [] }, tally)
}

function judge({ id, schema, tests }: MaskbenchLine, run: Run, tally: Tally): void {
  tally.schemas++
  let grammar: CompiledSchema
  const started = performance.now()
  try {
    grammar = compile(schema, run.vocabulary, MODE)
  } catch (error) {
    tally.refused++
    note(run, error, id)
    return
  }
  run.compiles.add((performance.now() - started) * 1000)
  grammar.matcher().mask()
  run.firstMasks.add((performance.now() - started) * 1000)
  let right = true
  tests.forEach(({ valid, text }, number) => {
    let accepted: boolean
    try {
      accepted = accepts(grammar, run.encode(text), run.tokens)
    } catch (error) {
      if (!(error instanceof LimitError)) throw error
      right = false
      run.wrong.push(`${id}#${number} stopped: ${error.message}`)
      return
    }
    if (accepted === valid) return
    right = false
    if (valid) tally.validRefused++
    else tally.invalidAccepted++
    run.wrong.push(`${id}#${number} ${valid ? 'valid refused' : 'INVALID ACCEPTED'}`)
  })
  if (right) tally.passing++
}

function accepts(grammar: CompiledSchema, ids: readonly number[], times: Samples): boolean {
  const matcher = grammar.matcher()
  for (const id of ids) {
    const started = performance.now()
    const mask = matcher.mask()
    const allowed = ((mask[id >>> 5]! >>> (id & 31)) & 1) === 1
    const taken = allowed && matcher.accept(id)
    times.add((performance.now() - started) * 1000)
    if (allowed !== taken) throw new Error(`token ${id} is in the mask and refused`)
    if (!allowed) return false
  }
  return matcher.isComplete()
}

function note(run: Run, error: unknown, id: string): void {
  if (!(error instanceof Error)) throw error
  const problems =
    error instanceof SchemaError
      ? error.errors
      : [{ message: `${error.name}: ${error.message}`, keyword: undefined }]
  const reason = problems[0]!.keyword ?? problems[0]!.message.replace(/"[^"]*"|#\/\S*|\d+/g, '…').slice(0, 90)
  const ids = run.refusals.get(reason)
  if (ids === undefined) run.refusals.set(reason, [id])
  else ids.push(id)
}

function print(run: Run, bySource: Map<string, Tally>, verbose: boolean): void {
  const total: Tally = { schemas: 0, passing: 0, refused: 0, validRefused: 0, invalidAccepted: 0 }
  const row = (name: string, tally: Tally): string[] => [
    name,
    count(tally.schemas),
    percent(tally.passing, tally.schemas),
    percent(tally.passing, tally.schemas - tally.refused),
    count(tally.refused),
    count(tally.validRefused),
    count(tally.invalidAccepted),
  ]
  const rows: string[][] = []
  for (const [source, tally] of bySource) {
    rows.push(row(source, tally))
    for (const key of Object.keys(total) as (keyof Tally)[]) total[key] += tally[key]
  }
  rows.push(row('all', total))
  const header = [
    'source',
    'schemas',
    'passing',
    'of compiled',
    'refused',
    'valid refused',
    'invalid accepted',
  ]
  console.log(table(header, rows))
  if (run.refusals.size > 0) {
    const reasons = [...run.refusals].sort((a, b) => b[1].length - a[1].length)
    console.log(
      `\n${table(
        ['refused because of', 'schemas'],
        reasons.map(([reason, ids]) => [reason, count(ids.length)]),
      )}`,
    )
    if (verbose) for (const [reason, ids] of reasons) console.log(`${reason}: ${ids.join(' ')}`)
  }
  if (run.wrong.length > 0)
    console.log(`\nwrong: ${(verbose ? run.wrong : run.wrong.slice(0, 12)).join('\n       ')}`)
  const percentiles = [25, 50, 75, 90, 95, 99, 99.9]
  const times = (name: string, samples: Samples): string[] => [
    name,
    count(samples.count),
    microseconds(samples.mean),
    ...percentiles.map((p) => microseconds(samples.percentile(p))),
    microseconds(samples.max),
  ]
  console.log()
  console.log(
    table(
      ['time', 'samples', 'avg', ...percentiles.map((p) => `p${p}`), 'max'],
      [
        times('mask + accept', run.tokens),
        times('compile', run.compiles),
        times('compile + first mask', run.firstMasks),
      ],
    ),
  )
}
