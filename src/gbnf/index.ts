/**
 * GBNF text to rules of a grammar.
 *
 * Any context-free grammar is taken: what cannot be finished is left out and reported, left recursion is written as repetition
 * (`left-recursion.ts`), regular parts become terminals (`regular.ts`), counts stay counts. What is costly is bounded by
 * steps, never by time; the rest is linear in the text.
 */
import { GrammarError, type GrammarProblem } from '../errors.ts'
import { callsOf, leastHolding, reachableFrom } from '../grammar/analysis.ts'
import type { Expr } from '../grammar/grammar.ts'
import { addRules, type RuleList } from './emit.ts'
import { NEVER, withRules } from './expressions.ts'
import { withoutLeftRecursion } from './left-recursion.ts'
import { besideNothing } from './nonempty.ts'
import { Places } from './places.ts'
import { readGbnf, type Source } from './reader.ts'
import { withTerminals } from './regular.ts'
import { closestName, shortened } from './spelling.ts'
import { type TokenNames, TokenReferences } from './token-references.ts'
import { withoutUnitCycles } from './unit-cycles.ts'

export interface GbnfOptions {
  /** The rule whose texts are the language; default `root`. */
  readonly root?: string
  /** Where token references are looked up; without it they are refused. */
  readonly tokens?: TokenNames
  /** Expressions that taking out left recursion may make; default 1,000,000. */
  readonly maxSteps?: number
}

export interface GbnfRules {
  /** The call of the root rule. */
  readonly expr: Extract<Expr, { type: 'call' }>
  /** What is perhaps not meant: rules that are not used, that can never end, classes that look like texts. In the order of the text. */
  readonly notes: readonly GrammarProblem[]
}

const DEFAULT_MAX_STEPS = 1_000_000
/** Problems of one kind that an error or a report lists. */
const MAX_TOLD = 100

/**
 * Adds the rules of a GBNF grammar to a builder.
 *
 * @param text the grammar, or its bytes in UTF-8
 * @throws GrammarError with line and column, for what is no GBNF, for rules that are unknown, defined twice or have no text at
 *   all; LimitError where left recursion is too much entangled
 */
export function addGbnf(builder: RuleList, text: string | Uint8Array, options: GbnfOptions = {}): GbnfRules {
  const { root: rootName = 'root', tokens, maxSteps = DEFAULT_MAX_STEPS } = options
  const { regexes } = builder
  const references = new TokenReferences(tokens)
  const source = readGbnf(typeof text === 'string' ? text : decode(text), regexes, (reference, places) =>
    references.resolve(reference, places),
  )
  const { rules, places } = source
  const root = checkRules(source, rootName)
  const notes = source.remarks.map(({ message, offset }) => places.problem(message, offset))
  const note = (message: string, offset: number): void => {
    if (notes.length < MAX_TOLD) notes.push(places.problem(message, offset))
  }

  const bodies = rules.map(({ body }) => body!)
  const canEnd = leastHolding(bodies, () => true)
  if (!canEnd[root]) {
    places.fail(
      `no text matches ${rootName}: every way to write it calls a rule that can never end`,
      rules[root]!.offset,
    )
  }
  const isUsed = new Set(reachableFrom(root, (rule) => callsOf(bodies[rule]!)))
  rules.forEach(({ name, offset, isPart }, rule) => {
    if (isPart) return
    if (!canEnd[rule]) note(`the rule ${shortened(name)} can never end, and is left out`, offset)
    else if (!isUsed.has(rule)) note(`the rule ${shortened(name)} is not used`, offset)
  })

  const meant = meantRules(bodies, canEnd)
  const finite = bodies.map((body, rule) => (isUsed.has(rule) ? withRules(body, meant) : NEVER))
  const names = rules.map(({ name }) => name)
  const onRule = (of: number): void => {
    names.push(`${names[of]!.replace(/-part$/u, '')}-part`)
  }
  const large = withTerminals(withoutUnitCycles(finite, root), regexes)
  const direct = withoutLeftRecursion(large, root, regexes, onRule, maxSteps)
  const whole = withTerminals(direct, regexes).map((body) => besideNothing(body, regexes))
  const expr = addRules(whole, root, names, builder)
  notes.sort((a, b) => a.offset - b.offset)
  return { expr, notes }
}

/** The rule that is the root, once all rules are known to be there. */
function checkRules({ rules, places }: Source, rootName: string): number {
  const unknown = rules.filter(({ body }) => body === null)
  const known = rules.filter(({ body, isPart }) => body !== null && !isPart).map(({ name }) => name)
  const [first, ...more] = unknown.slice(0, MAX_TOLD).map(({ name, offset }, i) => {
    const close = i < 10 ? closestName(name, known) : null
    const hint = close === null ? '' : `; did you mean ${close}?`
    return places.problem(`the rule ${shortened(name)} is not defined${hint}`, offset)
  })
  if (first !== undefined) throw new GrammarError([first, ...more])
  const root = rules.findIndex(({ name, isPart }) => name === rootName && !isPart)
  if (root < 0) {
    const hint =
      known.length === 0
        ? 'there are no rules'
        : `the rules are ${known.slice(0, 5).map(shortened).join(', ')}`
    places.fail(
      `no rule is called ${rootName}, where a text begins; ${hint}${known.length > 5 ? ', …' : ''}`,
      0,
    )
  }
  return root
}

/** @throws GrammarError with the place of the first byte that is no UTF-8 */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // The longest beginning that is UTF-8, but for a character that it cuts.
    let low = 0
    let high = bytes.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (isBeginning(bytes.subarray(0, middle))) low = middle
      else high = middle
    }
    const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, low), {
      stream: true,
    })
    const found = low === bytes.length - 1 && isBeginning(bytes) ? 'the end' : `0x${bytes[low]!.toString(16)}`
    return new Places(before).fail(`not UTF-8: found ${found} at byte ${low}`, before.length)
  }
}

function isBeginning(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** By rule: the one that a call of it means, which is another where it is nothing but a name of that; -1 for none that can end. */
function meantRules(bodies: readonly Expr[], canEnd: readonly boolean[]): number[] {
  const meant: number[] = bodies.map((_, rule) => (canEnd[rule] ? rule : -1))
  const isKnown = new Uint8Array(bodies.length)
  for (const start of bodies.keys()) {
    const names: number[] = []
    let rule = start
    for (let body = bodies[rule]!; isKnown[rule] === 0 && canEnd[rule]; body = bodies[rule]!) {
      isKnown[rule] = 1
      if (body.type !== 'call') break
      names.push(rule)
      rule = body.rule
    }
    for (const name of names) meant[name] = meant[rule]!
  }
  return meant
}
