/**
 * Schema resources: documents and what is embedded in them under a URI of its own, the places in them, and the dynamic
 * scope, which says what `$dynamicRef` and `$recursiveRef` mean where they are met.
 */
import type { JsonValue } from '../json/value.ts'
import { type Dialect, type KeywordKind, keywordKind } from './dialect.ts'

/** A schema with a URI of its own: a document, or one embedded in it. */
export interface Resource {
  /** Absolute or as far as known, without fragment. */
  readonly uri: string
  readonly root: JsonValue
  readonly pointer: string
  readonly dialect: Dialect
  /** What the vocabularies of its meta-schema say. */
  readonly vocabularies: Vocabularies
  /** The outermost resource of its document. */
  readonly document: Resource | null
  readonly anchors: Map<string, Place>
  /** Those that a dynamic scope replaces; the one named `''` is the root with a `$recursiveAnchor`. */
  readonly dynamicAnchors: Map<string, Place>
}

export interface Vocabularies {
  /** Assertions that the dialect has and the vocabularies have not. */
  readonly missing: ReadonlySet<string>
  /** Whether `format` is an assertion whatever the options say. */
  readonly assertFormat: boolean
}

export interface Place {
  readonly value: JsonValue
  readonly pointer: string
  /** The last steps of the pointer, short. */
  readonly label: string
  readonly resource: Resource
}

/** What the keyword is in a schema of the resource. */
export function kindOf(keyword: string, { dialect, vocabularies }: Resource): KeywordKind {
  const kind = keywordKind(keyword, dialect)
  return kind === 'assertion' && vocabularies.missing.has(keyword) ? 'annotation' : kind
}

/** For each dynamic anchor the place it means: that of the outermost resource entered. */
export interface DynamicScope {
  readonly id: number
  readonly targets: ReadonlyMap<string, Place>
}

/** Scopes are interned, so there are finitely many: a resource that adds nothing leaves the scope as it is. */
export class DynamicScopes {
  readonly empty: DynamicScope = { id: 0, targets: new Map() }
  readonly #scopes = new Map<string, DynamicScope>()
  readonly #resources = new Map<Resource, number>()

  /** The scope inside the resource. */
  enter(scope: DynamicScope, resource: Resource): DynamicScope {
    let adds = false
    for (const name of resource.dynamicAnchors.keys()) if (!scope.targets.has(name)) adds = true
    if (!adds) return scope
    const targets = new Map(scope.targets)
    for (const [name, place] of resource.dynamicAnchors) if (!targets.has(name)) targets.set(name, place)
    const key = [...targets]
      .map(([name, place]) => `${this.#idOf(place.resource)} ${name}`)
      .sort()
      .join('\n')
    let entered = this.#scopes.get(key)
    if (entered === undefined) {
      entered = { id: this.#scopes.size + 1, targets }
      this.#scopes.set(key, entered)
    }
    return entered
  }

  #idOf(resource: Resource): number {
    let id = this.#resources.get(resource)
    if (id === undefined) {
      id = this.#resources.size
      this.#resources.set(resource, id)
    }
    return id
  }
}
