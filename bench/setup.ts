/**
 * Installs the engines that `masks --peers` compares with, into `bench/peers`: a virtual environment for the native ones,
 * `node_modules` for those of JavaScript. What is there already stays; what fails is said, and the rest goes on.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root, table } from './lib.ts'
import { ENGINES, type EngineName, missing, python } from './peers/child.ts'
import { peersFolder } from './peers/require.ts'

export const summary =
  'installs the engines that masks compares with and the vocabularies that load reads (3.0 GB, in bench/peers)'

export const options = {}

export function run(args: string[]): void {
  parseArgs({ args, options })
  const requirements = join(peersFolder, 'requirements.txt')
  const torch = /^torch==.*$/m.exec(readFileSync(requirements, 'utf8'))![0]
  const native =
    (existsSync(python) || succeeds('python3', ['-m', 'venv', join(peersFolder, '.venv')])) &&
    succeeds(python, ['-m', 'pip', 'install', '--quiet', torch]) &&
    succeeds(python, ['-m', 'pip', 'install', '--quiet', '--requirement', requirements])
  const javascript = succeeds('npm', ['ci', '--prefix', peersFolder])
  const rows = (Object.keys(ENGINES) as EngineName[]).map((name) => [name, state(name)])
  console.log(table(['engine', 'state'], rows))
  if (!native || !javascript || rows.some(([, each]) => each !== 'ready')) process.exitCode = 1
}

function state(name: EngineName): string {
  const absent = missing(name)
  if (absent !== null) return absent
  const spec = ENGINES[name]
  if (spec.runs === 'node') return 'ready'
  const imported = spawnSync(python, ['-c', `import ${spec.needs}`], { encoding: 'utf8' })
  return imported.status === 0 ? 'ready' : (imported.stderr.trim().split('\n').at(-1) ?? 'does not load')
}

function succeeds(command: string, args: readonly string[]): boolean {
  console.error(`${command.replace(`${root}/`, '')} ${args.join(' ').replaceAll(`${root}/`, '')}`)
  const { status, error } = spawnSync(command, args, { cwd: peersFolder, stdio: ['ignore', 2, 2] })
  if (status === 0) return true
  console.error(`failed: ${command} ${error?.message ?? `ended with ${status}`}`)
  return false
}
