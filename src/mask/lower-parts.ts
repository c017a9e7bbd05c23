/**
 * Parts (`grammar/compose.ts`) to the grammar IR, for one vocabulary.
 *
 * A survey (`part-survey.ts`) has found all parts that there are. Each becomes an expression; what is used twice becomes a
 * rule, so that a grammar is as large as what was written. What is wrong in schemas is collected, so that one error names
 * every place. Linear in the parts, but for what left recursion costs.
 */
import {
  GrammarError,
  LimitError,
  PatternError,
  SchemaError,
  type SchemaProblem,
  VocabularyError,
} from '../errors.ts'
import { addRules } from '../gbnf/emit.ts'
import { choiceOf, repeatOf, sequenceOf } from '../gbnf/expressions.ts'
import { addGbnf } from '../gbnf/index.ts'
import { withoutLeftRecursion } from '../gbnf/left-recursion.ts'
import { besideNothing } from '../gbnf/nonempty.ts'
import { leastHolding } from '../grammar/analysis.ts'
import type { Part, TokenPart } from '../grammar/compose.ts'
import type { Expr, GrammarBuilder } from '../grammar/grammar.ts'
import { freeText, literal, NOTHING, token } from '../grammar/parts.ts'
import { quote } from '../json/print.ts'
import {
  addSchema,
  type Limits,
  resolveOptions,
  type SchemaOptions,
  type SchemaReport,
} from '../schema/index.ts'
import { refusalOf } from '../schema/report.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { wholeText } from './compile-regex.ts'
import { Survey } from './part-survey.ts'

/** Bytes of the stops of one free text: each has a row of its automaton, 1 KB. */
const MAX_STOP_BYTES = 10_000

/** What else can be done where a token is not found by its text. */
const BY_TEXT = '; texts name added tokens, others are named by their ids'

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
  const lowering = new Lowering(survey, builder, vocabulary, options)
  const expr = lowering.whole(part)
  return { expr, report: lowering.report }
}

type Call = Extract<Expr, { type: 'call' }>

class Lowering {
  readonly #survey: Survey
  readonly #builder: GrammarBuilder
  readonly #vocabulary: Vocabulary
  readonly #options: SchemaOptions
  readonly #limits: Limits
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
  } satisfies SchemaReport

  constructor(survey: Survey, builder: GrammarBuilder, vocabulary: Vocabulary, options: SchemaOptions) {
    this.#survey = survey
    this.#builder = builder
    this.#vocabulary = vocabulary
    this.#options = options
    this.#limits = resolveOptions(options).limits
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
      return { index, body, name: rule.name }
    })
    this.#bodies[first] = this.#lower(root)
    for (const { index, body } of rules) this.#bodies[index] = this.#lower(body)
    if (this.#problems.length > 0) throw refusalOf(this.#problems, this.#problems.length)
    const ends = leastHolding(this.#bodies, () => true)
    const endless = rules.find(({ index }) => !ends[index])
    if (endless !== undefined)
      throw new RangeError(
        `rule ${endless.name} never ends: every way to write it holds a rule that does not; give it an option without one`,
      )
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
    const direct = withoutLeftRecursion(this.#bodies, first, regexes, onRule, this.#limits.maxSteps).map(
      (body) => besideNothing(body, regexes),
    )
    return addRules(direct, first, names, builder, this.#foreign)
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
        return token(this.#idOf(part, part))
      case 'regex':
        return this.#regex(part)
      case 'jsonSchema':
        return this.#schema(part)
      case 'gbnf':
        return this.#gbnf(part)
      case 'freeText':
        return this.#freeText(part)
      case 'sequence':
        return sequenceOf(part.parts.map((each) => this.#lower(each)))
      case 'choice':
        return choiceOf(part.options.map((each) => this.#lower(each)))
      case 'repeat':
        return repeatOf(this.#lower(part.part), part.min, part.max)
      case 'rule':
        throw new RangeError(`rule ${part.name} was not found before`)
    }
  }

  /** @param within the part that names the token */
  #idOf({ token: name }: TokenPart, within: Part): number {
    const vocabulary = this.#vocabulary
    const shown = typeof name === 'string' ? quote(name) : String(name)
    let id: number | undefined
    try {
      id = typeof name === 'string' ? vocabulary.idOf(name) : name
    } catch (error) {
      if (!(error instanceof VocabularyError)) throw error
      throw new VocabularyError(`${this.#survey.pathOf(within)}: ${error.message}`)
    }
    if (id === undefined || id < 0 || id >= vocabulary.size || vocabulary.isHole(id))
      throw new VocabularyError(
        `${this.#survey.pathOf(within)}: the vocabulary has no token ${shown}${typeof name === 'string' ? BY_TEXT : ''}`,
      )
    return id
  }

  #regex(part: Extract<Part, { type: 'regex' }>): Expr {
    try {
      const { expr, notes } = wholeText(part.pattern, this.#builder.regexes, this.#limits)
      for (const message of notes)
        this.#report.narrowings.push({ pointer: this.#survey.pathOf(part), message })
      return expr
    } catch (error) {
      if (error instanceof PatternError || error instanceof LimitError)
        throw error.at(this.#survey.pathOf(part))
      throw error
    }
  }

  /** What is wrong with a schema is kept, so that the others are looked at, too. */
  #schema(part: Extract<Part, { type: 'jsonSchema' }>): Expr {
    const builder = this.#builder
    const path = this.#survey.pathOf(part)
    const within = <T extends { readonly pointer: string }>(entry: T): T =>
      // What stands in another document has its URI in front.
      entry.pointer.startsWith('#') ? { ...entry, pointer: path + entry.pointer } : entry
    try {
      const { expr, report } = addSchema(builder, builder.regexes, part.schema, this.#options, 'json')
      for (const entry of report.annotations) this.#report.annotations.push(within(entry))
      for (const entry of report.narrowings) this.#report.narrowings.push(within(entry))
      for (const entry of report.unenforced) this.#report.unenforced.push(within(entry))
      return this.#leaf(expr)
    } catch (error) {
      if (error instanceof LimitError) throw error.within(path)
      if (!(error instanceof SchemaError)) throw error
      for (const problem of error.errors) this.#problems.push(within(problem))
      return NOTHING
    }
  }

  #gbnf(part: Extract<Part, { type: 'gbnf' }>): Expr {
    const path = this.#survey.pathOf(part)
    try {
      const rules = {
        regexes: this.#builder.regexes,
        declare: (name: string) => this.#declare(name),
        define: (rule: number, body: Expr) => {
          this.#bodies[rule] = body
        },
      }
      const { root } = part
      const { maxSteps } = this.#limits
      const { expr, notes } = addGbnf(rules, part.text, { root, tokens: this.#vocabulary, maxSteps })
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
    const texts = part.until.flatMap((stop) => {
      if (stop.type === 'literal') return [stop.text]
      const spelled = this.#vocabulary.literal(this.#idOf(stop, part))
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
        this.#survey.pathOf(part),
      )
    const stops: string[] = []
    for (const text of distinct) if (!stops.some((shorter) => text.includes(shorter))) stops.push(text)
    return freeText(
      stops.map((text) => ({ text, atStart: false, leadsTo: null })),
      true,
    )
  }
}
