/**
 * Places in the schema document, and the resources they stand in.
 */
import type { JsonValue } from '../json/value.ts'
import type { Dialect } from './dialect.ts'

/** A schema with a URI of its own: the document, or one embedded in it. */
export interface Resource {
  /** Absolute or as far as known, without fragment. */
  readonly uri: string
  readonly root: JsonValue
  readonly pointer: string
  readonly dialect: Dialect
  readonly anchors: Map<string, Place>
}

export interface Place {
  readonly value: JsonValue
  readonly pointer: string
  /** The last steps of the pointer, short. */
  readonly label: string
  readonly resource: Resource
}
