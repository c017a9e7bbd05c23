/**
 * Compiles `src/` to `dist/`, which is the old one or the new one at any time: a build that is stopped, fails, or runs
 * beside another leaves a package that works.
 *
 * With `--if-changed` nothing is done where `dist/` is newer than its sources. So npm asks it to prepare the package, as
 * the first `npx espalier` in a clone does: stopped while it prepares, npx fails from then on.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const CONFIG = 'tsconfig.build.json'

if (!process.argv.includes('--if-changed') || hasChanged()) build()

function build() {
  const started = new Date()
  mkdirSync('build', { recursive: true })
  const work = mkdtempSync('build/dist-')
  const made = join(work, 'new')
  try {
    const tsc = createRequire(join(process.cwd(), 'package.json')).resolve('typescript/bin/tsc')
    const args = [tsc, '-p', CONFIG, '--outDir', made]
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
    process.exitCode = status ?? 1
    if (status !== 0) return
    // npm makes the command of a package executable when it links it, and never again.
    chmodSync(join(made, 'cli/main.js'), 0o755)
    utimesSync(made, started, started)
    replace('dist', made, join(work, 'old'))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Puts a folder in the place of another, which may be missing. */
function replace(folder, by, aside) {
  try {
    renameSync(folder, aside)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  try {
    renameSync(by, folder)
  } catch (error) {
    // A build beside this one was quicker.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  }
}

/** Whether some source, or a folder of them, is newer than the last build's start. */
function hasChanged() {
  if (!existsSync('dist')) return true
  const built = statSync('dist').mtimeMs
  const sources = readdirSync('src', { recursive: true }).map((name) => join('src', name))
  return ['src', CONFIG, 'tsconfig.json', ...sources].some(
    (path) => existsSync(path) && statSync(path).mtimeMs >= built,
  )
}
