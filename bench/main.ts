/**
 * `npm run bench -- NAME [options]`: runs the benchmark of that name.
 *
 * A benchmark is any other file of this folder but `lib.ts` and `terminal.ts`, so that a new one needs no entry here. The folder is
 * compiled before each run by the compiler that builds the package, types erased and nothing else: what is measured is
 * the code that ships, not another transpiler's.
 */
import { readdirSync } from 'node:fs'
import { type Bench, UsageError } from './lib.ts'
import { describeOptions } from './terminal.ts'

const helpers = new Set(['main', 'lib', 'terminal'])
const names = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.js'))
  .map((file) => file.slice(0, -'.js'.length))
  .filter((name) => !helpers.has(name))
  .sort()

const usage = `usage: npm run bench -- NAME [options]\nbenchmarks: ${names.join(', ') || 'none'}`

async function load(name: string): Promise<Bench> {
  return (await import(new URL(`${name}.js`, import.meta.url).href)) as Bench
}

async function main(): Promise<number> {
  const [name, ...args] = process.argv.slice(2)
  if (name === '--help' || name === '-h') {
    console.log('usage: npm run bench -- NAME [options]\n')
    for (const each of names) {
      const { summary, options } = await load(each)
      console.log(`  ${each}: ${summary}\n${describeOptions(options, 6)}`)
    }
    return 0
  }
  if (name === undefined || !names.includes(name)) {
    console.error(name === undefined ? usage : `no benchmark is named '${name}'\n${usage}`)
    return 2
  }
  const bench = await load(name)
  if (args.includes('--help') || args.includes('-h')) {
    console.log(`usage: npm run bench -- ${name} [options]\n${bench.summary}\n`)
    process.stdout.write(describeOptions(bench.options, 2))
    return 0
  }
  await bench.run(args)
  return 0
}

// A reader such as `head` may leave early: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

try {
  process.exitCode = await main()
} catch (error) {
  // node:util's parseArgs marks its own errors this way.
  const badOption =
    error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  if (!(error instanceof UsageError || badOption)) throw error
  console.error((error as Error).message)
  process.exitCode = 2
}
