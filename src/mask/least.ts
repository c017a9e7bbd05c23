/** Least texts: a text and the fewest tokens that spell it piece by piece. Texts are strings of one byte a unit. */
export interface Least {
  readonly text: string
  readonly tokens: number
}

export const NOTHING: Least = { text: '', tokens: 0 }

export function join(a: Least, b: Least): Least {
  if (a === NOTHING) return b
  if (b === NOTHING) return a
  return { text: a.text + b.text, tokens: a.tokens + b.tokens }
}

/** `null` stands for no text at all. */
export function joined(a: Least | null, b: Least | null): Least | null {
  return a === null || b === null ? null : join(a, b)
}

/** Shorter, or as long and lower in bytes, or the same text in fewer tokens. */
export function isBetter(a: Least, b: Least): boolean {
  if (a.text.length !== b.text.length) return a.text.length < b.text.length
  return a.text < b.text || (a.text === b.text && a.tokens < b.tokens)
}
