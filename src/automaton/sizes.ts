/**
 * How long the shortest text of a grammar is, before any automaton exists: so that a schema whose instances nobody could
 * finish (`minLength: 1000000000`) is refused when it is compiled, not when it is used.
 *
 * A lower bound, exact but for patterns and numbers, of which it takes the fewest characters there may be.
 */
import {
  alternativesOf,
  type Expr,
  type Grammar,
  type TalliedItems,
  type Terminal,
} from '../grammar/grammar.ts'

const NEVER = Number.POSITIVE_INFINITY

/**
 * The bytes of the longest text that some place of the grammar cannot do without. Every place counts, not only what the
 * shortest text of the whole goes through: a property that is optional may be begun.
 */
export function largestLeast(grammar: Grammar): number {
  const least = grammar.rules.map(() => NEVER)
  let largest = 0
  const of = (expr: Expr): number => {
    const size = sizeOf(expr, least, of)
    if (size !== NEVER) largest = Math.max(largest, size)
    return size
  }
  for (let changed = true; changed; ) {
    changed = false
    largest = 0
    for (let rule = least.length - 1; rule >= 0; rule--) {
      const size = of(grammar.rules[rule]!.body)
      if (size >= least[rule]!) continue
      least[rule] = size
      changed = true
    }
  }
  return largest
}

function sizeOf(expr: Expr, least: readonly number[], of: (expr: Expr) => number): number {
  switch (expr.type) {
    case 'terminal':
      return terminalSize(expr.terminal)
    case 'token':
      return 1
    case 'call':
      return least[expr.rule]!
    case 'sequence':
      return expr.items.reduce((sum, item) => sum + of(item), 0)
    case 'choice':
      return expr.options.reduce((best, option) => Math.min(best, of(option)), NEVER)
    case 'marked':
      return expr.options.reduce((best, { value }) => Math.min(best, of(value)), NEVER)
    case 'repeat': {
      const item = of(expr.item)
      return expr.min === 0 ? 0 : expr.min * item
    }
    case 'free-text': {
      const sizes = expr.stops.map(({ text, leadsTo }) =>
        leadsTo === null ? NEVER : text.length + of(leadsTo),
      )
      return expr.ends ? 0 : Math.min(...sizes)
    }
    case 'frame':
      return of(expr.body)
    case 'object': {
      let required = 0
      let count = 0
      for (const { name, required: isRequired, value } of expr.properties) {
        const size = name.length + 3 + of(value)
        if (!isRequired) continue
        required += size
        count++
      }
      if (expr.additional !== null) of(expr.additional)
      for (const { value } of expr.classes ?? []) of(value)
      // Further entries have at least two quotes, a colon and a byte of value.
      const extra = Math.max(0, (expr.minProperties ?? 0) - count)
      return 2 + required + extra * 4 + Math.max(0, count + extra - 1)
    }
    case 'array': {
      if (expr.counted !== undefined) return countedSize(expr.min, expr.counted, of)
      const sizes = expr.prefix.map(of)
      const rest = expr.rest === null ? NEVER : of(expr.rest)
      const needed = sizes.slice(0, expr.min).reduce((sum, size) => sum + size, 0)
      const more = Math.max(0, expr.min - sizes.length)
      return 2 + needed + (more > 0 ? more * rest : 0) + Math.max(0, expr.min - 1)
    }
  }
}

/** As many of the shortest items as the bounds ask for: a tally asks for that many items. */
function countedSize(min: number, counted: TalliedItems, of: (expr: Expr) => number): number {
  const sizes = alternativesOf(counted).map(({ value }) => of(value))
  const items = counted.tallies.reduce((most, tally) => Math.max(most, tally.min), min)
  return items === 0 ? 2 : 2 + items * Math.min(...sizes) + items - 1
}

function terminalSize(terminal: Terminal): number {
  switch (terminal.kind) {
    case 'texts':
      return terminal.texts.reduce((best, text) => Math.min(best, text.length), NEVER)
    case 'string':
      return 2 + Math.max(terminal.minLength, terminal.language?.minLength ?? 0)
    case 'text':
      return terminal.language.minLength
    case 'number':
      return 1
  }
}
