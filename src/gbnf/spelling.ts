/** Names in messages: not longer than a line, and the one that somebody who wrote another one may have meant. */

/** Names that are compared. */
const MAX_NAMES = 2_000
/** Letters of names that are compared. */
const MAX_LETTERS = 40
/** Letters that may be wrong at most, and of how many one may be. */
const MAX_DISTANCE = 2
const LETTERS_EACH = 3
/** Characters of a name that a message shows. */
const MAX_SHOWN = 80

/** A name as a message shows it. */
export function shortened(name: string): string {
  return name.length <= MAX_SHOWN ? name : `${name.slice(0, MAX_SHOWN)}…`
}

/**
 * The closest of the names, within two letters put in, left out, changed or swapped, one in three at most: what has less in
 * common was hardly meant. `null` for none. O(names * length²).
 */
export function closestName(name: string, names: readonly string[]): string | null {
  let best: string | null = null
  let distance = MAX_DISTANCE + 1
  if (name.length > MAX_LETTERS) return null
  for (const other of names.slice(0, MAX_NAMES)) {
    if (Math.abs(other.length - name.length) >= distance) continue
    const own = distanceOf(name, other)
    if (own >= distance || own * LETTERS_EACH > Math.max(name.length, other.length)) continue
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
