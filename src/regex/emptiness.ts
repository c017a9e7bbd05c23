/**
 * Whether a language has a text: exactly, in counted steps.
 *
 * Where intersections or complements hide it, a search takes derivatives until one surely has a text, or none is left. An
 * intersection is given up at once when one side asks for a character that another side never has. A union is searched
 * option by option (Antimirov's partial derivatives): the intersection of two patterns costs the product of their sizes, not
 * of their determinised forms, which are exponential for `(a|b)*a(a|b){20}`; and different unions have options in common,
 * of which the answer is known.
 *
 * Answers are facts about languages, so they are kept for the builder's lifetime, those met on the way included.
 */
import { LimitError } from '../errors.ts'
import type { CharClasses } from './classes.ts'
import type { Derivatives } from './derivative.ts'
import { PriorityQueue } from './heap.ts'
import type { Regex } from './node.ts'
import type { RegexBuilder } from './regex.ts'
import { isRefuted } from './requirements.ts'

/** Most intersections that one derivative is split into; unions beyond that are kept whole. */
const MAX_OPTIONS = 32

const caches = new WeakMap<RegexBuilder, Emptiness>()

/** What is known and found out about the languages of a builder. */
export function emptinessOf(builder: RegexBuilder): Emptiness {
  let emptiness = caches.get(builder)
  if (emptiness === undefined) {
    emptiness = new Emptiness(builder)
    caches.set(builder, emptiness)
  }
  return emptiness
}

/** How to take derivatives of the language in question, and what they may cost. */
export interface SearchMeans {
  readonly classes: CharClasses
  readonly derivatives: Derivatives
  /** Most derivatives of one search. */
  readonly maxSteps: number
  /** Told of steps as they are taken. */
  spend?(steps: number): void
}

export class Emptiness {
  readonly #builder: RegexBuilder
  readonly #alive = new Map<Regex, boolean>()

  constructor(builder: RegexBuilder) {
    this.#builder = builder
  }

  /** Whether the language has a text. `LimitError` where deciding it takes too many steps. */
  hasText(root: Regex, { classes, derivatives, maxSteps, spend }: SearchMeans): boolean {
    const answer = this.#known(root)
    if (answer !== null) return answer
    const { surrogates, count } = classes
    const parents = new Map<Regex, Regex | null>([[root, null]])
    const queue = new PriorityQueue<Regex>()
    /** Puts off what is not known yet; whether some option surely has a text. */
    const reach = (options: readonly Regex[], from: Regex): boolean => {
      for (const option of options) {
        const known = this.#known(option)
        if (known === true) {
          for (let at: Regex | null = from; at !== null; at = parents.get(at) ?? null)
            this.#alive.set(at, true)
          return true
        }
        if (known === false || parents.has(option)) continue
        parents.set(option, from)
        queue.push(option, distance(option))
      }
      return false
    }
    const options = this.#split(root)
    if (options.includes(root)) queue.push(root, distance(root))
    else if (reach(options, root)) return true
    let steps = 0
    for (let regex = queue.pop(); regex !== undefined; regex = queue.pop()) {
      spend?.(count)
      for (let cls = 0; cls < count; cls++) {
        if (cls === surrogates) continue
        if (++steps > maxSteps) {
          const hint =
            'whether a text matches an intersection or complement is too hard to decide: use fewer or simpler patterns on one string'
          throw new LimitError('regular expression search steps', maxSteps, steps, hint)
        }
        const next = derivatives.of(regex, cls)
        if (next === root || parents.has(next)) continue
        if (reach(this.#known(next) === null ? this.#split(next) : [next], regex)) return true
      }
    }
    // Everything that can be reached has been looked at.
    for (const regex of parents.keys()) this.#alive.set(regex, false)
    return false
  }

  /** What is known without a search: `null` if nothing. */
  #known(regex: Regex): boolean | null {
    if (regex.live) return true
    if (regex.kind === 'none') return false
    const known = this.#alive.get(regex)
    if (known !== undefined) return known
    if (!isRefuted(regex)) return null
    this.#alive.set(regex, false)
    return false
  }

  /** Expressions whose union it is, with unions of intersected parts drawn out. */
  #split(regex: Regex): readonly Regex[] {
    if (regex.kind === 'or') return regex.items.flatMap((item) => this.#split(item))
    if (regex.kind !== 'and') return [regex]
    let options: Regex[][] = [[]]
    for (const item of regex.items) {
      const parts = optionsOf(item)
      const isSplit = parts.length > 1 && parts.length * options.length <= MAX_OPTIONS
      options = isSplit
        ? options.flatMap((option) => parts.map((part) => [...option, part]))
        : options.map((option) => [...option, item])
    }
    return options.length === 1 ? [regex] : options.map((parts) => this.#builder.and(...parts))
  }
}

/** What seems to be left to a text: in an intersection each part counts, so that those met one by one lead on. */
function distance(regex: Regex): number {
  return regex.kind === 'and' ? regex.items.reduce((sum, item) => sum + item.minLength, 0) : regex.minLength
}

function optionsOf(regex: Regex): readonly Regex[] {
  if (regex.kind === 'or') return regex.items
  // `x?` beside something that has the empty text would be alive, beside something else it is `x`.
  if (regex.kind === 'repeat' && regex.min === 0 && regex.max === 1) return optionsOf(regex.body)
  return [regex]
}
