/**
 * Which parts a part is made of (`grammar/compose.ts`), before any of them means something.
 *
 * Walks over all parts that there are, each once, with an explicit stack: finds what is used twice, the bodies of rules, and
 * what is no part, holds itself or nests too deeply, each with the path at which it was met first. Linear in the parts.
 */
import { LimitError } from '../errors.ts'
import { checkPart, isPart, kindOf, literal, type Part, type RulePart } from '../grammar/compose.ts'

/** What recursion over an expression stands, with room to spare. */
const MAX_NESTING = 500
/** Parts of one grammar: rules whose bodies make new rules for ever would never end. */
const MAX_PARTS = 300_000

/** Where a part was found first. */
interface Place {
  readonly above: Place | null
  readonly label: string
}

/** The parts of a part with how a path names them; those of a rule are found when it is asked for its body. */
function children(part: Part): readonly (readonly [part: Part, label: string])[] {
  switch (part.type) {
    case 'sequence':
      return part.parts.map((each, i) => [each, `[${i}].${each.type}`])
    case 'choice':
      return part.options.map((each, i) => [each, `[${i}].${each.type}`])
    case 'repeat':
      return [[part.part, `.${part.part.type}`]]
    default:
      return []
  }
}

export class Survey {
  /** Of the rules, in the order in which they were met. */
  readonly bodies = new Map<RulePart, Part>()
  readonly #uses = new Map<Part, number>()
  readonly #places = new Map<Part, Place>()

  constructor(root: Part) {
    this.#walk(root, { above: null, label: root.type })
    for (const part of this.#uses.keys()) if (part.type === 'rule') this.#walkBody(part)
  }

  isShared(part: Part): boolean {
    return this.#uses.get(part)! > 1
  }

  pathOf(part: Part): string {
    const labels: string[] = []
    for (let at = this.#places.get(part) ?? null; at !== null; at = at.above) labels.push(at.label)
    return labels.reverse().join('')
  }

  #walkBody(rule: RulePart): void {
    const given: unknown = rule.body()
    const body = typeof given === 'string' ? literal(given) : (given as Part)
    if (!isPart(body)) throw new TypeError(`the body of rule ${rule.name} gives no part, but ${kindOf(body)}`)
    this.bodies.set(rule, body)
    const uses = this.#uses.get(body)
    if (uses === undefined) this.#walk(body, { above: null, label: `${rule.name}.${body.type}` })
    else this.#uses.set(body, uses + 1)
  }

  /** Parts that are reached without a rule between; a part that is found again is not walked again. */
  #walk(root: Part, place: Place): void {
    const path = [this.#enter(root, place)]
    const open = new Set<Part>([root])
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.children[top.next++]
      if (next === undefined) {
        open.delete(top.part)
        path.pop()
        continue
      }
      const [part, label] = next
      if (open.has(part))
        throw new RangeError(
          `${this.pathOf(part)} contains itself; give what it repeats as a rule(name, () => …)`,
        )
      const uses = this.#uses.get(part)
      if (uses !== undefined) {
        this.#uses.set(part, uses + 1)
        continue
      }
      path.push(this.#enter(part, { above: this.#places.get(top.part)!, label }))
      open.add(part)
      if (path.length > MAX_NESTING)
        throw new LimitError(
          'nesting of parts',
          MAX_NESTING,
          path.length,
          'give all parts to one sequence or choice instead of nesting them, or put some into a rule(name, () => …)',
        )
    }
  }

  #enter(part: Part, place: Place): { part: Part; children: ReturnType<typeof children>; next: number } {
    this.#uses.set(part, 1)
    this.#places.set(part, place)
    try {
      checkPart(part)
    } catch (error) {
      // The builders have said it where the part was made: this one was made by hand.
      if (error instanceof Error) error.message = `${this.pathOf(part)}: ${error.message}`
      throw error
    }
    if (this.#uses.size > MAX_PARTS)
      throw new LimitError(
        'parts of a grammar',
        MAX_PARTS,
        this.#uses.size,
        'see that the body of a rule uses rules that there are, instead of making new ones',
      )
    return { part, children: children(part), next: 0 }
  }
}
