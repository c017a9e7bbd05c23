/**
 * A grammar compiled for a vocabulary. Immutable as far as a caller can see; what it learns is bounded: once texts have made
 * 64 MiB of positions, or half as many as `maxContexts` allows, the next text begins anew, and what was learned goes with
 * the matchers that are at work.
 *
 * As bytes it is the grammar that compiling ended with, its limits and its report, and the fingerprint of the vocabulary. What
 * compiling costs lies before that, in the algebra of the schema; automata and masks are made when they are asked for,
 * whichever way the grammar came.
 */
import { largestLeast } from '../automaton/sizes.ts'
import { ByteReader, ByteWriter } from '../byte-stream.ts'
import { DataError } from '../errors.ts'
import type { Grammar } from '../grammar/grammar.ts'
import { decodeGrammar, encodeGrammar } from '../grammar/grammar-bytes.ts'
import { printGrammar } from '../print/grammar.ts'
import type { SchemaReport } from '../schema/index.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { GrammarState } from './grammar-state.ts'
import { MASK_LIMITS, type MaskLimits, resolveMaskLimits } from './limits.ts'
import { Matcher, type MatcherOptions } from './matcher.ts'
import { checkVocabulary } from './options.ts'
import { isNext, seal, unseal, writeWords } from './seal.ts'

const LIMITS = MASK_LIMITS as readonly (keyof MaskLimits)[]

export class CompiledGrammar {
  #state: GrammarState
  readonly #limits: Required<MaskLimits>

  /** @internal Made by `compile`, `compileGrammar` and `deserialize`. */
  constructor(state: GrammarState, limits: Required<MaskLimits>) {
    this.#state = state
    this.#limits = limits
  }

  get vocabulary(): Vocabulary {
    return this.#state.vocabulary
  }

  /**
   * A matcher at the beginning of a text. Any number may be at work at once.
   *
   * `maxRollback`: steps that can be taken back, default 4,096; what is further back is forgotten.
   */
  matcher(options: MatcherOptions = {}): Matcher {
    return new Matcher(this.#latest(), options, () => this.#latest())
  }

  /** The state in which the next text is to begin. */
  #latest(): GrammarState {
    // Contexts are numbers that live matchers hold: they are not given back one by one, but left to those matchers.
    const { grammar, vocabulary, isFull } = this.#state
    if (isFull) this.#state = new GrammarState(grammar, vocabulary, this.#limits)
    return this.#state
  }

  /**
   * A matcher at the place where another one of the same grammar was when `serialize` wrote it, in another process perhaps. It
   * can be taken back as far as that one could. O(text).
   *
   * @throws DataError for bytes that are damaged, or of another grammar, vocabulary or version; TypeError for no bytes
   */
  restore(bytes: Uint8Array): Matcher {
    return Matcher.restored(bytes, this.#latest(), () => this.#latest())
  }

  /**
   * The compiled grammar as bytes, for `deserialize` with the same vocabulary. Nothing that was learned is in them.
   *
   * @throws LimitError where a rule is nested more than 1,000 deep
   */
  serialize(): Uint8Array {
    const out = new ByteWriter()
    writeWords(this.vocabulary.fingerprint, out)
    for (const name of LIMITS) out.number(this.#limits[name])
    const grammar = encodeGrammar(this.#state.grammar)
    out.number(grammar.length)
    out.raw(grammar)
    const { report = NOTHING_SAID } = this as { readonly report?: object }
    out.raw(new TextEncoder().encode(JSON.stringify(report)))
    return seal('compiled grammar', out.bytes)
  }

  /**
   * The compiled grammar that `serialize` wrote, with its limits and its report, in a fraction of the time that compiling
   * takes. Damage is found; that the grammar has texts is not proved again, so take no bytes from whom you would take no
   * schema. `Report` is the kind of its report: that of a schema, unless it was compiled of something else.
   *
   * @throws DataError for bytes that are damaged, of another version or for another vocabulary; TypeError for no bytes
   */
  static deserialize<Report extends object = SchemaReport>(
    bytes: Uint8Array,
    vocabulary: Vocabulary,
  ): CompiledGrammar & { readonly report: Report } {
    checkVocabulary(vocabulary)
    const { grammar, limits, report } = read(bytes, vocabulary)
    if (largestLeast(grammar) > limits.maxCompletionBytes)
      throw new DataError('the grammar has values that are longer than its limits allow')
    const state = new GrammarState(grammar, vocabulary, limits)
    return Object.assign(new CompiledGrammar(state, limits), { report: report as Report })
  }

  /**
   * The grammar as GBNF. Read back it is the same language, but for what comments at the top say is left out: keys that were
   * there before, counts of entries, items that must differ, patterns whose automata are too large; then it has more texts,
   * and none less.
   *
   * @throws LimitError beyond 4,000,000 characters
   */
  toString(): string {
    return printGrammar(this.#state.grammar, this.vocabulary)
  }

  /** Sizes of what was built so far. */
  get sizes(): {
    contexts: number
    threads: number
    configurations: number
    nodes: number
    maskBytes: number
  } {
    const { program, walker, masks } = this.#state
    return {
      contexts: program.contexts.size - 2,
      threads: walker.threads.size - 1,
      configurations: walker.configurationCount,
      nodes: program.nodes.length,
      maskBytes: masks.byteLength,
    }
  }
}

const NOTHING_SAID: SchemaReport = { annotations: [], narrowings: [], unenforced: [] }

function read(
  bytes: Uint8Array,
  vocabulary: Vocabulary,
): { grammar: Grammar; limits: Required<MaskLimits>; report: object } {
  const from = new ByteReader(unseal('compiled grammar', bytes))
  if (!isNext(from, vocabulary.fingerprint))
    throw new DataError('the grammar was compiled for another vocabulary, or with other end tokens or size')
  const limits = Object.fromEntries(LIMITS.map((name) => [name, from.number() || from.fail(`${name} is 0`)]))
  const grammar = decodeGrammar(from.raw(from.count()))
  return { grammar, limits: resolveMaskLimits(limits), report: readReport(from.rest()) }
}

function readReport(bytes: Uint8Array): object {
  try {
    const report: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (typeof report === 'object' && report !== null && !Array.isArray(report)) return report
  } catch {
    // Neither UTF-8 nor JSON: said below.
  }
  throw new DataError('the report is none')
}
