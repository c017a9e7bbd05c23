/**
 * Why nothing satisfies a schema: the fewest keywords that exclude each other, found by leaving out one after the other.
 * Runs only when a compile fails, so it may be slow; the number of keywords it tries is limited.
 */

import { LimitError, type SchemaProblem } from '../errors.ts'
import { printJson } from '../json/print.ts'
import { JsonNumber, type JsonValue } from '../json/value.ts'
import type { Expander } from './expand.ts'
import { EXACT_MODE, type Node, type SchemaAtom } from './node.ts'
import { childPointer } from './pointer.ts'
import { REFERENCES } from './references.ts'
import { kindOf } from './resource.ts'
import { hasScalar, isEmptyShape, type ObjectRecord, propertyAt, type Shape } from './shape.ts'

/** Keywords tried; in longer conjunctions all are named. */
const MAX_PARTS = 48
/** How far the search follows required properties. */
const MAX_DEPTH = 32

/** Keywords that are read together. */
const TOGETHER = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
  ['properties', 'additionalProperties', 'patternProperties', 'unevaluatedProperties'],
  ['items', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
  ['contains', 'minContains', 'maxContains'],
  ['if', 'then', 'else'],
]

/** A constraint that can be left out. */
interface Part {
  readonly pointer: string
  readonly text: string
  readonly shape: Shape
  /** The one type it names, if it is `type`. */
  readonly type?: string
}

/** The places that contradict each other; the root alone where finding them would exceed the limits. */
export function explainEmpty(expander: Expander, root: Node): SchemaProblem[] {
  try {
    return search(expander, root)
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
    return [{ pointer: root.pointer, message: 'nothing satisfies the schema' }]
  }
}

function search(expander: Expander, root: Node): SchemaProblem[] {
  let node = root
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    if (node === expander.nodes.none)
      return [{ pointer: '#', message: 'the schema is false: nothing satisfies it' }]
    const shape = expander.shape(node)
    if (isEmptyShape(shape)) {
      const core = contradiction(expander, node)
      return core.length > 0 ? core : [{ pointer: node.pointer, message: 'nothing satisfies this schema' }]
    }
    const next = emptyChild(expander, shape)
    if (next === null) {
      // No required part is to blame: counts are, or the value would be without end.
      const core = contradiction(expander, node)
      if (core.length > 0) return core
      break
    }
    if (next.node === expander.nodes.none || next.node === node) {
      return [{ pointer: node.pointer, message: `requires ${next.what}, and nothing satisfies it` }]
    }
    node = next.node
  }
  return [{ pointer: node.pointer, message: 'requires values inside each other without end' }]
}

/** A required part of the first record that nothing satisfies. */
function emptyChild(expander: Expander, shape: Shape): { node: Node; what: string } | null {
  const record: ObjectRecord | undefined = shape.objects[0]
  if (record !== undefined) {
    for (const name of record.required) {
      const node = propertyAt(record, name)
      if (!expander.isProductive(node)) return { node, what: `property ${JSON.stringify(name)}` }
    }
  }
  const array = shape.arrays[0]
  if (array === undefined) return null
  for (let index = 0; index < Math.min(array.min, array.prefix.length + 1); index++) {
    const node = array.prefix[index] ?? array.rest
    if (!expander.isProductive(node)) return { node, what: `item ${index}` }
  }
  return null
}

function contradiction(expander: Expander, node: Node): SchemaProblem[] {
  const parts: Part[] = []
  const seen = new Set<SchemaAtom>()
  collectNode(expander, node, parts, seen)
  const core = minimal(expander, parts)
  return core.map(({ pointer }) => ({ pointer, message: sentence(core) }))
}

/** `minimum 4 and maximum 3 leave no number`. */
function sentence(core: readonly Part[]): string {
  const types = core.filter(({ type }) => type !== undefined)
  const named = types.length === 1 && core.length > 1 ? core.filter(({ type }) => type === undefined) : core
  const texts = named.map(({ text }) => text)
  const last = texts.pop()
  const value = named.length < core.length ? types[0]?.type : 'value'
  return texts.length === 0
    ? `${last} leaves no ${value}`
    : `${texts.join(', ')} and ${last} leave no ${value}`
}

/** The keywords of a schema object and of what it refers to, each with its own shape. */
function collect(expander: Expander, atom: SchemaAtom, parts: Part[], seen: Set<SchemaAtom>): void {
  if (seen.has(atom) || parts.length > MAX_PARTS) return
  seen.add(atom)
  const done = new Set<string>()
  for (const [keyword, value] of atom.schema) {
    if (done.has(keyword) || kindOf(keyword, atom.resource) !== 'assertion') continue
    const group = TOGETHER.find((names) => names.includes(keyword)) ?? [keyword]
    for (const name of group) done.add(name)
    if (REFERENCES.includes(keyword) && typeof value === 'string') {
      collectNode(expander, expander.document.referenceNode(keyword, value, atom), parts, seen)
    } else if (keyword === 'allOf' && Array.isArray(value)) {
      value.forEach((item, index) => {
        const pointer = `${childPointer(atom.pointer, keyword)}/${index}`
        collectNode(expander, expander.document.nodeAt(item, pointer, atom.label, atom), parts, seen)
      })
    } else {
      const shape = expander.combine(atom, EXACT_MODE, new Set(group))
      const written = group.filter((name) => atom.schema.has(name))
      const text = written.map((name) => describe(name, atom.schema.get(name) as JsonValue)).join(' with ')
      const type = keyword === 'type' && typeof value === 'string' ? { type: value } : {}
      parts.push({ pointer: childPointer(atom.pointer, keyword), text, shape, ...type })
    }
  }
}

function collectNode(expander: Expander, node: Node, parts: Part[], seen: Set<SchemaAtom>): void {
  if (node === expander.nodes.none) {
    parts.push({ pointer: node.pointer, text: 'the schema false', shape: expander.shape(node) })
  }
  for (const atom of node.atoms) {
    const { pointer } = atom
    if (atom.kind === 'schema') collect(expander, atom, parts, seen)
    else if (atom.kind === 'value') {
      const shape = expander.valueShape([atom.value], pointer)
      parts.push({ pointer, text: `the value ${shorten(printJson(atom.value))}`, shape })
    } else {
      const shape = expander.opposite(atom.node, EXACT_MODE)
      parts.push({ pointer, text: `the complement of ${pointer}`, shape })
    }
  }
}

/** A smallest conjunction that is empty: no part of it can be left out. None where all parts together are not. */
function minimal(expander: Expander, parts: readonly Part[]): readonly Part[] {
  if (!isEmpty(expander, parts)) return []
  let core = parts
  if (parts.length <= MAX_PARTS) {
    for (const part of parts) {
      const fewer = core.filter((other) => other !== part)
      if (isEmpty(expander, fewer)) core = fewer
    }
  }
  // What names a type says least: last.
  return [...core].sort((a, b) => Number(a.type !== undefined) - Number(b.type !== undefined))
}

function isEmpty(expander: Expander, parts: readonly Part[]): boolean {
  let shape = expander.shapes.any
  for (const part of parts) shape = expander.shapes.meet(shape, part.shape)
  if (hasScalar(shape)) return false
  return [...shape.arrays, ...shape.objects].every(
    (record) => !expander.satisfiability.isRecordProductive(record, EXACT_MODE),
  )
}

function describe(keyword: string, value: JsonValue): string {
  if (value instanceof JsonNumber) return `${keyword} ${value.text}`
  if (value instanceof Map || (Array.isArray(value) && value.some((item) => item instanceof Map)))
    return keyword
  return `${keyword} ${shorten(printJson(value))}`
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}
