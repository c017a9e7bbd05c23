/**
 * JSON values that lose nothing of their text: objects keep the order of their entries (also of keys that look like
 * integers) and a `__proto__` of their own, numbers keep their digits.
 */

/** A number as it was written: `30.0`, `1e5` and `9007199254740993` stay what they are. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

/** Entries in the order of the text. A `Map` reorders nothing and has no prototype to collide with. */
export type JsonObject = Map<string, JsonValue>
export type JsonArray = readonly JsonValue[]
export type JsonValue = null | boolean | string | JsonNumber | JsonArray | JsonObject

/** Deepest nesting of arrays and objects that is taken in unless the caller says otherwise. */
export const DEFAULT_MAX_DEPTH = 10_000
