import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const COMMAND = 'dist/cli/main.js'
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-process-'))
  await writeFile(
    join(folder, 'schema.json'),
    '{"type": "array", "items": {"type": "string"}, "minItems": 2000}',
  )
})
afterAll(() => rm(folder, { recursive: true }))

/** Node as if stderr were a terminal: it shows how far a run has come. */
const SHOWING = [
  '--import',
  'data:text/javascript,Object.defineProperty(process.stderr,"isTTY",{value:true})',
]

/** Runs a program, and interrupts it once its stderr shows that. */
function run(program: string, args: readonly string[], until?: RegExp) {
  return new Promise<{ code: number | null; out: string; err: string }>((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    let isInterrupted = false
    child.stderr.on('data', (chunk) => {
      err += chunk
      if (isInterrupted || until?.test(err) !== true) return
      isInterrupted = true
      child.kill('SIGINT')
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, err }))
  })
}

// The command as it is installed; `npm ci` and `npm run build` make it.
describe.skipIf(!existsSync(COMMAND))('the command as a process', () => {
  it('gives the partial report after Ctrl-C, exit code 130', async () => {
    const args = [
      'generate',
      '--model',
      'models/smollm2-135m-instruct',
      '--schema',
      join(folder, 'schema.json'),
      '--max-tokens',
      '4000',
      'x',
    ]
    const { code, out, err } = await run(process.execPath, [...SHOWING, COMMAND, ...args], /\["/)
    expect({ code, out }).toEqual({ code: 130, out: '' })
    expect(err).toMatch(/stopped after \d+ tokens?\n/)
    expect(err).toContain('array')
  })

  it('stops at once before the first token, exit code 130', async () => {
    const request = 'word '.repeat(4000)
    const args = ['generate', '--model', 'models/smollm2-135m-instruct', '--json']
    const command = [...SHOWING, COMMAND, ...args, '--schema', join(folder, 'schema.json'), request]
    const { code, out, err } = await run(process.execPath, command, /reading the prompt/)
    expect(code).toBe(130)
    // Nothing of what would have been written: it did not wait for the prompt.
    expect(err).toMatch(/stopped while reading the prompt\n$/)
    expect(JSON.parse(out)).toMatchObject({ error: 'Interrupted', exitCode: 130 })
  })

  it('ends quietly when the reader of its output has gone', async () => {
    const pipe = `"${process.execPath}" ${COMMAND} mask "${join(folder, 'schema.json')}" --model test/fixtures/models/tiny-keep --prefix '["' | true`
    expect(await run('bash', ['-c', pipe])).toMatchObject({ err: '' })
  })

  it('runs with a schema on standard input', async () => {
    const { code, out } = await run('bash', [
      '-c',
      `echo '{"const": 1}' | "${process.execPath}" ${COMMAND} check - --json`,
    ])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ shortest: '1' })
  })
})
