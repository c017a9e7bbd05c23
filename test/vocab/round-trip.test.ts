/**
 * That the bytes of tokens are exact: what a tokenizer encodes spells the text, after the family's rule for spaces, and every
 * token is what its decoder makes of it. Here for small vocabularies and the shipped one; `round-trip.ci.test.ts` has the others.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Random, seedOf } from '../support/random.ts'
import {
  differences,
  misspelled,
  type Subject,
  spaceRule,
  subjectOf,
  withoutUnspelled,
} from '../support/round-trip.ts'
import { REPLACE, sentencePiece, sequence, unigram } from '../support/sentence-piece.ts'
import { randomText } from '../support/texts.ts'

const seed = seedOf('round trips')
const TEXTS = 250

const PIECES = [
  '▁',
  't',
  'h',
  'e',
  '▁t',
  '▁th',
  '▁the',
  '▁▁',
  '▁▁▁▁',
  '"',
  ':',
  '":',
  '":▁',
  'é',
  '日',
  '本',
  '日本',
  '\n',
]
const WORDS = ['the', ' ', '  ', 'é', '日本', '"', ':', '\n', '\u2581', 'het', 'xyz', '🌿']

function fromFolder(folder: string, end: string, rule?: Subject['rule']): Subject {
  const config = JSON.parse(readFileSync(`${folder}/tokenizer_config.json`, 'utf8'))
  return subjectOf(readFileSync(`${folder}/tokenizer.json`), config, [end], rule)
}

/** A document with the settings of the pre-tokenizer Metaspace, and no normalizer. */
function metaspace(document: object, scheme: string): object {
  const pre = { type: 'Metaspace', replacement: '▁', prepend_scheme: scheme, split: false }
  return { ...document, normalizer: null, pre_tokenizer: pre }
}

function fromDocument(document: object, rule: Subject['rule']): Subject {
  return subjectOf(Buffer.from(JSON.stringify(document)), {}, ['</s>'], rule)
}

const withoutPrefix = { decoder: sequence(REPLACE, 'ByteFallback', 'Fuse') }
const REPLACED = { type: 'Replace', pattern: { String: ' ' }, content: '▁' }

const SUBJECTS: readonly [name: string, make: () => Subject, kinds: object][] = [
  [
    'the shipped model',
    () => fromFolder('models/smollm2-135m-instruct', '<|im_end|>', withoutUnspelled),
    { same: 48_822, partial: 313, control: 17 },
  ],
  [
    'a tiny byte-level vocabulary',
    () => fromFolder('test/fixtures/models/tiny-positions', '<|im_end|>'),
    { same: 177, partial: 131, control: 5 },
  ],
  [
    'SentencePiece as in Llama 2',
    () => fromDocument(sentencePiece(PIECES), spaceRule('always')),
    { same: 139, firstSpace: 7, partial: 128, control: 3 },
  ],
  [
    'SentencePiece as in Gemma',
    () => fromDocument({ ...sentencePiece(PIECES, withoutPrefix), normalizer: REPLACED }, spaceRule('none')),
    { same: 146, partial: 128, control: 3 },
  ],
  [
    'SentencePiece as in Mistral v3',
    () => fromDocument(metaspace(sentencePiece(PIECES), 'first'), spaceRule('unless there is one')),
    { same: 139, firstSpace: 7, partial: 128, control: 3 },
  ],
  [
    'Metaspace that never prepends',
    () => fromDocument(metaspace(sentencePiece(PIECES, withoutPrefix), 'never'), spaceRule('none')),
    { same: 146, partial: 128, control: 3 },
  ],
]

describe('the tokens', () => {
  it.each(SUBJECTS)('of %s spell every text, and are each what the decoder makes of it', (_, make, kinds) => {
    const subject = make()
    const random = new Random(seed)
    expect(
      misspelled(
        subject,
        Array.from({ length: TEXTS }, () => randomText(random)),
      ),
    ).toEqual([])
    const words = Array.from({ length: TEXTS }, () =>
      Array.from({ length: 1 + random.below(8) }, () => random.pick(WORDS)).join(''),
    )
    expect(misspelled(subject, words)).toEqual([])
    const none = { same: 0, firstSpace: 0, partial: 0, outside: 0, control: 0, hole: 0, other: [] }
    expect(differences(subject)).toEqual({ ...none, ...kinds })
  })

  it('of Unigram spell texts of their pieces, and what is unknown has no bytes', () => {
    const subject = fromDocument(metaspace(unigram(PIECES), 'always'), spaceRule('unless there is one'))
    const random = new Random(seed)
    const known = [' ', '\u2581', ...PIECES]
    const texts = Array.from({ length: TEXTS }, () =>
      Array.from({ length: 1 + random.below(9) }, () => random.pick(known)).join(''),
    )
    expect(misspelled(subject, texts)).toEqual([])
    expect(misspelled(subject, ['thex'])).toEqual(['"thex" is spelled "(token 0 has no bytes)"'])
    const { same, firstSpace, control, other } = differences(subject)
    expect([same, firstSpace, control, other]).toEqual([12, 6, 3, []])
    const fallback = fromDocument(
      metaspace(unigram(PIECES, { byteFallback: true }), 'always'),
      spaceRule('always'),
    )
    expect(differences(fallback)).toMatchObject({
      same: 139,
      firstSpace: 7,
      partial: 128,
      control: 3,
      other: [],
    })
  })
})
