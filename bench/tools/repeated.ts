/** Any number of tools: those of `bench/requests/tools.json`, again and again under other names. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../lib.ts'

interface ToolDocument {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly [key: string]: unknown }
}

/** So many tools, in OpenAI's shape. */
export function repeatedTools(count: number): ToolDocument[] {
  const tools = JSON.parse(
    readFileSync(join(root, 'bench', 'requests', 'tools.json'), 'utf8'),
  ) as ToolDocument[]
  return Array.from({ length: count }, (_, i) => {
    const tool = tools[i % tools.length]!
    if (i < tools.length) return tool
    return {
      ...tool,
      function: { ...tool.function, name: `${tool.function.name}_${Math.floor(i / tools.length)}` },
    }
  })
}
