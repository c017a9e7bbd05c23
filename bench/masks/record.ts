/**
 * What one pass of MaskBench found out about one engine: the time of every token, kept by schema so that any subset of the
 * schemas has its own statistics, the compile times, the verdicts, and the memory after each schema.
 */
import type { MaskbenchTest } from '../lib.ts'
import type { Judged, Memory } from '../peers/protocol.ts'

/**
 * - `passing`: compiled, every instance judged rightly
 * - `refused`: did not compile
 * - `failed`: the process ended, or did not answer in time
 * - `wrong`: compiled, and at least one instance was judged wrongly or given up
 */
export type Verdict = 'passing' | 'refused' | 'failed' | 'wrong'

/** Microseconds. `NaN` where there is no sample. */
export interface Times {
  readonly count: number
  readonly mean: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

/** Instances judged wrongly. */
interface Wrong {
  readonly validRefused: number
  readonly invalidAccepted: number
  /** Given up: a limit, an error, or the time. */
  readonly stopped: number
}

const NOTHING_WRONG: Wrong = { validRefused: 0, invalidAccepted: 0, stopped: 0 }

export class EngineRecord {
  readonly verdicts: Verdict[] = []
  readonly wrong: Wrong[] = []
  /** By schema, microseconds; `NaN` where it did not compile. */
  readonly compiles: number[] = []
  /** Compilation and the first token of the first instance; `NaN` where there is none. */
  readonly firstTokens: number[] = []
  readonly memory: (Memory | null)[] = []
  /** Why it was refused or failed, by the ids of the schemas. */
  readonly refusals = new Map<string, string[]>()
  readonly findings: string[] = []
  #times = new Float64Array(1 << 16)
  readonly #starts: number[] = [0]

  /** Takes in the next schema. */
  add(id: string, tests: readonly MaskbenchTest[], judged: Judged | { readonly failed: string }): void {
    let end = this.#starts.at(-1)!
    const compiled = 'failed' in judged ? false : judged.refused === null
    if ('failed' in judged) {
      this.verdicts.push('failed')
      this.#refuse(judged.failed, id)
      this.memory.push(null)
    } else {
      this.memory.push(judged.memory)
      if (judged.refused !== null) {
        this.verdicts.push('refused')
        this.#refuse(judged.refused, id)
      }
      for (const { ns } of judged.instances) {
        this.#reserve(end + ns.length)
        for (const time of ns) this.#times[end++] = time / 1000
      }
    }
    this.#starts.push(end)
    if (!compiled || 'failed' in judged) {
      this.compiles.push(Number.NaN)
      this.firstTokens.push(Number.NaN)
      this.wrong.push(NOTHING_WRONG)
      return
    }
    this.compiles.push(judged.compileNs / 1000)
    this.firstTokens.push((judged.compileNs + (judged.instances[0]?.ns[0] ?? Number.NaN)) / 1000)
    const wrong = { ...NOTHING_WRONG }
    judged.instances.forEach(({ accepted, stopped }, number) => {
      const { valid } = tests[number]!
      if (stopped !== null) {
        wrong.stopped++
        this.findings.push(`${id}#${number} stopped: ${stopped.split('\n', 1)[0]}`)
      } else if (accepted !== valid) {
        if (valid) wrong.validRefused++
        else wrong.invalidAccepted++
        this.findings.push(`${id}#${number} ${valid ? 'valid refused' : 'INVALID ACCEPTED'}`)
      }
    })
    this.wrong.push(wrong)
    this.verdicts.push(wrong.stopped + wrong.validRefused + wrong.invalidAccepted === 0 ? 'passing' : 'wrong')
  }

  compiled(schema: number): boolean {
    return this.verdicts[schema] === 'passing' || this.verdicts[schema] === 'wrong'
  }

  /** Mask + accept, over the schemas that are included. */
  tokenTimes(included?: (schema: number) => boolean): Times {
    return times(this.#values(included))
  }

  compileTimes(included?: (schema: number) => boolean): Times {
    return times(finite(this.compiles, included))
  }

  firstTokenTimes(included?: (schema: number) => boolean): Times {
    return times(finite(this.firstTokens, included))
  }

  /** Times of one schema: how many tokens, their mean and their maximum. */
  schemaTokens(schema: number): { count: number; mean: number; max: number } {
    const part = this.#times.subarray(this.#starts[schema], this.#starts[schema + 1])
    let sum = 0
    let max = 0
    for (const time of part) {
      sum += time
      if (time > max) max = time
    }
    return { count: part.length, mean: part.length === 0 ? 0 : sum / part.length, max }
  }

  /**
   * How many tokens took how long: `[bucket, count]`, ascending. A bucket b holds the times from 10^(b/100) up to
   * 10^((b+1)/100) µs, 2.3 % wide.
   */
  histogram(): [number, number][] {
    const buckets = new Map<number, number>()
    for (const time of this.#values()) {
      const bucket = Math.floor(Math.log10(Math.max(time, 0.001)) * 100)
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1)
    }
    return [...buckets].sort(([a], [b]) => a - b)
  }

  #values(included?: (schema: number) => boolean): Float64Array {
    const end = this.#starts.at(-1)!
    if (included === undefined) return this.#times.slice(0, end)
    const values = new Float64Array(end)
    let length = 0
    for (let schema = 0; schema + 1 < this.#starts.length; schema++) {
      if (!included(schema)) continue
      const part = this.#times.subarray(this.#starts[schema], this.#starts[schema + 1])
      values.set(part, length)
      length += part.length
    }
    return values.subarray(0, length)
  }

  #reserve(length: number): void {
    if (length <= this.#times.length) return
    const larger = new Float64Array(Math.max(length, this.#times.length * 2))
    larger.set(this.#times)
    this.#times = larger
  }

  #refuse(message: string, id: string): void {
    const reason = message
      .replace(/"[^"]*"|'[^']*'|\(#[^)]*\)|#\/\S*|\d+/g, '…')
      .replace(/\s+/g, ' ')
      .slice(0, 90)
    const ids = this.refusals.get(reason)
    if (ids === undefined) this.refusals.set(reason, [id])
    else ids.push(id)
  }
}

function finite(values: readonly number[], included?: (schema: number) => boolean): Float64Array {
  return Float64Array.from(
    values.filter((value, schema) => Number.isFinite(value) && (included?.(schema) ?? true)),
  )
}

/** Sorts its argument. The percentile p is the sample at `floor(count × p)`, as the public benchmark takes it. */
function times(values: Float64Array): Times {
  values.sort()
  let sum = 0
  for (const value of values) sum += value
  const at = (part: number): number =>
    values[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN
  return {
    count: values.length,
    mean: sum / values.length,
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    p999: at(0.999),
    max: at(1),
  }
}
