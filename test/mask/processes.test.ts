/** Compiled grammars and matchers that are written in one process and read in another, there and back. `SEED` repeats a run. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { type Answered, found, makers, send } from '../support/elsewhere.ts'
import { seedOf } from '../support/random.ts'

const seed = seedOf('between processes')

/** Node knows nothing of types before version 22; Vite's runner does. */
const PROGRAM = `
  import { readFileSync } from 'node:fs'
  import { runnerImport } from 'vite'
  const settings = { configFile: false, logLevel: 'silent' }
  const { module } = await runnerImport('./test/support/elsewhere.ts', settings)
  const { seed, sent } = JSON.parse(readFileSync(0, 'utf8'))
  process.stdout.write(JSON.stringify(module.answer(seed, sent)))
`

test('a matcher goes to another process and comes back, and stands there as it stood here', () => {
  const sent = send(seed)
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    input: JSON.stringify({ seed, sent }),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const answered = new Map((JSON.parse(stdout) as Answered[]).map((each) => [each.name, each]))
  const made = makers(seed)
  expect(answered.size).toBe(made.size)
  for (const { name, seen } of sent) {
    const { arrived, further } = answered.get(name)!
    const plain = JSON.parse(JSON.stringify(seen))
    expect(arrived, name).toEqual([plain, plain])
    const back = found(made.get(name)!(), answered.get(name)!)
    expect(JSON.parse(JSON.stringify(back)), name).toEqual(further)
  }
})
