/**
 * A grammar as bytes, and back: what compiling it cost is in what was left out and settled, so reading it costs little.
 *
 * Layout, texts first (`byte-stream.ts`): the layout of white space; the table of expressions over characters; the terminals,
 * each once; the rules, each a name and an expression, written as a tree; the number of the root. What is read has the form
 * of a grammar (kinds, numbers of rules, bounds, sorted intervals, names once) or is a `DataError`. That its rules have texts
 * is not proved again: who writes such bytes could as well write a grammar.
 */

import { ByteReader, ByteWriter } from '../byte-stream.ts'
import { checksumOf } from '../checksum.ts'
import { LimitError } from '../errors.ts'
import type { Regex } from '../regex/regex.ts'
import { RegexBuilder } from '../regex/regex.ts'
import { readRegexes, writeRegexes } from '../regex/regex-bytes.ts'
import {
  type Alternative,
  childrenOf,
  type Expr,
  type FrameKind,
  type Grammar,
  type Layout,
  MAX_DEMANDS,
  type Property,
  type Rule,
  type Terminal,
} from './grammar.ts'
import { languageOf, readTerminal, writeTerminal } from './terminal-bytes.ts'

const WHITESPACE: readonly Layout['whitespace'][] = ['model', 'compact', 'pretty', 'any']
const FRAMES: readonly FrameKind[] = ['tag', 'text', 'object', 'array', 'key', 'string', 'number', 'literal']
const EXPRS: readonly Expr['type'][] = [
  'terminal',
  'token',
  'sequence',
  'choice',
  'repeat',
  'free-text',
  'frame',
  'call',
  'object',
  'marked',
  'array',
]

/** Nesting of one rule's expression. */
const MAX_DEPTH = 1_000
/** Stops of one free text: each is compared with each. */
const MAX_STOPS = 4_096

/** @throws LimitError where a rule is nested beyond what would be read again */
export function encodeGrammar(grammar: Grammar): Uint8Array {
  const { bytes } = new GrammarWriter(grammar)
  if (!fingerprints.has(grammar)) fingerprints.set(grammar, checksumOf(bytes))
  return bytes
}

/** @throws DataError for what is no grammar */
export function decodeGrammar(bytes: Uint8Array): Grammar {
  const { grammar } = new GrammarReader(bytes)
  fingerprints.set(grammar, checksumOf(bytes))
  return grammar
}

const fingerprints = new WeakMap<Grammar, Uint32Array>()

/** Four words that tell a grammar: the same for one that is compiled of the same again, or was read from its bytes. */
export function fingerprintOf(grammar: Grammar): Uint32Array {
  if (!fingerprints.has(grammar)) encodeGrammar(grammar)
  return fingerprints.get(grammar)!
}

class GrammarWriter {
  readonly #out = new ByteWriter()
  readonly #terminals = new Map<Terminal, number>()
  readonly #regexes: ReadonlyMap<Regex, number>
  #depth = 0

  constructor({ rules, root, layout, regexes }: Grammar) {
    const out = this.#out
    out.number(WHITESPACE.indexOf(layout.whitespace))
    out.number(layout.indent)
    out.number(layout.maxWhitespace)
    const languages: Regex[] = []
    for (const { body } of rules) this.#collect(body, languages)
    this.#regexes = writeRegexes(languages, regexes, out)
    const number = (regex: Regex): number => this.#regexes.get(regex)!
    out.list([...this.#terminals.keys()], (terminal) => writeTerminal(terminal, out, number))
    out.list(rules, ({ name, body }) => {
      out.text(name)
      this.#expr(body)
    })
    out.number(root)
  }

  get bytes(): Uint8Array {
    return this.#out.finish()
  }

  /** The terminals and languages of an expression. */
  #collect(expr: Expr, languages: Regex[]): void {
    const pending = [expr]
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (at.type === 'terminal') {
        const { terminal } = at
        if (this.#terminals.has(terminal)) continue
        this.#terminals.set(terminal, this.#terminals.size)
        const language = languageOf(terminal)
        if (language !== null) languages.push(language)
      } else {
        if (at.type === 'object') for (const { keys } of at.classes ?? []) languages.push(keys)
        pending.push(...childrenOf(at))
      }
    }
  }

  #optional(expr: Expr | null): void {
    this.#out.flag(expr !== null)
    if (expr !== null) this.#expr(expr)
  }

  #expr(expr: Expr): void {
    if (++this.#depth > MAX_DEPTH) throw tooMuch('nesting of a rule', MAX_DEPTH, this.#depth)
    this.#out.number(EXPRS.indexOf(expr.type))
    this.#parts(expr)
    this.#depth--
  }

  #parts(expr: Expr): void {
    const out = this.#out
    const write = (inner: Expr): void => this.#expr(inner)
    switch (expr.type) {
      case 'terminal':
        out.number(this.#terminals.get(expr.terminal)!)
        out.number(FRAMES.indexOf(expr.frame))
        return
      case 'token':
        out.list(expr.ids, (id) => out.number(id))
        out.number(FRAMES.indexOf(expr.frame))
        return
      case 'sequence':
        out.list(expr.items, write)
        return
      case 'choice':
        out.list(expr.options, write)
        return
      case 'repeat':
        write(expr.item)
        out.number(expr.min)
        out.bound(expr.max)
        return
      case 'free-text':
        if (expr.stops.length > MAX_STOPS) throw tooMuch('stops of free text', MAX_STOPS, expr.stops.length)
        out.list(expr.stops, ({ text, atStart, leadsTo }) => {
          out.text(text)
          out.flag(atStart)
          this.#optional(leadsTo)
        })
        out.flag(expr.ends)
        return
      case 'frame':
        out.number(FRAMES.indexOf(expr.kind))
        write(expr.body)
        return
      case 'call':
        out.number(expr.rule)
        return
      case 'object':
        this.#object(expr)
        return
      case 'marked':
        out.list(expr.options, (option) => this.#alternative(option))
        return
      case 'array':
        out.list(expr.prefix, write)
        this.#optional(expr.rest)
        out.number(expr.min)
        out.bound(expr.max)
        out.flag(expr.unique === true)
        out.flag(expr.counted !== undefined)
        if (expr.counted === undefined) return
        out.list(expr.counted.tallies, ({ min, max }) => {
          out.number(min)
          out.bound(max)
        })
        out.list(expr.counted.prefix, (place) => out.list(place, (option) => this.#alternative(option)))
        out.list(expr.counted.rest, (option) => this.#alternative(option))
    }
  }

  #alternative({ value, marks }: Alternative): void {
    this.#out.number(marks)
    this.#expr(value)
  }

  #object(expr: Extract<Expr, { type: 'object' }>): void {
    const out = this.#out
    const names = (list: readonly string[] | undefined): void =>
      out.list(list ?? [], (name) => out.text(name))
    out.flag(expr.order === 'any')
    out.list(expr.properties, ({ name, required, value, implies, excludes }) => {
      out.text(name)
      out.number((required ? 1 : 0) + (implies === undefined ? 0 : 2) + (excludes === undefined ? 0 : 4))
      if (implies !== undefined) names(implies)
      if (excludes !== undefined) names(excludes)
      this.#expr(value)
    })
    names(expr.forbidden)
    this.#optional(expr.additional)
    out.flag(expr.classes !== undefined)
    if (expr.classes !== undefined)
      out.list(expr.classes, ({ keys, value }) => {
        out.number(this.#regexes.get(keys)!)
        this.#expr(value)
      })
    out.number(expr.minProperties ?? 0)
    out.bound(expr.maxProperties ?? Number.POSITIVE_INFINITY)
    out.number(expr.demands ?? 0)
  }
}

function tooMuch(what: string, limit: number, actual: number): LimitError {
  return new LimitError(
    what,
    limit,
    actual,
    'such a grammar is not written as bytes: compile it where it is needed',
  )
}

class GrammarReader {
  readonly grammar: Grammar
  readonly #in: ByteReader
  readonly #regexes: readonly Regex[]
  readonly #terminals: readonly Terminal[]
  readonly #rules: number
  #depth = 0

  constructor(bytes: Uint8Array) {
    const from = new ByteReader(bytes)
    this.#in = from
    from.texts()
    const layout = {
      whitespace: from.oneOf(WHITESPACE, 'layout'),
      indent: from.number(),
      maxWhitespace: from.number(),
    }
    const regexes = new RegexBuilder()
    this.#regexes = readRegexes(from, regexes)
    this.#terminals = from.list(() => readTerminal(from, this.#regexes))
    this.#rules = from.count()
    const rules: Rule[] = []
    for (let i = 0; i < this.#rules; i++) rules.push({ name: from.text(), body: this.#expr() })
    const root = from.below(this.#rules, 'rule')
    from.end()
    this.grammar = { rules, root, layout, regexes }
  }

  #frame(): FrameKind {
    return this.#in.oneOf(FRAMES, 'kind of frame')
  }

  #optional(): Expr | null {
    return this.#in.flag() ? this.#expr() : null
  }

  /** @param isEntry whether it is the value of an entry, which may meet demands */
  #expr(isEntry = false): Expr {
    if (++this.#depth > MAX_DEPTH) this.#in.fail(`expressions are nested more than ${MAX_DEPTH} deep`)
    const expr = this.#read(isEntry)
    this.#depth--
    return expr
  }

  #read(isEntry: boolean): Expr {
    const from = this.#in
    const type = from.oneOf(EXPRS, 'kind of expression')
    switch (type) {
      case 'terminal': {
        const terminal = from.oneOf(this.#terminals, 'terminal')
        return { type, terminal, frame: this.#frame() }
      }
      case 'token': {
        const ids = from.list(() => from.below(2 ** 31, 'token'))
        if (ids.length === 0) from.fail('a choice of no tokens')
        return { type, ids, frame: this.#frame() }
      }
      case 'sequence':
        return { type, items: from.list(() => this.#expr()) }
      case 'choice':
        return { type, options: from.list(() => this.#expr()) }
      case 'repeat':
        return { type, item: this.#expr(), ...from.bounds() }
      case 'free-text':
        return this.#freeText()
      case 'frame':
        return { type, kind: this.#frame(), body: this.#expr() }
      case 'call':
        return { type, rule: from.below(this.#rules, 'rule') }
      case 'object':
        return this.#object()
      case 'marked':
        if (!isEntry) from.fail('demands are met by entries of an object alone')
        return { type, options: this.#alternatives() }
      case 'array':
        return this.#array()
    }
  }

  #freeText(): Expr {
    const from = this.#in
    const stops = from.list(() => ({ text: from.text(), atStart: from.flag(), leadsTo: this.#optional() }))
    if (stops.length > MAX_STOPS) from.fail(`more than ${MAX_STOPS} stops`)
    for (const [i, { text }] of stops.entries())
      if (text === '' || stops.some((other, j) => i !== j && other.text.includes(text)))
        from.fail('a stop that is empty, or part of another')
    return { type: 'free-text', stops, ends: from.flag() }
  }

  #alternatives(): Alternative[] {
    return this.#in.list(() => {
      const marks = this.#in.below(2 ** 31, 'set of marks')
      return { marks, value: this.#expr() }
    })
  }

  #object(): Expr {
    const from = this.#in
    const order = from.flag() ? 'any' : 'schema'
    const properties: Property[] = from.list(() => {
      const name = from.text()
      const flags = from.below(8, 'kind of property')
      const implies = (flags & 2) === 0 ? undefined : from.distinctTexts()
      const excludes = (flags & 4) === 0 ? undefined : from.distinctTexts()
      return {
        name,
        required: (flags & 1) === 1,
        value: this.#expr(true),
        ...(implies === undefined ? {} : { implies }),
        ...(excludes === undefined ? {} : { excludes }),
      }
    })
    if (new Set(properties.map(({ name }) => name)).size < properties.length)
      from.fail('a property that is there twice')
    const forbidden = from.distinctTexts()
    const additional = from.flag() ? this.#expr(true) : null
    const classes = from.flag()
      ? from.list(() => ({ keys: from.oneOf(this.#regexes, 'expression'), value: this.#expr(true) }))
      : undefined
    if (classes !== undefined && additional !== null) from.fail('classes of keys beside additional ones')
    const { min, max } = from.bounds()
    const demands = from.below(MAX_DEMANDS + 1, 'number of demands')
    return {
      type: 'object',
      properties,
      additional,
      order,
      ...(forbidden.length === 0 ? {} : { forbidden }),
      ...(classes === undefined ? {} : { classes }),
      ...(min === 0 ? {} : { minProperties: min }),
      ...(max === Number.POSITIVE_INFINITY ? {} : { maxProperties: max }),
      ...(demands === 0 ? {} : { demands }),
    }
  }

  #array(): Expr {
    const from = this.#in
    const prefix = from.list(() => this.#expr())
    const rest = this.#optional()
    const { min, max } = from.bounds()
    const unique = from.flag() ? { unique: true } : {}
    if (!from.flag()) return { type: 'array', prefix, rest, min, max, ...unique }
    if (prefix.length > 0 || rest !== null) from.fail('items beside counted ones')
    const tallies = from.list(() => from.bounds())
    const counted = { tallies, prefix: from.list(() => this.#alternatives()), rest: this.#alternatives() }
    return { type: 'array', prefix, rest, min, max, ...unique, counted }
  }
}
