/**
 * The least automaton of a language: all states that can be reached and finished, and no two that accept the same.
 *
 * Where no two states lead to each other, as in texts of bounded length, states are told apart once, those that follow
 * before those that they follow: linear in states and steps. Else they are told apart by what they accept, then by where they
 * lead, in as many rounds as that takes.
 */
import { LimitError } from '../errors.ts'
import { componentsOf } from '../grammar/analysis.ts'
import type { CharSet } from '../regex/charset.ts'

/** An automaton over characters. */
export interface Machine {
  readonly start: number
  accepting(state: number): boolean
  /** The steps from a state: to each state at most one. */
  steps(state: number): Iterable<readonly [target: number, set: CharSet]>
}

/** A state of the least automaton: what follows it, by where it leads. */
export interface State {
  readonly accepting: boolean
  readonly steps: ReadonlyMap<number, CharSet>
}

/**
 * The states of the least automaton, the first one first.
 *
 * @throws LimitError for an automaton with more than `maxStates` as it is given
 */
export function leastStates(machine: Machine, maxStates: number): readonly State[] {
  const states = explored(machine, maxStates)
  const classes = classesOf(states)
  /** By class: its number in the order in which the classes are met. */
  const numbers = new Map<number, number>()
  for (const own of classes) if (!numbers.has(own)) numbers.set(own, numbers.size)
  const least: State[] = []
  states.forEach(({ accepting, steps }, state) => {
    const target = (to: number): number => numbers.get(classes[to]!)!
    least[target(state)] ??= { accepting, steps: renamed(steps, target) }
  })
  return least
}

/** All states that can be finished, the first one first. */
function explored(machine: Machine, maxStates: number): State[] {
  const index = new Map([[machine.start, 0]])
  const order = [machine.start]
  const states: State[] = []
  for (let at = 0; at < order.length; at++) {
    const steps = new Map<number, CharSet>()
    for (const [target, set] of machine.steps(order[at]!)) {
      let to = index.get(target)
      if (to === undefined) {
        to = order.push(target) - 1
        index.set(target, to)
        if (order.length > maxStates) {
          const hint = 'use shorter counts, or fewer patterns on one string'
          throw new LimitError('states of a printed automaton', maxStates, order.length, hint)
        }
      }
      steps.set(to, steps.get(to)?.union(set) ?? set)
    }
    states.push({ accepting: machine.accepting(order[at]!), steps })
  }
  const alive = aliveOf(states)
  return states.map(({ accepting, steps }) => ({
    accepting,
    steps: new Map([...steps].filter(([target]) => alive[target] === true)),
  }))
}

/** Whether each state can be finished. */
function aliveOf(states: readonly State[]): readonly boolean[] {
  const before: number[][] = states.map(() => [])
  states.forEach(({ steps }, state) => {
    for (const target of steps.keys()) before[target]!.push(state)
  })
  const alive = states.map(({ accepting }) => accepting)
  const pending = states.flatMap(({ accepting }, state) => (accepting ? [state] : []))
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    for (const from of before[state]!) {
      if (alive[from]) continue
      alive[from] = true
      pending.push(from)
    }
  }
  return alive
}

/** What a state accepts and where it leads, as a text that equal states have in common. */
export function keyOf(accepting: boolean, steps: Iterable<readonly [target: number, set: CharSet]>): string {
  const all = Array.from(steps, ([target, { key }]) => `${target}:${key}`)
  return `${accepting} ${all.sort().join(';')}`
}

type Steps = ReadonlyMap<number, CharSet>

/** The same steps to what their targets are renamed to. */
function renamed(steps: Steps, name: (target: number) => number): Steps {
  const all = new Map<number, CharSet>()
  for (const [target, set] of steps) {
    const to = name(target)
    all.set(to, all.get(to)?.union(set) ?? set)
  }
  return all
}

/** By state: a number that equal states have in common. */
function classesOf(states: readonly State[]): readonly number[] {
  const components = componentsOf(states.map(({ steps }) => [...steps.keys()]))
  return components.length === states.length ? toldOnce(states, components.flat()) : toldInRounds(states)
}

/** Where a state leads to itself, or to its equal. */
const SELF = -1

/** @param order of the states, each behind those that it leads to, itself aside */
function toldOnce(states: readonly State[], order: readonly number[]): readonly number[] {
  const classes = states.map(() => SELF)
  const known = new Map<string, number>()
  const loops = new Set<number>()
  for (const state of order) {
    const { accepting, steps } = states[state]!
    const targets = renamed(steps, (target) => classes[target]!)
    const key = keyOf(accepting, targets)
    // It may be the equal of a state that it leads to, which leads to itself then.
    const equal = [...targets.keys()].find(
      (target) =>
        loops.has(target) &&
        known.get(
          keyOf(
            accepting,
            renamed(targets, (each) => (each === target ? SELF : each)),
          ),
        ) === target,
    )
    const own = equal ?? known.get(key) ?? known.size
    known.set(key, own)
    if (targets.has(SELF)) loops.add(own)
    classes[state] = own
  }
  return classes
}

function toldInRounds(states: readonly State[]): readonly number[] {
  let classes: readonly number[] = states.map(({ accepting }) => (accepting ? 1 : 0))
  let count = new Set(classes).size
  for (;;) {
    const known = new Map<string, number>()
    const next = states.map(({ accepting, steps }, state) => {
      const targets = renamed(steps, (target) => classes[target]!)
      const key = `${classes[state]} ${keyOf(accepting, targets)}`
      const own = known.get(key) ?? known.size
      known.set(key, own)
      return own
    })
    classes = next
    if (known.size === count) return classes
    count = known.size
  }
}
