/**
 * The cut report for people: what was written, what is open from the outside in, what each still needs, and the shortest
 * way to an end. Everything that came from a model or a file is printed with its control characters made visible.
 */
import type { OpenFrame } from '../decode/constraint.ts'
import type { Cut, RejectedCall, Result } from '../decode/result.ts'
import { plural, type Style } from './terminal.ts'

/** Widest excerpt of a text on one line. */
const WIDTH = 72

/** Frames whose text is worth showing by itself; that of a container is shown by what it holds. */
const SCALARS = new Set<OpenFrame['kind']>(['key', 'string', 'number', 'literal', 'text'])

const REASONS = {
  max_tokens: (tokens: number) => `cut by max_tokens after ${plural(tokens, 'token')}`,
  aborted: (tokens: number) => `stopped after ${plural(tokens, 'token')}`,
  complete: (tokens: number) => `complete after ${plural(tokens, 'token')}`,
}

/** The whole report of a generation that was cut. */
export function renderCut(result: Result, style: Style): string {
  const { stopReason, text, cut } = result
  // What the attempts before this one wrote is none of its text.
  const { tokens } = result.attempts?.at(-1)?.usage ?? result.usage
  const lines = [style.bold(style.yellow(REASONS[stopReason](tokens)))]
  lines.push(`  ${style.dim('so far')}   ${excerptEnd(text)}${style.yellow('▌')}`)
  if (cut === undefined) return lines.join('\n')
  lines.push(...renderFrames(cut.frames, text, cut.completion === '', style).map((line) => `  ${line}`))
  lines.push(...renderCompletion(cut, style).map((line) => `  ${line}`))
  if (stopReason === 'max_tokens' && cut.completionTokens > 0) {
    const enough = tokens + cut.completionTokens
    lines.push(
      `  ${style.dim('budget')}   with ${plural(enough, 'token')} it could have ended; there were ${tokens}`,
    )
  }
  return lines.join('\n')
}

/** The calls that are whole and wrong, with every violation. */
export function renderRejected(rejected: readonly RejectedCall[], style: Style): string {
  return rejected
    .flatMap(({ name, argumentsText, violations }) => [
      style.bold(style.yellow(name === '' ? 'no call' : `rejected: a call of ${visible(name)}`)),
      `  ${style.dim('text')}     ${excerptEnd(argumentsText)}`,
      ...violations.map(
        ({ pointer, message, source }) =>
          `  ${style.dim(source.padEnd(11))}${pointer === '' ? '' : `${visible(pointer)}  `}${visible(message)}`,
      ),
    ])
    .join('\n')
}

/**
 * Open frames as a staircase: kind, place, what has been written, what is missing. `text` is the whole of it.
 * @param isWhole whether it may end here
 */
export function renderFrames(
  frames: readonly OpenFrame[],
  text: string,
  isWhole: boolean,
  style: Style,
): string[] {
  if (frames.length === 0) {
    const behind = isWhole ? 'nothing: the text is whole' : 'nothing, between two parts: the text goes on'
    return [`${style.dim('open')}     ${text === '' ? 'nothing yet: the text has not begun' : behind}`]
  }
  const rows = frames.map((frame, depth) => ({
    left: `${'  '.repeat(depth)}${frame.kind} ${visible(frame.pointer)}`.trimEnd(),
    frame,
  }))
  const width = Math.min(44, Math.max(...rows.map(({ left }) => left.length)))
  return rows.map(({ left, frame }, index) => {
    const label = index === 0 ? style.dim('open') : '    '
    const needs =
      frame.needs.length === 0 ? style.dim('nothing more') : `needs ${needsText(frame.needs, style)}`
    const has =
      SCALARS.has(frame.kind) && frame.text !== '' ? style.dim(`, has ${excerptEnd(frame.text, 32)}`) : ''
    return `${label}     ${left.padEnd(width)}  ${needs}${has}`
  })
}

function needsText(needs: readonly string[], style: Style): string {
  const shown = needs.length > 6 ? [...needs.slice(0, 5), `${needs.length - 5} more`] : needs
  return shown.map((need) => style.yellow(visible(need))).join(style.dim(' · '))
}

export function renderCompletion(cut: Pick<Cut, 'completion' | 'completionTokens'>, style: Style): string[] {
  const text = cut.completion === '' ? style.dim('(nothing)') : style.green(excerptStart(cut.completion))
  return [`${style.dim('to end')}   ${text}  ${style.dim(`in ${plural(cut.completionTokens, 'token')}`)}`]
}

/** Control characters as they would be escaped, so that a terminal takes no orders from a model. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    if (character === '\n') return '⏎'
    if (character === '\t') return '⇥'
    return `\\u{${character.codePointAt(0)!.toString(16)}}`
  })
}

function excerptEnd(text: string, width = WIDTH): string {
  const characters = [...visible(text)]
  return characters.length <= width ? characters.join('') : `…${characters.slice(-width).join('')}`
}

/** The beginning of a text, on one line. */
export function excerptStart(text: string): string {
  const characters = [...visible(text)]
  return characters.length <= WIDTH ? characters.join('') : `${characters.slice(0, WIDTH).join('')}…`
}
