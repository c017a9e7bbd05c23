/**
 * Finite automata as rules: equal states are one (`least-machine.ts`), what leads straight on stands in a line, the same step
 * again and again is a count.
 *
 * A state becomes a rule where several lead to it or it leads back to itself; else it stands where it is used.
 */
import type { CharSet } from '../regex/charset.ts'
import { keyOf, leastStates, type Machine, type State } from './least-machine.ts'
import { choiceOf, EMPTY, type Piece, repeatOf, sequenceOf } from './notation.ts'
import { callOf, type Rules } from './rules.ts'

/** What stands within each other. */
const MAX_NESTING = 8
const MAX_INLINE = 60

export interface MachineOptions {
  /** Of the automaton as it is given. */
  readonly maxStates: number
  /** What is known of some states, in better words than their steps. */
  readonly known?: (states: readonly State[]) => ReadonlyMap<number, Piece>
}

/**
 * The language of an automaton.
 *
 * @param spell a character of a set
 * @throws LimitError for one with too many states
 */
export function printMachine(
  machine: Machine,
  spell: (set: CharSet) => Piece,
  rules: Rules,
  name: string,
  { maxStates, known = () => new Map() }: MachineOptions,
): Piece {
  const states = leastStates(machine, maxStates)
  return new Printer(states, spell, rules, name, known(states)).start()
}

class Printer {
  readonly #states: readonly State[]
  readonly #spell: (set: CharSet) => Piece
  readonly #rules: Rules
  readonly #name: string
  readonly #known: ReadonlyMap<number, Piece>
  /** How many steps lead to each state. */
  readonly #uses: number[]
  /** States that lead back to themselves by way of others. */
  readonly #heads = new Set<number>()
  readonly #named = new Map<number, string>()
  readonly #waiting: number[] = []

  constructor(
    states: readonly State[],
    spell: (set: CharSet) => Piece,
    rules: Rules,
    name: string,
    known: ReadonlyMap<number, Piece>,
  ) {
    this.#known = known
    this.#states = states
    this.#spell = spell
    this.#rules = rules
    this.#name = name
    this.#uses = states.map(() => 0)
    states.forEach(({ steps }, state) => {
      for (const target of steps.keys()) if (target !== state) this.#uses[target]!++
    })
    this.#findHeads()
  }

  start(): Piece {
    const piece = this.#heads.has(0) ? this.#call(0) : this.#body(0, 0)
    for (let state = this.#waiting.pop(); state !== undefined; state = this.#waiting.pop())
      this.#rules.define(this.#named.get(state)!, this.#body(state, 0))
    return piece
  }

  /** A search in depth, on a stack of its own: what it meets again while it is open is led back to. */
  #findHeads(): void {
    const open = new Set<number>()
    const done = new Set<number>()
    const path: { state: number; targets: number[] }[] = []
    const enter = (state: number): void => {
      open.add(state)
      path.push({ state, targets: [...this.#states[state]!.steps.keys()] })
    }
    enter(0)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const target = top.targets.pop()
      if (target === undefined) {
        open.delete(top.state)
        done.add(top.state)
        path.pop()
      } else if (open.has(target)) {
        if (target !== top.state) this.#heads.add(target)
      } else if (!done.has(target)) enter(target)
    }
  }

  #call(state: number): Piece {
    let name = this.#named.get(state)
    if (name === undefined) {
      name = this.#rules.declare(this.#name)
      this.#named.set(state, name)
      this.#waiting.push(state)
    }
    return callOf(name)
  }

  /** What may follow a step to a state. */
  #behind(state: number, depth: number): Piece {
    const { accepting, steps } = this.#states[state]!
    const known = this.#known.get(state)
    if (known !== undefined) return known
    if (steps.size === 0 && accepting) return EMPTY
    if (this.#heads.has(state) || this.#named.has(state) || depth >= MAX_NESTING) return this.#call(state)
    const isShared = this.#uses[state]! > 1
    if (isShared && steps.size > 1) return this.#call(state)
    const body = this.#body(state, depth + 1)
    return isShared && body.text.length > MAX_INLINE ? this.#call(state) : body
  }

  #body(state: number, depth: number): Piece {
    const { accepting, steps } = this.#states[state]!
    const loop = steps.get(state)
    const others = [...steps].filter(([target]) => target !== state)
    const counted = loop === undefined ? this.#counted(state, depth) : null
    if (counted !== null) return counted
    const options = others.map(([target, set]) => sequenceOf([this.#spell(set), this.#behind(target, depth)]))
    const rest = choiceOf(accepting ? [...options, EMPTY] : options)
    return loop === undefined
      ? rest
      : sequenceOf([repeatOf(this.#spell(loop), 0, Number.POSITIVE_INFINITY), rest])
  }

  /** A state from which one step leads on and on to states that are alike but for it: so many times that step. */
  #counted(first: number, depth: number): Piece | null {
    for (const [target, set] of this.#states[first]!.steps) {
      const alike = this.#withoutStep(first, target)
      let count = 1
      let last = target
      for (;;) {
        if (last === first || this.#heads.has(last)) break
        const next = [...this.#states[last]!.steps].find(([, other]) => other.key === set.key)
        if (next === undefined || next[0] === last || this.#withoutStep(last, next[0]) !== alike) break
        last = next[0]
        count++
      }
      if (count < 2) continue
      const { accepting, steps } = this.#states[first]!
      const others = [...steps].filter(([to]) => to !== target)
      const options = others.map(([to, other]) => sequenceOf([this.#spell(other), this.#behind(to, depth)]))
      const step = this.#spell(set)
      // The last one may be alike too, with the step taken away.
      if (this.#withoutStep(last, -1) === alike)
        return sequenceOf([repeatOf(step, 0, count), choiceOf(accepting ? [...options, EMPTY] : options)])
      const all = sequenceOf([repeatOf(step, count, count), this.#behind(last, depth)])
      if (options.length === 0 && !accepting) return all
      const fewer = sequenceOf([
        repeatOf(step, 0, count - 1),
        choiceOf(accepting ? [...options, EMPTY] : options),
      ])
      return choiceOf([fewer, all])
    }
    return null
  }

  #withoutStep(state: number, target: number): string {
    const { accepting, steps } = this.#states[state]!
    return keyOf(
      accepting,
      [...steps].filter(([to]) => to !== target),
    )
  }
}
