/**
 * Expansion: the shape of a node, memoised. The keywords of a schema object are a conjunction and nothing is dispatched
 * on: the own shape (`keywords.ts`) is met with those of `$ref`, `enum`, `allOf`, `anyOf`, …, and `oneOf`, `not` and `if`
 * take away.
 *
 * A reference that comes back to an object being expanded, with nothing consumed, ends: it adds no constraint to a
 * conjunction and no alternative to a union. Depth is limited, so the call stack is safe; all products are counted.
 */
import { LimitError, type PatternError, type SchemaProblem } from '../errors.ts'
import type { JsonValue } from '../json/value.ts'
import type { Regex, RegexBuilder } from '../regex/regex.ts'
import { ownShape } from './assertions.ts'
import { type Conditions, Evaluation, unevaluatedShape } from './evaluation.ts'
import { Shapes } from './intersect.ts'
import { Keywords, type Names } from './keywords.ts'
import { Limited, leftOutWith } from './limited.ts'
import {
  EXACT_MODE,
  LOOSE_MODE,
  type Mode,
  type Node,
  NodeTable,
  type NotAtom,
  type SchemaAtom,
} from './node.ts'
import { Budget, type ResolvedOptions } from './options.ts'
import { REFERENCES, SchemaDocument } from './references.ts'
import type { Refusal, Report } from './report.ts'
import { Satisfiability } from './satisfy.ts'
import {
  type ArrayRecord,
  type Blocked,
  blockShape,
  EMPTY_SHAPE,
  EXACT,
  hasScalar,
  joinBlocked,
  type ObjectRecord,
  type Shape,
  type Ties,
} from './shape.ts'
import { Strings } from './strings.ts'
import { Subtraction } from './subtract.ts'
import { implication, NO_TIES, namesOnly, tiesOf, uniteTies } from './ties.ts'
import { shapeOfValues } from './value-shape.ts'

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

export class Expander implements Conditions {
  readonly nodes: NodeTable
  readonly shapes: Shapes
  readonly budget: Budget
  readonly document: SchemaDocument
  readonly report: Report
  readonly formats: 'assert' | 'annotate'
  readonly patterns = new Map<string, Regex | PatternError>()
  readonly satisfiability: Satisfiability
  readonly limited: Limited
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
    this.document = new SchemaDocument(schema, options.references, this.nodes, report, this.budget)
    this.limited = new Limited(options.lenient, this.budget)
    this.satisfiability = new Satisfiability(
      (node, mode) => this.shape(node, mode),
      this.shapes,
      this.limited,
    )
  }

  /** What the node allows. */
  shape(node: Node, mode: Mode = EXACT_MODE): Shape {
    const memo = this.#nodeShapes[mode]
    const known = memo.get(node)
    if (known !== undefined) return known
    const shape = this.#expand(node, mode)
    // Inside a cycle the answer holds for this place only.
    if (this.#walks[mode].lowest === Number.POSITIVE_INFINITY) memo.set(node, shape)
    return shape
  }

  #expand(node: Node, mode: Mode): Shape {
    if (node === this.nodes.none) return EMPTY_SHAPE
    let shape = this.shapes.any
    if (node.complements.length > 0) return this.#within(shape, node, mode)
    for (const atom of node.atoms) {
      try {
        if (atom.kind === 'schema') shape = this.shapes.meet(shape, this.#atomShape(atom, mode))
        else if (atom.kind === 'value')
          shape = this.shapes.meet(shape, this.valueShape([atom.value], atom.pointer))
      } catch (error) {
        shape = blockShape(shape, this.limited.problem(error, atom.pointer))
      }
    }
    return shape
  }

  /** What the context and the node allow. */
  #within(context: Shape, node: Node, mode: Mode): Shape {
    const shape = this.shapes.meet(context, this.shape(this.nodes.positive(node), mode))
    return this.#without(shape, node.complements, mode)
  }

  /** What none of the complements take away. They come last: it is told apart best from what is left then. */
  #without(context: Shape, complements: readonly NotAtom[], mode: Mode): Shape {
    let shape = context
    for (const { node, pointer } of complements) {
      try {
        shape = this.#outside(shape, node, mode, {
          pointer,
          keyword: 'not',
          message: 'what does not satisfy this schema cannot be enforced yet',
          help: 'say what is allowed instead, or compile with lenient: true',
        })
      } catch (error) {
        shape = blockShape(shape, this.limited.problem(error, pointer, 'not'))
      }
    }
    return shape
  }

  /** What the context allows and the node does not. */
  #outside(context: Shape, node: Node, mode: Mode, problem: Refusal): Shape {
    const opposite = this.nodes.complement(node)
    return opposite.complements.length === 0
      ? this.#within(context, opposite, mode)
      : this.#subtraction(mode, problem).shape(context, this.shape(node, mode))
  }

  /** What does not satisfy the node. */
  opposite(node: Node, mode: Mode): Shape {
    return this.shape(this.nodes.complement(node), mode)
  }

  isProductive(node: Node): boolean {
    return this.satisfiability.isProductive(node, EXACT_MODE)
  }

  namesOf(node: Node, mode: Mode): Names {
    const { strings } = this.shapes
    const records = this.shape(node, mode).strings
    let list: Set<string> | null = new Set()
    for (const { values } of records) {
      if (values === null) list = null
      else for (const value of values) list?.add(value)
    }
    return {
      has: (name) => records.some((record) => strings.accepts(record, name)),
      list,
      language: () => strings.regexes.orAll(records.map((record) => strings.languageOf(record))),
      blocked: records.reduce<Blocked>((all, { blocked }) => joinBlocked(all, blocked), EXACT),
    }
  }

  /** Exactly these values. */
  valueShape(values: readonly JsonValue[], pointer: string): Shape {
    return shapeOfValues(values, pointer, this.shapes, this.document)
  }

  /** What the keywords of one schema object allow; with `only`, as if it had no others. */
  combine(atom: SchemaAtom, mode: Mode, only: ReadonlySet<string> | null): Shape {
    const keywords = new Keywords(atom, this, mode, only)
    const walk = this.#walks[mode]
    const { unions } = walk
    try {
      return this.#combine(keywords)
    } catch (error) {
      const { at } = keywords
      const pointer = at === '' ? atom.pointer : keywords.pointerTo(at)
      const problem = this.limited.problem(error, pointer, at)
      walk.unions = unions
      const out = at === '' ? [] : leftOutWith(at)
      const left = [...(only ?? atom.schema.keys())].filter((keyword) => !out.includes(keyword))
      const shape = at === '' ? this.shapes.any : this.combine(atom, mode, new Set(left))
      return blockShape(shape, problem)
    }
  }

  #combine(keywords: Keywords): Shape {
    const { shapes } = this
    const { atom, mode } = keywords
    const own = ownShape(keywords)
    let shape = shapes.any
    const complements: NotAtom[] = []
    const apply = (node: Node): void => {
      shape = this.#prune(shapes.meet(shape, this.shape(this.nodes.positive(node), mode)), mode)
      complements.push(...node.complements)
    }
    // The order of properties is that of their first appearance, so what stands before `properties` comes first.
    if (!atom.schema.has('properties')) shape = own
    for (const keyword of atom.schema.keys()) {
      if (keyword === 'properties') shape = shapes.meet(shape, own)
      else if (keyword === 'allOf') {
        for (const node of keywords.nodes('allOf') ?? []) apply(node)
      } else if (REFERENCES.includes(keyword)) {
        const reference = keywords.string(keyword)
        if (reference !== undefined) apply(this.document.referenceNode(keyword, reference, atom))
      }
    }
    for (const keyword of ['const', 'enum'] as const) {
      const values = keywords.values(keyword)
      if (values !== undefined)
        shape = shapes.meet(shape, this.valueShape(values, keywords.pointerTo(keyword)))
    }
    const walk = this.#walks[mode]
    walk.unions++
    const anyOf = keywords.nodes('anyOf')
    if (anyOf !== undefined) shape = this.#prune(this.#anyOf(shape, anyOf, mode), mode)
    shape = this.#dependent(keywords, shape, mode)
    shape = this.#oneOf(keywords, shape, mode)
    shape = this.#conditional(keywords, shape, mode)
    const not = keywords.get('not')
    if (not !== undefined)
      shape = this.#outside(shape, keywords.node(not, 'not'), mode, keywords.unsupported('not'))
    shape = this.#unevaluated(keywords, this.#without(shape, complements, mode), mode)
    walk.unions--
    return shape
  }

  #anyOf(context: Shape, branches: readonly Node[], mode: Mode): Shape {
    const { shapes } = this
    // The union first, then one product; but complements need to know from what they take away.
    return branches.every(({ complements }) => complements.length === 0)
      ? shapes.meet(context, shapes.unite(branches.map((node) => this.shape(node, mode))))
      : shapes.unite(branches.map((node) => this.#within(context, node, mode)))
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
      const hint = 'apply fewer schemas to one value: a chain of $ref or allOf can be written as one schema'
      throw new LimitError('schemas applied to one value inside each other', MAX_DEPTH, index + 1, hint)
    }
    const outer = walk.lowest
    walk.lowest = Number.POSITIVE_INFINITY
    walk.open.set(atom, { index, unions: walk.unions })
    let shape: Shape
    try {
      shape = this.combine(atom, mode, null)
    } catch (error) {
      walk.open.delete(atom)
      walk.lowest = Math.min(walk.lowest, outer)
      throw error
    }
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
    if (mode === LOOSE_MODE && branches.length > 1)
      return blockShape(this.#anyOf(context, branches, mode), LOOSE_PROBLEM)
    const problem = keywords.problem(
      'oneOf',
      'branches of oneOf overlap in a way that cannot be enforced yet',
      'make them disjoint',
    )
    const alone = branches.map((branch, index) => {
      let rest = this.#within(context, branch, mode)
      branches.forEach((other, at) => {
        if (at !== index) rest = this.#prune(this.#outside(rest, other, mode, problem), mode)
      })
      return rest
    })
    return this.shapes.unite(alone)
  }

  /** `if` and then, or not `if` and else. */
  #conditional(keywords: Keywords, context: Shape, mode: Mode): Shape {
    const { shapes } = this
    const condition = keywords.get('if')
    const [positive, negative] = [keywords.get('then'), keywords.get('else')]
    if (condition === undefined || (positive === undefined && negative === undefined)) return context
    const node = keywords.node(condition, 'if')
    if (positive !== undefined && negative === undefined) {
      const tied = this.#conditionalTies(node, keywords.node(positive, 'then'), mode)
      if (tied !== null) return shapes.meet(context, tied)
    }
    const branch = (shape: Shape, value: JsonValue | undefined, keyword: string): Shape =>
      value === undefined ? shape : this.#within(shape, keywords.node(value, keyword), mode)
    return shapes.unite([
      branch(this.#within(context, node, mode), positive, 'then'),
      this.#outside(branch(context, negative, 'else'), node, mode, keywords.unsupported('if')),
    ])
  }

  /** A conditional that says no more than that a name brings or excludes others; `null` elsewhere. */
  #conditionalTies(condition: Node, positive: Node, mode: Mode): Shape | null {
    const { shapes } = this
    const held = this.shape(condition, mode)
    const isAnything = shapes.isAnyBesideObjects(held)
    if (!isAnything && (hasScalar(held) || held.arrays.length > 0)) return null
    const names = namesOnly(held.objects, shapes)
    const [name] = names?.required ?? []
    if (names === null || name === undefined || names.required.size > 1 || names.impossible.length > 0)
      return null
    const consequence = this.shape(positive, mode)
    const tied = namesOnly(consequence.objects, shapes)
    if (tied === null) return null
    return this.#tied(
      isAnything ? { ...consequence, objects: shapes.any.objects } : shapes.any,
      tiesOf(name, tied),
    )
  }

  /** What no other keyword evaluates satisfies `unevaluatedProperties` and `unevaluatedItems`. */
  #unevaluated(keywords: Keywords, context: Shape, mode: Mode): Shape {
    const { shapes, nodes } = this
    const [values, items] = ['unevaluatedProperties', 'unevaluatedItems'].map((keyword) => {
      const written = keywords.get(keyword)
      return written === undefined ? nodes.any : keywords.node(written, keyword)
    }) as [Node, Node]
    if (values === nodes.any && items === nodes.any) return context
    const left = new Evaluation(this, mode).cases(keywords).map(({ condition, evaluated }) => {
      const shape = condition === null ? context : shapes.meet(context, condition)
      return shapes.meet(shape, unevaluatedShape(shapes, evaluated, values, items))
    })
    return this.#prune(shapes.unite(left), mode)
  }

  /** A property that brings others, or a schema, with it. */
  #dependent(keywords: Keywords, context: Shape, mode: Mode): Shape {
    const { shapes, nodes } = this
    let shape = context
    let ties = NO_TIES
    const apply = (name: string, consequence: Shape): void => {
      const absent = { ...shapes.anyObject, properties: new Map([[name, nodes.none]]) }
      const present = { ...shapes.anyObject, required: new Set([name]) }
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
          ties = uniteTies(ties, implication(name, names))
        } else if (keyword === 'dependentRequired') {
          keywords.invalid(keyword, 'must hold arrays of names')
        } else {
          const node = keywords.node(value, keyword, name)
          if (node === nodes.any) continue
          const consequence = this.shape(node, mode)
          const names = namesOnly(consequence.objects, shapes)
          if (names === null) apply(name, consequence)
          else ties = uniteTies(ties, tiesOf(name, names))
        }
      }
    }
    return this.#tied(shape, ties)
  }

  /** The shape, with ties between the names of its objects. */
  #tied(shape: Shape, ties: Ties): Shape {
    if (ties === NO_TIES) return shape
    const { shapes } = this
    return shapes.meet(shape, { ...shapes.any, objects: [{ ...shapes.anyObject, ties }] })
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
    return new Subtraction(this.shapes, isEmpty, problem, (narrowing) =>
      this.report.generalNarrowing(narrowing),
    )
  }
}
