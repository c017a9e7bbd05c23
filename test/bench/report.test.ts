import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { writeRaw } from '../../bench/lib.ts'
import { figures } from '../../bench/masks/raw.ts'
import { EngineRecord } from '../../bench/masks/record.ts'
import { chart, linearAxis, logAxis } from '../../bench/report/svg.ts'
import { run } from '../../bench/report.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'report-'))
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  vi.restoreAllMocks()
})

/** Every file that the report writes. */
function report(): Map<string, string> {
  const to = join(folder, 'docs')
  run(['--from', join(folder, 'raw'), '--to', to])
  const charts = readdirSync(join(to, 'charts')).map((name) => join('charts', name))
  return new Map(['performance.md', ...charts].map((name) => [name, readFileSync(join(to, name), 'utf8')]))
}

function measured(): EngineRecord {
  const record = new EngineRecord()
  const memory = { resident: 5e7, heap: 1e7 }
  for (let i = 1; i <= 40; i++) {
    const ns = [i * 100, i * 1000, i * i * 1000]
    const judged = {
      refused: null,
      compileNs: i * 1e5,
      instances: [{ accepted: true, stopped: null, ns }],
      memory,
    }
    record.add(`s${i}`, [{ valid: true, text: '1' }], judged)
  }
  return record
}

describe('the report', () => {
  it('draws what masks measured, and shows the tables and charts of the others', () => {
    const opened = {
      version: '1.0.0',
      settings: 'as it comes',
      loadMs: 1,
      overheadNs: 40,
      memory: { resident: 1, heap: 1 },
    }
    const names = Array.from({ length: 40 }, (_, i) => `s${i}`)
    writeRaw(join(folder, 'raw', 'masks.json'), {
      bench: 'masks',
      args: ['--every', '2', '--json', 'masks.json'],
      figures: figures({
        every: 2,
        cold: false,
        vocabulary: 128256,
        sources: names,
        ids: names,
        engines: [{ name: 'espalier', runs: [measured()], opened }],
        ratios: [],
      }),
    })
    writeRaw(join(folder, 'raw', 'scale.json'), {
      bench: 'scale',
      args: [],
      tables: [{ title: 'A table', header: ['n', 'a|b'], rows: [['10', '1.00 µs']] }],
      charts: [
        {
          name: 'curve',
          title: 'A curve',
          x: { label: 'n', unit: '', scale: 'log' },
          y: { label: 'time', unit: 'µs', scale: 'log' },
          series: [
            {
              name: 'enum',
              points: [
                [10, 1],
                [1000, 3],
              ],
            },
          ],
        },
      ],
    })
    const written = report()
    expect([...written.keys()]).toEqual([
      'performance.md',
      'charts/masks-compile.svg',
      'charts/masks-memory.svg',
      'charts/masks-times.svg',
      'charts/scale-curve.svg',
    ])
    const page = written.get('performance.md')!
    expect(page).toContain('`npm run bench -- masks --every 2`')
    expect(page).toContain('| espalier 1.0.0 | 100.0 % |')
    expect(page).toContain('| n | a\\|b |')
    expect(page).toContain('![A curve](charts/scale-curve.svg)')
    expect(page).toMatch(/^Not measured:.*bench -- load/m)
    const charts = join(folder, 'docs', 'charts')
    writeFileSync(join(charts, 'experiments-cut.svg'), 'of another page')
    writeFileSync(join(charts, 'masks-old.svg'), 'of a page before')
    expect(report()).toEqual(written.set('charts/experiments-cut.svg', 'of another page'))
  })

  it('names everything where nothing is measured', () => {
    mkdirSync(join(folder, 'raw'))
    expect(report().get('performance.md')).toMatch(/Not measured: `npm run bench -- masks`,/)
    expect(() => run(['--from', join(folder, 'nowhere')])).toThrow('no folder')
    expect(() => run([])).toThrow('--from')
  })
})

describe('a chart', () => {
  it('keeps the names at the ends of its lines apart', () => {
    const svg = chart({
      title: 'a < b & c',
      x: linearAxis('x', 10, String),
      y: logAxis('y', 1, 100, String),
      series: ['one', 'two', 'three'].map((name) => ({
        name,
        points: [
          [0, 10],
          [10, 10],
        ] as const,
      })),
    })
    expect(svg).toContain('a &lt; b &amp; c')
    const places = [...svg.matchAll(/y="([\d.]+)" fill="#\w+" font-weight="600">(\w+)/g)].map((match) =>
      Number(match[1]),
    )
    expect(places).toHaveLength(3)
    places.sort((a, b) => a - b)
    expect(Math.min(places[1]! - places[0]!, places[2]! - places[1]!)).toBeGreaterThanOrEqual(14)
  })
})
