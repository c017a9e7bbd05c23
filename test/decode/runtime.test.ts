import { expect, it, vi } from 'vitest'
import { loadRuntime } from '../../src/decode/runtime.ts'
import { ModelError } from '../../src/errors.ts'

vi.mock('onnxruntime-node', () => {
  throw new Error('Cannot find package')
})

it('says how to install the runtime where it is absent', async () => {
  await expect(loadRuntime()).rejects.toThrow(ModelError)
  await expect(loadRuntime()).rejects.toThrow(/npm install onnxruntime-node/)
})
