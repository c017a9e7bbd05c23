/**
 * A local model: its vocabulary, its way to write prompts, and texts that it reads.
 *
 * `loadModel` reads a folder in the Hugging Face layout and opens its ONNX graph; what does not fit is a `ModelError`
 * that says where and what to do. Loading costs what the runtime needs for the graph plus about 0.3 s; a `Model` holds
 * no state of any text, so any number of runs may share it.
 */

import { ModelError } from '../errors.ts'
import { checkNames } from '../mask/options.ts'
import { warmUp } from '../mask/warm-up.ts'
import { Vocabulary } from '../vocab/vocabulary.ts'
import { ChatTemplate } from './chat.ts'
import { type ModelFolder, readModelFolder, readTextFiles, type TextFiles, tokenText } from './folder.ts'
import type { Graph } from './graph.ts'
import { OnnxBatch } from './onnx-batch.ts'
import { openGraph } from './open-graph.ts'
import { OnnxSequence, type TokenBatch, type TokenSequence } from './sequence.ts'
import { PromptTokenizer } from './tokenizer.ts'

export interface LoadOptions {
  /** Which graph of the folder: `fp32`, `fp16`, `q8`, `q4`, ... Default: what config.json names, or the only one. */
  readonly dtype?: string
  /** Threads inside an operator. Default: the cores that are there. */
  readonly threads?: number
  /**
   * `true`: keep the tokens of `tokenizer.json` in a binary file beside it (`tokenizer.espalier`), made where there is none
   * for just these bytes; a path: in that file. A cache that cannot be written is a warning. Default: `false`.
   */
  readonly vocabularyCache?: boolean | string
}

export interface Model {
  readonly vocabulary: Vocabulary
  readonly tokenizer: PromptTokenizer
  /** `null` where the model has no chat template: it takes prompts, not messages. */
  readonly chat: ChatTemplate | null
  /** Most positions of prompt and answer together. */
  readonly contextLength: number
  /** A new text of at most `limit` positions, the context's if absent. Its memory goes when nothing refers to it. */
  startSequence(limit?: number): TokenSequence
  /** Texts that are read together; absent, or `null`, where the model reads one at a time. */
  startBatch?(): TokenBatch | null
  /** Gives the session's memory back; the model cannot be used afterwards. */
  release(): Promise<void>
}

/** Loads the model in `folder`. Throws `ModelError`, and `VocabularyError` for a tokenizer that cannot be read exactly. */
export async function loadModel(folder: string, options: LoadOptions = {}): Promise<Model> {
  checkNames(options, ['dtype', 'threads', 'vocabularyCache'])
  const files = await readModelFolder(folder, options.dtype, options.vocabularyCache)
  const model = new OnnxModel(files, await openGraph(files, options.threads))
  warmUp(model.vocabulary)
  return model
}

/** The vocabulary of the model in `folder` alone: no graph is opened, onnxruntime-node is not needed. */
export async function loadVocabulary(
  folder: string,
  options: Pick<LoadOptions, 'vocabularyCache'> = {},
): Promise<Vocabulary> {
  const { tokens, endTokens } = await readTextFiles(folder, options.vocabularyCache)
  return Vocabulary.fromTable(tokens, { endTokens })
}

/** What a model has beside its graph: how it reads and writes text. */
export type TextModel = Pick<Model, 'vocabulary' | 'tokenizer' | 'chat'>

/** The same with what prompts are written with. */
export async function loadTextModel(
  folder: string,
  options: Pick<LoadOptions, 'vocabularyCache'> = {},
): Promise<TextModel> {
  return textModel(await readTextFiles(folder, options.vocabularyCache))
}

/** @param size the width of the logits, where that is known */
function textModel(files: TextFiles, size?: number): TextModel {
  const endTokens = size === undefined ? files.endTokens : files.endTokens.filter((id) => id < size)
  if (endTokens.length === 0) {
    throw new ModelError(
      `${files.path}: the end tokens ${files.endTokens.join(', ')} lie outside the ${size} logits`,
    )
  }
  const width = size === undefined ? {} : { size }
  const vocabulary = Vocabulary.fromTable(files.tokens, { endTokens, ...width })
  const tokenizer = new PromptTokenizer(files.tokenizer(), files.tokenizerConfig, (id) =>
    vocabulary.isControl(id),
  )
  const { chatTemplate: source, toolTemplate } = files
  const context = {
    bos_token: tokenText(files.tokenizerConfig.bos_token) ?? '',
    eos_token: tokenText(files.tokenizerConfig.eos_token) ?? '',
  }
  const chat = source === null ? null : new ChatTemplate(source, toolTemplate ?? source, tokenizer, context)
  return { vocabulary, tokenizer, chat }
}

class OnnxModel implements Model {
  readonly vocabulary: Vocabulary
  readonly tokenizer: PromptTokenizer
  readonly chat: ChatTemplate | null
  readonly contextLength: number
  readonly #graph: Graph

  constructor(files: ModelFolder, graph: Graph) {
    const { vocabulary, tokenizer, chat } = textModel(files, graph.width)
    this.vocabulary = vocabulary
    this.tokenizer = tokenizer
    this.chat = chat
    this.contextLength = files.contextLength
    this.#graph = graph
  }

  startSequence(limit = this.contextLength): TokenSequence {
    return new OnnxSequence(this.#graph, limit)
  }

  startBatch(): TokenBatch | null {
    return this.#graph.addsRows ? new OnnxBatch(this.#graph, this.contextLength) : null
  }

  async release(): Promise<void> {
    await this.#graph.session.release()
  }
}
