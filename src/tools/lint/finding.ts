/** What a lint says: findings about a tools document, and the changes that a fix made to it. */

/** `json-schema` is what `compile` takes; the two services take a subset of their own for strict tools. */
export type LintDialect = 'anthropic-strict' | 'openai-strict' | 'json-schema'

export const LINT_DIALECTS: readonly LintDialect[] = ['anthropic-strict', 'openai-strict', 'json-schema']

/** `error`: the service, or `compile`, refuses it. `warning`: models err because of it. `note`: worth knowing. */
export type Severity = 'error' | 'warning' | 'note'

export interface Finding {
  readonly severity: Severity
  /** JSON pointer into the tools document, as a URI fragment. */
  readonly pointer: string
  /** The keyword, or the field of the tool, that it is about. */
  readonly keyword?: string
  /** Name of the tool; absent for what is said of all tools together. */
  readonly tool?: string
  readonly why: string
  /** What to do instead. */
  readonly instead: string
}

/**
 * What a change did to the set of arguments that are allowed: `looser` lets more through, `narrower` less, `different`
 * both, `same` neither.
 */
export type Effect = 'looser' | 'narrower' | 'different' | 'same'

export interface Change {
  readonly effect: Effect
  /** JSON pointer into the document as it was before the change. */
  readonly pointer: string
  readonly keyword: string
  readonly tool: string
  readonly message: string
}
