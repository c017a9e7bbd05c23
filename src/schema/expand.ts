/**
 * Expansion: the shape of a node, memoised. The keywords of a schema object are a conjunction and nothing is dispatched
 * on: the own shape (`keywords.ts`) is met with those of `$ref`, `enum`, `allOf`, `anyOf`, …, and `oneOf`, `not` and `if`
 * take away.
 *
 * A reference that comes back to an object being expanded, with nothing consumed, ends: it adds no constraint to a
 * conjunction and no alternative to a union. Depth is limited, so the call stack is safe; all products are counted.
 */
import { LimitError, type PatternError, type SchemaProblem } from '../errors.ts'
import { parseDecimal } from '../json/decimal.ts'
import { JsonNumber, type JsonValue } from '../json/value.ts'
import type { Regex, RegexBuilder } from '../regex/regex.ts'
import { ownShape } from './assertions.ts'
import { Shapes } from './intersect.ts'
import { type KeywordContext, Keywords } from './keywords.ts'
import { EXACT_MODE, LOOSE_MODE, type Mode, type Node, NodeTable, type SchemaAtom } from './node.ts'
import { point, uniteIntervals } from './numbers.ts'
import { Budget, type ResolvedOptions } from './options.ts'
import { childPointer, SchemaDocument } from './references.ts'
import type { Report } from './report.ts'
import { Satisfiability } from './satisfy.ts'
import {
  ANY_NUMBER,
  ANY_STRING,
  type ArrayRecord,
  blockShape,
  EMPTY_SHAPE,
  EXACT,
  type ObjectRecord,
  type Shape,
} from './shape.ts'
import { Strings } from './strings.ts'
import { Subtraction } from './subtract.ts'

/** Schema objects that apply to one value inside each other. */
const MAX_DEPTH = 400

/** Fewer records than this are not looked through for empty ones. */
const FEW_RECORDS = 4

/** What is being expanded, in one mode. */
class Walk {
  readonly open = new Map<SchemaAtom, { readonly index: number; readonly unions: number }>()
  /** Unions entered so far. */
  unions = 0
  /** Least index of an open atom that was met again. */
  lowest = Number.POSITIVE_INFINITY
}

/** Marks what the loose mode says too much. Never emitted. */
const LOOSE_PROBLEM: SchemaProblem = { pointer: '#', message: 'oneOf taken as anyOf' }

export class Expander implements KeywordContext {
  readonly nodes: NodeTable
  readonly shapes: Shapes
  readonly budget: Budget
  readonly document: SchemaDocument
  readonly report: Report
  readonly formats: 'assert' | 'annotate'
  readonly patterns = new Map<string, Regex | PatternError>()
  readonly satisfiability: Satisfiability
  readonly #nodeShapes: readonly [exact: Map<Node, Shape>, loose: Map<Node, Shape>] = [new Map(), new Map()]
  readonly #atomShapes: readonly [exact: Map<SchemaAtom, Shape>, loose: Map<SchemaAtom, Shape>] = [
    new Map(),
    new Map(),
  ]
  readonly #walks: readonly [exact: Walk, loose: Walk] = [new Walk(), new Walk()]

  constructor(schema: JsonValue, regexes: RegexBuilder, options: ResolvedOptions, report: Report) {
    this.budget = new Budget(options.limits.maxSteps)
    this.nodes = new NodeTable(options.propertyOrder === 'schema')
    this.shapes = new Shapes(this.nodes, new Strings(regexes, this.budget, options.limits), this.budget)
    this.report = report
    this.formats = options.formats
    this.document = new SchemaDocument(schema, this.nodes, report, this.budget)
    this.satisfiability = new Satisfiability((node, mode) => this.shape(node, mode), this.budget)
  }

  /** What the node allows. */
  shape(node: Node, mode: Mode = EXACT_MODE): Shape {
    const memo = this.#nodeShapes[mode]
    const known = memo.get(node)
    if (known !== undefined) return known
    const walk = this.#walks[mode]
    let shape = node === this.nodes.none ? EMPTY_SHAPE : this.shapes.any
    // Complements last: what they take away is told apart best from what is left.
    for (const atom of node.atoms) {
      if (atom.kind === 'schema') shape = this.shapes.meet(shape, this.#atomShape(atom, mode))
      else if (atom.kind === 'value')
        shape = this.shapes.meet(shape, this.valueShape([atom.value], atom.pointer))
    }
    for (const atom of node.atoms) {
      if (atom.kind !== 'not') continue
      const problem = {
        pointer: atom.pointer,
        message: 'its complement cannot be enforced yet',
        keyword: 'not',
      }
      shape = this.#subtraction(mode, problem).shape(shape, this.shape(atom.node, mode))
    }
    // Inside a cycle the answer holds for this place only.
    if (walk.lowest === Number.POSITIVE_INFINITY) memo.set(node, shape)
    return shape
  }

  isProductive(node: Node): boolean {
    return this.satisfiability.isProductive(node, EXACT_MODE)
  }

  namesOf(node: Node, mode: Mode): ReadonlySet<string> | null {
    const names = new Set<string>()
    for (const { values, blocked } of this.shape(node, mode).strings) {
      if (values === null || blocked.length > 0) return null
      for (const value of values) names.add(value)
    }
    return names
  }

  allowsName(node: Node, name: string, mode: Mode): boolean | null {
    let perhaps = false
    for (const record of this.shape(node, mode).strings) {
      if (!this.shapes.strings.accepts(record, name)) continue
      if (record.blocked.length === 0) return true
      perhaps = true
    }
    return perhaps ? null : false
  }

  /** Exactly these values. */
  valueShape(values: readonly JsonValue[], pointer: string): Shape {
    this.budget.spend(values.length)
    const strings = new Set<string>()
    const numbers = []
    const arrays: ArrayRecord[] = []
    const objects: ObjectRecord[] = []
    let { nulls, trues, falses } = EMPTY_SHAPE
    for (const value of values) {
      if (value === null) nulls = EXACT
      else if (value === true) trues = EXACT
      else if (value === false) falses = EXACT
      else if (typeof value === 'string') strings.add(value)
      else if (value instanceof JsonNumber) numbers.push(point(parseDecimal(value.text)))
      else if (value instanceof Map) objects.push(this.#objectOf(value, pointer))
      else arrays.push(this.#arrayOf(value, pointer))
    }
    return {
      nulls,
      trues,
      falses,
      numbers: numbers.length === 0 ? [] : [{ ...ANY_NUMBER, intervals: uniteIntervals(numbers) }],
      strings: strings.size === 0 ? [] : [{ ...ANY_STRING, values: strings }],
      arrays,
      objects,
    }
  }

  /** What the keywords of one schema object allow; with `only`, as if it had no others. */
  combine(atom: SchemaAtom, mode: Mode, only: ReadonlySet<string> | null): Shape {
    const { shapes } = this
    const keywords = new Keywords(atom, this, mode, only)
    const own = ownShape(keywords)
    let shape = shapes.any
    // The order of properties is that of their first appearance, so what stands before `properties` comes first.
    if (!atom.schema.has('properties')) shape = own
    for (const keyword of atom.schema.keys()) {
      if (keyword === 'properties') shape = shapes.meet(shape, own)
      else if (keyword === 'allOf') {
        for (const node of keywords.nodes('allOf') ?? [])
          shape = this.#prune(shapes.meet(shape, this.shape(node, mode)), mode)
      } else if (keyword === '$ref') {
        const reference = keywords.string('$ref')
        if (reference === undefined) continue
        shape = shapes.meet(shape, this.shape(this.document.referenceNode(reference, atom), mode))
      }
    }
    if (keywords.get('const') !== undefined) {
      const value = keywords.get('const') as JsonValue
      shape = shapes.meet(shape, this.valueShape([value], keywords.pointerTo('const')))
    }
    const values = keywords.array('enum')
    if (values !== undefined) shape = shapes.meet(shape, this.valueShape(values, keywords.pointerTo('enum')))
    for (const keyword of ['$dynamicRef', '$recursiveRef']) {
      if (keywords.get(keyword) !== undefined) shape = blockShape(shape, keywords.unsupported(keyword))
    }
    const walk = this.#walks[mode]
    walk.unions++
    const anyOf = keywords.nodes('anyOf')
    if (anyOf !== undefined) {
      const united = shapes.unite(anyOf.map((node) => this.shape(node, mode)))
      shape = this.#prune(shapes.meet(shape, united), mode)
    }
    shape = this.#dependent(keywords, shape, mode)
    shape = this.#oneOf(keywords, shape, mode)
    shape = this.#conditional(keywords, shape, mode)
    const not = keywords.get('not')
    if (not !== undefined) {
      const node = keywords.node(not, 'not')
      shape = this.#subtraction(mode, keywords.unsupported('not')).shape(shape, this.shape(node, mode))
    }
    walk.unions--
    return shape
  }

  #atomShape(atom: SchemaAtom, mode: Mode): Shape {
    const memo = this.#atomShapes[mode]
    const known = memo.get(atom)
    if (known !== undefined) return known
    const walk = this.#walks[mode]
    const again = walk.open.get(atom)
    if (again !== undefined) {
      walk.lowest = Math.min(walk.lowest, again.index)
      return walk.unions > again.unions ? EMPTY_SHAPE : this.shapes.any
    }
    const index = walk.open.size
    if (index >= MAX_DEPTH) {
      throw new LimitError('schemas applied to one value inside each other', MAX_DEPTH, index + 1)
    }
    const outer = walk.lowest
    walk.lowest = Number.POSITIVE_INFINITY
    walk.open.set(atom, { index, unions: walk.unions })
    const shape = this.combine(atom, mode, null)
    walk.open.delete(atom)
    if (walk.lowest >= index) {
      memo.set(atom, shape)
      walk.lowest = outer
    } else {
      walk.lowest = Math.min(walk.lowest, outer)
    }
    return shape
  }

  /** Each branch without the others. */
  #oneOf(keywords: Keywords, context: Shape, mode: Mode): Shape {
    const branches = keywords.nodes('oneOf')
    if (branches === undefined) return context
    const shapes = branches.map((node) => this.shape(node, mode))
    if (mode === LOOSE_MODE && branches.length > 1) {
      return blockShape(this.shapes.meet(context, this.shapes.unite(shapes)), LOOSE_PROBLEM)
    }
    const subtraction = this.#subtraction(
      mode,
      keywords.problem(
        'oneOf',
        'branches of oneOf overlap in a way that cannot be enforced yet; make them disjoint',
      ),
    )
    const alone = shapes.map((shape, index) => {
      let rest = this.shapes.meet(context, shape)
      shapes.forEach((other, at) => {
        if (at !== index) rest = this.#prune(subtraction.shape(rest, other), mode)
      })
      return rest
    })
    return this.shapes.unite(alone)
  }

  /** `if` and then, or not `if` and else. */
  #conditional(keywords: Keywords, context: Shape, mode: Mode): Shape {
    const condition = keywords.get('if')
    const [positive, negative] = [keywords.get('then'), keywords.get('else')]
    if (condition === undefined || (positive === undefined && negative === undefined)) return context
    const { shapes } = this
    const shape = this.shape(keywords.node(condition, 'if'), mode)
    const branch = (value: JsonValue | undefined, keyword: string): Shape =>
      value === undefined ? shapes.any : this.shape(keywords.node(value, keyword), mode)
    const subtraction = this.#subtraction(mode, keywords.unsupported('if'))
    return shapes.unite([
      shapes.meet(shapes.meet(context, shape), branch(positive, 'then')),
      subtraction.shape(shapes.meet(context, branch(negative, 'else')), shape),
    ])
  }

  /** A property that brings others, or a schema, with it. */
  #dependent(keywords: Keywords, context: Shape, mode: Mode): Shape {
    const { shapes, nodes } = this
    let shape = context
    const apply = (name: string, required: readonly string[], consequence: Shape): void => {
      const absent = { ...shapes.anyObject, properties: new Map([[name, nodes.none]]) }
      const present = { ...shapes.anyObject, required: new Set([name, ...required]) }
      shape = shapes.unite([
        shapes.meet(shape, { ...shapes.any, objects: [absent] }),
        shapes.meet(shapes.meet(shape, { ...EMPTY_SHAPE, objects: [present] }), consequence),
      ])
      shape = this.#prune(shape, mode)
    }
    for (const keyword of ['dependentRequired', 'dependencies', 'dependentSchemas']) {
      for (const [name, value] of keywords.object(keyword) ?? []) {
        if (keyword !== 'dependentSchemas' && Array.isArray(value)) {
          const names = value.filter((item) => typeof item === 'string')
          if (names.length < value.length) keywords.invalid(keyword, 'must list names')
          apply(name, names, shapes.any)
        } else if (keyword === 'dependentRequired') {
          keywords.invalid(keyword, 'must hold arrays of names')
        } else {
          const node = keywords.node(value, keyword, name)
          if (node !== nodes.any) apply(name, [], this.shape(node, mode))
        }
      }
    }
    return shape
  }

  /** Drops records that are empty, where there are many: unions multiply. */
  #prune(shape: Shape, mode: Mode): Shape {
    if (mode === LOOSE_MODE || shape.objects.length + shape.arrays.length < FEW_RECORDS) return shape
    const isProductive = (record: ArrayRecord | ObjectRecord): boolean =>
      this.satisfiability.isRecordProductive(record, LOOSE_MODE)
    return {
      ...shape,
      arrays: shape.arrays.filter(isProductive),
      objects: shape.objects.filter(isProductive),
    }
  }

  #subtraction(mode: Mode, problem: SchemaProblem): Subtraction {
    // The loose mode decides nothing: that is what keeps decisions made in the exact one free of cycles.
    const isEmpty =
      mode === LOOSE_MODE
        ? (node: Node) => node === this.nodes.none
        : (node: Node) => !this.satisfiability.isProductive(node, LOOSE_MODE)
    return new Subtraction(this.shapes, isEmpty, problem)
  }

  #arrayOf(value: readonly JsonValue[], pointer: string): ArrayRecord {
    const prefix = value.map((item, index) => this.document.valueNode(item, `${pointer}/${index}`))
    return { ...this.shapes.anyArray, prefix, rest: this.nodes.none, min: value.length, max: value.length }
  }

  #objectOf(value: ReadonlyMap<string, JsonValue>, pointer: string): ObjectRecord {
    const properties = new Map<string, Node>()
    for (const [name, item] of value)
      properties.set(name, this.document.valueNode(item, childPointer(pointer, name)))
    return {
      ...this.shapes.anyObject,
      properties,
      additional: this.nodes.none,
      required: new Set(value.keys()),
    }
  }
}
