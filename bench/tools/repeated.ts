/** Any number of tools: those of `bench/requests/tools.json`, again and again under other names. */
import { type Tool, tools } from '../strict/requests.ts'

/** So many tools, in OpenAI's shape. */
export function repeatedTools(count: number): Tool[] {
  const twelve = tools()
  return Array.from({ length: count }, (_, i) => {
    const tool = twelve[i % twelve.length]!
    if (i < twelve.length) return tool
    return {
      ...tool,
      function: { ...tool.function, name: `${tool.function.name}_${Math.floor(i / twelve.length)}` },
    }
  })
}
