/** The grammars that come with the repository, and their samples: a title, a text, and what becomes of it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../bench/lib.ts'

export interface GrammarSample {
  readonly title: string
  readonly text: string
  /** `accept`, or `refuse @` the byte that is refused, or `end` for a text that is cut short. */
  readonly expected: string
}

export const grammarNames: readonly string[] = readdirSync(join(root, 'grammars'))
  .map((file) => file.replace(/\.gbnf$/u, ''))
  .sort()

export function grammarText(name: string): string {
  return readFileSync(join(root, 'grammars', `${name}.gbnf`), 'utf8')
}

export function grammarSamples(name: string): GrammarSample[] {
  const text = readFileSync(join(root, 'test', 'grammars', `${name}.txt`), 'utf8')
  return [...text.matchAll(/^# (.*)\n([\s\S]*?)\n==> (.*)$/gmu)].map(
    ([, title = '', sample = '', expected = '']) => ({ title, text: sample, expected }),
  )
}
