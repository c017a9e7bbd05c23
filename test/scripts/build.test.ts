import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const SCRIPT = resolve('scripts/build.mjs')
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-build-'))
  mkdirSync(join(folder, 'src/cli'), { recursive: true })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const compilerOptions = {
    module: 'NodeNext',
    types: [],
    noEmitOnError: true,
    rootDir: 'src',
    outDir: 'dist',
  }
  writeFileSync(join(folder, 'tsconfig.build.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (version: string): void =>
  writeFileSync(join(folder, 'src/cli/main.ts'), `export const version: number = ${version}\n`)
const built = (): string | undefined => {
  const file = join(folder, 'dist/cli/main.js')
  return existsSync(file) ? /= (.*);/.exec(readFileSync(file, 'utf8'))?.[1] : undefined
}

/** Builds, or stops the build after so many milliseconds; its exit code. */
function build({
  stopAfter,
  flags = [],
}: {
  stopAfter?: number
  flags?: string[]
} = {}): Promise<number | null> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [SCRIPT, ...flags], {
      cwd: folder,
      stdio: 'ignore',
      detached: true,
    })
    child.on('error', failed)
    child.on('close', done)
    // With the compiler it has started.
    if (stopAfter !== undefined) setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), stopAfter)
  })
}

describe('a build', () => {
  it('that fails or is stopped leaves what was there', async () => {
    write('1')
    expect(await build()).toBe(0)
    write('"no number"')
    expect(await build()).not.toBe(0)
    expect(built()).toBe('1')
    await build({ stopAfter: 300 })
    expect(built()).toBe('1')
  })

  it('to prepare the package puts what is compiled in the place of what was there, if a source has changed', async () => {
    write('1')
    const prepare = () => build({ flags: ['--if-changed'] })
    expect(await prepare()).toBe(0)
    expect(built()).toBe('1')
    expect(statSync(join(folder, 'dist/cli/main.js')).mode & 0o111).toBe(0o111)
    expect(readdirSync(join(folder, 'build'))).toEqual([])
    writeFileSync(join(folder, 'dist/stale.js'), '')
    utimesSync(join(folder, 'dist'), new Date(), new Date(Date.now() + 1000))
    expect(await prepare()).toBe(0)
    expect(readdirSync(join(folder, 'dist'))).toContain('stale.js')
    utimesSync(join(folder, 'src/cli/main.ts'), new Date(), new Date(Date.now() + 2000))
    expect(await prepare()).toBe(0)
    expect(readdirSync(join(folder, 'dist'))).toEqual(['cli'])
  })

  it('beside another leaves one of the two', async () => {
    write('1')
    expect(await Promise.all([build(), build()])).toEqual([0, 0])
    expect(built()).toBe('1')
  })
})
