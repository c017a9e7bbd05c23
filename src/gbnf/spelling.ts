/** The name that somebody who wrote another one may have meant. */

/** Names that are compared. */
const MAX_NAMES = 2_000
/** Letters that may be wrong. */
const MAX_DISTANCE = 2

/** The closest of the names, within two letters put in, left out, changed or swapped; `null` for none. O(names * length²). */
export function closestName(name: string, names: readonly string[]): string | null {
  let best: string | null = null
  let distance = MAX_DISTANCE + 1
  for (const other of names.slice(0, MAX_NAMES)) {
    if (Math.abs(other.length - name.length) >= distance || name.length > 40) continue
    const own = distanceOf(name, other)
    if (own >= distance || own >= name.length) continue
    best = other
    distance = own
  }
  return best
}

/** Edits between two words, a swap of neighbours one of them (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let edits = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, before[j - 2]! + 1)
      row.push(edits)
    }
    before = last
    last = row
  }
  return last[b.length]!
}
