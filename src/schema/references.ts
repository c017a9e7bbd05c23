/**
 * The schema document: places become nodes.
 *
 * There is one atom for each schema object and dynamic scope, made on demand, so that a definition referred to twice is
 * the same atom. A schema object that is nothing but a reference stands for its target, one that is nothing but a `not`
 * for the complement of a node, and one that allows a single value for that value.
 */
import { JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts'
import { unwritable } from './constants.ts'
import { dialectName, referenceStandsAlone, TYPES } from './dialect.ts'
import type { Node, NodeTable, SchemaAtom } from './node.ts'
import type { Budget } from './options.ts'
import { childPointer } from './pointer.ts'
import type { Report } from './report.ts'
import { type DynamicScope, DynamicScopes, kindOf, type Place, type Resource } from './resource.ts'
import { Resources } from './resources.ts'
import { ValueTable } from './values.ts'

export const REFERENCES: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef']

/** Where a schema stands, and how one came there. */
interface Surroundings {
  readonly resource: Resource
  readonly scope: DynamicScope
}

export class SchemaDocument {
  readonly #nodes: NodeTable
  readonly #report: Report
  readonly #resources: Resources
  readonly #values: ValueTable
  readonly #scopes = new DynamicScopes()
  readonly #atoms = new Map<JsonObject, SchemaAtom[]>()
  readonly #visited = new Set<JsonObject>()
  /** Atoms of schemas that are a type and nothing else, which stand everywhere. */
  readonly #types = new Map<string, SchemaAtom>()

  constructor(
    root: JsonValue,
    references: ReadonlyMap<string, unknown>,
    nodes: NodeTable,
    report: Report,
    budget: Budget,
  ) {
    this.#nodes = nodes
    this.#report = report
    this.#resources = new Resources(root, references, report)
    this.#values = new ValueTable(nodes, budget)
  }

  /** The node of the whole document. */
  rootNode(): Node {
    const { root } = this.#resources
    const scope = this.#scopes.enter(this.#scopes.empty, root)
    return this.nodeAt(root.root, '#', 'root', { resource: root, scope })
  }

  /** The node of a subschema that stands at the place. */
  nodeAt(value: JsonValue, pointer: string, label: string, around: Surroundings): Node {
    const resource = this.#resources.embedded(value) ?? around.resource
    const scope = resource === around.resource ? around.scope : this.#scopes.enter(around.scope, resource)
    return this.#node({ value, pointer, label, resource }, scope)
  }

  /** The node that a reference beside other keywords names. */
  referenceNode(keyword: string, reference: string, atom: SchemaAtom): Node {
    const { schema: value, pointer, resource, label, scope } = atom
    const target = this.#target(keyword, reference, { value, pointer, resource, label }, scope)
    return target === null ? this.#nodes.any : this.#node(target.place, target.scope)
  }

  /** Exactly this value. */
  valueNode(value: JsonValue, pointer: string): Node {
    return this.#values.node(value, pointer)
  }

  #node(at: Place, within: DynamicScope): Node {
    const nodes = this.#nodes
    let place = at
    let scope = within
    let negated = false
    const result = (node: Node): Node => (negated ? nodes.complement(node) : node)
    const passed = new Set<string>()
    for (;;) {
      const schema = place.value
      if (schema === true) return result(nodes.any)
      if (schema === false) return result(nodes.none)
      if (!(schema instanceof Map)) {
        const message = `a schema is an object or a boolean, not ${describe(schema)}`
        this.#report.invalid(place.pointer, undefined, message)
        return nodes.any
      }
      const { resource } = place
      const alone = typeof schema.get('$ref') === 'string' && referenceStandsAlone(resource.dialect)
      this.#visit(schema, place, alone)
      const asserting = [...schema.keys()].filter((keyword) => kindOf(keyword, resource) === 'assertion')
      if (asserting.length === 0) return result(nodes.any)
      const only = alone ? '$ref' : asserting.length === 1 ? (asserting[0] as string) : ''
      const content = schema.get(only)
      if (only === 'not' && content !== undefined) {
        // A complement of a complement is seen so.
        negated = !negated
        const inner = this.#resources.embedded(content)
        if (inner !== undefined) scope = this.#scopes.enter(scope, inner)
        const pointer = childPointer(place.pointer, 'not')
        place = { value: content, pointer, label: place.label, resource: inner ?? resource }
        continue
      }
      if (!REFERENCES.includes(only) || typeof content !== 'string') {
        const value = soleValue(schema, resource)
        const node = value === undefined ? null : this.valueNode(value, place.pointer)
        return result(node ?? nodes.of(this.#atom(schema, place, scope)))
      }
      // Nothing but a reference. One that leads back to itself says nothing, which nobody means.
      const step = `${place.pointer} ${scope.id}`
      if (passed.has(step)) {
        const message = `refers to itself without end: ${only} leads back here and nothing else is said on the way`
        this.#report.invalid(childPointer(place.pointer, only), only, message)
        return nodes.any
      }
      passed.add(step)
      const target = this.#target(only, content, place, scope)
      if (target === null) return nodes.any
      place = target.place
      scope = target.scope
    }
  }

  #target(
    keyword: string,
    reference: string,
    from: Place,
    scope: DynamicScope,
  ): { readonly place: Place; readonly scope: DynamicScope } | null {
    let place = this.#resources.find(reference, from, keyword)
    if (place === null) return null
    if (keyword !== '$ref') {
      // Where the target is a dynamic anchor, the outermost resource that has one of this name decides.
      const anchor = keyword === '$recursiveRef' ? '' : reference.slice(reference.indexOf('#') + 1)
      if (place.resource.dynamicAnchors.get(anchor)?.value === place.value)
        place = scope.targets.get(anchor) ?? place
    }
    const { resource } = place
    return { place, scope: resource === from.resource ? scope : this.#scopes.enter(scope, resource) }
  }

  #atom(schema: JsonObject, { pointer, resource, label }: Place, scope: DynamicScope): SchemaAtom {
    let atoms = this.#atoms.get(schema)
    if (atoms === undefined) {
      atoms = []
      this.#atoms.set(schema, atoms)
    }
    let atom = atoms.find((candidate) => candidate.scope === scope)
    if (atom !== undefined) return atom
    const type = soleType(schema, resource)
    const key = `${type} ${resource.dialect}`
    if (type !== undefined) atom = this.#types.get(key)
    if (atom === undefined) {
      atom = { kind: 'schema', id: this.#nodes.nextAtom(), schema, pointer, label, resource, scope }
      if (type !== undefined) this.#types.set(key, atom)
    }
    atoms.push(atom)
    return atom
  }

  /** Reports what the schema says and nothing enforces. */
  #visit(schema: JsonObject, { pointer, resource }: Place, alone: boolean): void {
    if (this.#visited.has(schema)) return
    this.#visited.add(schema)
    for (const keyword of schema.keys()) {
      const kind = kindOf(keyword, resource)
      if (kind === 'annotation') this.#report.annotation(pointer, keyword, resource.dialect)
      else if (kind === 'assertion' && alone && keyword !== '$ref') {
        const message = `${keyword} stands beside $ref, which is alone in ${dialectName(resource.dialect)}, and constrains nothing`
        this.#report.ignored(childPointer(pointer, keyword), keyword, message)
      }
    }
  }
}

/** The value of a schema that allows one value and says nothing else, so that two of them are known to differ. */
function soleValue(schema: JsonObject, resource: Resource): JsonValue | undefined {
  let value: JsonValue | undefined
  let type: JsonValue | undefined
  for (const [keyword, written] of schema) {
    if (kindOf(keyword, resource) !== 'assertion') continue
    if (keyword === 'type') type = written
    else if (value !== undefined) return undefined
    else if (keyword === 'const') value = written
    else if (keyword === 'enum' && Array.isArray(written) && written.length === 1) value = written[0]
    else return undefined
  }
  if (value === undefined || unwritable(value, '') !== null) return undefined
  return type === undefined || (type === 'string' && typeof value === 'string') ? value : undefined
}

/** The type of a schema that says nothing else. */
function soleType(schema: JsonObject, resource: Resource): string | undefined {
  const type = schema.get('type')
  if (typeof type !== 'string' || !TYPES.has(type)) return undefined
  for (const keyword of schema.keys()) {
    if (keyword !== 'type' && kindOf(keyword, resource) === 'assertion') return undefined
  }
  return type
}

function describe(value: JsonValue): string {
  if (value === null) return 'null'
  if (value instanceof JsonNumber) return `the number ${value.text}`
  if (Array.isArray(value)) return 'an array'
  return `the ${typeof value} ${JSON.stringify(value)}`
}
