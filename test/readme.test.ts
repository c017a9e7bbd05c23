/** The README is true: its programs run as they stand there, and its flags and names exist. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RUN_OPTIONS } from '../src/decode/generate.ts'
import { MASK_LIMITS } from '../src/mask/limits.ts'
import { SCHEMA_LIMITS, SCHEMA_OPTIONS } from '../src/schema/options.ts'
import { FORMAT_NAMES } from '../src/tools/formats/index.ts'
import { run } from './support/program.ts'

let readme = ''
let folder = ''
beforeAll(async () => {
  readme = await readFile('README.md', 'utf8')
  folder = await mkdtemp(join(tmpdir(), 'espalier-readme-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** The n-th program of the README with the imports of a clone, as a module. */
async function runProgram(n: number, before: string, after: string): Promise<Record<string, unknown>> {
  const program = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)][n]?.[1] ?? ''
  const from = (file: string) => `from '${pathToFileURL(resolve('src', file)).pathname}'`
  const source = program
    .replace("from 'espalier/core'", from('core.ts'))
    .replace("from 'espalier'", from('index.ts'))
  const path = join(folder, `program${n}.ts`)
  await writeFile(path, `${before}\n${source}\n${after}\n`)
  return (await import(path)) as Record<string, unknown>
}

async function help(...command: string[]): Promise<string> {
  const { out, err } = await run(...command, '--help')
  return out + err
}

describe('the programs', () => {
  it('a strict call: what it prints is what it says', async () => {
    const result = await runProgram(0, '', 'await model.release()\nexport { stopReason, calls, cut }')
    expect(result).toMatchObject({ stopReason: 'complete', cut: undefined })
    const [only] = result.calls as { name: string; arguments: { guests: number } }[]
    expect(only).toMatchObject({ name: 'book_table', argumentsText: expect.any(String) })
    expect(Object.keys(only!.arguments)).toEqual(['restaurant', 'guests', 'date'])
    expect(only!.arguments.guests).toBeGreaterThanOrEqual(1)
    expect(only!.arguments.guests).toBeLessThanOrEqual(12)
  })

  it('the engine alone: any choice within the masks ends in a valid text', async () => {
    const before = `
      import { readFileSync } from 'node:fs'
      const tokenizerJsonText = readFileSync('models/smollm2-135m-instruct/tokenizer.json', 'utf8')
      const schemaText = '{"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2, "maxItems": 2}'
      function chooseToken(mask: Uint32Array): number {
        const word = mask.findIndex((bits) => bits !== 0)
        return word * 32 + 31 - Math.clz32(mask[word]! & -mask[word]!)
      }`
    const { text } = await runProgram(1, before, 'export const text = matcher.text()')
    expect(JSON.parse(text as string)).toHaveLength(2)
  })

  it('text with constrained parts: each tag holds what its schema says', async () => {
    const { text } = await runProgram(2, '', 'await model.release()\nexport { text }')
    const tags = [...(text as string).matchAll(/<(weather|days)>/g)]
    expect(tags.length).toBeGreaterThan(0)
    for (const { 1: name, index } of tags) {
      const from = index + name!.length + 2
      const value = JSON.parse((text as string).slice(from, (text as string).indexOf(`</${name}>`, from)))
      if (name === 'days') expect(value).toBeLessThanOrEqual(14)
      else expect(Object.keys(value)).toEqual(['city'])
    }
  })
})

describe('the names', () => {
  it('every flag of its command line exists', async () => {
    const section = readme.slice(readme.indexOf('## Command line'), readme.indexOf('## How it works'))
    const commands = ['call', 'generate', 'check', 'mask', 'grammar', 'template', 'lint']
    const known = (await Promise.all(commands.map((command) => help(command)))).join()
    const flags = new Set(section.match(/--[a-z][a-z-]+/g))
    expect(flags.size).toBeGreaterThan(15)
    for (const flag of flags) if (flag !== '--help') expect(known, flag).toContain(`${flag} `)
  })

  it('every setting of a run and every call format is told of', () => {
    for (const name of [...RUN_OPTIONS, ...FORMAT_NAMES]) expect(readme).toMatch(new RegExp(`\\b${name}\\b`))
  })

  it('every option and limit of a compile has its row and its flag', async () => {
    const flags = await help('check')
    const kebab = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} `
    for (const name of [...SCHEMA_OPTIONS, ...SCHEMA_LIMITS, ...MASK_LIMITS]) {
      expect(readme).toMatch(new RegExp(`\\b${name}\\b`))
      if (name !== 'limits') expect(flags).toContain(kebab(name.replace(/^references$/, 'reference')))
    }
  })
})

it('leads nowhere outside the package: the pages that it names are in it, and other links are whole', async () => {
  const { files } = JSON.parse(await readFile('package.json', 'utf8')) as { files: string[] }
  expect(files).toContain('docs')
  const pages = [...readme.matchAll(/`(docs\/[a-z]+\.md)`/g)].map(([, page]) => page!)
  expect(pages.length).toBeGreaterThan(0)
  for (const page of pages) expect((await readFile(page, 'utf8')).length).toBeGreaterThan(0)
  for (const [, target] of readme.matchAll(/\]\(([^)]*)\)/g)) expect(target).toMatch(/^https:\/\//)
})
