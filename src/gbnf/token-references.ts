/**
 * Token references, `<think>`, `<[7]>`, `!<think>`, looked up in a vocabulary: each once, however often it is written.
 *
 * One that is negated is a list of nearly all tokens, so these are bounded together.
 */
import { LimitError, VocabularyError } from '../errors.ts'
import type { Expr } from '../grammar/grammar.ts'
import { NEVER } from './expressions.ts'
import type { Places } from './places.ts'
import type { TokenReference } from './reader.ts'
import { shortened } from './spelling.ts'

/** What must be known of a vocabulary to resolve token references; `Vocabulary` is one. */
export interface TokenNames {
  readonly size: number
  readonly endTokens: readonly number[]
  /** The token with this literal text; a VocabularyError where it is not known which. */
  idOf(text: string): number | undefined
  /** Whether no token has this id. */
  isHole(id: number): boolean
}

/** Ids that all negated references stand for: 125 of them over 128,000 tokens. */
const MAX_NEGATED = 16_000_000

export class TokenReferences {
  readonly #tokens: TokenNames | undefined
  readonly #known = new Map<string, Expr>()
  #negated = 0

  /** @param tokens where references are looked up; without it they are refused */
  constructor(tokens: TokenNames | undefined) {
    this.#tokens = tokens
  }

  /** @throws GrammarError with the place, for a token that is not there; LimitError for too many that are left out */
  resolve({ token, isNegated, offset }: TokenReference, places: Places): Expr {
    const tokens = this.#tokens
    const name = shortened(typeof token === 'number' ? `<[${token}]>` : token)
    if (tokens === undefined)
      return places.fail(`the token ${name} is of a vocabulary, and none is given`, offset)
    const id = typeof token === 'number' ? token : idOf(token, tokens, (why) => places.fail(why, offset))
    if (id === undefined)
      return places.fail(`the vocabulary has no token ${name}; write "${name}" for this text`, offset)
    if (id >= tokens.size || tokens.isHole(id))
      return places.fail(`the vocabulary has no token with id ${id}`, offset)
    const key = `${isNegated ? '!' : ''}${id}`
    let expr = this.#known.get(key)
    if (expr === undefined) {
      expr = isNegated ? this.#allBut(id, tokens) : { type: 'token', ids: [id], frame: 'tag' }
      this.#known.set(key, expr)
    }
    return expr
  }

  #allBut(id: number, tokens: TokenNames): Expr {
    this.#negated += tokens.size
    if (this.#negated > MAX_NEGATED)
      throw new LimitError(
        'ids that negated tokens stand for',
        MAX_NEGATED,
        this.#negated,
        'negate fewer different tokens',
      )
    const ends = new Set(tokens.endTokens)
    const ids: number[] = []
    for (let other = 0; other < tokens.size; other++)
      if (other !== id && !tokens.isHole(other) && !ends.has(other)) ids.push(other)
    return ids.length === 0 ? NEVER : { type: 'token', ids, frame: 'text' }
  }
}

function idOf(text: string, tokens: TokenNames, fail: (why: string) => never): number | undefined {
  try {
    return tokens.idOf(text)
  } catch (error) {
    if (error instanceof VocabularyError) fail(error.message)
    throw error
  }
}
