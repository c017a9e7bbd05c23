/**
 * JSON values as nodes. Values are atoms by what they are, wherever they stand: two atoms are two different values, so
 * branches that are told apart by a `const` are seen to be disjoint. Linear in the value, iterative.
 */
import { jsonKey } from '../json/print.ts'
import { type JsonArray, JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts'
import type { Node, NodeTable, ValueAtom } from './node.ts'
import type { Budget } from './options.ts'

export class ValueTable {
  readonly #nodes: NodeTable
  readonly #budget: Budget
  readonly #values = new Map<string, ValueAtom>()
  readonly #containers = new Map<JsonObject | JsonArray, ValueAtom>()

  constructor(nodes: NodeTable, budget: Budget) {
    this.#nodes = nodes
    this.#budget = budget
  }

  /** Exactly this value. */
  node(root: JsonValue, pointer: string): Node {
    // Inner values first, so that a container's key is made of the ids of its items.
    const stack = [root]
    for (let value = stack.at(-1); value !== undefined; value = stack.at(-1)) {
      let ready = true
      const items = value instanceof Map ? value.values() : Array.isArray(value) ? value : []
      for (const item of items) {
        if (this.#known(item) !== undefined) continue
        stack.push(item)
        ready = false
      }
      if (!ready) continue
      stack.pop()
      if (this.#known(value) === undefined) this.#add(value, pointer)
    }
    return this.#nodes.of(this.#known(root) as ValueAtom)
  }

  #known(value: JsonValue): ValueAtom | undefined {
    return isContainer(value) ? this.#containers.get(value) : this.#values.get(jsonKey(value))
  }

  #add(value: JsonValue, pointer: string): void {
    let key: string
    if (value instanceof Map) {
      const entries = [...value].map(([name, item]) => `${jsonKey(name)}:${this.#known(item)?.id}`)
      key = `{${entries.sort().join()}}`
    } else if (isContainer(value)) {
      key = `[${value.map((item) => this.#known(item)?.id).join()}]`
    } else {
      key = jsonKey(value)
    }
    this.#budget.spend(1 + (key.length >>> 3))
    let atom = this.#values.get(key)
    if (atom === undefined) {
      atom = { kind: 'value', id: this.#nodes.nextAtom(), value, pointer, label: 'value' }
      this.#values.set(key, atom)
    }
    if (isContainer(value)) this.#containers.set(value, atom)
  }
}

function isContainer(value: JsonValue): value is JsonObject | JsonArray {
  return typeof value === 'object' && value !== null && !(value instanceof JsonNumber)
}
