import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readTrace } from '../../bench/cut.ts'
import { run } from '../../bench/experiments.ts'
import { UsageError } from '../../bench/lib.ts'
import { stampRequests } from '../../bench/strict/requests.ts'
import type { Line } from '../../bench/strict/run.ts'
import { type Head, readRun } from '../../bench/strict.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'experiments-'))
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  vi.restoreAllMocks()
})

const HEAD: Head = {
  bench: 'strict',
  model: 'small',
  maxTokens: 160,
  every: 1,
  machine: 'Node 20, 2 × a processor',
  date: '2027-03-14',
}

function line(way: string, index: number, text: string, stop = 'complete'): Line {
  const counts = { promptTokens: 600, reusedTokens: 500, tokens: 100, forcedTokens: 0 }
  const times = { promptMs: 1, modelMs: 10, maskMs: 1, ms: 12 }
  return { way, id: stampRequests()[index]!.id, text, stop, ...counts, ...times }
}

function keep(lines: readonly Line[], rest = ''): string {
  const from = join(folder, 'raw')
  mkdirSync(from, { recursive: true })
  const texts = [HEAD, ...lines].map((each) => `${JSON.stringify(each)}\n`)
  writeFileSync(join(from, 'strict.jsonl'), texts.join('') + rest)
  const steps = [
    { text: '', frames: [], completion: '{}', cost: 2, next: null },
    {
      text: '{',
      frames: [{ kind: 'object', pointer: '', text: '', needs: ['}'] }],
      completion: '}',
      cost: 1,
      next: null,
    },
    { text: '{}', frames: [], completion: '', cost: 0, next: null },
  ]
  const within = [{ budget: 2, tokens: 2, argumentsText: '{}' }]
  const trace = { model: 'small', request: 'a | b', tool: 'f', vocabulary: 257, steps, within }
  writeFileSync(join(from, 'cut.json'), JSON.stringify({ bench: 'cut', trace }))
  return from
}

describe('the page of the experiments', () => {
  it('shows both runs, with a chart each, and is the same for the same runs', () => {
    const from = keep([line('generated', 0, 'no'), line('generated', 1, '{"name": "f"', 'max_tokens')])
    const write = (): string[] => {
      run(['--from', from, '--to', join(folder, 'docs')])
      return ['experiments.md', 'charts/experiments-strict.svg', 'charts/experiments-cut.svg'].map((name) =>
        readFileSync(join(folder, 'docs', name), 'utf8'),
      )
    }
    const [page, bars, curve] = write()
    expect(page).toContain('| generated schema, no mask | 2 | 0 | 0 | 0 | 1 | 1 | – |')
    expect(page).toContain('1 of 1 budgets end complete')
    expect(bars).toContain('generated schema, no mask: 1 cut')
    expect(curve).toContain('frames open')
    expect(write()).toEqual([page, bars, curve])
  })

  it('keeps for the report what the calls cost', () => {
    const from = keep([line('generated', 0, 'no')])
    const file = join(folder, 'experiments.json')
    run(['--from', from, '--to', join(folder, 'docs'), '--json', file])
    const { bench, tables } = JSON.parse(readFileSync(file, 'utf8'))
    expect(bench).toBe('experiments')
    expect(tables.map(({ title }: { title: string }) => title)).toEqual(['What it cost'])
  })

  it('leaves out a line that was half written when a run was stopped', () => {
    const from = keep([line('generated', 0, 'no')], '{"way": "generated", "id')
    expect(readRun(join(from, 'strict.jsonl')).lines).toHaveLength(1)
  })

  it('says which file is missing, or of something else', () => {
    expect(() => run(['--from', folder])).toThrow(UsageError)
    const from = keep([])
    expect(() => readRun(join(from, 'cut.json'))).toThrow('holds no run of this experiment')
    expect(() => readTrace(join(from, 'strict.jsonl'))).toThrow('holds no call that was traced')
  })
})
