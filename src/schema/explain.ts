/**
 * Why nothing satisfies a schema: for each part to blame the fewest keywords that exclude each other, found by leaving
 * out one after the other. Runs only when a compile fails, so it may be slow; the parts it looks into and the keywords it
 * tries are limited.
 */

import { LimitError, type SchemaProblem } from '../errors.ts'
import { printJson } from '../json/print.ts'
import { JsonNumber, type JsonValue } from '../json/value.ts'
import type { Expander } from './expand.ts'
import { EXACT_MODE, type Node, type SchemaAtom } from './node.ts'
import { childPointer } from './pointer.ts'
import { REFERENCES } from './references.ts'
import { kindOf } from './resource.ts'
import { type ArrayRecord, hasScalar, type ObjectRecord, propertyAt, type Shape } from './shape.ts'

/** Keywords that a sentence names. */
const MAX_NAMED = 8
/** Keywords tried; in longer conjunctions all are named. */
const MAX_PARTS = 48
/** Nodes without values that are looked into, and problems said. */
const MAX_NODES = 2_000
const MAX_PROBLEMS = 1_000
/** Alternatives of objects, and of arrays, that are looked into at one node. */
const MAX_RECORDS = 8

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
  /** The alternatives, if it is `anyOf` or `oneOf`. */
  readonly branches?: readonly Node[]
}

/** Why a schema is refused, and the nodes beside that have values: their own problems are worth knowing, too. */
export interface Explanation {
  /** Each the places of one contradiction. */
  readonly problems: readonly (readonly SchemaProblem[])[]
  readonly others: readonly Node[]
}

/** All places that contradict each other; those found so far, or the root alone, where more would exceed the limits. */
export function explainEmpty(expander: Expander, root: Node): Explanation {
  const search = new Search(expander)
  try {
    search.from(root)
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
  }
  const { problems, others } = search.found()
  return {
    problems:
      problems.length > 0 ? problems : [[{ pointer: root.pointer, message: 'nothing satisfies the schema' }]],
    others,
  }
}

/** Goes from a node without values to the required parts that are to blame, breadth first. */
class Search {
  readonly #expander: Expander
  readonly #problems: SchemaProblem[][] = []
  readonly #others = new Set<Node>()
  /** Nodes without values, in the order they are looked into. */
  readonly #empty = new Set<Node>()
  /** Said only where nothing else is to blame. */
  readonly #endless: SchemaProblem[][] = []

  constructor(expander: Expander) {
    this.#expander = expander
  }

  from(root: Node): void {
    this.#empty.add(root)
    // A set is iterated up to what is added on the way.
    let nodes = 0
    for (const node of this.#empty) {
      if (++nodes > MAX_NODES || this.#problems.length >= MAX_PROBLEMS) break
      this.#lookInto(node)
    }
  }

  found(): Explanation {
    const problems = this.#problems.length > 0 ? this.#problems : this.#endless
    return { problems, others: [...this.#others] }
  }

  #lookInto(node: Node): void {
    const expander = this.#expander
    if (node === expander.nodes.none) {
      this.#problems.push([{ pointer: '#', message: 'the schema is false: nothing satisfies it' }])
      return
    }
    const keywords = keywordsOf(expander, node)
    // Where every alternative fails by itself, each has its own reason.
    const failed = keywords.flatMap(({ branches = [] }) =>
      branches.some((branch) => expander.isProductive(branch))
        ? []
        : branches.filter((branch) => branch !== expander.nodes.none),
    )
    for (const branch of failed) this.#empty.add(branch)
    if (failed.length > 0) return
    const shape = expander.shape(node)
    const parts = [...shape.objects.slice(0, MAX_RECORDS), ...shape.arrays.slice(0, MAX_RECORDS)].map(
      (record) => ('required' in record ? partsOfObject(record) : partsOfArray(record)),
    )
    let blamed = false
    for (const part of parts.flat()) {
      if (expander.isProductive(part.node)) this.#others.add(part.node)
      else if (part.what !== null) {
        blamed = true
        this.#blame(node, part.node, part.what)
      }
    }
    if (blamed) return
    // No required part is to blame: keywords of this very value are, or counts.
    const core = minimal(expander, keywords)
    const message = core.length > 0 ? sentence(core) : 'nothing satisfies this schema'
    const pointers = core.length > 0 ? core.map(({ pointer }) => pointer) : [node.pointer]
    this.#problems.push(pointers.map((pointer) => ({ pointer, message })))
  }

  #blame(node: Node, child: Node, what: string): void {
    if (child === this.#expander.nodes.none) {
      this.#problems.push([{ pointer: node.pointer, message: `requires ${what}, and nothing satisfies it` }])
    } else if (this.#empty.has(child)) {
      const message = `requires ${what}, and so values inside each other without end`
      this.#endless.push([{ pointer: node.pointer, message }])
    } else this.#empty.add(child)
  }
}

/** The nodes of a record; `what` says which one it is where the record cannot do without it. */
interface NeededPart {
  readonly node: Node
  readonly what: string | null
}

function partsOfObject(record: ObjectRecord): NeededPart[] {
  const parts: NeededPart[] = []
  for (const name of new Set([...record.properties.keys(), ...record.required])) {
    const what = record.required.has(name) ? `property ${JSON.stringify(name)}` : null
    parts.push({ node: propertyAt(record, name), what })
  }
  for (const { value } of record.others.parts) parts.push({ node: value, what: null })
  return parts
}

function partsOfArray({ prefix, rest, min }: ArrayRecord): NeededPart[] {
  return [...prefix, rest].map((node, index) => ({ node, what: index < min ? `item ${index}` : null }))
}

/** The keywords that a node is a conjunction of. */
function keywordsOf(expander: Expander, node: Node): readonly Part[] {
  const parts: Part[] = []
  collectNode(expander, node, parts, new Set())
  return parts
}

/** `minimum 4 and maximum 3 leave no number`. */
function sentence(core: readonly Part[]): string {
  const types = core.filter(({ type }) => type !== undefined)
  const named = types.length === 1 && core.length > 1 ? core.filter(({ type }) => type === undefined) : core
  const texts = named.slice(0, MAX_NAMED).map(({ text }) => text)
  if (named.length > MAX_NAMED) texts.push(`${named.length - MAX_NAMED} more`)
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
        collectNode(expander, branchAt(expander, atom, keyword, item, index), parts, seen)
      })
    } else {
      const shape = expander.combine(atom, EXACT_MODE, new Set(group))
      const written = group.filter((name) => atom.schema.has(name))
      const text = written.map((name) => describe(name, atom.schema.get(name) as JsonValue)).join(' with ')
      const type = keyword === 'type' && typeof value === 'string' ? { type: value } : {}
      const branches =
        (keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value)
          ? { branches: value.map((item, index) => branchAt(expander, atom, keyword, item, index)) }
          : {}
      parts.push({ pointer: childPointer(atom.pointer, keyword), text, shape, ...type, ...branches })
    }
  }
}

/** The node of a schema in a list. */
function branchAt(
  expander: Expander,
  atom: SchemaAtom,
  keyword: string,
  value: JsonValue,
  index: number,
): Node {
  const pointer = `${childPointer(atom.pointer, keyword)}/${index}`
  return expander.document.nodeAt(value, pointer, atom.label, atom)
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
  let core: readonly Part[] = []
  try {
    if (!isEmpty(expander, parts)) return []
    core = parts
    if (parts.length <= MAX_PARTS) {
      for (const part of parts) {
        const fewer = core.filter((other) => other !== part)
        if (isEmpty(expander, fewer)) core = fewer
      }
    }
  } catch (error) {
    // What is known to contradict itself is worth naming, though it may not be the least.
    if (!(error instanceof LimitError)) throw error
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
