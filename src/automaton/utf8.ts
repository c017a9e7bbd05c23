/**
 * UTF-8 as an automaton over bytes (Unicode, table 3-7).
 *
 * State 0 stands between two characters. States 1 to 3 lack as many bytes of one; 4 to 7 stand behind the four leads that
 * narrow the second byte, so that no overlong form, no surrogate and nothing above U+10FFFF is read.
 */

/** Where no character goes on so. */
export const NONE = -1
/** A byte read in state s leads to `STEPS[256 * s + byte]`. */
export const STEPS = steps()

function steps(): Int8Array {
  const table = new Int8Array(256 * 8).fill(NONE)
  const put = (state: number, from: number, to: number, next: number): void => {
    table.fill(next, 256 * state + from, 256 * state + to + 1)
  }
  put(0, 0x00, 0x7f, 0)
  put(0, 0xc2, 0xdf, 1)
  put(0, 0xe0, 0xef, 2)
  put(0, 0xf0, 0xf4, 3)
  for (const state of [1, 2, 3]) put(state, 0x80, 0xbf, state - 1)
  const restricted = [
    [0xe0, 0xa0, 0xbf, 1],
    [0xed, 0x80, 0x9f, 1],
    [0xf0, 0x90, 0xbf, 2],
    [0xf4, 0x80, 0x8f, 2],
  ] as const
  restricted.forEach(([lead, from, to, next], i) => {
    table[lead] = 4 + i
    put(4 + i, from, to, next)
  })
  return table
}
