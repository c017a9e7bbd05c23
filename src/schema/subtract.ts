/**
 * Difference of shapes: what one allows and another does not. `not`, `oneOf` and `if` are made of it.
 *
 * Record by record: a record minus another is the union of the ways to be in the first and break the second. The ways
 * are made disjoint (each keeps what was tried before it), so that taking away a union of n records stays linear in n
 * where they are told apart by a `const`. Most pairs have no value in common, and then nothing is left to do. What would
 * need an existential the records lack ("some further property breaks its schema") blocks the piece that stands for it.
 */
import type { SchemaProblem } from '../errors.ts'
import type { Regex } from '../regex/regex.ts'
import type { Shapes } from './intersect.ts'
import type { KeyMap } from './key-map.ts'
import { MAX_NAMES } from './keys.ts'
import type { Node } from './node.ts'
import { meetNumbers, subtractNumbers, uniteNumbers } from './numbers.ts'
import {
  type ArrayRecord,
  type Blocked,
  itemAt,
  joinBlocked,
  type NumberRecord,
  type ObjectRecord,
  propertyAt,
  type Shape,
  type StringRecord,
  type Ties,
} from './shape.ts'
import { exclusion, implication, namesOnly, uniteTies } from './ties.ts'

/** Optional properties that are told apart to count further ones. */
const MAX_OPTIONAL = 4
/** Positions of an array broken one by one. */
const MAX_POSITIONS = 64

/** Further keys with a value that may not be allowed on the other side: the nodes of both. */
interface Breakable {
  readonly keys: Regex
  readonly value: Node
  readonly other: Node
}

export class Subtraction {
  readonly #shapes: Shapes
  /** Whether a node is known to be empty. */
  readonly #isEmpty: (node: Node) => boolean
  readonly #problem: SchemaProblem
  readonly #narrow: (narrowing: 'fractions') => void

  /** `problem` refuses the pieces that cannot be expressed, `narrow` is told of those that are left out. */
  constructor(
    shapes: Shapes,
    isEmpty: (node: Node) => boolean,
    problem: SchemaProblem,
    narrow: (narrowing: 'fractions') => void,
  ) {
    this.#shapes = shapes
    this.#isEmpty = isEmpty
    this.#problem = problem
    this.#narrow = narrow
  }

  shape(a: Shape, b: Shape): Shape {
    const { strings } = this.#shapes
    if (areDisjoint(a, b)) return a
    return {
      nulls: this.#scalar(a.nulls, b.nulls),
      trues: this.#scalar(a.trues, b.trues),
      falses: this.#scalar(a.falses, b.falses),
      numbers: uniteNumbers(this.#all(a.numbers, b.numbers, (x, y) => this.#number(x, y))),
      strings: strings.unite(this.#all(a.strings, b.strings, (x, y) => this.#string(x, y))),
      arrays: this.#all(a.arrays, b.arrays, (x, y) => this.#array(x, y)),
      objects: this.#all(a.objects, b.objects, (x, y) => this.#object(x, y)),
    }
  }

  #scalar(a: Blocked | null, b: Blocked | null): Blocked | null {
    if (a === null || b === null) return a
    return b.length === 0 ? null : joinBlocked(a, [this.#problem])
  }

  #all<R>(as: readonly R[], bs: readonly R[], subtract: (a: R, b: R) => readonly R[]): readonly R[] {
    let rest = as
    for (const b of bs) {
      if (rest.length === 0) break
      this.#shapes.budget.spend(rest.length)
      rest = rest.flatMap((a) => subtract(a, b))
    }
    return rest
  }

  /** All of `a`, where it is not known which part of it `b` is. */
  #block<R extends { readonly blocked: Blocked }>(a: R): readonly R[] {
    return [{ ...a, blocked: joinBlocked(a.blocked, [this.#problem]) }]
  }

  #number(a: NumberRecord, b: NumberRecord): readonly NumberRecord[] {
    if (meetNumbers(a, b) === null) return [a]
    if (b.blocked.length > 0) return this.#block(a)
    // Said here, where it is done: nothing may be left of the record that could say it.
    if (b.digitsOnly && !a.digitsOnly) this.#narrow('fractions')
    return subtractNumbers(a, b) ?? this.#block(a)
  }

  #string(a: StringRecord, b: StringRecord): readonly StringRecord[] {
    const { strings } = this.#shapes
    if (strings.meet(a, b) === null) return [a]
    if (b.blocked.length > 0) return this.#block(a)
    return strings.subtract(a, b)
  }

  #array(a: ArrayRecord, b: ArrayRecord): readonly ArrayRecord[] {
    const shapes = this.#shapes
    const { nodes } = shapes
    const least = Math.max(a.min, b.min)
    if (least > Math.min(a.max, b.max)) return [a]
    const compared = Math.min(least, Math.max(a.prefix.length, b.prefix.length) + 1)
    for (let index = 0; index < compared; index++) {
      if (this.#isEmpty(nodes.meet(itemAt(a, index), itemAt(b, index)))) return [a]
    }
    if (b.blocked.length > 0) return this.#block(a)

    const pieces: ArrayRecord[] = []
    const add = (record: ArrayRecord): void => {
      const settled = shapes.settleArray(record)
      if (settled !== null) pieces.push(settled)
    }
    if (b.min > 0) add({ ...a, max: Math.min(a.max, b.min - 1) })
    if (b.max !== Number.POSITIVE_INFINITY) add({ ...a, min: Math.max(a.min, b.max + 1) })
    // Beyond both prefixes all positions are alike.
    const alike = Math.max(a.prefix.length, b.prefix.length)
    let rest: ArrayRecord = { ...a, min: least, max: Math.min(a.max, b.max) }
    const open = rest.max > alike && !this.#isEmpty(nodes.meet(a.rest, nodes.complement(b.rest)))
    // Where any further item breaks it, the first one does.
    const anyBreaks = open && this.#isEmpty(nodes.meet(a.rest, b.rest))
    const enumerable = anyBreaks || rest.max <= alike + MAX_POSITIONS
    const last = !open || !enumerable ? alike : anyBreaks ? alike + 1 : rest.max
    const positions = Math.min(last, rest.max)
    shapes.budget.spend(positions)
    for (let index = 0; index < positions && index < rest.max; index++) {
      const item = itemAt(rest, index)
      const broken = nodes.meet(item, nodes.complement(itemAt(b, index)))
      if (this.#isEmpty(broken)) continue
      add({ ...withItem(rest, index, broken), min: Math.max(rest.min, index + 1) })
      const kept = nodes.meet(item, itemAt(b, index))
      rest = this.#isEmpty(kept) ? { ...rest, max: index } : withItem(rest, index, kept)
    }
    const tally = (from: number, node: Node, min: number, max: number): ArrayRecord => ({
      ...rest,
      tallies: [...rest.tallies, { node, from, min, max }],
    })
    if (open && !enumerable) {
      add(tally(alike, nodes.complement(b.rest), 1, Number.POSITIVE_INFINITY))
      rest = { ...rest, rest: nodes.meet(rest.rest, b.rest) }
    }
    for (const { node, from, min, max } of b.tallies) {
      if (min > 0) add(tally(from, node, 0, min - 1))
      if (max !== Number.POSITIVE_INFINITY) add(tally(from, node, max + 1, Number.POSITIVE_INFINITY))
      rest = tally(from, node, min, max)
    }
    if (b.unique !== null && a.unique === null) {
      const settled = shapes.settleArray({ ...rest, min: Math.max(rest.min, 2) })
      if (settled !== null) pieces.push(...this.#block(settled))
    }
    return pieces
  }

  #object(a: ObjectRecord, b: ObjectRecord): readonly ObjectRecord[] {
    const shapes = this.#shapes
    const { nodes } = shapes
    if (a.min > b.max || b.min > a.max) return [a]
    for (const name of a.required) {
      if (this.#isEmpty(nodes.meet(propertyAt(a, name), propertyAt(b, name)))) return [a]
    }
    for (const name of b.required) {
      if (!a.required.has(name) && this.#isEmpty(nodes.meet(propertyAt(a, name), propertyAt(b, name))))
        return [a]
    }
    if (b.blocked.length > 0) return this.#block(a)

    const together = this.#pairOf(a, b)
    if (together !== null) return together
    const pieces: ObjectRecord[] = []
    let rest: ObjectRecord | null = a
    const split = (broken: ObjectRecord | null, kept: ObjectRecord): void => {
      const settled = broken === null ? null : shapes.settleObject(broken)
      if (settled !== null) pieces.push(settled)
      rest = shapes.settleObject(kept)
    }
    if (b.min > a.min) split({ ...a, max: Math.min(a.max, b.min - 1) }, { ...a, min: b.min })
    if (rest !== null && b.max < rest.max)
      split({ ...rest, min: Math.max(rest.min, b.max + 1) }, { ...rest, max: b.max })
    // Required names first: they tell most apart, and what is then left of the record is soon nothing.
    const names = new Set([...b.required, ...b.properties.keys(), ...a.properties.keys(), ...a.required])
    for (const { keys } of this.#breakable(a.others, b.others))
      if (shapes.strings.countOf(keys) <= MAX_NAMES)
        for (const name of shapes.strings.listOf(keys)) names.add(name)
    shapes.budget.spend(names.size)
    for (const name of names) {
      if (rest === null) return pieces
      const value = propertyAt(rest, name)
      const wanted = propertyAt(b, name)
      const broken = nodes.meet(value, nodes.complement(wanted))
      const needs = b.required.has(name)
      const has = rest.required.has(name)
      const required = has ? rest.required : new Set<string>(rest.required).add(name)
      if (needs && !has) {
        // Absent or broken: one piece, in which the name is optional.
        split(
          { ...rest, properties: withProperty(rest, name, broken) },
          { ...rest, properties: withProperty(rest, name, nodes.meet(value, wanted)), required },
        )
      } else if (!this.#isEmpty(broken)) {
        split(
          { ...rest, properties: withProperty(rest, name, broken), required },
          { ...rest, properties: withProperty(rest, name, nodes.meet(value, wanted)) },
        )
      }
      // A needed value that cannot be: nothing is left to break.
      if (rest?.required.has(name) && this.#isEmpty(propertyAt(rest, name))) return pieces
    }
    if (rest !== null) {
      const properties = new Map(rest.properties)
      for (const name of names) if (!properties.has(name)) properties.set(name, propertyAt(rest, name))
      rest = this.#breakFurther({ ...rest, properties }, b, pieces)
    }
    this.#breakTies(b.ties, () => rest, split)
    for (const { keys, value } of b.demands) {
      if (rest === null) return pieces
      // All entries of the language break the demand.
      const others = shapes.keys.ofPatterns([{ keys, value: nodes.complement(value) }], nodes.any)
      const without = shapes.meetObjects(rest, { ...shapes.anyObject, others })
      if (without !== null) pieces.push(without)
      rest = shapes.settleObject({
        ...rest,
        demands: [...rest.demands, { keys, value, problem: this.#problem }],
      })
    }
    return pieces
  }

  /** What is left of `a` where `b` says no more than that two names are there: they exclude each other. `null` elsewhere. */
  #pairOf(a: ObjectRecord, b: ObjectRecord): readonly ObjectRecord[] | null {
    const shapes = this.#shapes
    const names = namesOnly([b], shapes)
    if (names === null || names.required.size !== 2 || names.impossible.length > 0) return null
    const [one, other] = [...names.required] as [string, string]
    const settled = shapes.settleObject({ ...a, ties: uniteTies(a.ties, exclusion(one, [other])) })
    return settled === null ? [] : [settled]
  }

  /** Splits off the objects with a name and not what it brings, or with two names that exclude each other. */
  #breakTies(
    { implies, excludes }: Ties,
    current: () => ObjectRecord | null,
    split: (broken: ObjectRecord, kept: ObjectRecord) => void,
  ): void {
    const { none } = this.#shapes.nodes
    for (const [name, targets] of implies) {
      for (const target of targets) {
        const rest = current()
        if (rest === null) return
        const required = new Set(rest.required).add(name)
        split(
          { ...rest, required, properties: withProperty(rest, target, none) },
          { ...rest, ties: uniteTies(rest.ties, implication(name, [target])) },
        )
      }
    }
    for (const [name, others] of excludes) {
      for (const other of others) {
        const rest = current()
        if (rest === null) return
        // Each pair is there twice.
        if (rest.ties.excludes.get(name)?.has(other)) continue
        split(
          { ...rest, required: new Set([...rest.required, name, other]) },
          { ...rest, ties: uniteTies(rest.ties, exclusion(name, [other])) },
        )
      }
    }
  }

  /**
   * Adds the objects of `a`, which declares what `b` declares, with a further key whose value `b` does not allow. Returns
   * those without.
   */
  #breakFurther(a: ObjectRecord, b: ObjectRecord, pieces: ObjectRecord[]): ObjectRecord | null {
    const shapes = this.#shapes
    const { keys, strings } = shapes
    const kept = keys.meet(a.others, b.others)
    const open = this.#breakable(a.others, b.others).filter((part) => strings.countOf(part.keys) > MAX_NAMES)
    if (open.length > 0) {
      const optional = [...a.properties]
        .filter(([name, node]) => !a.required.has(name) && !this.#isEmpty(node))
        .map(([name]) => name)
      const anyBreaks = kept.parts.every(({ value }) => this.#isEmpty(value))
      const broken =
        anyBreaks && optional.length <= MAX_OPTIONAL
          ? this.#withFurther(a, optional)
          : this.#withDemands(a, open)
      for (const piece of broken) pieces.push(piece)
    }
    return shapes.settleObject({ ...a, others: kept })
  }

  /** The objects with a further key that has a value which is not allowed, apart by what part it is of. */
  #withDemands(a: ObjectRecord, open: readonly Breakable[]): ObjectRecord[] {
    const shapes = this.#shapes
    const { keys, nodes, strings } = shapes
    const undeclared = strings.regexes.not(strings.regexes.texts([...a.properties.keys()]))
    const pieces: ObjectRecord[] = []
    let left = a
    for (const part of open) {
      const demand = {
        keys: strings.regexes.and(part.keys, undeclared),
        value: nodes.meet(part.value, nodes.complement(part.other)),
        problem: this.#problem,
      }
      const broken = shapes.settleObject({ ...left, demands: [...left.demands, demand] })
      if (broken !== null) pieces.push(broken)
      const unbroken = keys.ofPatterns([{ keys: part.keys, value: part.other }], nodes.any)
      left = { ...left, others: keys.meet(left.others, unbroken) }
    }
    return pieces
  }

  /** The objects with a further key, whatever it is: more than the declared ones, for each choice of these. */
  #withFurther(a: ObjectRecord, optional: readonly string[]): ObjectRecord[] {
    const shapes = this.#shapes
    const pieces: ObjectRecord[] = []
    for (let choice = 0; choice < 2 ** optional.length; choice++) {
      const properties = new Map(a.properties)
      const required = new Set(a.required)
      optional.forEach((name, index) => {
        if ((choice >> index) % 2 === 1) required.add(name)
        else properties.set(name, shapes.nodes.none)
      })
      const min = Math.max(a.min, required.size + 1)
      const settled = shapes.settleObject({ ...a, properties, required, min })
      if (settled !== null) pieces.push(settled)
    }
    return pieces
  }

  /** The further keys that may have a value in `a` which `b` does not allow: with the nodes of both. */
  #breakable(a: KeyMap, b: KeyMap): readonly Breakable[] {
    const { nodes, keys } = this.#shapes
    return keys
      .overlay(a, b)
      .filter(({ value, other }) => !this.#isEmpty(nodes.meet(value, nodes.complement(other))))
  }
}

/** Whether it is plain to see that the shapes share no value: what branches of constants are. */
function areDisjoint(a: Shape, b: Shape): boolean {
  if ((a.nulls && b.nulls) || (a.trues && b.trues) || (a.falses && b.falses)) return false
  if ((a.numbers.length && b.numbers.length) || (a.arrays.length && b.arrays.length)) return false
  if (a.objects.length && b.objects.length) return false
  for (const { values } of b.strings) {
    for (const other of a.strings) {
      if (values === null || other.values === null || values.size > other.values.size) return false
      for (const value of values) if (other.values.has(value)) return false
    }
  }
  return true
}

function withProperty({ properties }: ObjectRecord, name: string, node: Node): ReadonlyMap<string, Node> {
  return properties.get(name) === node ? properties : new Map(properties).set(name, node)
}

function withItem(record: ArrayRecord, index: number, node: Node): ArrayRecord {
  const prefix: Node[] = []
  const length = Math.max(record.prefix.length, index + 1)
  for (let at = 0; at < length; at++) prefix.push(at === index ? node : itemAt(record, at))
  return { ...record, prefix }
}
