import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type MaskbenchLine, maskbenchFiles, readMaskbench, UsageError } from '../../bench/lib.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'maskbench-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function readAll(path: string): Promise<[string, MaskbenchLine][]> {
  const all: [string, MaskbenchLine][] = []
  for (const file of maskbenchFiles(path)) {
    for await (const line of readMaskbench(file.path)) all.push([file.source, line])
  }
  return all
}

describe('MaskBench data', () => {
  it('keeps order of keys, digits and characters of a checkout', async () => {
    const data = join(folder, 'maskbench', 'data')
    mkdirSync(data, { recursive: true })
    const text = `{
      "description": "x", "meta": {},
      "schema": {"properties": {"10": {"maximum": 18446744073709551615}, "9": {}}},
      "tests": [{"description": "", "valid": true, "data": {"10": 30.0, "9": "é\\u00e9\\u0007\\/"}}, {"valid": false, "data": null}]
    }`
    writeFileSync(join(data, 'Github_easy---o1.json'), text)
    writeFileSync(join(data, 'BFCL_java_0.json'), '{"schema": true, "tests": []}')
    const expected = [
      ['BFCL', { id: 'BFCL_java_0', schema: 'true', tests: [] }],
      [
        'Github_easy',
        {
          id: 'Github_easy---o1',
          schema: '{"properties": {"10": {"maximum": 18446744073709551615}, "9": {}}}',
          tests: [
            { valid: true, text: '{"10": 30.0, "9": "éé\\u0007/"}' },
            { valid: false, text: 'null' },
          ],
        },
      ],
    ]
    expect(await readAll(folder)).toEqual(expected)
    expect(await readAll(data)).toEqual(expected)
  })

  it('reads lines of JSON text', async () => {
    const line = { id: 'a', schema: '{"2": 1.0, "1": 1}', tests: [{ valid: true, text: '1e5' }] }
    writeFileSync(join(folder, 'Some.jsonl'), `${JSON.stringify(line)}\n`)
    expect(await readAll(folder)).toEqual([['Some', line]])
  })

  it('says what a folder without data lacks', () => {
    expect(() => maskbenchFiles(folder)).toThrow(UsageError)
    expect(() => maskbenchFiles(join(folder, 'nowhere'))).toThrow('--data')
  })
})
