/**
 * A grammar as readable GBNF, the notation of llama.cpp.
 *
 * Read back it is the same language, but for what the comments at the top say is left out; then what is read back has every
 * text of the grammar and more. Rules keep their names as far as the notation has such names; the first is `root`.
 */
import { callsOf, cyclesOf } from '../grammar/analysis.ts'
import type { Expr, Grammar, Terminal } from '../grammar/grammar.ts'
import { formatDecimal } from '../json/decimal.ts'
import { ANY } from '../regex/charset.ts'
import type { Regex } from '../regex/regex.ts'
import { ContainerPrinter, type ValuePrinter } from './containers.ts'
import { gapsOf } from './layout.ts'
import { ANY_TEXT, choiceOf, literalOf, type Piece, repeatOf, sequenceOf } from './notation.ts'
import { printNumber } from './numbers.ts'
import { Languages } from './regular.ts'
import { callOf, Rules } from './rules.ts'
import { Characters } from './spelling.ts'

/** What must be known of a vocabulary to name its tokens; `Vocabulary` is one. */
export interface TokenTexts {
  readonly size: number
  readonly endTokens: readonly number[]
  literal(id: number): string | undefined
  idsOf(text: string): readonly number[]
  isHole(id: number): boolean
}

/** Tokens that are listed one by one. */
const FEW_TOKENS = 64
/** Numbers that stand where they are used. */
const MAX_INLINE = 40

/**
 * Prints a grammar.
 *
 * @throws LimitError beyond 4,000,000 characters
 */
export function printGrammar(grammar: Grammar, tokens: TokenTexts): string {
  return new GrammarPrinter(grammar, tokens).print()
}

class GrammarPrinter {
  readonly #grammar: Grammar
  readonly #tokens: TokenTexts
  readonly #rules = new Rules()
  readonly #characters = new Characters(this.#rules)
  readonly #languages: Languages
  /** Names by rule and depth. */
  readonly #names = new Map<string, string>()
  readonly #waiting: { readonly name: string; readonly rule: number; readonly depth: number }[] = []
  readonly #numbers = new Map<string, Piece>()
  /** Whether what is printed of a rule depends on how deep it stands. */
  readonly #isIndented: boolean
  readonly #isLoose: boolean

  constructor(grammar: Grammar, tokens: TokenTexts) {
    this.#grammar = grammar
    this.#tokens = tokens
    this.#languages = new Languages(grammar.regexes, this.#rules, this.#characters)
    this.#isIndented = grammar.layout.whitespace === 'pretty'
    this.#isLoose = this.#isIndented && isRecursive(grammar)
  }

  print(): string {
    if (this.#isLoose) this.#rules.leaveOut('how far lines are indented')
    this.#call(this.#grammar.root, 0)
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { name, rule, depth } = next
      this.#rules.define(name, this.#expr(this.#grammar.rules[rule]!.body, depth, name))
    }
    return this.#rules.toString()
  }

  /** What a rule merely calls, if it does. */
  #bodyOf(rule: number): number {
    const { rules } = this.#grammar
    let target = rule
    // Rules that call each other in a circle are none that a text has.
    for (let left = rules.length; left > 0; left--) {
      const { body } = rules[target]!
      if (body.type !== 'call') break
      target = body.rule
    }
    return target
  }

  /** @param depth how many containers are open around it */
  #call(rule: number, depth: number): Piece {
    const target = this.#bodyOf(rule)
    const key = this.#isIndented && !this.#isLoose ? `${target} ${depth}` : `${target}`
    let name = this.#names.get(key)
    if (name === undefined) {
      name = this.#rules.declare(this.#names.size === 0 ? 'root' : this.#grammar.rules[rule]!.name)
      this.#names.set(key, name)
      this.#waiting.push({ name, rule: target, depth })
    }
    return callOf(name)
  }

  #expr(expr: Expr, depth: number, name: string): Piece {
    const inner = (part: Expr): Piece => this.#expr(part, depth, name)
    switch (expr.type) {
      case 'terminal':
        return this.#terminal(expr.terminal)
      case 'token':
        return this.#token(expr.ids)
      case 'sequence':
        return sequenceOf(expr.items.map(inner))
      case 'choice':
        return choiceOf(expr.options.map(inner))
      case 'marked':
        return choiceOf(expr.options.map(({ value }) => inner(value)))
      case 'repeat':
        return repeatOf(inner(expr.item), expr.min, expr.max)
      case 'frame':
        return inner(expr.body)
      case 'call':
        return this.#call(expr.rule, depth)
      case 'free-text':
        return this.#freeText(expr, inner)
      case 'object':
        return this.#containers(depth + 1, name).object(expr)
      case 'array':
        return this.#containers(depth + 1, name).array(expr)
    }
  }

  #containers(depth: number, name: string): ContainerPrinter {
    const printer: ValuePrinter = {
      rules: this.#rules,
      characters: this.#characters,
      languages: this.#languages,
      value: (expr) => this.#expr(expr, depth, name),
    }
    const gaps = gapsOf(this.#grammar.layout, this.#isLoose ? null : depth, this.#rules)
    return new ContainerPrinter(printer, gaps, name)
  }

  #terminal(terminal: Terminal): Piece {
    switch (terminal.kind) {
      case 'texts':
        return choiceOf(terminal.texts.map(literalOf))
      case 'text':
        return this.#languages.of(terminal.language, 'raw', 'text')
      case 'number':
        return this.#number(terminal)
      case 'string': {
        const { language, minLength, maxLength } = terminal
        if (language === null) {
          const string = quoted(repeatOf(this.#characters.of(ANY, 'json'), minLength, maxLength))
          const isFree = minLength === 0 && maxLength === Number.POSITIVE_INFINITY
          return isFree ? this.#rules.shared('string', string) : string
        }
        return quoted(this.#languages.of(language, 'json', 'pattern', { min: minLength, max: maxLength }))
      }
    }
  }

  #number(terminal: Extract<Terminal, { kind: 'number' }>): Piece {
    const key = JSON.stringify(terminal, (_, value) =>
      typeof value === 'bigint' ? String(value) : (value as unknown),
    )
    let piece = this.#numbers.get(key)
    if (piece === undefined) {
      const { integer, intervals, multipleOf } = terminal
      const [only] = intervals
      const isPlain =
        intervals.length === 1 && only!.min === null && only!.max === null && multipleOf === undefined
      const kind = integer ? 'integer' : 'number'
      const ends = [only?.min, intervals.at(-1)?.max].map((end) =>
        end == null ? '' : short(formatDecimal(end)),
      )
      const name = isPlain ? kind : `${kind}-${ends[0]}-to-${ends[1]}`
      piece = printNumber(terminal, this.#rules, `${name}-part`)
      if (piece.text.length > MAX_INLINE) piece = this.#rules.add(name, piece)
      this.#numbers.set(key, piece)
    }
    return piece
  }

  #token(ids: readonly number[]): Piece {
    if (ids.length <= FEW_TOKENS) return choiceOf(ids.map((id) => ({ text: this.#tokenName(id), level: 2 })))
    const own = new Set(ids)
    const others: number[] = []
    for (let id = 0; id < this.#tokens.size; id++)
      if (!own.has(id) && !this.#tokens.isHole(id) && !this.#tokens.endTokens.includes(id)) others.push(id)
    // No end token is any one token but another.
    const [other = this.#tokens.endTokens[0], ...more] = others
    if (other !== undefined && more.length === 0) return { text: `!${this.#tokenName(other)}`, level: 2 }
    return choiceOf(ids.map((id) => ({ text: this.#tokenName(id), level: 2 })))
  }

  #tokenName(id: number): string {
    const text = this.#tokens.literal(id)
    const isName =
      text !== undefined && /^<[^<>[\]\s]+>$/u.test(text) && this.#tokens.idsOf(text).length === 1
    return isName ? text : `<[${id}]>`
  }

  /** Text up to the first stop, for each of them, and text without any. */
  #freeText(expr: Extract<Expr, { type: 'free-text' }>, inner: (part: Expr) => Piece): Piece {
    const { stops, ends } = expr
    if (stops.length === 0) return ANY_TEXT
    const { regexes } = this.#grammar
    const { all } = regexes
    const some = regexes.chars(ANY)
    const behind = (text: string): Regex => regexes.concatAll([all, regexes.literal(text)])
    const starts = stops
      .filter(({ atStart }) => atStart)
      .map(({ text }) => regexes.concatAll([regexes.literal(text), all]))
    const everywhere = stops.filter(({ atStart }) => !atStart)
    const without = everywhere.map(({ text }) => regexes.not(regexes.concatAll([behind(text), all])))
    const noStart = starts.map((start) => regexes.not(start))
    const options: Piece[] = []
    const add = (language: Regex, then: Expr | null): void => {
      const text = this.#languages.of(language, 'raw', 'words')
      options.push(then === null ? text : sequenceOf([text, inner(then)]))
    }
    if (ends) add(regexes.and(...noStart, ...without), null)
    for (const { text, atStart, leadsTo } of stops) {
      if (leadsTo === null) continue
      if (atStart) options.push(sequenceOf([literalOf(text), inner(leadsTo)]))
      else {
        const earlier = everywhere.map((stop) =>
          regexes.not(regexes.concatAll([behind(stop.text), some, all])),
        )
        add(regexes.and(behind(text), ...earlier, ...noStart), leadsTo)
      }
    }
    return choiceOf(options)
  }
}

function quoted(content: Piece): Piece {
  return sequenceOf([literalOf('"'), content, literalOf('"')])
}

/** A number as part of a name. */
function short(digits: string): string {
  return digits.length > 12 ? 'far' : digits.replace('-', 'minus-').replace('.', '-')
}

/** Whether some rule calls itself, by way of others too. */
function isRecursive({ rules }: Grammar): boolean {
  return cyclesOf(rules.map(({ body }) => callsOf(body))).length > 0
}
