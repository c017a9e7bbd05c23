/**
 * `espalier mask`: which tokens of a model may follow a prefix, and why one may not.
 */
import { hasBit } from '../bits.ts'
import { loadVocabulary } from '../decode/model.ts'
import { fromJs } from '../json/from-js.ts'
import { printJson, quote } from '../json/print.ts'
import type { Matcher } from '../mask/matcher.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { describeBytes, feed, followers } from './bytes.ts'
import { type CompileFlags, compileOptions } from './compile-flags.ts'
import { EXIT } from './exit.ts'
import { compileFile, type RootFlag } from './grammar-file.ts'
import { UsageError } from './input.ts'
import { renderFrames, visible } from './report.ts'
import { plural, type Terminal } from './terminal.ts'

export interface MaskFlags extends CompileFlags, RootFlag {
  readonly model: string
  readonly vocabularyCache?: boolean
  readonly prefix?: string
  readonly token?: string
  readonly json?: boolean
}

/** Tokens shown from either end of the list. */
const SHOWN = 12

interface TokenView {
  readonly id: number
  readonly text: string
}

/** Why a token may or may not come next. */
interface Answer {
  readonly allowed: boolean
  /** The tokens with these bytes. */
  readonly ids: readonly number[]
  readonly lines: readonly string[]
}

export async function runMask(path: string, flags: MaskFlags, terminal: Terminal): Promise<number> {
  if (flags.token === '') throw new UsageError('--token is empty; give the text of a token')
  const options = await compileOptions(flags)
  const vocabulary = await loadVocabulary(flags.model, flags)
  const matcher = (await compileFile(path, vocabulary, options, flags)).matcher()
  const written = flags.prefix ?? ''
  const prefix = new TextEncoder().encode(written)
  const taken = feed(matcher, prefix)
  if (taken < prefix.length) {
    const expected = followers(matcher)
    if (flags.json) terminal.result(printJson(fromJs({ verdict: 'refused', byte: taken, expected })))
    else terminal.note(`the prefix is refused at byte ${taken}; there could follow: ${expected.join('  ')}`)
    return EXIT.refused
  }
  const allowed = allowedTokens(matcher, vocabulary)
  const ends = vocabulary.endTokens.filter((id) => hasBit(matcher.mask(), id))
  const shown = {
    shortest: views(allowed.slice(0, SHOWN), vocabulary),
    longest: views(allowed.slice(-SHOWN).reverse(), vocabulary),
  }
  const answer = flags.token === undefined ? null : explainToken(flags.token, matcher, vocabulary)
  const frames = matcher.frames()
  const exitCode = answer === null || answer.allowed ? EXIT.complete : EXIT.refused
  if (flags.json) {
    const token = answer === null ? {} : { token: answer }
    terminal.result(
      printJson(fromJs({ allowed: allowed.length + ends.length, ends, ...shown, frames, ...token })),
    )
    return exitCode
  }
  const style = terminal.resultStyle
  if (answer !== null) for (const line of answer.lines) terminal.result(line)
  else {
    terminal.result(
      `${style.bold(plural(allowed.length, 'token'))} of ${vocabulary.size} may follow${endsNote(ends)}`,
    )
    if (allowed.length > 0) terminal.result(`  ${style.dim('shortest')}  ${show(shown.shortest)}`)
    if (allowed.length > SHOWN) terminal.result(`  ${style.dim('longest')}   ${show(shown.longest)}`)
  }
  for (const line of renderFrames(frames, written, matcher.isComplete(), style)) terminal.result(`  ${line}`)
  return exitCode
}

function endsNote(ends: readonly number[]): string {
  return ends.length === 0
    ? ''
    : `, and the text may end here (${ends.map((id) => `token ${id}`).join(', ')})`
}

/** The tokens in the mask that do not end the text, the shortest first. */
function allowedTokens(matcher: Matcher, vocabulary: Vocabulary): number[] {
  const mask = matcher.mask()
  const ends = new Set(vocabulary.endTokens)
  const found: number[] = []
  for (let id = 0; id < vocabulary.size; id++) if (hasBit(mask, id) && !ends.has(id)) found.push(id)
  return found.sort((a, b) => vocabulary.byteLengthOf(a) - vocabulary.byteLengthOf(b) || a - b)
}

function views(ids: readonly number[], vocabulary: Vocabulary): TokenView[] {
  return ids.map((id) => ({ id, text: tokenText(vocabulary, id) }))
}

function tokenText(vocabulary: Vocabulary, id: number): string {
  const bytes = vocabulary.bytes(id)
  if (bytes === null) return vocabulary.literal(id) ?? ''
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return [...bytes].map((byte) => `<${byte.toString(16).padStart(2, '0')}>`).join('')
  }
}

function show(tokens: readonly TokenView[]): string {
  return tokens.map(({ text }) => visible(quote(text))).join('  ')
}

/** The mask says whether, the bytes of the token say why not. */
function explainToken(text: string, matcher: Matcher, vocabulary: Vocabulary): Answer {
  const shown = visible(quote(text))
  const control = vocabulary.idOf(text)
  if (control !== undefined && vocabulary.bytes(control) === null) {
    const allowed = hasBit(matcher.mask(), control)
    const reason = vocabulary.endTokens.includes(control)
      ? `it ends the text, and the text ${allowed ? 'is' : 'is not'} complete`
      : allowed
        ? 'it is a control token, and the grammar names it here'
        : 'it is a control token, which a grammar must name to have it here'
    return {
      allowed,
      ids: [control],
      lines: [`${shown} (token ${control}) ${allowed ? 'may' : 'may not'} follow: ${reason}`],
    }
  }
  const bytes = new TextEncoder().encode(text)
  const ids: number[] = []
  for (let id = 0; id < vocabulary.size; id++) {
    const candidate = vocabulary.bytes(id)
    if (candidate?.length === bytes.length && candidate.every((byte, i) => byte === bytes[i])) ids.push(id)
  }
  const name =
    ids.length === 0 ? `${shown} (not one token of this vocabulary)` : `${shown} (token ${ids.join(', ')})`
  const mask = matcher.mask()
  const trial = matcher.fork()
  const taken = feed(trial, bytes)
  // A token that the grammar names by its id may come whatever its bytes are.
  if (taken === bytes.length || ids.some((id) => hasBit(mask, id)))
    return { allowed: true, ids, lines: [`${name} may follow`] }
  // The character that the byte belongs to: half of one says nothing.
  let start = taken
  while (start > 0 && (bytes[start]! & 0xc0) === 0x80) start--
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, start))
  const refused =
    bytes[start]! < 0x80 ? describeBytes([bytes[start]!])[0] : visible([...text.slice(before.length)][0]!)
  const where = before === '' ? 'here' : `after ${visible(quote(before))},`
  const expected = followers(trial).join('  ')
  return {
    allowed: false,
    ids,
    lines: [`${name} may not follow: ${where} ${refused} is refused; there could follow: ${expected}`],
  }
}
