/**
 * Text in the pieces of Unigram, which needs more care than that of BPE: any piece of the vocabulary may come of text that is
 * spelled like it, a control token's too, and the library does not fall back to bytes.
 */
import type { Tokenizer } from '@huggingface/tokenizers'
import { isObject } from './folder.ts'

/** Nothing before a text or behind it. */
export const PLAIN = { add_special_tokens: false }

export function isUnigram({ model }: Readonly<Record<string, unknown>>): boolean {
  return isObject(model) && model.type === 'Unigram'
}

/** The text in parts of which none holds one of the literals: each is cut behind its first character. */
export function cut(text: string, literals: RegExp | null): string[] {
  if (literals === null) return [text]
  const parts: string[] = []
  const search = new RegExp(literals)
  let from = 0
  for (let match = search.exec(text); match !== null; match = search.exec(text)) {
    const end = match.index + String.fromCodePoint(text.codePointAt(match.index)!).length
    if (end === text.length) break
    parts.push(text.slice(from, end))
    from = end
    search.lastIndex = end
  }
  parts.push(text.slice(from))
  return parts
}

export class UnigramText {
  readonly #fallsBack: boolean
  readonly #isControl: (id: number) => boolean

  constructor({ model }: Readonly<Record<string, unknown>>, isControl: (id: number) => boolean) {
    this.#fallsBack = isObject(model) && model.byte_fallback === true
    this.#isControl = isControl
  }

  /** The pieces of a text, with bytes for what is unknown where the model has them; none is a control token. */
  encode(tokenizer: Tokenizer, continuing: Tokenizer, text: string): number[] {
    const ids = this.#pieces(tokenizer, text)
    if (!ids.some((id) => this.#isWrong(tokenizer, id))) return ids
    // What the normalizer makes of a text may be a literal, too. Its characters alone are none.
    return [...text]
      .flatMap((character, i) => this.#pieces(i === 0 ? tokenizer : continuing, character))
      .filter((id) => !this.#isWrong(tokenizer, id))
  }

  #isWrong(tokenizer: Tokenizer, id: number): boolean {
    return id !== tokenizer.model?.unk_token_id && this.#isControl(id)
  }

  #pieces(tokenizer: Tokenizer, text: string): number[] {
    const { ids, tokens }: { ids: number[]; tokens: string[] } = tokenizer.encode(text, PLAIN)
    if (!this.#fallsBack) return ids
    const unknown = tokenizer.model?.unk_token_id
    return ids.flatMap((id, i) => {
      if (id !== unknown) return id
      const bytes = Array.from(new TextEncoder().encode(tokens[i]), (byte) =>
        tokenizer.token_to_id(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
      )
      return bytes.every((each) => each !== undefined) ? bytes : id
    })
  }
}
