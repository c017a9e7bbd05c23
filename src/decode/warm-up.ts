/**
 * Work that a vocabulary needs once, done when a model is loaded and not at the first tokens of a run: the token
 * partitions of the terminals that every schema shares (strings, bounded strings, keys, numbers, space between them), and
 * the compiler's first look at the loops. About 0.1 s for 49,152 tokens; the first call then spends 11 ms in its masks where it
 * would spend 64.
 */
import { compileGrammar } from '../mask/compile.ts'
import { schemaToGrammar } from '../schema/index.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import type { PromptTokenizer } from './tokenizer.ts'

const SCHEMA = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    short: { type: 'string', maxLength: 40 },
    list: { type: 'array', items: { type: 'number' } },
    count: { type: 'integer' },
    flag: { type: 'boolean' },
  },
  required: ['text', 'short', 'list', 'count', 'flag'],
  additionalProperties: { type: 'string' },
}

const INSTANCE =
  '{"text": "a \\"quote\\" here", "short": "some words", "list": [1.5, -2, 30], "count": 12, "flag": true, "other": "x"}'

/** Reads one document as a run would, and forgets it. */
export function warmUp(vocabulary: Vocabulary, tokenizer: PromptTokenizer): void {
  const matcher = compileGrammar(schemaToGrammar(SCHEMA).grammar, vocabulary).matcher()
  const mask = new Uint32Array((vocabulary.size + 31) >>> 5)
  for (const id of tokenizer.encodeText(INSTANCE)) {
    matcher.mask(mask)
    // A vocabulary that spells this otherwise has seen enough where the spellings part.
    if (!matcher.accept(id)) return
  }
}
