/**
 * `@huggingface/transformers-structured-output`: a logits processor of transformers.js.
 *
 * It has no mask of its own to hand out: a step gives it the tokens so far and logits that are all zero, and looks which
 * have become -∞. The logits are made zero again outside of the time; the last token is taken in by the step after it.
 */
import { readFileSync } from 'node:fs'
import type { Engine, LoadEngine, Opening } from './protocol.ts'
import { fromPeers } from './require.ts'

interface Tensor {
  readonly data: Float32Array
}

interface Transformers {
  Tensor: new (type: string, data: Float32Array, dims: number[]) => Tensor
}

interface StructuredOutput {
  StructuredOutputProcessor: {
    new (tokenizer: object, format: object): (ids: bigint[][], logits: Tensor) => Tensor
    warmup(tokenizer: object): void
  }
}

export const loadHf: LoadEngine = () => {
  const transformers = fromPeers('@huggingface/transformers') as Transformers
  const structuredOutput = fromPeers('@huggingface/transformers-structured-output') as StructuredOutput
  return (opening) => open(transformers, structuredOutput, opening)
}

function open(
  { Tensor }: Transformers,
  { StructuredOutputProcessor }: StructuredOutput,
  { tokenizer, endId, size }: Opening,
): Engine {
  const { dependencies } = fromPeers('./package.json') as { dependencies: Record<string, string> }
  const tokens = { _tokenizerJSON: JSON.parse(readFileSync(tokenizer, 'utf8')), eos_token_id: endId }
  StructuredOutputProcessor.warmup(tokens)
  return {
    version: dependencies['@huggingface/transformers-structured-output']!,
    settings: 'as it comes',
    compile(source, notation) {
      if (notation !== 'json-schema') throw new Error('takes no grammar in GBNF')
      const format = { type: 'json_schema', json_schema: JSON.parse(source) as unknown }
      let next: ((ids: bigint[][], logits: Tensor) => Tensor) | null = new StructuredOutputProcessor(
        tokens,
        format,
      )
      return {
        matcher() {
          const processor = next ?? new StructuredOutputProcessor(tokens, format)
          next = null
          const ids: bigint[] = []
          const logits = new Tensor('float32', new Float32Array(size), [1, size])
          const step = (id: number): boolean => {
            processor([ids], logits)
            return logits.data[id] !== Number.NEGATIVE_INFINITY
          }
          return {
            step(id) {
              const allowed = step(id)
              if (allowed) ids.push(BigInt(id))
              return allowed
            },
            prepare: () => void logits.data.fill(0),
            ended: () => step(endId),
          }
        },
      }
    },
  }
}
