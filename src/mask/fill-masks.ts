/**
 * The masks of a batch in one array, a row for each text: what a runtime hands to the kernel that applies them.
 */
import { wordCount } from '../bits.ts'
import { kindOf } from '../grammar/compose.ts'
import { Matcher } from './matcher.ts'
import { checkNames, checkWords } from './options.ts'

/** Where the rows are. */
export interface FillMasksOptions {
  /** Words of a row; by default those of the widest of the masks. What a mask does not fill is 0. */
  readonly stride?: number
  /** The row of each matcher; by default its place in the list. Other rows are left as they are. */
  readonly rows?: readonly number[]
}

/** A row without a mask, and why. */
export interface FailedMask {
  readonly row: number
  readonly error: unknown
}

/**
 * Writes the masks of several matchers into one array, row by row: bit `id & 31` of word `row * stride + (id >>> 5)`.
 *
 * `null` in the place of a matcher is a text without constraint: all bits of its row are set. A matcher that has ended has a
 * row of zeros, as `mask` says. What one matcher throws, a `LimitError` for instance, does not stop the others.
 *
 * @returns the rows that could not be made, which are all zero; an empty list otherwise
 * @throws TypeError for options, for what is no matcher and for other arrays; RangeError for an array that is too short, for rows
 *   that are not in it or are given twice. Before anything is written.
 */
export function fillMasks(
  matchers: readonly (Matcher | null)[],
  out: Uint32Array | Int32Array,
  options: FillMasksOptions = {},
): readonly FailedMask[] {
  checkNames(options, ['stride', 'rows'])
  checkWords(out, 'a batch of masks')
  if (!Array.isArray(matchers)) throw new TypeError(`a batch is a list of matchers, not ${kindOf(matchers)}`)
  const foreign = matchers.findIndex((matcher) => matcher !== null && !(matcher instanceof Matcher))
  if (foreign >= 0) throw new TypeError(`matchers[${foreign}] is neither a matcher nor null`)
  const words = matchers.reduce((most, matcher) => Math.max(most, matcher === null ? 0 : wordsOf(matcher)), 0)
  const { stride = words, rows } = options
  if (!(Number.isInteger(stride) && stride >= words))
    throw new RangeError(`a row takes ${words} words, not ${stride}`)
  if (rows !== undefined && rows.length !== matchers.length)
    throw new RangeError(`there are ${matchers.length} matchers and ${rows.length} rows`)
  const at = matchers.map((_, i) => (rows === undefined ? i : rows[i]!))
  for (const row of at) {
    if (!(Number.isInteger(row) && row >= 0 && (row + 1) * stride <= out.length))
      throw new RangeError(`row ${row} of ${stride} words is not in an array of ${out.length}`)
  }
  if (new Set(at).size < at.length) throw new RangeError(`two matchers have one row: ${at.join(', ')}`)
  const all = new Uint32Array(out.buffer, out.byteOffset, out.length)
  const failed: FailedMask[] = []
  matchers.forEach((matcher, i) => {
    const row = all.subarray(at[i]! * stride, (at[i]! + 1) * stride)
    if (matcher === null) {
      row.fill(0xffffffff)
      return
    }
    try {
      matcher.mask(row)
    } catch (error) {
      row.fill(0)
      failed.push({ row: at[i]!, error })
    }
  })
  return failed
}

function wordsOf({ vocabulary }: Matcher): number {
  return wordCount(vocabulary.size)
}
