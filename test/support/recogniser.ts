/**
 * The oracle: a plain recogniser of the texts of a grammar, byte by byte, over sets of explicit stacks.
 *
 * It shares no code with the automaton or the masks (but for `NumberDfa`, the language of numbers). Objects carry the
 * names they hold as explicit sets, arrays their count, strings are decoded character by character. A state is a set of
 * stacks, each of which some text completes; states are interned numbers, 0 is dead, and a step is remembered.
 */
import { type Expr, type Grammar, GrammarBuilder, type Terminal } from '../../src/grammar/grammar.ts'
import { addSchema, resolveOptions, type SchemaOptions } from '../../src/schema/index.ts'
import { KeyLanguage, StringLanguage } from './languages.ts'
import {
  FreeTextReader,
  type Item,
  KeyReader,
  latin1,
  NumberReader,
  type Reader,
  type Sequence,
  SpaceReader,
  StringReader,
  TextsReader,
} from './readers.ts'

type ObjectExpr = Extract<Expr, { type: 'object' }>
type ArrayExpr = Extract<Expr, { type: 'array' }>

/** An item that is replaced before anything is read. */
interface Branch extends Item {
  expand(): readonly Sequence[]
}
/** A token that is named by its id. */
interface TokenItem extends Item {
  readonly ids: readonly number[]
}

/** What an object holds so far, and what may still come: which declared names, which further keys, how many in all, which demands are met. */
class Entries {
  readonly key: string
  readonly #expr: ObjectExpr
  /** Indices of declared names, ascending. */
  readonly #held: readonly number[]
  /** Keys that are not declared. */
  readonly further: readonly string[]

  /** Demands met, as bits. */
  readonly #met: number

  constructor(expr: ObjectExpr, held: readonly number[] = [], further: readonly string[] = [], met = 0) {
    this.#expr = expr
    this.#held = [...held].sort((a, b) => a - b)
    this.further = [...further].sort()
    this.#met = met
    this.key = `${this.#held.join()} ${JSON.stringify(this.further)} ${met}`
  }

  canClose(): boolean {
    return this.#owed() === 0 && this.#unmet() === 0 && this.#count() >= (this.#expr.minProperties ?? 0)
  }

  /** Once the last entry has met these demands; `null` where the object cannot be finished then. */
  meeting(marks: number): Entries | null {
    const behind = new Entries(this.#expr, this.#held, this.further, this.#met | marks)
    return behind.#fits() ? behind : null
  }

  /** Whether the value of the last entry can be such that the object can be finished. */
  #canMeet(value: Expr): boolean {
    return marksOf(value).some((marks) => this.meeting(marks) !== null)
  }

  /** With the declared name; `null` where it may not come next. */
  with(index: number): Entries | null {
    if (this.#held.includes(index)) return null
    const { properties, order } = this.#expr
    if (order === 'schema') {
      const skips = this.#due().some((i) => i < index)
      if (skips || this.further.length > 0 || index < Math.max(-1, ...this.#held)) return null
    }
    const behind = new Entries(this.#expr, [...this.#held, index], this.further, this.#met)
    return behind.#canMeet(properties[index]!.value) ? behind : null
  }

  /** Whether a key that is not declared, with such a value, may come next. */
  canBeFurther(value: Expr): boolean {
    if (this.#expr.order === 'schema' && this.#owed() > 0) return false
    return this.withFurther('').#canMeet(value)
  }

  withFurther(key: string): Entries {
    return new Entries(this.#expr, this.#held, [...this.further, key], this.#met)
  }

  #unmet(): number {
    return (2 ** (this.#expr.demands ?? 0) - 1) & ~this.#met
  }

  /** Whether a choice of further entries, at most `room` of them beyond the required ones, meets the demands. */
  #canCover(unmet: number, names: readonly number[], room: number): boolean {
    const { properties, additional, classes } = this.#expr
    if (room < 0) return false
    const [index, ...others] = names
    if (index !== undefined) {
      const { required, value } = properties[index]!
      if (!required && this.#canCover(unmet, others, room)) return true
      return marksOf(value).some((marks) =>
        this.#canCover(unmet & ~marks, others, required ? room : room - 1),
      )
    }
    if (unmet === 0) return true
    const values = [
      ...(additional === null ? [] : [additional]),
      ...(classes ?? []).map(({ value }) => value),
    ]
    return values
      .flatMap(marksOf)
      .some((marks) => (marks & unmet) !== 0 && this.#canCover(unmet & ~marks, [], room - 1))
  }

  #count(): number {
    return this.#held.length + this.further.length
  }

  #owed(): number {
    return this.#due().length
  }

  /** The declared names that must still come: the required ones, and what those and the held ones bring. */
  #due(): number[] {
    const { properties } = this.#expr
    return this.#closed(
      [...properties.keys()].filter((i) => properties[i]!.required || this.#held.includes(i)),
    )
      .filter((i) => !this.#held.includes(i))
      .sort((a, b) => a - b)
  }

  #closed(names: readonly number[]): number[] {
    const { properties } = this.#expr
    const closed = new Set(names)
    for (const i of closed)
      for (const name of properties[i]!.implies ?? [])
        closed.add(properties.findIndex((one) => one.name === name))
    return [...closed]
  }

  /** Whether the names stand beside each other. */
  #agree(names: readonly number[]): boolean {
    const { properties } = this.#expr
    return !names.some((i) =>
      names.some((j) => properties[i]!.excludes?.includes(properties[j]!.name) ?? false),
    )
  }

  /** Whether some choice of names, with all that they bring, has as many entries as are asked for, and no more. */
  #canHaveEnough(names: readonly number[], left: readonly number[], open: boolean): boolean {
    const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = this.#expr
    const size = names.length + this.further.length
    if (size > maxProperties || !this.#agree(names)) return false
    if (size >= minProperties || open) return true
    return left.some((i) => {
      const closed = this.#closed([...names, i])
      const added = closed.filter((name) => !names.includes(name))
      return (
        added.length > 0 &&
        added.every((name) => left.includes(name)) &&
        this.#canHaveEnough(closed, left, open)
      )
    })
  }

  /** Whether the bounds on the number of entries can still be met. */
  #fits(): boolean {
    const { additional, classes, properties, order, minProperties, maxProperties } = this.#expr
    const room = (maxProperties ?? Number.POSITIVE_INFINITY) - this.#count() - this.#owed()
    if (room < 0) return false
    const closed = order === 'schema' && this.further.length > 0
    const last = order === 'schema' ? Math.max(-1, ...this.#held) : -1
    const left = closed ? [] : [...properties.keys()].filter((i) => i > last && !this.#held.includes(i))
    if (this.#unmet() !== 0 && !this.#canCover(this.#unmet(), left, room)) return false
    const due = this.#due()
    if (!due.every((i) => left.includes(i)) || !this.#agree([...this.#held, ...due])) return false
    if (properties.some(({ implies, excludes }) => implies !== undefined || excludes !== undefined)) {
      const open = additional !== null || (classes ?? []).length > 0
      return this.#canHaveEnough([...this.#held, ...due], left, open)
    }
    if (additional !== null || (classes ?? []).length > 0) return true
    return this.#count() + left.length >= (minProperties ?? 0)
  }
}

/** What an array holds so far: how many items, and how many of them each tally counts. */
class Items {
  readonly key: string
  readonly #expr: ArrayExpr
  readonly #length: number
  readonly #counts: readonly number[]

  constructor(expr: ArrayExpr, length = 0, counts?: readonly number[]) {
    this.#expr = expr
    const tallies = expr.counted?.tallies ?? []
    const longest = Math.max(expr.min, expr.prefix.length, expr.counted?.prefix.length ?? 0)
    // Counts beyond all that is bounded are one.
    this.#length = Number.isFinite(expr.max) ? length : Math.min(length, longest)
    this.#counts = tallies.map(({ min, max }, i) =>
      Math.min(counts?.[i] ?? 0, Number.isFinite(max) ? max + 1 : min),
    )
    this.key = `${this.#length} ${this.#counts.join()}`
  }

  canClose(): boolean {
    const tallies = this.#expr.counted?.tallies ?? []
    return this.#length >= this.#expr.min && tallies.every(({ min }, i) => (this.#counts[i] as number) >= min)
  }

  /** The ways to go on that some array has. */
  next(): { value: Expr; behind: Items }[] {
    return this.#after().filter(({ behind }) => behind.#canEnd(new Set()))
  }

  #after(): { value: Expr; behind: Items }[] {
    const { counted, prefix, rest, max } = this.#expr
    if (this.#length >= max) return []
    if (counted === undefined) {
      const value = prefix[this.#length] ?? rest
      return value === null ? [] : [{ value, behind: new Items(this.#expr, this.#length + 1) }]
    }
    return (counted.prefix[this.#length] ?? counted.rest).flatMap(({ value, marks }) => {
      const counts = this.#counts.map((count, i) => count + ((marks >> i) % 2))
      return counted.tallies.some((tally, i) => (counts[i] as number) > tally.max)
        ? []
        : [{ value, behind: new Items(this.#expr, this.#length + 1, counts) }]
    })
  }

  #canEnd(seen: Set<string>): boolean {
    if (this.canClose()) return true
    if (seen.has(this.key)) return false
    seen.add(this.key)
    return this.#after().some(({ behind }) => behind.#canEnd(seen))
  }
}

/** The sets of demands that an entry with this value may meet. */
function marksOf(value: Expr): readonly number[] {
  return value.type === 'marked' ? value.options.map(({ marks }) => marks) : [0]
}

interface Stack {
  readonly id: number
  readonly top: Item
  readonly below: Stack | null
}

export class Recogniser {
  /** The state before the first byte. */
  readonly start: number
  readonly #grammar: Grammar
  readonly #ids = new WeakMap<object, number>()
  #idCount = 0
  readonly #classes = new Map<
    ObjectExpr,
    readonly { readonly language: KeyLanguage; readonly value: Expr }[]
  >()
  readonly #languages = new Map<Terminal, { language: StringLanguage; id: number }>()
  readonly #stacks = new Map<string, Stack>()
  readonly #states: (readonly (Stack | null)[])[] = [[]]
  readonly #stateOf = new Map<string, number>([['', 0]])
  readonly #steps = new Map<number, number>()

  constructor(grammar: Grammar) {
    this.#grammar = grammar
    this.start = this.#closure([this.#push(this.#expr({ type: 'call', rule: grammar.root }, 0), null)])
  }

  /** The recogniser of a schema's grammar. */
  static ofSchema(schema: string | object, options: SchemaOptions = {}): Recogniser {
    return new Recogniser(grammarOf(schema, options))
  }

  /** Whether a schema asks for nothing but what is recognised: items that must differ are judged in a test of their own. */
  static covers(schema: string | object, options: SchemaOptions = {}): boolean {
    return !grammarOf(schema, options).rules.some(({ body }) =>
      JSON.stringify(body, withoutRegexes).includes('"unique":true'),
    )
  }

  /** The state after a byte; 0 if no text goes on so. */
  step(state: number, byte: number): number {
    const key = state * 256 + byte
    let next = this.#steps.get(key)
    if (next === undefined) {
      const stacks: (Stack | null)[] = []
      for (const stack of this.#states[state] as readonly (Stack | null)[]) {
        if (stack === null || !isReader(stack.top)) continue
        for (const sequence of stack.top.read(byte)) stacks.push(this.#pushAll(sequence, stack.below))
      }
      next = this.#closure(stacks)
      this.#steps.set(key, next)
    }
    return next
  }

  /** In how many ways the text can be read so far. */
  ways(state: number): number {
    return (this.#states[state] as readonly (Stack | null)[]).length
  }

  /** The state after bytes. */
  run(state: number, bytes: Uint8Array): number {
    let at = state
    for (let i = 0; i < bytes.length && at !== 0; i++) at = this.step(at, bytes[i] as number)
    return at
  }

  /** The state after a token that the grammar names. */
  token(state: number, id: number): number {
    const stacks: (Stack | null)[] = []
    for (const stack of this.#states[state] as readonly (Stack | null)[]) {
      if (stack !== null && isToken(stack.top) && stack.top.ids.includes(id)) stacks.push(stack.below)
    }
    return this.#closure(stacks)
  }

  /** Whether the text may end here. */
  isComplete(state: number): boolean {
    return (this.#states[state] as readonly (Stack | null)[]).includes(null)
  }

  /** Whether some text of the grammar begins with the bytes. */
  viable(bytes: Uint8Array): boolean {
    return this.run(this.start, bytes) !== 0
  }

  /** Whether the bytes are a text of the grammar. */
  complete(bytes: Uint8Array): boolean {
    return this.isComplete(this.run(this.start, bytes))
  }

  /** The shortest text that completes the state, lowest bytes first; `null` where the search goes beyond `maxStates`. */
  shortest(state: number, maxStates = 300): Uint8Array | null {
    const seen = new Set([state])
    let layer: { state: number; text: readonly number[] }[] = [{ state, text: [] }]
    while (layer.length > 0) {
      const done = layer.find((entry) => this.isComplete(entry.state))
      if (done !== undefined) return Uint8Array.from(done.text)
      const next: typeof layer = []
      // The layer is in the order of its texts, hence so is the next one, and a state is met by its lowest text first.
      for (const entry of layer) {
        if (seen.size > maxStates) return null
        for (let byte = 0; byte < 256; byte++) {
          const to = this.step(entry.state, byte)
          if (to === 0 || seen.has(to)) continue
          seen.add(to)
          next.push({ state: to, text: [...entry.text, byte] })
        }
      }
      layer = next
    }
    return null
  }

  #closure(stacks: readonly (Stack | null)[]): number {
    const found = new Map<number, Stack | null>()
    const met = new Set<number>()
    const work = [...stacks]
    for (let stack = work.pop(); stack !== undefined; stack = work.pop()) {
      if (stack === null) {
        found.set(0, null)
        continue
      }
      if (met.has(stack.id)) continue
      met.add(stack.id)
      const { top, below } = stack
      if (isReader(top)) {
        found.set(stack.id, stack)
        if (top.optional) work.push(below)
      } else if (isToken(top)) {
        found.set(stack.id, stack)
      } else {
        for (const sequence of (top as Branch).expand()) work.push(this.#pushAll(sequence, below))
      }
    }
    const key = [...found.keys()].sort((a, b) => a - b).join()
    let state = this.#stateOf.get(key)
    if (state === undefined) {
      state = this.#states.push([...found.values()]) - 1
      this.#stateOf.set(key, state)
    }
    return state
  }

  #push(top: Item, below: Stack | null): Stack {
    const key = `${below?.id ?? 0} ${top.key}`
    let stack = this.#stacks.get(key)
    if (stack === undefined) {
      stack = { id: this.#stacks.size + 1, top, below }
      this.#stacks.set(key, stack)
    }
    return stack
  }

  #pushAll(sequence: Sequence, below: Stack | null): Stack | null {
    let stack = below
    for (let i = sequence.length - 1; i >= 0; i--) stack = this.#push(sequence[i] as Item, stack)
    return stack
  }

  #idOf(thing: object): number {
    let id = this.#ids.get(thing)
    if (id === undefined) {
      id = ++this.#idCount
      this.#ids.set(thing, id)
    }
    return id
  }

  /** @param depth how many containers are open around it */
  #expr(expr: Expr, depth: number): Item {
    refuseUnknown(expr)
    if (expr.type === 'terminal') return this.#terminal(expr.terminal)
    if (expr.type === 'token') return { key: `token ${expr.ids.join()}`, ids: expr.ids } as TokenItem
    return this.#branch(`expr ${this.#exprKey(expr)} ${depth}`, () => {
      switch (expr.type) {
        case 'call':
          return [[this.#expr(this.#grammar.rules[expr.rule]!.body, depth)]]
        case 'choice':
          return expr.options.map((option) => [this.#expr(option, depth)])
        case 'sequence':
          return [expr.items.map((item) => this.#expr(item, depth))]
        case 'frame':
          return [[this.#expr(expr.body, depth)]]
        case 'repeat':
          return [[this.#repeat(expr, 0, depth)]]
        case 'free-text':
          return [[this.#freeText(expr, depth)]]
        case 'object':
          return this.#objectStart(expr, depth + 1)
        case 'array':
          return this.#arrayStart(expr, depth + 1)
        case 'marked':
          throw new Error('a value that meets demands outside of an object')
      }
    })
  }

  #freeText(expr: Extract<Expr, { type: 'free-text' }>, depth: number): Reader {
    const stops = expr.stops.map(({ text, atStart, leadsTo }) => ({
      text: latin1(text),
      atStart,
      leadsTo: leadsTo === null ? null : this.#expr(leadsTo, depth),
    }))
    return new FreeTextReader(stops, expr.ends, `${this.#idOf(expr)} ${depth}`)
  }

  #exprKey(expr: Expr): string {
    return expr.type === 'call' ? `call ${expr.rule}` : String(this.#idOf(expr))
  }

  #branch(key: string, expand: () => readonly Sequence[]): Branch {
    return { key, expand }
  }

  #terminal(terminal: Terminal): Reader {
    switch (terminal.kind) {
      case 'texts':
        return new TextsReader(terminal.texts.map(latin1))
      case 'number':
        return new NumberReader(terminal)
      case 'string':
      case 'text': {
        let known = this.#languages.get(terminal)
        if (known === undefined) {
          const [min, max] =
            terminal.kind === 'string'
              ? [terminal.minLength, terminal.maxLength]
              : [0, Number.POSITIVE_INFINITY]
          const language = new StringLanguage(this.#grammar.regexes, terminal.language, min, max)
          known = { language, id: this.#languages.size }
          this.#languages.set(terminal, known)
        }
        return new StringReader(known.language, known.id, terminal.kind === 'text')
      }
    }
  }

  #repeat(expr: Extract<Expr, { type: 'repeat' }>, count: number, depth: number): Item {
    return this.#branch(`repeat ${this.#idOf(expr)} ${count} ${depth}`, () => {
      const options: Sequence[] = []
      if (count >= expr.min) options.push([])
      if (count < expr.max) {
        const next = expr.max === Number.POSITIVE_INFINITY ? Math.min(count + 1, expr.min) : count + 1
        options.push([this.#expr(expr.item, depth), this.#repeat(expr, next, depth)])
      }
      return options
    })
  }

  // Space and punctuation.

  #literal(text: string): Item {
    return new TextsReader([latin1(text)])
  }
  /** Where RFC 8259 allows space and only `any` writes it. */
  #space(): Item[] {
    const { whitespace, maxWhitespace } = this.#grammar.layout
    return whitespace === 'any' ? [new SpaceReader(' \t\r\n', maxWhitespace)] : []
  }
  /** After `:` and `,`. */
  #spaceAfter(): Item[] {
    return this.#grammar.layout.whitespace === 'model' ? [new SpaceReader(' ', 1)] : this.#space()
  }
  #line(depth: number): Item[] {
    const { whitespace, indent } = this.#grammar.layout
    return whitespace === 'pretty' ? [this.#literal(`\n${' '.repeat(depth * indent)}`)] : []
  }
  #comma(depth: number): Item[] {
    return [...this.#space(), this.#literal(','), ...this.#spaceAfter(), ...this.#line(depth)]
  }
  #colon(): Item[] {
    if (this.#grammar.layout.whitespace === 'pretty') return [this.#literal(': ')]
    return [...this.#space(), this.#literal(':'), ...this.#spaceAfter()]
  }

  // Objects.

  #objectStart(expr: ObjectExpr, depth: number): readonly Sequence[] {
    const options: Sequence[] = []
    const entries = new Entries(expr)
    if (entries.canClose()) options.push([this.#literal('{'), ...this.#space(), this.#literal('}')])
    const key = this.#key(expr, entries, depth)
    if (key !== null) options.push([this.#literal('{'), ...this.#space(), ...this.#line(depth), key])
    return options
  }

  #objectRest(expr: ObjectExpr, entries: Entries, depth: number): Item {
    return this.#branch(`object ${this.#idOf(expr)} ${entries.key} ${depth}`, () => {
      const options: Sequence[] = []
      if (entries.canClose()) options.push([...this.#space(), ...this.#line(depth - 1), this.#literal('}')])
      const key = this.#key(expr, entries, depth)
      if (key !== null) options.push([...this.#comma(depth), key])
      return options
    })
  }

  /** The next key and its entry; `null` where none may come. */
  #key(expr: ObjectExpr, entries: Entries, depth: number): Item | null {
    const entry = (value: Expr, behind: Entries): Sequence => {
      if (value.type !== 'marked')
        return [...this.#colon(), this.#expr(value, depth), this.#objectRest(expr, behind, depth)]
      refuseUnknown(value)
      const options = this.#branch(`marked ${this.#idOf(value)} ${behind.key} ${depth}`, () =>
        value.options.flatMap((option) => {
          const met = behind.meeting(option.marks)
          return met === null ? [] : [[this.#expr(option.value, depth), this.#objectRest(expr, met, depth)]]
        }),
      )
      return [...this.#colon(), options]
    }
    const declared = new Map<string, Sequence>()
    expr.properties.forEach(({ name, value }, index) => {
      const behind = entries.with(index)
      if (behind !== null) declared.set(latin1(JSON.stringify(name)), entry(value, behind))
    })
    const classes = this.#classesOf(expr)
      .filter(({ value }) => entries.canBeFurther(value))
      .map(({ language, value }) => ({
        language,
        follow: (key: string) => entry(value, entries.withFurther(key)),
      }))
    const taken = new Set([
      ...expr.properties.map(({ name }) => name),
      ...(expr.forbidden ?? []),
      ...entries.further,
    ])
    const open = classes.filter(({ language }) => language.isViable(language.start, '', taken))
    if (declared.size === 0 && open.length === 0) return null
    return new KeyReader({
      key: `${this.#idOf(expr)} ${entries.key} ${depth}`,
      declared,
      classes: open,
      taken,
    })
  }

  #classesOf(expr: ObjectExpr): readonly { readonly language: KeyLanguage; readonly value: Expr }[] {
    let classes = this.#classes.get(expr)
    if (classes === undefined) {
      classes = (expr.classes ?? []).map(({ keys, value }) => ({
        language: new KeyLanguage(this.#grammar.regexes, keys),
        value,
      }))
      if (expr.additional !== null) {
        classes = [
          ...classes,
          { language: new KeyLanguage(this.#grammar.regexes, null), value: expr.additional },
        ]
      }
      this.#classes.set(expr, classes)
    }
    return classes
  }

  // Arrays.

  #arrayStart(expr: ArrayExpr, depth: number): readonly Sequence[] {
    const options: Sequence[] = []
    const items = new Items(expr)
    if (items.canClose()) options.push([this.#literal('['), ...this.#space(), this.#literal(']')])
    for (const item of this.#items(expr, items, depth))
      options.push([this.#literal('['), ...this.#space(), ...this.#line(depth), ...item])
    return options
  }

  /** Each way to write the next item, and the rest of the array. */
  #items(expr: ArrayExpr, items: Items, depth: number): Sequence[] {
    return items
      .next()
      .map(({ value, behind }) => [
        this.#expr(value, depth),
        this.#branch(`array ${this.#idOf(expr)} ${behind.key} ${depth}`, () =>
          this.#arrayRest(expr, behind, depth),
        ),
      ])
  }

  #arrayRest(expr: ArrayExpr, items: Items, depth: number): Sequence[] {
    const options: Sequence[] = []
    if (items.canClose()) options.push([...this.#space(), ...this.#line(depth - 1), this.#literal(']')])
    for (const item of this.#items(expr, items, depth)) options.push([...this.#comma(depth), ...item])
    return options
  }
}

function grammarOf(schema: string | object, options: SchemaOptions): Grammar {
  const builder = new GrammarBuilder()
  const { expr } = addSchema(builder, builder.regexes, schema, options)
  if (expr.type !== 'call') throw new TypeError('a schema is a rule')
  return builder.build(expr.rule, resolveOptions(options).layout)
}

function withoutRegexes(key: string, value: unknown): unknown {
  return key === 'terminal' || key === 'keys' ? undefined : value
}

/** What the recogniser reads of each kind of expression: a field beyond these would go unnoticed. */
const FIELDS: Readonly<Record<Expr['type'], readonly string[]>> = {
  terminal: ['terminal', 'frame'],
  token: ['ids', 'frame'],
  sequence: ['items'],
  choice: ['options'],
  repeat: ['item', 'min', 'max'],
  frame: ['kind', 'body'],
  call: ['rule'],
  'free-text': ['stops', 'ends'],
  object: [
    'properties',
    'forbidden',
    'additional',
    'classes',
    'minProperties',
    'maxProperties',
    'demands',
    'order',
  ],
  marked: ['options'],
  array: ['prefix', 'rest', 'min', 'max', 'counted'],
}

const PROPERTY_FIELDS = ['name', 'required', 'value', 'implies', 'excludes']

function refuseUnknown(expr: Expr): void {
  for (const property of expr.type === 'object' ? expr.properties : []) {
    const field = Object.keys(property).find((each) => !PROPERTY_FIELDS.includes(each))
    if (field !== undefined) throw new Error(`the recogniser does not know ${field} of a property`)
  }
  const unknown = Object.keys(expr).find((field) => field !== 'type' && !FIELDS[expr.type].includes(field))
  if (unknown !== undefined) throw new Error(`the recogniser does not know ${unknown} of ${expr.type}`)
}

function isReader(item: Item): item is Reader {
  return 'read' in item
}

function isToken(item: Item): item is TokenItem {
  return 'ids' in item
}
