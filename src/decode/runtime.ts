/**
 * The part of onnxruntime-node that is used here, as types of our own, and its loading.
 *
 * The package is an optional peer: 290 MB that who uses the core alone must not need, neither at run time nor for
 * types. So nothing imports it but the one dynamic import below.
 */
import { ModelError } from '../errors.ts'

export type TensorData = Float32Array | Uint16Array | BigInt64Array | Uint8Array

export interface Tensor {
  readonly dims: readonly number[]
  readonly data: unknown
}

/** What a graph declares of an input or output; a dimension is a number or the name of a free one. */
export interface TensorInfo {
  readonly name: string
  readonly isTensor: boolean
  readonly type?: string
  readonly shape?: readonly (number | string)[]
}

export interface InferenceSession {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  readonly inputMetadata: readonly TensorInfo[]
  readonly outputMetadata: readonly TensorInfo[]
  run(
    feeds: Readonly<Record<string, Tensor>>,
    fetches: Readonly<Record<string, Tensor | null>>,
    options?: { readonly logSeverityLevel?: number },
  ): Promise<Readonly<Record<string, Tensor>>>
  release(): Promise<void>
}

export interface Runtime {
  readonly Tensor: new (type: string, data: TensorData, dims: readonly number[]) => Tensor
  readonly InferenceSession: {
    create(source: string | Uint8Array, options: Readonly<Record<string, unknown>>): Promise<InferenceSession>
  }
}

/** Loads onnxruntime-node; a `ModelError` says how to install it where it is absent. */
export async function loadRuntime(): Promise<Runtime> {
  try {
    const loaded: unknown = await import('onnxruntime-node')
    return loaded as Runtime
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ModelError(
      'onnxruntime-node, which runs the models, cannot be loaded. Install it beside espalier: ' +
        `ONNXRUNTIME_NODE_INSTALL=skip npm install onnxruntime-node@1.30 (${reason})`,
    )
  }
}
