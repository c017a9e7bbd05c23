/**
 * Parts (`grammar/compose.ts`) to the grammar IR, for one vocabulary.
 *
 * First a survey walks over all parts that there are, each once, with an explicit stack: it finds what is used twice, and
 * what is no part, holds itself or nests too deeply. Then each part becomes an expression; what is used twice becomes a rule,
 * so that a grammar is as large as what was written. What is wrong in schemas is collected, so that one error names every
 * place. Linear in the parts, but for rules that need each other in an unlucky order.
 */
import {
  GrammarError,
  LimitError,
  PatternError,
  SchemaError,
  type SchemaProblem,
  VocabularyError,
} from '../errors.ts'
import { callsOf, reachableFrom } from '../gbnf/analysis.ts'
import { addGbnf } from '../gbnf/index.ts'
import { withoutLeftRecursion } from '../gbnf/left-recursion.ts'
import { besideNothing } from '../gbnf/nonempty.ts'
import {
  checkPart,
  isPart,
  literal as literalPart,
  type Part,
  type RulePart,
  type TokenPart,
} from '../grammar/compose.ts'
import type { Expr, GrammarBuilder } from '../grammar/grammar.ts'
import { choice, freeText, literal, NOTHING, repeat, sequence, token } from '../grammar/parts.ts'
import { quote } from '../json/print.ts'
import { addSchema, resolveOptions, type SchemaOptions, type SchemaReport } from '../schema/index.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { wholeText } from './compile-regex.ts'

/** What recursion over an expression stands, with room to spare. */
const MAX_NESTING = 500
/** Parts of one grammar: rules whose bodies make new rules for ever would never end. */
const MAX_PARTS = 300_000
/** Bytes of the stops of one free text: each has a row of its automaton, 1 KB. */
const MAX_STOP_BYTES = 10_000

/**
 * Adds the rules of a part to a grammar that is being built.
 *
 * @throws SchemaError, PatternError, LimitError and VocabularyError, each with the part in which it is met, such as
 *   `sequence[1].jsonSchema#/properties/x`; TypeError and RangeError for what is no part, or has no text
 */
export function lowerPart(
  part: Part,
  builder: GrammarBuilder,
  vocabulary: Vocabulary,
  options: SchemaOptions,
): { readonly expr: Call; readonly report: SchemaReport } {
  const survey = new Survey(part)
  survey.checkRules()
  const lowering = new Lowering(survey, builder, vocabulary, options)
  const expr = lowering.whole(part)
  return { expr, report: lowering.report }
}

type Call = Extract<Expr, { type: 'call' }>

/** Where a part was found first. */
interface Place {
  readonly above: Place | null
  readonly label: string
}

/** The parts of a part with how a path names them; those of a rule are found when it is asked for its body. */
function children(part: Part): readonly (readonly [part: Part, label: string])[] {
  switch (part.type) {
    case 'sequence':
      return part.parts.map((each, i) => [each, `[${i}].${each.type}`])
    case 'choice':
      return part.options.map((each, i) => [each, `[${i}].${each.type}`])
    case 'repeat':
      return [[part.part, `.${part.part.type}`]]
    default:
      return []
  }
}

class Survey {
  readonly bodies = new Map<RulePart, Part>()
  readonly #uses = new Map<Part, number>()
  readonly #places = new Map<Part, Place>()

  constructor(root: Part) {
    checkPart(root)
    this.#walk(root, { above: null, label: root.type })
    for (const part of this.#uses.keys()) if (part.type === 'rule') this.#walkBody(part)
  }

  isShared(part: Part): boolean {
    return this.#uses.get(part)! > 1
  }

  pathOf(part: Part): string {
    const labels: string[] = []
    for (let at = this.#places.get(part) ?? null; at !== null; at = at.above) labels.push(at.label)
    return labels.reverse().join('')
  }

  #walkBody(rule: RulePart): void {
    const given: unknown = rule.body()
    const body = typeof given === 'string' ? literalPart(given) : (given as Part)
    if (!isPart(body)) throw new TypeError(`the body of rule ${rule.name} gives no part, but ${String(body)}`)
    this.bodies.set(rule, body)
    const uses = this.#uses.get(body)
    if (uses === undefined) this.#walk(body, { above: null, label: `${rule.name}.${body.type}` })
    else this.#uses.set(body, uses + 1)
  }

  /** Parts that are reached without a rule between; a part that is found again is not walked again. */
  #walk(root: Part, place: Place): void {
    const path = [this.#enter(root, place)]
    const open = new Set<Part>([root])
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.children[top.next++]
      if (next === undefined) {
        open.delete(top.part)
        path.pop()
        continue
      }
      const [part, label] = next
      if (open.has(part))
        throw new RangeError(
          `${this.pathOf(part)} contains itself; give what it repeats as a rule(name, () => …)`,
        )
      const uses = this.#uses.get(part)
      if (uses !== undefined) {
        this.#uses.set(part, uses + 1)
        continue
      }
      path.push(this.#enter(part, { above: this.#places.get(top.part)!, label }))
      open.add(part)
      if (path.length > MAX_NESTING)
        throw new LimitError(
          'nesting of parts',
          MAX_NESTING,
          path.length,
          'give all parts to one sequence or choice instead of nesting them, or put some into a rule(name, () => …)',
        )
    }
  }

  #enter(part: Part, place: Place): { part: Part; children: ReturnType<typeof children>; next: number } {
    this.#uses.set(part, 1)
    this.#places.set(part, place)
    try {
      checkPart(part)
    } catch (error) {
      // The builders have said it where the part was made: this one was made by hand.
      if (error instanceof Error) error.message = `${this.pathOf(part)}: ${error.message}`
      throw error
    }
    if (this.#uses.size > MAX_PARTS)
      throw new LimitError(
        'parts of a grammar',
        MAX_PARTS,
        this.#uses.size,
        'see that the body of a rule uses rules that there are, instead of making new ones',
      )
    return { part, children: children(part), next: 0 }
  }

  /** @throws RangeError for a rule that never ends */
  checkRules(): void {
    const rules = [...this.bodies].reverse()
    const ends = new Set<Part>()
    for (let size = -1; size !== ends.size; ) {
      size = ends.size
      const known = new Map<Part, boolean>()
      for (const [rule, body] of rules) if (!ends.has(rule) && canEnd(body, ends, known)) ends.add(rule)
    }
    const endless = rules.filter(([rule]) => !ends.has(rule)).at(-1)
    if (endless !== undefined)
      throw new RangeError(
        `rule ${endless[0].name} never ends: every way to write it holds a rule that does not; give it an option without one`,
      )
  }
}

/** Whether a part has a text, as far as rules are known to have one. */
function canEnd(part: Part, ends: ReadonlySet<Part>, known: Map<Part, boolean>): boolean {
  let can = known.get(part)
  if (can !== undefined) return can
  switch (part.type) {
    case 'rule':
      can = ends.has(part)
      break
    case 'sequence':
      can = part.parts.every((each) => canEnd(each, ends, known))
      break
    case 'choice':
      can = part.options.some((each) => canEnd(each, ends, known))
      break
    case 'repeat':
      can = part.min === 0 || canEnd(part.part, ends, known)
      break
    default:
      can = true
  }
  if (can || part.type !== 'rule') known.set(part, can)
  return can
}

class Lowering {
  readonly #survey: Survey
  readonly #builder: GrammarBuilder
  readonly #vocabulary: Vocabulary
  readonly #options: SchemaOptions
  readonly #known = new Map<Part, Expr>()
  /** Rules of the parts; the calls among them are indices here, not into the builder. */
  readonly #bodies: Expr[] = []
  readonly #names: string[] = []
  readonly #foreign = new Map<Expr, Expr>()
  readonly #problems: SchemaProblem[] = []
  readonly #report = {
    annotations: [] as SchemaReport['annotations'][number][],
    narrowings: [] as SchemaReport['narrowings'][number][],
    unenforced: [] as SchemaReport['unenforced'][number][],
  }

  constructor(survey: Survey, builder: GrammarBuilder, vocabulary: Vocabulary, options: SchemaOptions) {
    this.#survey = survey
    this.#builder = builder
    this.#vocabulary = vocabulary
    this.#options = options
  }

  get report(): SchemaReport {
    return this.#report
  }

  whole(root: Part): Call {
    const { bodies } = this.#survey
    const first = this.#declare('root')
    const rules = [...bodies].map(([rule, body]) => {
      const index = this.#declare(rule.name)
      this.#known.set(rule, { type: 'call', rule: index })
      return { index, body }
    })
    this.#bodies[first] = this.#lower(root)
    for (const { index, body } of rules) this.#bodies[index] = this.#lower(body)
    const [problem] = this.#problems
    if (problem !== undefined) {
      const more = this.#problems.length - 1
      const others = more === 0 ? '' : `, and ${more} more problem${more > 1 ? 's' : ''}`
      throw new SchemaError(`${problem.message}${others}`, problem.pointer, problem.keyword, this.#problems)
    }
    return this.#emit(first)
  }

  #declare(name: string): number {
    this.#names.push(name)
    return this.#bodies.push(NOTHING) - 1
  }

  /** Gives the rules that the first one needs to the builder, left recursion written as repetition. */
  #emit(first: number): Call {
    const builder = this.#builder
    const { regexes } = builder
    const names = this.#names
    const onRule = (of: number): void => {
      names.push(`${names[of]}-part`)
    }
    const { maxSteps } = resolveOptions(this.#options).limits
    const direct = withoutLeftRecursion(this.#bodies, first, regexes, onRule, maxSteps).map((body) =>
      besideNothing(body, regexes),
    )
    const order = reachableFrom(first, (rule) => callsOf(direct[rule]!))
    const declared = new Map(order.map((rule) => [rule, builder.declare(names[rule]!)]))
    const placed = (expr: Expr): Expr => {
      switch (expr.type) {
        case 'call':
          return { type: 'call', rule: declared.get(expr.rule)! }
        case 'sequence':
          return sequence(...expr.items.map(placed))
        case 'choice':
          return choice(...expr.options.map(placed))
        case 'repeat':
          return { ...expr, item: placed(expr.item) }
        default:
          return this.#foreign.get(expr) ?? expr
      }
    }
    for (const rule of order) builder.define(declared.get(rule)!, placed(direct[rule]!))
    return { type: 'call', rule: declared.get(first)! }
  }

  /** What has its rules in the builder: within the rules here it stands for itself. */
  #leaf(expr: Expr): Expr {
    const leaf: Expr = { type: 'token', ids: [], frame: 'tag' }
    this.#foreign.set(leaf, expr)
    return leaf
  }

  #lower(part: Part): Expr {
    const known = this.#known.get(part)
    if (known !== undefined) return known
    const expr = this.#make(part)
    if (!this.#survey.isShared(part)) return expr
    const isSmall = expr.type === 'terminal' || expr.type === 'token' || expr.type === 'call'
    const shared: Expr = isSmall ? expr : { type: 'call', rule: this.#declare(part.type) }
    if (shared !== expr && shared.type === 'call') this.#bodies[shared.rule] = expr
    this.#known.set(part, shared)
    return shared
  }

  #make(part: Part): Expr {
    switch (part.type) {
      case 'literal':
        return literal(part.text)
      case 'token':
        return token(this.#idOf(part, this.#survey.pathOf(part)))
      case 'regex':
        return this.#regex(part.pattern, this.#survey.pathOf(part))
      case 'jsonSchema':
        return this.#schema(part, this.#survey.pathOf(part))
      case 'gbnf':
        return this.#gbnf(part, this.#survey.pathOf(part))
      case 'freeText':
        return this.#freeText(part)
      case 'sequence':
        return this.#sequence(part.parts)
      case 'choice':
        return this.#choice(part.options)
      case 'repeat':
        return repeat(this.#lower(part.part), part.min, part.max)
      case 'rule':
        throw new RangeError(`rule ${part.name} was not found before`)
    }
  }

  /** Texts that stand beside each other are one. */
  #sequence(parts: readonly Part[]): Expr {
    const items: Expr[] = []
    let text = ''
    const flush = (): void => {
      if (text !== '') items.push(literal(text))
      text = ''
    }
    for (const part of parts) {
      if (part.type === 'literal') text += part.text
      else {
        flush()
        items.push(this.#lower(part))
      }
    }
    flush()
    return sequence(...items)
  }

  /** The texts among the options are one terminal. */
  #choice(options: readonly Part[]): Expr {
    const texts = new Set<string>()
    const others: Expr[] = []
    for (const option of options) {
      if (option.type !== 'literal') others.push(this.#lower(option))
      else texts.add(option.text)
    }
    const isOptional = texts.delete('')
    const exprs: Expr[] = []
    if (texts.size > 0)
      exprs.push({ type: 'terminal', terminal: { kind: 'texts', texts: [...texts] }, frame: 'literal' })
    for (const each of others) exprs.push(each)
    if (isOptional) exprs.push(NOTHING)
    return choice(...exprs)
  }

  #idOf({ token: name }: TokenPart, path: string): number {
    const vocabulary = this.#vocabulary
    const id = typeof name === 'string' ? vocabulary.idOf(name) : name
    const shown = typeof name === 'string' ? quote(name) : String(name)
    if (id === undefined || id < 0 || id >= vocabulary.size || vocabulary.isHole(id))
      throw new VocabularyError(`${path}: the vocabulary has no token ${shown}`)
    return id
  }

  #regex(pattern: string, path: string): Expr {
    const { regexes } = this.#builder
    try {
      const { expr, notes } = wholeText(pattern, regexes, resolveOptions(this.#options).limits)
      for (const message of notes) this.#report.narrowings.push({ pointer: path, message })
      return expr
    } catch (error) {
      if (error instanceof PatternError || error instanceof LimitError) throw error.at(path)
      throw error
    }
  }

  /** What is wrong with a schema is kept, so that the others are looked at, too. */
  #schema(part: Extract<Part, { type: 'jsonSchema' }>, path: string): Expr {
    const builder = this.#builder
    const within = <T extends { readonly pointer: string }>(entry: T): T =>
      // What stands in another document has its URI in front.
      entry.pointer.startsWith('#') ? { ...entry, pointer: path + entry.pointer } : entry
    try {
      const { expr, report } = addSchema(builder, builder.regexes, part.schema, this.#options, 'json')
      this.#report.annotations.push(...report.annotations.map(within))
      this.#report.narrowings.push(...report.narrowings.map(within))
      this.#report.unenforced.push(...report.unenforced.map(within))
      return this.#leaf(expr)
    } catch (error) {
      if (error instanceof LimitError) throw error.within(path)
      if (!(error instanceof SchemaError)) throw error
      this.#problems.push(...error.errors.map(within))
      return NOTHING
    }
  }

  #gbnf({ text, root }: Extract<Part, { type: 'gbnf' }>, path: string): Expr {
    const { maxSteps } = resolveOptions(this.#options).limits
    try {
      const tokens = this.#vocabulary
      const rules = {
        regexes: this.#builder.regexes,
        declare: (name: string) => this.#declare(name),
        define: (rule: number, body: Expr) => {
          this.#bodies[rule] = body
        },
      }
      const { expr, notes } = addGbnf(rules, text, { root, tokens, maxSteps })
      for (const { message, line, column } of notes) {
        const said = `${message} (line ${line}, column ${column})`
        this.#report.annotations.push({ pointer: path, keyword: 'gbnf', message: said })
      }
      return expr
    } catch (error) {
      if (error instanceof LimitError) throw error.within(path)
      throw error instanceof GrammarError ? error.at(path) : error
    }
  }

  #freeText(part: Extract<Part, { type: 'freeText' }>): Expr {
    const path = this.#survey.pathOf(part)
    const texts = part.until.flatMap((stop) => {
      if (stop.type === 'literal') return [stop.text]
      const spelled = this.#vocabulary.literal(this.#idOf(stop, path))
      return spelled === undefined || spelled === '' ? [] : [spelled]
    })
    const distinct = [...new Set(texts)].sort((a, b) => a.length - b.length)
    const bytes = distinct.reduce((sum, text) => sum + text.length, 0)
    if (bytes > MAX_STOP_BYTES)
      throw new LimitError(
        'length of the stops of free text',
        MAX_STOP_BYTES,
        bytes,
        'use fewer or shorter stops',
        path,
      )
    const stops: string[] = []
    for (const text of distinct) if (!stops.some((shorter) => text.includes(shorter))) stops.push(text)
    return freeText(
      stops.map((text) => ({ text, atStart: false, leadsTo: null })),
      true,
    )
  }
}
