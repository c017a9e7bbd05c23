/**
 * A model folder in the Hugging Face layout, read and checked: `config.json`, `generation_config.json`,
 * `tokenizer.json`, `tokenizer_config.json`, `chat_template.jinja`, `onnx/*.onnx`.
 *
 * Only the files' meaning is decided here (which graph, which end tokens, how long a context); nothing of ONNX is
 * loaded. Everything that is missing or odd is a `ModelError` that names the file and what to do.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ModelError } from '../errors.ts'
import type { AddedToken, TokenTable } from '../vocab/token-table.ts'
import { readTokenTable } from './vocabulary-cache.ts'

/** File name suffix of each `dtype`, as exporters for transformers.js write them. */
const SUFFIXES = new Map([
  ['fp32', ''],
  ['fp16', '_fp16'],
  ['q8', '_quantized'],
  ['int8', '_int8'],
  ['uint8', '_uint8'],
  ['q4', '_q4'],
  ['q4f16', '_q4f16'],
  ['bnb4', '_bnb4'],
  ['q2', '_q2'],
  ['q2f16', '_q2f16'],
  ['q1', '_q1'],
  ['q1f16', '_q1f16'],
])

/** Base names of a decoder graph; the merged one holds a branch with and one without a cache. */
const GRAPHS = ['model', 'decoder_model_merged']

/** The name of the cache file beside `tokenizer.json`. */
const CACHE_FILE = 'tokenizer.espalier'

/** Where neither file of the folder says how long a context may be. */
const DEFAULT_CONTEXT = 4096

type Config = ReadonlyMap<string, unknown>

/** The files of a model folder that say how it writes text. */
export interface TextFiles {
  readonly path: string
  readonly config: Config
  /** What `tokenizer.json` says about its tokens. */
  readonly tokens: TokenTable
  /** `tokenizer.json`, parsed when it is asked for. */
  readonly tokenizer: () => Record<string, unknown>
  readonly tokenizerConfig: Record<string, unknown>
  /** Source of the chat template for messages alone; `null` where the model has none. */
  readonly chatTemplate: string | null
  /** The template to use when there are tools; the same one unless the model names another. */
  readonly toolTemplate: string | null
  /** Ids that end a generation: those of generation_config, config and the tokenizer together. Never none. */
  readonly endTokens: readonly number[]
  /** Positions the model was made for: prompt and answer together. */
  readonly contextLength: number
}

export interface ModelFolder extends TextFiles {
  /** Path of the chosen graph. */
  readonly graph: string
}

/** Reads `path`; `dtype` chooses the graph where there are several. */
export async function readModelFolder(
  path: string,
  dtype?: string,
  vocabularyCache: boolean | string = false,
): Promise<ModelFolder> {
  const files = await readTextFiles(path, vocabularyCache)
  return { ...files, graph: await chooseGraph(path, dtype, files.config) }
}

/** Reads what there is beside the graph; with a cache of the tokens where `vocabularyCache` is true, or the cache's path. */
export async function readTextFiles(
  path: string,
  vocabularyCache: boolean | string = false,
): Promise<TextFiles> {
  const cache = vocabularyCache === true ? join(path, CACHE_FILE) : vocabularyCache
  if (cache !== false && (typeof cache !== 'string' || cache === ''))
    throw new TypeError(`option vocabularyCache must be true, false or a path, not ${JSON.stringify(cache)}`)
  const entry = await stat(path).catch(() => null)
  if (entry === null)
    throw new ModelError(`${path}: no such folder; give a folder with config.json and onnx/*.onnx`)
  if (!entry.isDirectory()) throw new ModelError(`${path} is a file; give the folder that holds config.json`)
  const config = await readConfig(path, 'config.json', true)
  const generation = await readConfig(path, 'generation_config.json', false)
  const tokenizer = await readRequired(path, 'tokenizer.json')
  const tokens = await readTokenTable(tokenizer, cache === false ? null : cache)
  const tokenizerConfig = parseObject(
    (await readText(path, 'tokenizer_config.json')) ?? '{}',
    join(path, 'tokenizer_config.json'),
  )
  const templates = readTemplates(await readText(path, 'chat_template.jinja'), tokenizerConfig.chat_template)
  const ends = endTokens(config, generation, tokens.added, tokenizerConfig)
  if (ends.length === 0) {
    throw new ModelError(
      `${path}: no end token in generation_config.json, config.json or tokenizer_config.json; add eos_token_id`,
    )
  }
  return {
    path,
    config,
    tokens,
    tokenizer: () => parseObject(tokenizer, join(path, 'tokenizer.json')),
    tokenizerConfig,
    ...templates,
    endTokens: ends,
    contextLength: contextLength(config, tokenizerConfig),
  }
}

/** The graph of `dtype`; without one the config's own, else float32, else the only one there is. */
async function chooseGraph(path: string, dtype: string | undefined, config: Config): Promise<string> {
  const suffix = dtype === undefined ? undefined : SUFFIXES.get(dtype)
  if (dtype !== undefined && suffix === undefined) {
    throw new ModelError(
      `dtype ${JSON.stringify(dtype)} is not known; known are ${[...SUFFIXES.keys()].join(', ')}`,
    )
  }
  const found = new Map<string, string>()
  for (const folder of [join(path, 'onnx'), path]) {
    for (const file of (await readdir(folder).catch(() => [])).sort()) {
      for (const [name, ending] of SUFFIXES) {
        for (const graph of GRAPHS) {
          if (file === `${graph}${ending}.onnx` && !found.has(name)) found.set(name, join(folder, file))
        }
      }
    }
  }
  if (found.size === 0) {
    throw new ModelError(
      `${join(path, 'onnx')}: no model*.onnx or decoder_model_merged*.onnx there; ${await whatElse(path)}`,
    )
  }
  const there = [...found.keys()].join(', ')
  if (dtype !== undefined) {
    const file = found.get(dtype)
    if (file === undefined)
      throw new ModelError(`${path} has no graph for dtype ${dtype}; there are: ${there}`)
    return file
  }
  const own = configuredDtype(config)
  const chosen = (own === undefined ? undefined : found.get(own)) ?? found.get('fp32')
  if (chosen !== undefined) return chosen
  if (found.size > 1) throw new ModelError(`${path} has several graphs; choose one with dtype: ${there}`)
  return [...found.values()][0]!
}

/** What the folder has in place of a graph, and what to do. */
async function whatElse(path: string): Promise<string> {
  const lists = [join(path, 'onnx'), path].map((folder) => readdir(folder).catch(() => []))
  const graphs = (await Promise.all(lists)).flat().filter((file) => file.endsWith('.onnx'))
  if (graphs.some((file) => file.startsWith('encoder_model')))
    return 'with encoder_model*.onnx it is an encoder-decoder model, and a decoder alone is needed'
  if (graphs.some((file) => /^decoder_(with_past_)?model/u.test(file)))
    return 'decoder_model.onnx and decoder_with_past_model.onnx are one graph each: export them merged'
  if (graphs.length > 0) return `there are ${graphs.sort().join(', ')}`
  return 'is the download complete?'
}

function configuredDtype(config: Config): string | undefined {
  const settings = config.get('transformers.js_config')
  if (!isObject(settings)) return undefined
  const { dtype } = settings
  if (typeof dtype === 'string') return dtype
  if (isObject(dtype)) for (const graph of GRAPHS) if (typeof dtype[graph] === 'string') return dtype[graph]
  return undefined
}

/** A template is a string, a list of named ones (`tool_use` is for tools), or a file, which wins. */
function readTemplates(
  file: string | null,
  value: unknown,
): Pick<TextFiles, 'chatTemplate' | 'toolTemplate'> {
  if (file !== null) return { chatTemplate: file, toolTemplate: file }
  if (typeof value === 'string') return { chatTemplate: value, toolTemplate: value }
  const named = new Map<unknown, string>()
  if (Array.isArray(value)) {
    for (const entry of value) {
      if (isObject(entry) && typeof entry.template === 'string') named.set(entry.name, entry.template)
    }
  }
  const chatTemplate = named.get('default') ?? null
  return { chatTemplate, toolTemplate: named.get('tool_use') ?? chatTemplate }
}

function endTokens(
  config: Config,
  generation: Config,
  added: readonly AddedToken[],
  tokenizerConfig: Record<string, unknown>,
): number[] {
  const ids = new Set<number>()
  const text = config.get('text_config')
  const sources = [
    generation.get('eos_token_id'),
    config.get('eos_token_id'),
    isObject(text) ? text.eos_token_id : undefined,
  ]
  for (const source of sources) {
    for (const id of Array.isArray(source) ? source : [source]) {
      if (typeof id === 'number' && Number.isInteger(id) && id >= 0) ids.add(id)
    }
  }
  const eos = tokenText(tokenizerConfig.eos_token)
  for (const { id, content } of added) if (content === eos) ids.add(id)
  return [...ids].sort((a, b) => a - b)
}

/** The text of a token in tokenizer_config.json, which is a string or an object with its flags. */
export function tokenText(token: unknown): string | undefined {
  if (typeof token === 'string') return token
  return isObject(token) && typeof token.content === 'string' ? token.content : undefined
}

function contextLength(config: Config, tokenizerConfig: Record<string, unknown>): number {
  const text = config.get('text_config')
  for (const key of ['max_position_embeddings', 'n_positions', 'n_ctx', 'max_sequence_length']) {
    for (const value of [config.get(key), isObject(text) ? text[key] : undefined]) {
      if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value
    }
  }
  // Tokenizers without a limit of their own write 1e30 here.
  const length = tokenizerConfig.model_max_length
  return typeof length === 'number' && Number.isInteger(length) && length > 0 && length < 1e9
    ? length
    : DEFAULT_CONTEXT
}

async function readOptional(path: string, file: string): Promise<Buffer | null> {
  try {
    return await readFile(join(path, file))
  } catch (error) {
    if (isObject(error) && error.code === 'ENOENT') return null
    throw new ModelError(
      `${join(path, file)} cannot be read: ${error instanceof Error ? error.message : error}`,
    )
  }
}

async function readRequired(path: string, file: string): Promise<Buffer> {
  const bytes = await readOptional(path, file)
  if (bytes === null) throw new ModelError(`${join(path, file)}: no such file; a model folder needs it`)
  return bytes
}

async function readText(path: string, file: string): Promise<string | null> {
  return (await readOptional(path, file))?.toString() ?? null
}

async function readConfig(path: string, file: string, required: boolean): Promise<Config> {
  const text = required ? (await readRequired(path, file)).toString() : ((await readText(path, file)) ?? '{}')
  return new Map(Object.entries(parseObject(text, join(path, file))))
}

function parseObject(text: string | Buffer, file: string): Record<string, unknown> {
  let value: unknown
  try {
    // Of a buffer that is too long for a string, too, the reason is given.
    value = JSON.parse(text.toString())
  } catch (error) {
    throw new ModelError(`${file} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
  if (!isObject(value) || Array.isArray(value)) throw new ModelError(`${file} does not hold a JSON object`)
  return value
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
