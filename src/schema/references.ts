/**
 * The schema document: its resources (`$id`), anchors and places, and what a `$ref` names.
 *
 * One pass finds every embedded resource and anchor. Places become atoms on demand, one for each schema object, so that
 * a definition referred to twice is the same atom. A schema object that is nothing but a reference stands for its target.
 */
import { jsonKey } from '../json/print.ts'
import { type JsonArray, JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts'
import { type Dialect, dialectOf, keywordKind, referenceStandsAlone } from './dialect.ts'
import type { Node, NodeTable, SchemaAtom, ValueAtom } from './node.ts'
import type { Budget } from './options.ts'
import type { Report } from './report.ts'
import type { Place, Resource } from './resource.ts'
import { resolveUri } from './uri.ts'

/** Keywords whose values are data, not schemas. */
const DATA = new Set(['enum', 'const', 'default', 'examples', 'example'])

export class SchemaDocument {
  readonly root: Resource
  readonly #nodes: NodeTable
  readonly #report: Report
  readonly #atoms = new Map<JsonObject, SchemaAtom>()
  /** Resources by the object that opens them, and by URI. */
  readonly #embedded = new Map<JsonValue, Resource>()
  readonly #byUri = new Map<string, Resource>()
  readonly #visited = new Set<JsonObject>()

  readonly #budget: Budget
  readonly #values = new Map<string, ValueAtom>()
  readonly #containers = new Map<JsonObject | JsonArray, ValueAtom>()
  /** Atoms of schemas that are a type and nothing else, which stand everywhere. */
  readonly #types = new Map<string, SchemaAtom>()

  constructor(root: JsonValue, nodes: NodeTable, report: Report, budget: Budget) {
    this.#budget = budget
    this.#nodes = nodes
    this.#report = report
    const dialect = this.#declared(root, '#') ?? 0
    const id = root instanceof Map ? identifierOf(root, dialect) : null
    this.root = {
      uri: id === null ? '' : withoutFragment(id),
      root,
      pointer: '#',
      dialect,
      anchors: new Map(),
    }
    this.#byUri.set(this.root.uri, this.root)
    this.#embedded.set(root, this.root)
    this.#scan()
  }

  /** The node of the whole document. */
  rootNode(): Node {
    return this.nodeAt(this.root.root, '#', this.root, 'root')
  }

  /** The node of a subschema that stands at the place. */
  nodeAt(value: JsonValue, pointer: string, resource: Resource, label: string): Node {
    const nodes = this.#nodes
    let place: Place = { value, pointer, label, resource: this.#embedded.get(value) ?? resource }
    const passed = new Set<JsonValue>()
    for (;;) {
      const schema = place.value
      if (schema === true) return nodes.any
      if (schema === false) return nodes.none
      if (!(schema instanceof Map)) {
        this.#report.invalid(
          place.pointer,
          undefined,
          `a schema is an object or a boolean, not ${describe(schema)}`,
        )
        return nodes.any
      }
      const { dialect } = place.resource
      const reference = schema.get('$ref')
      const alone = typeof reference === 'string' && referenceStandsAlone(dialect)
      this.#visit(schema, place, alone)
      let asserts = false
      let others = false
      for (const keyword of schema.keys()) {
        if (keywordKind(keyword, dialect) !== 'assertion') continue
        asserts = true
        if (keyword !== '$ref') others = true
      }
      if (!asserts) return nodes.any
      if (typeof reference !== 'string' || (others && !alone)) {
        const value = soleValue(schema, dialect)
        if (value !== undefined) return this.valueNode(value, place.pointer)
        return nodes.of(this.#atom(schema, place))
      }
      // Nothing but a reference. One that leads back to itself says nothing.
      if (passed.has(schema)) return nodes.any
      passed.add(schema)
      const target = this.#target(reference, place)
      if (target === null) return nodes.any
      place = target
    }
  }

  /** The node that a `$ref` beside other keywords names. */
  referenceNode(reference: string, atom: SchemaAtom): Node {
    const { schema: value, pointer, resource, label } = atom
    const target = this.#target(reference, { value, pointer, resource, label })
    return target === null
      ? this.#nodes.any
      : this.nodeAt(target.value, target.pointer, target.resource, target.label)
  }

  /** Exactly this value. Values are atoms by what they are, wherever they stand. */
  valueNode(root: JsonValue, pointer: string): Node {
    // Inner values first, so that a container's key is made of the ids of its items.
    const stack = [root]
    for (let value = stack.at(-1); value !== undefined; value = stack.at(-1)) {
      let ready = true
      const items = value instanceof Map ? value.values() : Array.isArray(value) ? value : []
      for (const item of items) {
        if (this.#knownValue(item) !== undefined) continue
        stack.push(item)
        ready = false
      }
      if (!ready) continue
      stack.pop()
      if (this.#knownValue(value) === undefined) this.#addValue(value, pointer)
    }
    return this.#nodes.of(this.#knownValue(root) as ValueAtom)
  }

  #knownValue(value: JsonValue): ValueAtom | undefined {
    return isContainer(value) ? this.#containers.get(value) : this.#values.get(jsonKey(value))
  }

  #addValue(value: JsonValue, pointer: string): void {
    let key: string
    if (value instanceof Map) {
      const entries = [...value].map(([name, item]) => `${jsonKey(name)}:${this.#knownValue(item)?.id}`)
      key = `{${entries.sort().join()}}`
    } else if (isContainer(value)) {
      key = `[${value.map((item) => this.#knownValue(item)?.id).join()}]`
    } else {
      key = jsonKey(value)
    }
    this.#budget.spend(1 + (key.length >>> 3))
    let atom = this.#values.get(key)
    if (atom === undefined) {
      atom = { kind: 'value', id: this.#nodes.nextAtom(), value, pointer, label: 'value' }
      this.#values.set(key, atom)
    }
    if (isContainer(value)) this.#containers.set(value, atom)
  }

  #atom(schema: JsonObject, { pointer, resource, label }: Place): SchemaAtom {
    let atom = this.#atoms.get(schema)
    if (atom === undefined) {
      const type = soleType(schema, resource.dialect)
      const key = `${type} ${resource.dialect}`
      if (type !== undefined) atom = this.#types.get(key)
      if (atom === undefined) {
        atom = {
          kind: 'schema',
          id: this.#nodes.nextAtom(),
          schema,
          pointer,
          label,
          resource,
        }
        if (type !== undefined) this.#types.set(key, atom)
      }
      this.#atoms.set(schema, atom)
    }
    return atom
  }

  /** Reports what the schema says and nothing enforces. */
  #visit(schema: JsonObject, { pointer, resource }: Place, alone: boolean): void {
    if (this.#visited.has(schema)) return
    this.#visited.add(schema)
    for (const keyword of schema.keys()) {
      const kind = keywordKind(keyword, resource.dialect)
      if (kind === 'annotation') this.#report.annotation(pointer, keyword, resource.dialect)
      else if (kind === 'assertion' && alone && keyword !== '$ref') {
        this.#report.ignored(pointer, keyword, 'stands beside $ref, which is alone in this dialect')
      }
    }
  }

  #target(reference: string, from: Place): Place | null {
    const hash = reference.indexOf('#')
    const uri = hash < 0 ? reference : reference.slice(0, hash)
    const fragment = hash < 0 ? '' : reference.slice(hash + 1)
    const fail = (reason: string): null => {
      this.#report.invalid(from.pointer, '$ref', `$ref ${JSON.stringify(reference)} ${reason}`)
      return null
    }
    let resource: Resource | undefined = from.resource
    if (uri !== '') {
      resource = this.#byUri.get(withoutFragment(resolveUri(uri, from.resource.uri)))
      if (resource === undefined) {
        return fail(
          dialectOf(reference) === null
            ? 'names another document, which is not at hand; put it under $defs of the schema'
            : 'names a meta-schema, and these are not built in',
        )
      }
    }
    let decoded: string
    try {
      decoded = decodeURIComponent(fragment)
    } catch {
      return fail('has a % that is no percent-encoding')
    }
    if (decoded === '') return { value: resource.root, pointer: resource.pointer, resource, label: 'root' }
    if (!decoded.startsWith('/')) {
      return (
        resource.anchors.get(decoded) ??
        fail(`names the anchor ${JSON.stringify(decoded)}, and there is none`)
      )
    }
    const found = this.#walk(decoded, resource)
    if (found !== null) return found
    if (resource !== this.root && uri === '') {
      // Tools that bundle schemas forget that an embedded `$id` moves the base.
      const outer = this.#walk(decoded, this.root)
      if (outer !== null) {
        this.#report.narrowing(
          from.pointer,
          `$ref ${JSON.stringify(reference)} is nowhere under the nearest $id and was taken from the root of the document`,
        )
        return outer
      }
    }
    return fail('leads nowhere in the document')
  }

  /** Follows a decoded JSON pointer. */
  #walk(path: string, from: Resource): Place | null {
    let place: Place = { value: from.root, pointer: from.pointer, resource: from, label: 'root' }
    for (const written of path.slice(1).split('/')) {
      const step = written.replaceAll('~1', '/').replaceAll('~0', '~')
      const { value } = place
      let next: JsonValue | undefined
      if (value instanceof Map) next = value.get(step)
      else if (Array.isArray(value) && /^(?:0|[1-9][0-9]*)$/.test(step)) next = value[Number(step)]
      if (next === undefined) return null
      place = {
        value: next,
        pointer: childPointer(place.pointer, step),
        label: step,
        resource: this.#embedded.get(next) ?? place.resource,
      }
    }
    return place
  }

  /** Finds resources and anchors. */
  #scan(): void {
    const stack: Place[] = [{ value: this.root.root, pointer: '#', resource: this.root, label: 'root' }]
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      const { value, pointer } = place
      let { resource } = place
      if (value instanceof Map) {
        resource = this.#open(value, pointer, resource)
        for (const name of ['$anchor', '$dynamicAnchor']) {
          const anchor = value.get(name)
          if (typeof anchor === 'string' && keywordKind(name, resource.dialect) === 'location') {
            resource.anchors.set(anchor, { value, pointer, resource, label: anchor })
          }
        }
        for (const [key, child] of value) {
          if (typeof child === 'object' && child !== null && !DATA.has(key)) {
            stack.push({ value: child, pointer: childPointer(pointer, key), resource, label: key })
          }
        }
      } else if (Array.isArray(value)) {
        value.forEach((child, index) => {
          if (typeof child === 'object' && child !== null && !(child instanceof JsonNumber)) {
            stack.push({ value: child, pointer: `${pointer}/${index}`, resource, label: '' })
          }
        })
      }
    }
  }

  /** The resource that an object opens, or the one it stands in. */
  #open(value: JsonObject, pointer: string, outer: Resource): Resource {
    const id = identifierOf(value, outer.dialect)
    if (id === null) return outer
    if (id.startsWith('#')) {
      // The spelling of an anchor before 2019-09.
      outer.anchors.set(id.slice(1), { value, pointer, resource: outer, label: id.slice(1) })
      return outer
    }
    if (value === outer.root) return outer
    const resource: Resource = {
      uri: withoutFragment(resolveUri(id, outer.uri)),
      root: value,
      pointer,
      dialect: this.#declared(value, pointer) ?? outer.dialect,
      anchors: new Map(),
    }
    this.#embedded.set(value, resource)
    if (!this.#byUri.has(resource.uri)) this.#byUri.set(resource.uri, resource)
    return resource
  }

  #declared(value: JsonValue, pointer: string): Dialect | null {
    const uri = value instanceof Map ? value.get('$schema') : undefined
    if (typeof uri !== 'string') return null
    const dialect = dialectOf(uri)
    if (dialect === null && /json-schema\.org\/draft-0[0-3]\//.test(uri)) {
      this.#report.invalid(
        pointer,
        '$schema',
        `${JSON.stringify(uri)} is older than draft 4; convert the schema`,
      )
    } else if (dialect === null) {
      this.#report.ignored(
        pointer,
        '$schema',
        `${JSON.stringify(uri)} is not known; read as a schema without $schema`,
      )
    }
    return dialect
  }
}

/** The value of a schema that allows one value and says nothing else, so that two of them are known to differ. */
function soleValue(schema: JsonObject, dialect: Dialect): JsonValue | undefined {
  let value: JsonValue | undefined
  let type: JsonValue | undefined
  for (const [keyword, written] of schema) {
    if (keywordKind(keyword, dialect) !== 'assertion') continue
    if (keyword === 'type') type = written
    else if (value !== undefined) return undefined
    else if (keyword === 'const') value = written
    else if (keyword === 'enum' && Array.isArray(written) && written.length === 1) value = written[0]
    else return undefined
  }
  return type === undefined || (type === 'string' && typeof value === 'string') ? value : undefined
}

/** The type of a schema that says nothing else. */
function soleType(schema: JsonObject, dialect: Dialect): string | undefined {
  const type = schema.get('type')
  if (typeof type !== 'string') return undefined
  for (const keyword of schema.keys()) {
    if (keyword !== 'type' && keywordKind(keyword, dialect) === 'assertion') return undefined
  }
  return type
}

function isContainer(value: JsonValue): value is JsonObject | JsonArray {
  return typeof value === 'object' && value !== null && !(value instanceof JsonNumber)
}

function identifierOf(schema: JsonObject, dialect: Dialect): string | null {
  const id = schema.get(dialect === 4 ? 'id' : '$id')
  if (typeof id !== 'string') return null
  return schema.has('$ref') && referenceStandsAlone(dialect) ? null : id
}

function withoutFragment(uri: string): string {
  const hash = uri.indexOf('#')
  return hash < 0 ? uri : uri.slice(0, hash)
}

/** The pointer of an entry, as a URI fragment. */
export function childPointer(pointer: string, step: string): string {
  if (/^[\w$-]*$/.test(step)) return `${pointer}/${step}`
  const escaped = step.replaceAll('~', '~0').replaceAll('/', '~1')
  // RFC 3986 fragment characters stay; lone surrogates have no encoding and become U+FFFD.
  const encoded = encodeURI(escaped.replace(/\p{Surrogate}/gu, '\ufffd')).replaceAll('#', '%23')
  return `${pointer}/${encoded}`
}

function describe(value: JsonValue): string {
  if (value === null) return 'null'
  if (value instanceof JsonNumber) return `the number ${value.text}`
  if (Array.isArray(value)) return 'an array'
  return `the ${typeof value} ${JSON.stringify(value)}`
}
