/**
 * Every error class of the package, in one place.
 *
 * A message says where, what was found, and what to do about it. Misuse of the API (a wrong type, a value out of
 * range) is a `TypeError` or `RangeError`; a token that a grammar refuses is `false`, not an error.
 */

/** JSON text that is not RFC 8259, with the place where it stops being so. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  constructor(
    reason: string,
    /** Index into the text, in UTF-16 units, from 0. */
    readonly offset: number,
    /** Line, from 1. */
    readonly line: number,
    /** Column, in UTF-16 units, from 1. */
    readonly column: number,
  ) {
    super(`${reason} (line ${line}, column ${column})`)
  }
}

/** One thing that cannot be enforced, or that contradicts itself, and the place in the schema where it stands. */
export interface SchemaProblem {
  /** JSON pointer into the schema document, as a URI fragment: `#/properties/a`. */
  readonly pointer: string
  readonly message: string
  /** The keyword that cannot be enforced, where it is one. */
  readonly keyword?: string
}

/** A schema that is refused. `errors` holds every problem found, `pointer` is the first one's. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  readonly pointer: string
  readonly keyword: string | undefined
  readonly errors: readonly SchemaProblem[]
  constructor(message: string, pointer: string, keyword?: string, errors?: readonly SchemaProblem[]) {
    super(`${message} (${pointer})`)
    this.pointer = pointer
    this.keyword = keyword
    this.errors = errors ?? [{ pointer, message, ...(keyword === undefined ? {} : { keyword }) }]
  }
}

/** A regular expression that is invalid, or that no regular language equals, and the place in it. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
  constructor(
    /** The message without the place. */
    readonly reason: string,
    readonly pattern: string,
    /** Index into the pattern, in UTF-16 units, from 0. */
    readonly offset: number,
    /** The part of a grammar that the pattern is of, where it is one of several. */
    readonly part?: string,
  ) {
    super(`${reason} (at ${offset} of /${pattern}/${part === undefined ? '' : `, in ${part}`})`)
  }

  /** The same, met in a part of a grammar. */
  at(part: string): PatternError {
    return new PatternError(this.reason, this.pattern, this.offset, part)
  }
}

/** One thing that is wrong with a grammar, and the place in its text where it stands. */
export interface GrammarProblem {
  readonly message: string
  /** Index into the text, in UTF-16 units, from 0. */
  readonly offset: number
  /** Line, from 1. */
  readonly line: number
  /** Column, in UTF-16 units, from 1. */
  readonly column: number
}

/** A grammar that is refused. `errors` holds every problem found; the place is that of the first. */
export class GrammarError extends Error {
  override readonly name = 'GrammarError'
  readonly offset: number
  readonly line: number
  readonly column: number
  constructor(readonly errors: readonly [GrammarProblem, ...GrammarProblem[]]) {
    const [{ message, offset, line, column }] = errors
    super(`${message} (line ${line}, column ${column})`)
    this.offset = offset
    this.line = line
    this.column = column
  }

  /** The same, met in a part of a grammar that is put together. */
  at(part: string): GrammarError {
    const [first, ...more] = this.errors
    return new GrammarError([{ ...first, message: `${part}: ${first.message}` }, ...more])
  }
}

/** A vocabulary that cannot be read exactly, or that cannot spell what a grammar needs. */
export class VocabularyError extends Error {
  override readonly name = 'VocabularyError'
}

/** A budget, counted in deterministic steps or sizes, that the input would exceed. */
export class LimitError extends Error {
  override readonly name = 'LimitError'
  constructor(
    /** What is counted, for example `automaton states`. */
    readonly what: string,
    readonly limit: number,
    /** The count reached when the work stopped; at least `limit`. */
    readonly actual: number,
    /** What to do about it. */
    readonly hint: string,
    /** Of the place in the schema at which the limit was met, as a URI fragment, where it is known. */
    readonly pointer?: string,
  ) {
    super(
      `${what}: ${actual} exceeds the limit of ${limit}; ${hint}${pointer === undefined ? '' : ` (${pointer})`}`,
    )
  }

  /** The same, met at a place in the schema; one that knows its place stays as it is. */
  at(pointer: string): LimitError {
    if (this.pointer !== undefined) return this
    return new LimitError(this.what, this.limit, this.actual, this.hint, pointer)
  }

  /** The same, where the place is one within a part of a grammar. */
  within(part: string): LimitError {
    const pointer = this.pointer?.startsWith('#') === false ? this.pointer : `${part}${this.pointer ?? ''}`
    return new LimitError(this.what, this.limit, this.actual, this.hint, pointer)
  }

  /** The message without the place. */
  get reason(): string {
    return `${this.what}: ${this.actual} exceeds the limit of ${this.limit}; ${this.hint}`
  }
}

/** Serialised data that cannot be used: cut, altered, of another version, or of another grammar or vocabulary. */
export class DataError extends Error {
  override readonly name = 'DataError'
  constructor(
    reason: string,
    /** Index of the byte that was read last, where the reason is one byte or a few. */
    readonly offset?: number,
  ) {
    super(offset === undefined ? reason : `${reason} (at byte ${offset})`)
  }
}

/** A model folder or an ONNX file that cannot be used. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
}
