import { describe, expect, it } from 'vitest'
import { judge } from '../../bench/peers/judge.ts'
import type { Engine, Job } from '../../bench/peers/protocol.ts'

/** Accepts texts whose tokens grow, and counts what it is asked for. */
function growing(): Engine & { compiled: number; forgotten: number } {
  const engine = {
    version: '1',
    settings: '',
    compiled: 0,
    forgotten: 0,
    forget() {
      engine.forgotten++
    },
    compile(schema: string) {
      engine.compiled++
      if (schema === 'bad') throw new TypeError('not like this')
      return {
        matcher() {
          let last = 0
          return {
            step(id: number) {
              if (id === 13) throw new RangeError('13')
              const allowed = id > last
              last = id
              return schema === 'later' ? Promise.resolve(allowed) : allowed
            },
            ended: () => last > 1,
          }
        },
      }
    },
  }
  return engine
}

const job: Job = { source: 'any', notation: 'json-schema', instances: [], cold: false, limitMs: 60_000 }

describe('judge', () => {
  it.each(['any', 'later'])('times each token until the first that is refused (%s)', async (source) => {
    const instances = [[1, 2, 3], [1, 3, 2, 4], [1], [1, 13, 14]]
    const judged = await judge(growing(), { ...job, source, instances })
    expect(judged.refused).toBeNull()
    expect(judged.instances.map(({ accepted, stopped, ns }) => [accepted, stopped, ns.length])).toEqual([
      [true, null, 3],
      [false, null, 3],
      [false, null, 1],
      [false, 'RangeError: 13', 1],
    ])
  })

  it('compiles once, or anew for each instance where it is to be cold', async () => {
    const engine = growing()
    await judge(engine, { ...job, instances: [[1], [2], [3]] })
    expect(engine.compiled).toBe(1)
    await judge(engine, { ...job, instances: [[1], [2], [3]], cold: true, forget: true })
    expect([engine.compiled, engine.forgotten]).toEqual([4, 1])
  })

  it('says why a schema is refused', async () => {
    expect(await judge(growing(), { ...job, source: 'bad', instances: [[1]] })).toMatchObject({
      refused: 'TypeError: not like this',
      instances: [],
    })
  })

  it('gives an engine up that cannot go on', async () => {
    const engine = { ...growing(), broken: (error: unknown) => error instanceof RangeError }
    await expect(judge(engine, { ...job, instances: [[13]] })).rejects.toThrow('13')
  })

  it('stops between two tokens when the time is over', async () => {
    const judged = await judge(growing(), { ...job, limitMs: -1, instances: [[1, 2]] })
    expect(judged.instances).toEqual([{ accepted: false, stopped: 'over the time limit', ns: [] }])
  })
})
