/**
 * What a decoder graph asks for and gives, read from the session itself: names, types and shapes of its inputs and
 * outputs. An input that is not known here is a `ModelError` at load time, never a guess at run time.
 */
import { ModelError } from '../errors.ts'
import type { InferenceSession, Runtime, TensorInfo } from './runtime.ts'

export type FloatType = 'float32' | 'float16'

/** One key or value cache of one layer: `[1, heads, positions, width]`. */
export interface CacheInfo {
  readonly input: string
  /** Past and new rows; the new rows alone where the graph gives those. */
  readonly output: string
  readonly type: FloatType
  readonly heads: number
  readonly width: number
}

export interface Graph {
  readonly runtime: Runtime
  readonly session: InferenceSession
  /** Path of the file, for messages. */
  readonly path: string
  readonly caches: readonly CacheInfo[]
  /** The graph gives the rows it adds to its caches, and not the caches (added-rows.ts). */
  readonly addsRows: boolean
  readonly hasMask: boolean
  readonly hasPositions: boolean
  /** A merged decoder's switch between its branch without and with a cache. */
  readonly hasCacheBranch: boolean
  /** Shape of `num_logits_to_keep`; `null` where the graph always computes the logits of every position. */
  readonly keepDims: readonly number[] | null
  readonly logitsType: FloatType
  /** Logits a position. */
  readonly width: number
}

const PAST = 'past_key_values.'
export const PRESENT = 'present.'
/** An edited graph's output in place of `present.*`, and its input that says which rows: `[batch, heads, rows, 1]`. */
export const ADDED = 'added.'
export const ROWS_INPUT = 'added_positions'

const KNOWN =
  'input_ids, attention_mask, position_ids, past_key_values.*, use_cache_branch, num_logits_to_keep'

/** Reads the layout of a session; `vocabSize` serves where the graph leaves the width of its logits open. */
export function readGraph(
  runtime: Runtime,
  session: InferenceSession,
  path: string,
  vocabSize: number | undefined,
): Graph {
  const inputs = new Map(session.inputMetadata.map((info) => [info.name, info]))
  const outputs = new Map(session.outputMetadata.map((info) => [info.name, info]))
  const other = otherArchitecture(inputs, outputs)
  if (other !== null) throw new ModelError(`${path} is ${other}; a decoder with a key-value cache is needed`)
  const caches: CacheInfo[] = []
  const addsRows = inputs.has(ROWS_INPUT)
  let keepDims: readonly number[] | null = null
  for (const [name, info] of inputs) {
    if (name.startsWith(PAST)) caches.push(readCache(path, info, outputs, addsRows ? ADDED : PRESENT))
    else if (name === 'num_logits_to_keep') keepDims = (info.shape ?? []).map(() => 1)
    else if (name === 'use_cache_branch') expectType(path, info, 'bool')
    else if (
      name === 'input_ids' ||
      name === 'attention_mask' ||
      name === 'position_ids' ||
      name === ROWS_INPUT
    )
      expectType(path, info, 'int64')
    else
      throw new ModelError(
        `${path} asks for the input "${name}", which is not supported; supported are ${KNOWN}`,
      )
  }
  if (caches.length === 0) {
    throw new ModelError(
      `${path} has no past_key_values inputs; export the model with a cache (text-generation-with-past)`,
    )
  }
  const logits = outputs.get('logits')
  if (logits === undefined) throw new ModelError(`${path} has no output "logits"; it is not a language model`)
  const declared = logits.shape?.[2]
  const width = typeof declared === 'number' ? declared : vocabSize
  if (width === undefined)
    throw new ModelError(
      `${path}: neither the graph nor config.json (vocab_size) says how many logits there are`,
    )
  return {
    runtime,
    session,
    path,
    caches,
    addsRows,
    hasMask: inputs.has('attention_mask'),
    hasPositions: inputs.has('position_ids'),
    hasCacheBranch: inputs.has('use_cache_branch'),
    keepDims,
    logitsType: floatType(path, logits),
    width,
  }
}

/** What a graph is that is no decoder of text alone, by the names of its inputs and outputs; `null` for what may be one. */
function otherArchitecture(
  inputs: ReadonlyMap<string, unknown>,
  outputs: ReadonlyMap<string, unknown>,
): string | null {
  const names = [...inputs.keys()]
  const given = (prefix: string): string | undefined => names.find((name) => name.startsWith(prefix))
  const isDecoder = names.some((name) => name.startsWith(PAST))
  if (
    inputs.has('encoder_hidden_states') ||
    names.some((name) => /^past_key_values\.\d+\.encoder\./u.test(name))
  )
    return 'the decoder of an encoder-decoder model (it asks for encoder_hidden_states)'
  if (inputs.has('inputs_embeds') && !inputs.has('input_ids'))
    return 'the language part of a model of images or sound (it asks for inputs_embeds)'
  const foreign = given('pixel_values') ?? given('input_features') ?? given('input_values')
  if (foreign !== undefined) return `a model of images or sound (it asks for ${foreign})`
  if (!inputs.has('input_ids'))
    return `no language model (it asks for ${names.join(', ')} and not for input_ids)`
  const state = names.find((name) => /^past_(?!key_values)/u.test(name))
  if (state !== undefined)
    return `a model whose memory is not one of keys and values alone (it asks for ${state})`
  if (isDecoder) return null
  const hidden = ['last_hidden_state', 'sentence_embedding', 'pooler_output'].find((name) =>
    outputs.has(name),
  )
  if (hidden !== undefined) return `an encoder (it gives ${hidden} and keeps no past_key_values)`
  if (inputs.has('token_type_ids'))
    return 'an encoder (it asks for token_type_ids and keeps no past_key_values)'
  return null
}

function readCache(
  path: string,
  info: TensorInfo,
  outputs: ReadonlyMap<string, TensorInfo>,
  prefix: string,
): CacheInfo {
  const output = prefix + info.name.slice(PAST.length)
  if (!outputs.has(output))
    throw new ModelError(`${path} has the input "${info.name}" but no output "${output}"`)
  const [, heads, , width] = info.shape ?? []
  if (info.shape?.length !== 4 || typeof heads !== 'number' || typeof width !== 'number') {
    throw new ModelError(
      `${path}: the cache "${info.name}" has the shape [${info.shape}]; supported is [batch, heads, positions, width] ` +
        'with heads and width given as numbers',
    )
  }
  return { input: info.name, output, type: floatType(path, info), heads, width }
}

function floatType(path: string, info: TensorInfo): FloatType {
  if (info.type === 'float32' || info.type === 'float16') return info.type
  throw new ModelError(`${path}: "${info.name}" is ${info.type}; supported are float32 and float16`)
}

function expectType(path: string, info: TensorInfo, type: string): void {
  if (info.type !== type)
    throw new ModelError(`${path}: "${info.name}" is ${info.type}; supported is ${type}`)
}
