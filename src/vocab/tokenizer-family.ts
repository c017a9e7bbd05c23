/**
 * Which family a `tokenizer.json` belongs to, by what its model and its decoder do to bytes.
 *
 * The decoder decides, since it is what turns tokens into text; the pre-tokenizer is asked where there is none. A family
 * that is not read yet is refused by its name: wrong bytes would be silent.
 */
import { VocabularyError } from '../errors.ts'
import type { TokenizerFields } from './tokenizer-scan.ts'

/** Returns where tokens are written in byte-level characters; throws `VocabularyError` with the family's name elsewhere. */
export function requireByteLevel(fields: TokenizerFields): void {
  const { model } = fields
  const type = modelType(fields)
  const decoders = steps(fields.document.get('decoder'), 'decoders')
  if (decoders.includes('CTC')) throw refused('CTC')
  if (type !== 'BPE') throw refused(type)
  const preTokenizers = steps(fields.document.get('pre_tokenizer'), 'pretokenizers')
  const asked = decoders.length > 0 ? decoders : preTokenizers
  if (!asked.includes('ByteLevel'))
    throw refused(familyWithoutByteLevel(asked, model.get('byte_fallback') === true))
  const other = decoders.find((step) => step !== 'ByteLevel' && step !== 'Fuse')
  if (other !== undefined) throw refused(`byte-level BPE with the decoder step ${other}`)
  for (const affix of ['continuing_subword_prefix', 'end_of_word_suffix']) {
    const value = model.get(affix)
    if (typeof value === 'string' && value !== '') throw refused(`BPE with ${affix} ${JSON.stringify(value)}`)
  }
}

function refused(family: string): VocabularyError {
  return new VocabularyError(`this tokenizer.json is ${family}; only byte-level BPE can be read exactly`)
}

/** The type of the model; files written before it was named are told apart by their fields, as `tokenizers` does. */
function modelType({ model, hasMerges, vocab }: TokenizerFields): string {
  const type = model.get('type')
  if (typeof type === 'string') return type
  if (hasMerges) return 'BPE'
  if (Array.isArray(vocab)) return 'Unigram'
  return model.has('continuing_subword_prefix') ? 'WordPiece' : 'of no known model type'
}

function familyWithoutByteLevel(steps: readonly string[], byteFallback: boolean): string {
  if (byteFallback || steps.includes('ByteFallback')) return 'SentencePiece BPE with byte fallback'
  if (steps.includes('Metaspace')) return 'SentencePiece BPE (Metaspace)'
  return steps.length === 0 ? 'BPE without a decoder or pre-tokenizer' : `BPE with ${steps.join(', ')}`
}

/** The types of a component's steps in order, sequences flattened. */
function steps(component: unknown, list: string): string[] {
  const types: string[] = []
  const pending: unknown[] = [component]
  for (let next = pending.pop(); next !== undefined || pending.length > 0; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const { type, [list]: members } = next as Record<string, unknown>
    if (Array.isArray(members)) pending.push(...members.toReversed())
    else if (typeof type === 'string') types.push(type)
  }
  return types
}
