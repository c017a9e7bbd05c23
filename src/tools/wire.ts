/**
 * What the shapes of both services share: identities that stay the same between a stream and its result, what of a
 * result has no place in either shape, and the order of a stream.
 */
import type { Cut, RejectedCall, Result, RunEvent, StopReason, ToolCall } from '../decode/result.ts'
import { randomId } from './formats/format.ts'

/** What a response holds beside the service's own fields, as `espalier`: fields of the result that have no place there. */
export interface WireReport {
  readonly stopReason: StopReason
  /** What was open where it was cut; none of it is among the calls. */
  readonly cut?: Cut
  /** The calls that are whole and wrong, where there are any; nor are these. */
  readonly rejected?: readonly RejectedCall[]
  readonly maxTokensLowered?: Result['maxTokensLowered']
  readonly finishWithin?: Result['finishWithin']
  readonly attempts?: Result['attempts']
}

export interface WireOptions {
  /** What the response calls the model; default `espalier`. */
  readonly model?: string
}

/** Who a response is, beside what it says. */
export interface Identity {
  /** Random letters and digits. */
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
}

const identities = new WeakMap<object, Identity>()

/** The identity of a run or of a result; the same each time. */
export function identityOf(response: object): Identity {
  let identity = identities.get(response)
  if (identity === undefined) {
    identity = { id: randomId(24), created: Math.floor(Date.now() / 1000) }
    identities.set(response, identity)
  }
  return identity
}

/** Gives a result the identity under which it was streamed. */
export function identify(result: Result<ToolCall<unknown>>, identity: Identity): void {
  if (!identities.has(result)) identities.set(result, identity)
}

/** What of a result has no place in the shapes of the services. */
export function reportOf(result: Result<ToolCall<unknown>>): WireReport {
  const { stopReason, cut, rejected, maxTokensLowered, finishWithin, attempts } = result
  return {
    stopReason,
    ...(cut === undefined ? {} : { cut }),
    ...(rejected.length === 0 ? {} : { rejected }),
    ...(maxTokensLowered === undefined ? {} : { maxTokensLowered }),
    ...(finishWithin === undefined ? {} : { finishWithin }),
    ...(attempts === undefined ? {} : { attempts }),
  }
}

/** Throws for a result that neither service has a shape for. */
export function checkWhole({ stopReason }: Result<ToolCall<unknown>>): void {
  if (stopReason !== 'aborted') return
  throw new DOMException(
    'the run was aborted, for which neither service has a shape; its result says what there is',
    'AbortError',
  )
}

/** What is streamed of a run, in either shape. */
export type StreamPart =
  | { readonly type: 'start'; readonly promptTokens: number }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'call'; readonly id: string; readonly name: string }
  | { readonly type: 'arguments'; readonly text: string }
  | { readonly type: 'end'; readonly result: Result<ToolCall<unknown>> }

/**
 * Makes the parts of a stream from the events of a run. What cannot be taken back is held back: a call that may still be
 * rejected until it is whole, and blanks until a word follows.
 */
export class StreamParts {
  #blanks = ''
  /** Whether a word was said. */
  #hasSpoken = false
  #hasCalls = false
  /** The call that is held back. */
  #held: { readonly id: string; readonly name: string; text: string } | null = null;

  *push(event: RunEvent<ToolCall<unknown>>): Generator<StreamPart, void, undefined> {
    switch (event.type) {
      case 'start':
        yield { type: 'start', promptTokens: event.promptTokens }
        break
      case 'thinking':
        yield { type: 'thinking', text: event.text }
        break
      case 'text': {
        this.#blanks += event.text
        if (!this.#hasSpoken && this.#blanks.trim() === '') break
        this.#hasSpoken = true
        yield { type: 'text', text: this.#blanks }
        this.#blanks = ''
        break
      }
      case 'call-start':
        if (event.provisional) this.#held = { id: event.id, name: event.name, text: '' }
        else yield* this.#begin(event)
        break
      case 'call-arguments':
        if (this.#held === null) yield { type: 'arguments', text: event.text }
        else this.#held.text += event.text
        break
      case 'call':
        if (this.#held !== null) {
          yield* this.#begin(this.#held)
          yield { type: 'arguments', text: this.#held.text }
        }
        this.#held = null
        break
      case 'call-rejected':
        this.#held = null
        break
      case 'end':
        checkWhole(event.result)
        if (!this.#hasCalls && this.#blanks !== '') yield { type: 'text', text: this.#blanks }
        yield { type: 'end', result: event.result }
        break
    }
  }

  *#begin({ id, name }: { readonly id: string; readonly name: string }): Generator<StreamPart> {
    this.#hasCalls = true
    yield { type: 'call', id, name }
  }
}

/** Ends a run as leaving a loop over it does. */
export async function leave(run: AsyncIterable<unknown>): Promise<void> {
  await run[Symbol.asyncIterator]().return?.()
}
