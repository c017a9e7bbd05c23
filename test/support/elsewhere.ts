/**
 * Matchers that go from one process to another: what is walked and written here, and what is found again there. `answer` runs
 * in a process of its own (`processes.test.ts`), with other things compiled before, and in the opposite order.
 */
import {
  CompiledGrammar,
  compile,
  compileGbnf,
  compilePart,
  compileRegex,
  freeText,
  type Matcher,
  repeat,
  sequence,
  token,
} from '../../src/core.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import { grammars } from './grammars.ts'
import { chooseToken, snapshot } from './masks.ts'
import { Random } from './random.ts'
import { MODES, SCHEMAS } from './schemas.ts'
import { tinyVocabulary } from './vocabularies.ts'

/** A grammar and a matcher as bytes in Base64, and all that there is to see of the matcher. */
export interface Sent {
  readonly name: string
  readonly grammar: string
  readonly matcher: string
  readonly seen: readonly unknown[]
}

/** What came of it: seen where it arrived, and a few tokens further on, with the bytes of the matcher there. */
export interface Answered {
  readonly name: string
  /** Of the grammar that came as bytes, and of the one that was compiled anew. */
  readonly arrived: readonly (readonly unknown[])[]
  readonly matcher: string
  readonly further: readonly unknown[]
}

const MAX_ROLLBACK = 3

/** Every kind of grammar, and schemas of which the seed chooses a few. */
export function makers(seed: number): ReadonlyMap<string, () => CompiledGrammar> {
  const { vocabulary, control } = tinyVocabulary()
  const mode = new Random(seed).pick(MODES)
  const schemas = SCHEMAS.filter((_, i) => (i + seed) % 6 === 0).map(
    ({ name, schema, options }) =>
      [name, () => compile(schema, vocabulary, { ...mode, ...options })] as const,
  )
  const built = grammars(control).map(
    ({ name, build }) => [`grammar ${name}`, () => compileGrammar(build(), vocabulary)] as const,
  )
  const tag = sequence(token(control), repeat(freeText({ until: ['"', '\n'] }), { min: 1 }))
  return new Map([
    ...schemas,
    ...built,
    ['GBNF', () => compileGbnf('root ::= root ("," | "a"{2,9}) | [0-9]+ | <tool> root', vocabulary)],
    ['a pattern', () => compileRegex('(?:ab|c|"){3,40}\\bx\\w+\\b(?!y).*', vocabulary)],
    ['parts', () => compilePart(tag, vocabulary)],
  ])
}

/** What there is to see of a matcher and of the ones that it was. */
function seen(matcher: Matcher): unknown[] {
  const found: unknown[] = []
  const fork = matcher.fork()
  for (let back = 0; ; back++) {
    found.push({ ...snapshot(fork), tokens: fork.tokenCount })
    if (back === Math.min(MAX_ROLLBACK, matcher.tokenCount)) return found
    fork.rollback(1)
  }
}

function walk(matcher: Matcher, steps: number, random: Random): void {
  const { vocabulary } = tinyVocabulary()
  for (let step = 0; step < steps && !matcher.mustStop(); step++)
    matcher.accept(chooseToken(matcher, vocabulary, random, step > 6))
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))

export function send(seed: number): Sent[] {
  const random = new Random(seed)
  return [...makers(seed)].map(([name, make]) => {
    const grammar = make()
    const matcher = grammar.matcher({ maxRollback: MAX_ROLLBACK })
    walk(matcher, random.below(9), random)
    return {
      name,
      grammar: base64(grammar.serialize()),
      matcher: base64(matcher.serialize()),
      seen: seen(matcher),
    }
  })
}

export function answer(seed: number, sent: readonly Sent[]): Answered[] {
  const { vocabulary } = tinyVocabulary()
  const random = new Random(~seed)
  const made = makers(seed)
  return sent.toReversed().map(({ name, grammar, matcher: bytes }) => {
    const loaded = CompiledGrammar.deserialize(bytesOf(grammar), vocabulary)
    const matcher = loaded.restore(bytesOf(bytes))
    const arrived = [seen(matcher), seen(made.get(name)!().restore(bytesOf(bytes)))]
    walk(matcher, 1 + random.below(4), random)
    return { name, arrived, matcher: base64(matcher.serialize()), further: seen(matcher) }
  })
}

/** What is seen of a matcher that was sent back. */
export function found(grammar: CompiledGrammar, { matcher }: Answered): unknown[] {
  return seen(grammar.restore(bytesOf(matcher)))
}
