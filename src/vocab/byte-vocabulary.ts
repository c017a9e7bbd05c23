/** A vocabulary of the 256 bytes and an end token, for what is asked of a schema without any model. */
import { Vocabulary } from './vocabulary.ts'

export function byteVocabulary(): Vocabulary {
  const tokens: (Uint8Array | null)[] = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
  return Vocabulary.fromBytes([...tokens, null], { endTokens: [256] })
}
