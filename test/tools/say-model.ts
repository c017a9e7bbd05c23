/** A chat model that says a text, byte by byte, whatever it is asked; where a mask refuses that, it says what it must. */
import { ChatTemplate } from '../../src/decode/chat.ts'
import type { Model } from '../../src/decode/model.ts'
import type { TokenSequence } from '../../src/decode/sequence.ts'
import { bytesOf, END, ScriptModel } from '../decode/script-model.ts'

const TEMPLATE =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}'

/** Runs on it must not jump forward: the first thing that it reads is taken for the prompt. */
export function sayModel(text: string): Model {
  const base = new ScriptModel([], 100_000)
  const script = bytesOf(text)
  const chat = new ChatTemplate(TEMPLATE, TEMPLATE, base.tokenizer, {})
  const startSequence = (): TokenSequence => {
    const logits = new Float32Array(END + 1)
    let prompt = 0
    let length = 0
    return {
      get length() {
        return length
      },
      append: async (ids) => {
        length += ids.length
        if (prompt === 0) prompt = length
        logits.fill(0)
        logits[script[length - prompt] ?? END] = 1
        return logits
      },
      truncate: (to) => {
        length = to
      },
    }
  }
  return {
    vocabulary: base.vocabulary,
    tokenizer: base.tokenizer,
    contextLength: base.contextLength,
    chat,
    startSequence,
    release: async () => {},
  }
}
