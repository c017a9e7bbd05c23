import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import { expect, it } from 'vitest'
import { call, loadModel } from '../../src/index.ts'
import { REQUESTS, TOOLS } from './requests.ts'

const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void

it('answers twenty requests, greedy and sampled, with calls that validate', async () => {
  const ajv = new Ajv2020({ strict: false })
  addFormats(ajv)
  const validators = new Map(
    TOOLS.map((tool) => [tool.function.name as string, ajv.compile(tool.function.parameters)]),
  )
  const model = await loadModel('models/smollm2-135m-instruct')
  for (const [index, content] of REQUESTS.entries()) {
    for (const settings of [{}, { temperature: 0.8, topP: 0.95, seed: index }]) {
      const result = await call(model, {
        tools: TOOLS,
        messages: [{ role: 'user', content }],
        maxTokens: 400,
        toolChoice: 'required',
        parallelToolCalls: false,
        ...settings,
      }).result
      expect(result.stopReason, result.text).toBe('complete')
      const { name, arguments: args, argumentsText } = result.calls[0]!
      expect(validators.get(name)!(args), argumentsText).toBe(true)
    }
  }
  await model.release()
})
