/**
 * Whether llama.cpp reads a grammar, by the rules of its `grammars/README.md`, which are narrower than our reader's: escapes
 * are `\n \r \t \\ \" \[ \]` and code points, a repetition has its least count, and a rule ends with its line but behind
 * `::=`, behind `|`, and within brackets.
 */

const ESCAPE = String.raw`\\(?:[nrt\\"[\]]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})`
const NAME = '[A-Za-z0-9_-]+'
const PARTS = new RegExp(
  [
    String.raw`(?<blank>[ \t]+|#[^\r\n]*)`,
    String.raw`(?<line>\r\n|\r|\n)`,
    String.raw`(?<rule>${NAME}[ \t]*::=)`,
    String.raw`(?<item>"(?:${ESCAPE}|[^"\\])*"|\[(?:${ESCAPE}|[^\]\\])+\]|${NAME}|\.|!?<[^>]+>)`,
    String.raw`(?<count>[*+?]|\{\d+(?:,\d*)?\})`,
    '(?<sign>[|()])',
  ].join('|'),
  'uy',
)

/** Where llama.cpp stops, with what follows there; '' for a grammar that it reads. */
export function whereLlamaStops(text: string): string {
  let isInRule = false
  /** Behind `::=` or `|`, where a line may end. */
  let mayBreak = false
  let depth = 0
  let at = 0
  const stopped = (): string => `at ${at}: ${text.slice(at, at + 20)}`
  while (at < text.length) {
    PARTS.lastIndex = at
    const part = PARTS.exec(text)
    if (part === null) return stopped()
    const { blank, line, rule, sign } = part.groups!
    if (line !== undefined) isInRule &&= mayBreak || depth > 0
    else if (rule !== undefined) {
      if (isInRule) return stopped()
      isInRule = true
      mayBreak = true
    } else if (blank === undefined) {
      if (!isInRule) return stopped()
      mayBreak = sign === '|'
      if (sign === '(') depth++
      if (sign === ')' && --depth < 0) return stopped()
    }
    at += part[0].length
  }
  return depth > 0 ? stopped() : ''
}
