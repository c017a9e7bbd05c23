/**
 * Where a matcher stands, as bytes: its text, the tokens in it that were taken by their ids, and how its last steps divide it.
 *
 * Nothing of the automaton is in them, whose numbers hold in one process only: whoever restores the matcher reads the text
 * once more. Content of the envelope (`seal.ts`): fingerprints of grammar and vocabulary; `maxRollback`; steps that cannot be
 * taken back; the tokens among them that were taken by id, each with the bytes of text since the one before; the length of
 * the text at their end; the steps that can be taken back, each 0 and a token's id, or 1 more than its bytes; the text.
 */
import { ByteReader, ByteWriter } from '../byte-stream.ts'
import { DataError } from '../errors.ts'
import { fingerprintOf } from '../grammar/grammar-bytes.ts'
import type { GrammarState } from './grammar-state.ts'
import { isNext, seal, unseal, writeWords } from './seal.ts'

/** A token that was taken by its id. */
export interface NamedToken {
  readonly id: number
  /** Bytes of the text before it. */
  readonly offset: number
}

/** A step: a token by its id, or so many bytes. */
export type StoredStep = { readonly id: number } | { readonly bytes: number }

export interface MatcherRecord {
  readonly maxRollback: number
  /** Steps that cannot be taken back, and the tokens among them that were taken by id. */
  readonly fixed: number
  readonly named: readonly NamedToken[]
  /** Bytes of the text behind them. */
  readonly from: number
  readonly steps: readonly StoredStep[]
  readonly text: Uint8Array
}

export function encodeMatcher(record: MatcherRecord, { grammar, vocabulary }: GrammarState): Uint8Array {
  const out = new ByteWriter()
  writeWords(fingerprintOf(grammar), out)
  writeWords(vocabulary.fingerprint, out)
  out.bound(record.maxRollback)
  out.number(record.fixed)
  let last = 0
  out.list(record.named, ({ id, offset }) => {
    out.number(id)
    out.number(offset - last)
    last = offset
  })
  out.number(record.from)
  out.list(record.steps, (step) => {
    if ('bytes' in step) out.number(step.bytes + 1)
    else {
      out.number(0)
      out.number(step.id)
    }
  })
  out.raw(record.text)
  return seal('matcher', out.bytes)
}

/** @throws DataError for bytes that are not those of a matcher of this grammar over this vocabulary */
export function decodeMatcher(bytes: Uint8Array, { grammar, vocabulary }: GrammarState): MatcherRecord {
  const from = new ByteReader(unseal('matcher', bytes))
  if (!isNext(from, fingerprintOf(grammar))) throw new DataError('the matcher is one of another grammar')
  if (!isNext(from, vocabulary.fingerprint)) throw new DataError('the matcher is one of another vocabulary')
  const maxRollback = from.bound()
  const fixed = from.number()
  let last = 0
  const named = from.list(() => {
    const id = from.number()
    last += from.number()
    return { id, offset: last }
  })
  const length = from.number()
  const steps = from.list((): StoredStep => {
    const count = from.number()
    return count === 0 ? { id: from.number() } : { bytes: count - 1 }
  })
  const text = from.rest()
  if (length > text.length || last > length || named.length > fixed || steps.length > maxRollback)
    from.fail('steps that do not fit the text')
  return { maxRollback, fixed, named, from: length, steps, text }
}
