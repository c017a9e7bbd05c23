/**
 * Reads GBNF, the grammar notation of llama.cpp, as its `grammars/README.md` describes it.
 *
 *     rule   ::= name "::=" alternatives
 *     item   ::= "literal" | [class] | [^class] | . | name | (alternatives) | <token text> | <[token id]> | !<…>
 *                followed by any number of * + ? {m} {m,} {,n} {m,n}
 *
 * A rule goes on until the next `name ::=` that begins a line, so that alternatives may stand on lines of their own; `#`
 * begins a comment. Names are letters, digits, `-` and `_`. Counts stay counts.
 *
 * What comes out are expressions whose calls are indices into the list of rules, those that are only mentioned among them.
 * There is no recursion: groups are on a stack of their own, and one that is nested deeply becomes a rule, and so do the
 * parts of a very long sequence or choice. Linear in the text, so that every expression is shallow and narrow.
 */
import { LimitError } from '../errors.ts'
import type { Expr } from '../grammar/grammar.ts'
import { NOTHING } from '../grammar/parts.ts'
import { ANY, type CharSet } from '../regex/charset.ts'
import type { RegexBuilder } from '../regex/regex.ts'
import { choiceOf, language, repeatOf, sequenceOf, texts } from './expressions.ts'
import { readClass, readLiteral } from './literals.ts'
import { Places } from './places.ts'
import { shortened } from './spelling.ts'

/** What a token reference says: the text or the id of one token, or of the only one that is left out. */
export interface TokenReference {
  readonly token: string | number
  readonly isNegated: boolean
  readonly offset: number
}

export interface SourceRule {
  readonly name: string
  /** Where it is defined, or else first mentioned. */
  readonly offset: number
  /** `null` where it is mentioned and never defined. */
  readonly body: Expr | null
  /** Whether it is part of another rule, and has no name in the text. */
  readonly isPart: boolean
}

/** Something that is no error and perhaps not meant. */
export interface Remark {
  readonly message: string
  readonly offset: number
}

export interface Source {
  readonly rules: readonly SourceRule[]
  readonly remarks: readonly Remark[]
  readonly places: Places
}

/** Groups within each other, and repetitions of repetitions, that are one expression. */
const MAX_NESTING = 16
/** Items of a sequence, options of a choice. */
const MAX_WIDTH = 64
/** Literals, classes, calls, tokens and groups: ten megabytes of literals to choose from are less than a million, or very short. */
const MAX_ITEMS = 3_000_000
/** Groups that may be open at once. */
const MAX_OPEN = 250_000
/** Problems of one kind that are told. */
const MAX_TOLD = 20

const EXPECTED = 'a literal, a class, a rule name, ( . < or !<'

/** What is open: a rule, or a group in it. */
interface Open {
  readonly offset: number
  readonly options: Expr[]
  items: Expr[]
  /** Whether a repetition may follow. */
  hasItem: boolean
  /** Repetitions of the last item. */
  repetitions: number
}

/**
 * @param token the expression of a token reference
 * @throws GrammarError with the place, for what is no GBNF, and for rules that are defined twice
 */
export function readGbnf(
  text: string,
  regexes: RegexBuilder,
  token: (reference: TokenReference, places: Places) => Expr,
): Source {
  return new Reader(text, regexes, token).read()
}

class Reader {
  readonly #text: string
  readonly #regexes: RegexBuilder
  readonly #token: (reference: TokenReference, places: Places) => Expr
  readonly #places: Places
  /** `call`: one for all that call the rule. */
  readonly #rules: { name: string; offset: number; body: Expr | null; isPart: boolean; call: Expr }[] = []
  readonly #byName = new Map<string, number>()
  readonly #letters = new Map<string, Expr>()
  readonly #remarks: Remark[] = []
  readonly #open: Open[] = []
  #rule = -1
  #items = 0
  #at = 0
  /** Whether a line has begun since the last item. */
  #isNewLine = true

  constructor(
    text: string,
    regexes: RegexBuilder,
    token: (reference: TokenReference, places: Places) => Expr,
  ) {
    this.#text = text
    this.#regexes = regexes
    this.#token = token
    this.#places = new Places(text)
  }

  read(): Source {
    if (this.#text.startsWith('\ufeff'))
      this.#places.fail('a byte order mark (U+FEFF) before the first rule; save the grammar without', 0)
    for (this.#skip(); this.#at < this.#text.length; this.#skip()) this.#readNext()
    if (this.#rule >= 0) this.#endRule()
    return { rules: this.#rules, remarks: this.#remarks, places: this.#places }
  }

  #readNext(): void {
    const start = this.#at
    const character = this.#text[start]!
    if (isNameCharacter(character)) {
      this.#readName()
      return
    }
    if (this.#rule < 0) this.#expected('a rule, as in root ::= "text"')
    switch (character) {
      case '"':
        this.#add(this.#literal(this.#readLiteral()))
        break
      case '[':
        this.#add(language(this.#regexes.chars(this.#readClass())))
        break
      case '.':
        this.#at++
        this.#add(language(this.#regexes.chars(ANY)))
        break
      case '<':
      case '!':
        this.#add(this.#readToken())
        break
      case '(':
        this.#at++
        if (this.#open.length > MAX_OPEN)
          throw new LimitError('groups within each other', MAX_OPEN, this.#open.length, 'nest fewer groups')
        this.#open.push({ offset: start, options: [], items: [], hasItem: false, repetitions: 0 })
        break
      case ')': {
        if (this.#open.length < 2) this.#places.fail('no group is open for this )', start)
        this.#at++
        const group = this.#close()
        const isDeep = this.#open.length % MAX_NESTING === 0
        this.#add(isDeep ? this.#part(group) : group)
        break
      }
      case '|':
        this.#at++
        this.#endSequence()
        break
      case '*':
        this.#at++
        this.#repeat(0, Number.POSITIVE_INFINITY, start)
        break
      case '+':
        this.#at++
        this.#repeat(1, Number.POSITIVE_INFINITY, start)
        break
      case '?':
        this.#at++
        this.#repeat(0, 1, start)
        break
      case '{': {
        const { min, max } = this.#readCounts()
        this.#repeat(min, max, start)
        break
      }
      default:
        this.#expected(`${EXPECTED}, | or the next rule`)
    }
    this.#isNewLine = false
  }

  /** Space, line ends, comments. */
  #skip(): void {
    const text = this.#text
    for (; this.#at < text.length; this.#at++) {
      const character = text[this.#at]!
      if (character === '#') {
        while (this.#at + 1 < text.length && !isLineEnd(text[this.#at + 1]!)) this.#at++
      } else if (isLineEnd(character)) this.#isNewLine = true
      else if (character !== ' ' && character !== '\t') return
    }
  }

  #expected(what: string): never {
    const at = this.#at
    const found = at < this.#text.length ? shown(this.#text.codePointAt(at)!) : 'the end'
    return this.#places.fail(`expected ${what}, found ${found}`, at)
  }

  // Rules and groups.

  /** A rule that begins, or a call of one. */
  #readName(): void {
    const start = this.#at
    const isFirst = this.#isNewLine
    while (this.#at < this.#text.length && isNameCharacter(this.#text[this.#at]!)) this.#at++
    const name = this.#text.slice(start, this.#at)
    const end = this.#at
    this.#skip()
    if (this.#text.startsWith('::=', this.#at)) {
      if (this.#rule >= 0) {
        if (!isFirst) this.#places.fail(`the rule ${shortened(name)} must begin a line of its own`, start)
        this.#endRule()
      }
      this.#at += 3
      this.#beginRule(name, start)
      this.#isNewLine = false
      return
    }
    if (this.#rule < 0) this.#expected(`::= after the rule name ${shortened(name)}`)
    // What was skipped is skipped again, so that whether a line begins is known of the next item.
    this.#at = end
    this.#isNewLine = false
    this.#add(this.#rules[this.#indexOf(name, start)]!.call)
  }

  #indexOf(name: string, offset: number): number {
    let rule = this.#byName.get(name)
    if (rule === undefined) {
      rule = this.#rules.length
      this.#rules.push({ name, offset, body: null, isPart: false, call: { type: 'call', rule } })
      this.#byName.set(name, rule)
    }
    return rule
  }

  #beginRule(name: string, offset: number): void {
    const rule = this.#indexOf(name, offset)
    const entry = this.#rules[rule]!
    if (entry.body !== null) {
      const { line, column } = this.#places.at(entry.offset)
      this.#places.fail(
        `the rule ${shortened(name)} is defined already, in line ${line}, column ${column}`,
        offset,
      )
    }
    entry.offset = offset
    this.#rule = rule
    this.#open.push({ offset, options: [], items: [], hasItem: false, repetitions: 0 })
  }

  #endRule(): void {
    const innermost = this.#open[this.#open.length - 1]!
    if (this.#open.length > 1)
      this.#places.fail('expected ) for the group that begins here', innermost.offset)
    this.#rules[this.#rule]!.body = this.#close()
  }

  /** The expression of what was opened last. */
  #close(): Expr {
    this.#endSequence()
    return this.#narrow(choiceOf(this.#open.pop()!.options))
  }

  #endSequence(): void {
    const open = this.#open[this.#open.length - 1]!
    open.options.push(this.#narrow(sequenceOf(open.items)))
    open.items = []
    open.hasItem = false
  }

  /** A literal of one character is one expression for all that have it: there may be millions of them. */
  #literal(text: string): Expr {
    if (text.length !== 1) return texts([text])
    let literal = this.#letters.get(text)
    if (literal === undefined) {
      literal = texts([text])
      this.#letters.set(text, literal)
    }
    return literal
  }

  #add(item: Expr): void {
    if (++this.#items > MAX_ITEMS)
      throw new LimitError('items of a grammar', MAX_ITEMS, this.#items, 'write a smaller grammar')
    const open = this.#open[this.#open.length - 1]!
    open.items.push(item)
    open.hasItem = true
    open.repetitions = 0
  }

  #repeat(min: number, max: number, offset: number): void {
    const open = this.#open[this.#open.length - 1]!
    if (!open.hasItem) this.#places.fail('nothing stands before this that could be repeated', offset)
    const item = open.items.pop()!
    const isDeep = ++open.repetitions % MAX_NESTING === 0
    open.items.push(repeatOf(isDeep ? this.#part(item) : item, min, max))
  }

  /** An expression as a rule of its own. */
  #part(body: Expr): Expr {
    if (body.type === 'call' || body === NOTHING) return body
    const { name, offset } = this.#rules[this.#rule]!
    const call: Expr = { type: 'call', rule: this.#rules.length }
    this.#rules.push({ name: `${name}-part`, offset, body, isPart: true, call })
    return call
  }

  /** The same with at most `MAX_WIDTH` children at each level; further levels are rules. */
  #narrow(expr: Expr): Expr {
    if (expr.type !== 'sequence' && expr.type !== 'choice') return expr
    const isSequence = expr.type === 'sequence'
    let children = isSequence ? expr.items : expr.options
    if (children.length <= MAX_WIDTH) return expr
    while (children.length > MAX_WIDTH) {
      const fewer: Expr[] = []
      for (let from = 0; from < children.length; from += MAX_WIDTH) {
        const some = children.slice(from, from + MAX_WIDTH)
        const one: Expr = isSequence ? { type: 'sequence', items: some } : { type: 'choice', options: some }
        fewer.push(some.length === 1 ? some[0]! : this.#part(one))
      }
      children = fewer
    }
    return isSequence ? { type: 'sequence', items: children } : { type: 'choice', options: children }
  }

  // Items.

  #readLiteral(): string {
    const { literal, end } = readLiteral(this.#text, this.#at, this.#places)
    this.#at = end
    return literal
  }

  #readClass(): CharSet {
    const start = this.#at
    const { set, end, twice } = readClass(this.#text, start, this.#places)
    this.#at = end
    if (twice >= 0 && this.#remarks.length < MAX_TOLD) {
      const shown = JSON.stringify(String.fromCodePoint(twice))
      const message = `the class has ${shown} twice: it stands for one character, not for a text`
      this.#remarks.push({ message, offset: start })
    }
    return set
  }

  #readToken(): Expr {
    const start = this.#at
    const text = this.#text
    const isNegated = text[start] === '!'
    if (isNegated) this.#at++
    if (text[this.#at] !== '<') this.#expected('< after !, as in !<think> or !<[7]>')
    const from = this.#at
    const byId = /<\[(\d{1,10})\]>/y
    byId.lastIndex = from
    const id = byId.exec(text)
    if (id !== null) {
      this.#at = from + id[0].length
      return this.#token({ token: Number(id[1]), isNegated, offset: start }, this.#places)
    }
    if (text[from + 1] === '[') this.#places.fail('expected a token id, as in <[7]>', from)
    const end = text.indexOf('>', from)
    if (end < 0) this.#places.fail('expected > at the end of the token that begins here', from)
    this.#at = end + 1
    return this.#token({ token: text.slice(from, end + 1), isNegated, offset: start }, this.#places)
  }

  /** `{m}`, `{m,}`, `{,n}`, `{m,n}`. */
  #readCounts(): { readonly min: number; readonly max: number } {
    const start = this.#at++
    const low = this.#readNumber()
    if (this.#text[this.#at] === '}' && low !== null) {
      this.#at++
      return { min: low, max: low }
    }
    if (this.#text[this.#at] !== ',')
      this.#expected(low === null ? 'a number or , after {' : ', or } after the number')
    this.#at++
    const high = this.#readNumber()
    if (this.#text[this.#at] !== '}')
      this.#expected(high === null ? 'a number or } after ,' : '} after the number')
    this.#at++
    if (low === null && high === null) this.#places.fail('expected a number before or after the ,', start)
    const min = low ?? 0
    const max = high ?? Number.POSITIVE_INFINITY
    if (min > max) this.#places.fail(`at least ${min} and at most ${max} times is never`, start)
    return { min, max }
  }

  #readNumber(): number | null {
    this.#skip()
    const start = this.#at
    while (this.#at < this.#text.length && isDigit(this.#text[this.#at]!)) this.#at++
    if (this.#at === start) return null
    const value = Number(this.#text.slice(start, this.#at))
    if (!Number.isSafeInteger(value))
      this.#places.fail(`a count is at most ${Number.MAX_SAFE_INTEGER}`, start)
    this.#skip()
    return value
  }
}

/** A character as a message shows it: one that nobody would see by its number. */
function shown(codePoint: number): string {
  const character = String.fromCodePoint(codePoint)
  return /^[\p{L}\p{N}\p{P}\p{S} ]$/u.test(character)
    ? JSON.stringify(character)
    : `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`
}

function isNameCharacter(character: string): boolean {
  return (
    (character >= 'a' && character <= 'z') ||
    (character >= 'A' && character <= 'Z') ||
    isDigit(character) ||
    character === '-' ||
    character === '_'
  )
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9'
}

function isLineEnd(character: string): boolean {
  return character === '\n' || character === '\r'
}
