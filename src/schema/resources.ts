/**
 * Finds the resources and anchors of the documents at hand, and the places that references name. The schema's own
 * document is read at once, others, JSON Schema's own meta-schemas among them, when a reference asks for them; nothing is
 * ever fetched.
 *
 * Identifiers count where schemas stand. Only if a reference finds none of them is the rest looked through: tools keep
 * schemas under names of their own.
 */

import { JsonError } from '../errors.ts'
import { unescapeStep } from '../json/pointer.ts'
import { fromJs, readJson } from '../json/read.ts'
import { JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts'
import { type Dialect, dialectOf, referenceStandsAlone } from './dialect.ts'
import { metaSchema } from './metaschemas.ts'
import { childPointer } from './pointer.ts'
import type { Report } from './report.ts'
import { kindOf, type Place, type Resource, type Vocabularies } from './resource.ts'
import { NAMED_SCHEMAS, SCHEMAS } from './subschemas.ts'
import { resolveUri, withoutFragment } from './uri.ts'
import { ALL_VOCABULARIES, vocabulariesOf } from './vocabulary.ts'

/** Keywords whose values are data, not schemas. */
const DATA = new Set(['enum', 'const', 'default', 'examples', 'example'])

export class Resources {
  readonly root: Resource
  readonly #report: Report
  /** Documents not opened yet, as text or values. */
  readonly #documents: Map<string, unknown>
  readonly #opened: Resource[] = []
  /** Resources by the value that opens them, and by URI. */
  readonly #embedded = new Map<JsonValue, Resource>()
  readonly #byUri = new Map<string, Resource>()
  #scannedAll = false

  constructor(root: JsonValue, references: ReadonlyMap<string, unknown>, report: Report) {
    this.#report = report
    this.#documents = new Map()
    for (const [uri, document] of references) this.#documents.set(withoutFragment(uri), document)
    this.root = this.#open(root, '', '#')
  }

  /** The resource that a value opens. */
  embedded(value: JsonValue): Resource | undefined {
    return this.#embedded.get(value)
  }

  /** The place that a reference names; `null`, and said in the report, if there is none. */
  find(reference: string, from: Place, keyword: string): Place | null {
    const hash = reference.indexOf('#')
    const uri = hash < 0 ? reference : reference.slice(0, hash)
    const fragment = hash < 0 ? '' : reference.slice(hash + 1)
    const fail = (reason: string): null => {
      const message = `${keyword} ${JSON.stringify(reference)} ${reason}`
      this.#report.invalid(childPointer(from.pointer, keyword), keyword, message)
      return null
    }
    let resource: Resource | undefined = from.resource
    if (uri !== '') {
      try {
        resource = this.#lookUp(withoutFragment(resolveUri(uri, from.resource.uri)))
      } catch (error) {
        if (!(error instanceof JsonError)) throw error
        return fail(`names a document that is not JSON: ${error.message}`)
      }
      if (resource === undefined) {
        return fail('names another document, which is not at hand; hand it over in option references')
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
    if (resource.document !== null && uri === '') {
      // Tools that bundle schemas forget that an embedded `$id` moves the base.
      const outer = this.#walk(decoded, resource.document)
      if (outer !== null) {
        this.#report.narrowing(childPointer(from.pointer, keyword), {
          message: `${keyword} ${JSON.stringify(reference)} is nowhere under the nearest $id and was taken from the root of the document`,
        })
        return outer
      }
    }
    return fail('leads nowhere in the document')
  }

  #lookUp(uri: string): Resource | undefined {
    const known = this.#byUri.get(uri) ?? this.#openDocument(uri)
    if (known !== undefined) return known
    // A document may call itself otherwise than the caller does, or embed what is asked for.
    for (const other of [...this.#documents.keys()]) this.#openDocument(other)
    if (!this.#byUri.has(uri) && !this.#scannedAll) {
      this.#scannedAll = true
      for (const resource of this.#opened) this.#scan(resource, true)
    }
    return this.#byUri.get(uri)
  }

  #openDocument(uri: string): Resource | undefined {
    const document = this.#documents.get(uri) ?? metaSchema(uri)
    if (document === undefined) return undefined
    this.#documents.delete(uri)
    const value = typeof document === 'string' ? readJson(document) : fromJs(document)
    return this.#open(value, uri, `${uri}#`)
  }

  /** Reads a document. */
  #open(root: JsonValue, uri: string, pointer: string): Resource {
    const { dialect, vocabularies } = this.#declared(root, pointer) ?? {
      // Documents that declare none are of the schema's dialect.
      dialect: this.#opened[0]?.dialect ?? 0,
      vocabularies: ALL_VOCABULARIES,
    }
    const id = root instanceof Map ? identifierOf(root, dialect) : null
    const resource: Resource = {
      uri: id === null ? uri : withoutFragment(resolveUri(id, uri)),
      root,
      pointer,
      dialect,
      vocabularies,
      document: null,
      anchors: new Map(),
      dynamicAnchors: new Map(),
    }
    for (const name of [resource.uri, uri]) if (!this.#byUri.has(name)) this.#byUri.set(name, resource)
    this.#embedded.set(root, resource)
    this.#opened.push(resource)
    this.#scan(resource, dialect === 0)
    return resource
  }

  /** Finds embedded resources and anchors, where schemas stand or `everywhere`. */
  #scan(document: Resource, everywhere: boolean): void {
    const { root: value, pointer } = document
    const stack: Place[] = [{ value, pointer, resource: document, label: 'root' }]
    const add = (value: JsonValue, pointer: string, resource: Resource, label: string): void => {
      if (value instanceof Map) stack.push({ value, pointer, resource, label })
      else if (Array.isArray(value))
        value.forEach((item: JsonValue, index) => {
          if (typeof item === 'object' && item !== null && !(item instanceof JsonNumber))
            stack.push({ value: item, pointer: `${pointer}/${index}`, resource, label })
        })
    }
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      const { value, pointer } = place
      if (!(value instanceof Map)) {
        add(value, pointer, place.resource, '')
        continue
      }
      const resource = this.#enter(value, pointer, place.resource, place.label)
      for (const [key, child] of value) {
        const at = childPointer(pointer, key)
        if (NAMED_SCHEMAS.has(key) && child instanceof Map) {
          for (const [name, schema] of child) add(schema, childPointer(at, name), resource, name)
        } else if (SCHEMAS.has(key) || (everywhere && !DATA.has(key))) add(child, at, resource, key)
      }
    }
  }

  /** The resource inside an object: its own, or the one it stands in. Its anchors are noted. */
  #enter(value: JsonObject, pointer: string, outer: Resource, label: string): Resource {
    let resource = outer
    const id = identifierOf(value, outer.dialect)
    if (id?.startsWith('#')) {
      // The spelling of an anchor before 2019-09.
      outer.anchors.set(id.slice(1), { value, pointer, resource: outer, label: id.slice(1) })
    } else if (id !== null && value !== outer.root) {
      resource = this.#embedded.get(value) ?? this.#embed(value, id, pointer, outer)
    }
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const anchor = value.get(keyword)
      if (typeof anchor !== 'string' || kindOf(keyword, resource) !== 'location') continue
      const place = { value, pointer, resource, label: anchor }
      resource.anchors.set(anchor, place)
      if (keyword === '$dynamicAnchor') resource.dynamicAnchors.set(anchor, place)
    }
    if (
      value === resource.root &&
      value.get('$recursiveAnchor') === true &&
      kindOf('$recursiveAnchor', resource) === 'location'
    ) {
      resource.dynamicAnchors.set('', { value, pointer, resource, label })
    }
    return resource
  }

  #embed(value: JsonObject, id: string, pointer: string, outer: Resource): Resource {
    const { dialect, vocabularies } = this.#declared(value, pointer) ?? outer
    const resource: Resource = {
      uri: withoutFragment(resolveUri(id, outer.uri)),
      root: value,
      pointer,
      dialect,
      vocabularies,
      document: outer.document ?? outer,
      anchors: new Map(),
      dynamicAnchors: new Map(),
    }
    this.#embedded.set(value, resource)
    if (!this.#byUri.has(resource.uri)) this.#byUri.set(resource.uri, resource)
    return resource
  }

  /** Follows a decoded JSON pointer. */
  #walk(path: string, from: Resource): Place | null {
    let place: Place = { value: from.root, pointer: from.pointer, resource: from, label: 'root' }
    for (const written of path.slice(1).split('/')) {
      const step = unescapeStep(written)
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

  /** What `$schema` says: a dialect of JSON Schema, or a meta-schema at hand that is made of its vocabularies. */
  #declared(
    value: JsonValue,
    pointer: string,
  ): { readonly dialect: Dialect; readonly vocabularies: Vocabularies } | null {
    const uri = value instanceof Map ? value.get('$schema') : undefined
    if (typeof uri !== 'string') return null
    const place = childPointer(pointer, '$schema')
    const dialect = dialectOf(uri)
    if (dialect !== null) return { dialect, vocabularies: ALL_VOCABULARIES }
    if (/json-schema\.org\/draft-0[0-3]\//.test(uri)) {
      const message = `$schema ${JSON.stringify(uri)} is older than draft 4; convert the schema`
      this.#report.invalid(place, '$schema', message)
      return null
    }
    const name = withoutFragment(uri)
    const meta = this.#byUri.get(name) ?? this.#openDocument(name)
    if (meta?.root instanceof Map && meta.dialect !== 0) {
      const vocabularies = vocabulariesOf(meta.root, meta.dialect)
      for (const unknown of vocabularies.unknown) {
        const message = `$schema requires the vocabulary ${unknown}, which is not known`
        this.#report.invalid(place, '$schema', message)
      }
      return { dialect: meta.dialect, vocabularies }
    }
    const message = `$schema ${JSON.stringify(uri)} is not known; read as a schema without $schema`
    this.#report.ignored(place, '$schema', message)
    return null
  }
}

function identifierOf(schema: JsonObject, dialect: Dialect): string | null {
  const id = schema.get(dialect === 4 ? 'id' : '$id')
  if (typeof id !== 'string') return null
  return schema.has('$ref') && referenceStandsAlone(dialect) ? null : id
}
