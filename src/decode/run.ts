/**
 * A generation under way: an async iterable of events, and a promise of the result.
 *
 * It runs by itself; iterating is optional, and any number of loops may iterate, each from the first event. Leaving a
 * loop early (`break`) aborts the run and waits until it has stopped, so that its session, or its place in a batch, is free
 * behind the loop. An error is thrown by the loops and rejects the result; a run that nobody watches fails silently, not as
 * an unhandled rejection.
 */
import type { SchemaReport } from '../schema/index.ts'
import type { Result, RunEvent, ToolCall } from './result.ts'

/** `Call` are the calls of the tools that were given. */
export class Run<Call extends ToolCall<unknown> = ToolCall> implements AsyncIterable<RunEvent<Call>> {
  readonly result: Promise<Result<Call>>
  /**
   * What compiling the schema reported: annotations, narrowings, what `lenient` left out. The pointers of a call lead into
   * the tools document. Absent where there was no schema.
   */
  readonly report: SchemaReport | undefined
  /** How the calls are written, as `toolFormat` names it or as it was recognised. Absent where there are no tools. */
  readonly toolFormat: string | undefined
  readonly #events: RunEvent<Call>[] = []
  readonly #controller = new AbortController()
  #waiting: (() => void)[] = []
  #done = false

  /** `work` emits events and gives the result; its signal is aborted by `signal` and by leaving a loop. */
  constructor(
    work: (emit: (event: RunEvent<Call>) => void, signal: AbortSignal) => Promise<Result<Call>>,
    signal?: AbortSignal,
    {
      report,
      toolFormat,
    }: { readonly report?: SchemaReport | undefined; readonly toolFormat?: string | undefined } = {},
  ) {
    this.report = report
    this.toolFormat = toolFormat
    const own = this.#controller.signal
    const both = signal === undefined ? own : AbortSignal.any([signal, own])
    this.result = work((event) => this.#emit(event), both).then((result) => {
      this.#emit({ type: 'end', result })
      return result
    })
    this.result.catch(() => {}).finally(() => this.#finish())
  }

  [Symbol.asyncIterator](): AsyncGenerator<RunEvent<Call>, void, undefined> {
    return leavable(this.#iterate(), async () => {
      if (this.#done) return
      this.#controller.abort()
      await this.result.catch(() => {})
    })
  }

  async *#iterate(): AsyncGenerator<RunEvent<Call>, void, undefined> {
    for (let next = 0; ; ) {
      const event = this.#events[next]
      if (event !== undefined) {
        next++
        yield event
      } else if (this.#done) {
        await this.result
        return
      } else {
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
      }
    }
  }

  #emit(event: RunEvent<Call>): void {
    this.#events.push(event)
    this.#wake()
  }

  #finish(): void {
    this.#done = true
    this.#wake()
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}

/** The same events, and `leave` where a loop over them is left, be it before the first: a generator that was not begun says nothing of that. */
export function leavable<T>(
  events: AsyncGenerator<T, void, undefined>,
  leave: () => Promise<unknown>,
): AsyncGenerator<T, void, undefined> {
  const end = events.return.bind(events)
  events.return = async (value) => {
    await leave()
    return end(value)
  }
  return events
}
