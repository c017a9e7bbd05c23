/**
 * Demands as the grammar says them: which entries of an object may meet which of them, and with which values.
 *
 * The further keys are cut where the keys of a demand end, so that each piece is wholly inside or outside of it; a name is
 * one or the other anyway. An entry's value is then told apart by the demands that it meets. Where what does not meet one
 * is a schema of its own, the two have no value in common, so that a text is read in one way only.
 */
import type { Regex } from '../regex/regex.ts'
import type { Shapes } from './intersect.ts'
import { MAX_NAMES } from './keys.ts'
import type { Node } from './node.ts'
import type { Demand, ObjectRecord } from './shape.ts'

/** Further keys that the demands do not tell apart. */
export interface Piece {
  readonly keys: Regex
  readonly value: Node
  /** The demands that speak of these keys. */
  readonly demands: readonly Demand[]
}

/** A value, and the demands that it meets, as bits. */
export interface Marked {
  readonly node: Node
  readonly marks: number
}

/** The further keys in pieces, and the names that must be declared because only few keys are left on one side of a cut. */
export function piecesOf(
  { others, demands, properties }: ObjectRecord,
  shapes: Shapes,
): { readonly pieces: readonly Piece[]; readonly names: ReadonlyMap<string, Node> } {
  const { nodes, strings } = shapes
  const names = new Map<string, Node>()
  const declare = (keys: Regex, value: Node): void => {
    for (const name of strings.listOf(keys)) if (!properties.has(name)) names.set(name, value)
  }
  let pieces: Piece[] = others.parts.map(({ keys, value }) => ({ keys, value, demands: [] }))
  for (const demand of demands) {
    shapes.budget.spend(pieces.length)
    pieces = pieces.flatMap((piece) => {
      const inside = strings.both(piece.keys, demand.keys)
      if (inside === null || nodes.meet(piece.value, demand.value) === nodes.none) return [piece]
      const outside = strings.both(piece.keys, strings.regexes.not(demand.keys))
      const within = { ...piece, demands: [...piece.demands, demand] }
      if (strings.countOf(inside) <= MAX_NAMES) {
        declare(inside, piece.value)
        return [piece]
      }
      if (outside === null) return [within]
      if (strings.countOf(outside) <= MAX_NAMES) {
        declare(outside, piece.value)
        return [within]
      }
      return [
        { ...within, keys: inside },
        { ...piece, keys: outside },
      ]
    })
  }
  return { pieces, names }
}

/** The productive ways to be such a value: one for each set of the demands that it may meet. */
export function markedNodes(
  value: Node,
  spoken: readonly Demand[],
  all: readonly Demand[],
  shapes: Shapes,
  isProductive: (node: Node) => boolean,
): readonly Marked[] {
  const { nodes } = shapes
  let ways: Marked[] = [{ node: value, marks: 0 }]
  for (const demand of spoken) {
    ways = ways.flatMap(({ node, marks }) => {
      const met = nodes.meet(node, demand.value)
      if (!isProductive(met)) return [{ node, marks }]
      const meeting = { node: met, marks: marks | (1 << all.indexOf(demand)) }
      if (met === node) return [meeting]
      const opposite = nodes.complement(demand.value)
      const other = opposite.complements.length === 0 ? nodes.meet(node, opposite) : node
      return isProductive(other) ? [meeting, { node: other, marks }] : [meeting]
    })
  }
  return ways
}
