import { describe, expect, it } from 'vitest'
import { ratios } from '../../bench/masks/print.ts'
import { EngineRecord } from '../../bench/masks/record.ts'
import type { JudgedInstance } from '../../bench/peers/protocol.ts'

const TESTS = [
  { valid: true, text: '1' },
  { valid: false, text: '2' },
]
const memory = { resident: 0, heap: 0 }

function instance(accepted: boolean, microseconds: number[], stopped: string | null = null): JudgedInstance {
  return { accepted, stopped, ns: microseconds.map((time) => time * 1000) }
}

function judged(instances: JudgedInstance[], compileNs = 1000) {
  return { refused: null, compileNs, instances, memory }
}

describe('EngineRecord', () => {
  it('calls a schema passing when every instance is judged rightly', () => {
    const record = new EngineRecord()
    record.add('right', TESTS, judged([instance(true, [1]), instance(false, [2])]))
    record.add('refuses valid', TESTS, judged([instance(false, [1]), instance(false, [2])]))
    record.add('accepts invalid', TESTS, judged([instance(true, [1]), instance(true, [2])]))
    record.add('stopped', TESTS, judged([instance(true, [1]), instance(false, [2], 'too much')]))
    record.add('refused', TESTS, { refused: 'no', compileNs: 5, instances: [], memory })
    record.add('died', TESTS, { failed: 'signal' })
    expect(record.verdicts).toEqual(['passing', 'wrong', 'wrong', 'wrong', 'refused', 'failed'])
    expect(
      record.wrong.map(({ validRefused, invalidAccepted, stopped }) => [
        validRefused,
        invalidAccepted,
        stopped,
      ]),
    ).toEqual([
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [0, 0, 0],
      [0, 0, 0],
    ])
    expect(record.compileTimes().count).toBe(4)
  })

  it('takes percentiles over the schemas that are asked for', () => {
    const record = new EngineRecord()
    record.add('a', TESTS, judged([instance(true, [1, 2]), instance(false, [3])]))
    record.add('b', TESTS, judged([instance(true, [100])]))
    expect(record.tokenTimes()).toMatchObject({ count: 4, mean: 26.5, p50: 3, max: 100 })
    expect(record.tokenTimes((schema) => schema === 0)).toMatchObject({ count: 3, mean: 2, p50: 2, max: 3 })
    expect(record.schemaTokens(1)).toEqual({ count: 1, mean: 100, max: 100 })
    expect(record.histogram()).toEqual([
      [0, 1],
      [30, 1],
      [47, 1],
      [200, 1],
    ])
  })

  it('compares engines over the schemas that both compile', () => {
    const ours = new EngineRecord()
    const peer = new EngineRecord()
    ours.add('a', TESTS, judged([instance(true, [1])]))
    peer.add('a', TESTS, judged([instance(true, [10])], 3000))
    ours.add('b', TESTS, judged([instance(true, [1000])]))
    peer.add('b', TESTS, { refused: 'no', compileNs: 1, instances: [], memory })
    const [ratio] = ratios({ name: 'ours', runs: [ours] }, [{ name: 'peer', runs: [peer] }])
    expect(ratio).toMatchObject({ schemas: 1, mean: { median: 10 }, compileP50: { median: 3 } })
  })
})
