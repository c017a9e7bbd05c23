/**
 * How many texts a regular language has, and which they are: what decides whether the keys of a language can be written
 * out one by one, and whether they run out.
 *
 * Counting walks the automaton by length and stops where no document could hold all texts, so it costs little for large
 * languages; whether a language is infinite is decided exactly, by a search for a cycle. Every state looked at is counted.
 */
import type { CharDfa } from '../regex/chardfa.ts'
import { charClasses } from '../regex/classes.ts'
import { Derivatives } from '../regex/derivative.ts'
import { emptinessOf } from '../regex/emptiness.ts'
import type { Regex, RegexBuilder } from '../regex/regex.ts'
import type { Budget } from './options.ts'

/** As many texts as no document holds: 2^31 keys are more than what can be written. */
const ENDLESS = 0x7fffffff

/** What a derivative costs, in steps of the budget. */
const STEPS_PER_DERIVATIVE = 32

/** What an expression made on the way costs: derivatives of intersections are as large as what is intersected. */
const STEPS_PER_NODE = 8

/** Whether the language has a text: a search for a near one. `LimitError` where it takes more than `most` derivatives. */
export function hasText(builder: RegexBuilder, root: Regex, most: number, budget: Budget): boolean {
  if (root.live) return true
  const classes = charClasses(root)
  const derivatives = new Derivatives(builder, classes.representatives)
  let size = builder.size
  const spend = (steps: number): void => {
    budget.spend(steps * STEPS_PER_DERIVATIVE + (builder.size - size) * STEPS_PER_NODE)
    size = builder.size
  }
  const found = emptinessOf(builder).hasText(root, { classes, derivatives, maxSteps: most, spend })
  spend(0)
  return found
}

/** The number of texts; `Infinity` if they are infinitely many, or more than any document holds. */
export function countTexts(dfa: CharDfa, language: Regex, budget: Budget): number {
  if (dfa.start === 0) return 0
  if (language.infinite) return Number.POSITIVE_INFINITY
  if (language.maxLength === Number.POSITIVE_INFINITY && hasCycle(dfa, budget))
    return Number.POSITIVE_INFINITY
  const sizes = classSizes(dfa)
  let total = 0
  // For each state, how many texts of one length lead to it.
  let layer = new Map<number, number>([[dfa.start, 1]])
  while (layer.size > 0) {
    const next = new Map<number, number>()
    for (const [state, count] of layer) {
      if (dfa.accepting(state)) total += count
      budget.spend(1 + (dfa.classCount >>> 3))
      for (let cls = 0; cls < dfa.classCount; cls++) {
        const target = dfa.next(state, cls)
        if (target !== 0) next.set(target, (next.get(target) ?? 0) + count * (sizes[cls] as number))
      }
    }
    if (total >= ENDLESS) return Number.POSITIVE_INFINITY
    layer = next
  }
  return total
}

/** The texts of a finite language, shortest first. Costs their number times their length. */
export function listTexts(dfa: CharDfa, budget: Budget): string[] {
  const texts: string[] = []
  const { rangeStarts, rangeClass } = dfa
  let layer: { readonly state: number; readonly text: string }[] =
    dfa.start === 0 ? [] : [{ state: dfa.start, text: '' }]
  while (layer.length > 0) {
    const next: { state: number; text: string }[] = []
    for (const { state, text } of layer) {
      if (dfa.accepting(state)) texts.push(text)
      budget.spend(1 + (rangeStarts.length >>> 3))
      for (let range = 0; range < rangeStarts.length; range++) {
        const target = dfa.next(state, rangeClass[range] as number)
        if (target === 0) continue
        const end = rangeStarts[range + 1] ?? 0x110000
        for (let codePoint = rangeStarts[range] as number; codePoint < end; codePoint++)
          next.push({ state: target, text: text + String.fromCodePoint(codePoint) })
      }
    }
    layer = next
  }
  return texts
}

/** Every state of the automaton is alive, so a cycle that can be reached makes the language infinite. */
function hasCycle(dfa: CharDfa, budget: Budget): boolean {
  const done = new Set<number>()
  const open = new Set<number>([dfa.start])
  const path: { readonly state: number; cls: number }[] = [{ state: dfa.start, cls: 0 }]
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    if (top.cls === dfa.classCount) {
      path.pop()
      open.delete(top.state)
      done.add(top.state)
      continue
    }
    const target = dfa.next(top.state, top.cls++)
    if (target === 0 || done.has(target)) continue
    if (open.has(target)) return true
    budget.spend(1 + (dfa.classCount >>> 3))
    open.add(target)
    path.push({ state: target, cls: 0 })
  }
  return false
}

function classSizes(dfa: CharDfa): number[] {
  const sizes = new Array<number>(dfa.classCount).fill(0)
  dfa.rangeStarts.forEach((start, range) => {
    const cls = dfa.rangeClass[range] as number
    sizes[cls] = (sizes[cls] as number) + (dfa.rangeStarts[range + 1] ?? 0x110000) - start
  })
  return sizes
}
