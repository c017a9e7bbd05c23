/**
 * The threads of one position. Those that differ in nothing but what follows are one, in the union of their contexts: so
 * many ways to read a text are few threads, but where their terminals differ.
 *
 * They are looked through one by one while they are few, by terminal and state when they are many.
 */
import type { Dfa } from '../automaton/dfa.ts'
import type { Program } from '../automaton/program.ts'

/** Threads up to this many are looked through one by one. */
const FEW = 16

/** What every kind of thread has. */
export interface ThreadPlace {
  /** The terminal that runs, or `null` between two. */
  readonly dfa: Dfa | null
  readonly state: number
  readonly context: number
}

/**
 * Two threads at one state of one terminal as one, whose context does not count; `null` where they must be told apart.
 * `isKnown`: the first already stands for the context of the second.
 */
export type Join<T> = (program: Program, known: T, thread: T, isKnown: boolean) => T | null

interface Member<T> {
  thread: T
  readonly contexts: number[]
}

export class ThreadSet<T extends ThreadPlace> {
  readonly #program: Program
  readonly #join: Join<T>
  readonly #members: Member<T>[] = []
  #byState: Map<string, Member<T>[]> | null = null

  constructor(program: Program, join: Join<T>) {
    this.#program = program
    this.#join = join
  }

  get threads(): T[] {
    return this.#members.map(({ thread, contexts }) =>
      contexts.length === 1 ? thread : { ...thread, context: this.#program.union(contexts) },
    )
  }

  add(thread: T): void {
    const { dfa, state, context } = thread
    const alike = this.#alike(dfa, state)
    for (const member of alike) {
      if (member.thread.dfa !== dfa || member.thread.state !== state) continue
      const isKnown = member.contexts.includes(context)
      const joined = this.#join(this.#program, member.thread, thread, isKnown)
      if (joined === null) continue
      member.thread = joined
      if (!isKnown) member.contexts.push(context)
      return
    }
    const member = { thread, contexts: [context] }
    this.#members.push(member)
    if (this.#byState !== null) alike.push(member)
    if (this.#members.length > this.#program.maxThreads) this.#program.tooManyThreads(this.#members.length)
  }

  /** The members among which one at this state is. */
  #alike(dfa: Dfa | null, state: number): Member<T>[] {
    if (this.#members.length < FEW) return this.#members
    if (this.#byState === null) {
      this.#byState = new Map()
      for (const member of this.#members)
        listAt(this.#byState, member.thread.dfa, member.thread.state).push(member)
    }
    return listAt(this.#byState, dfa, state)
  }
}

function listAt<M>(lists: Map<string, M[]>, dfa: Dfa | null, state: number): M[] {
  const key = `${dfa === null ? 0 : dfa.id} ${state}`
  let list = lists.get(key)
  if (list === undefined) {
    list = []
    lists.set(key, list)
  }
  return list
}

/** Whether the text may end behind the thread. */
export function mayEnd(program: Program, { dfa, state, context }: ThreadPlace): boolean {
  if (dfa === null) return program.closure(context).ends
  const tag = dfa.tag(state)
  return tag !== 0 && program.closure(program.exit(context, tag)).ends
}
