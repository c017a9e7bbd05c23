/**
 * Whether a grammar that was printed and read back is the same: by walks of both matchers, mask by mask.
 */
import { hasBit } from '../../src/bits.ts'
import { type CompiledGrammar, compileGbnf } from '../../src/core.ts'
import { whereLlamaStops } from './llama-notation.ts'
import { chooseToken, difference, showBytes, showToken } from './masks.ts'
import type { Random } from './random.ts'

/** Whether a print says that it is looser than the grammar. */
export function isLoose(print: string): boolean {
  return print.startsWith('# left out: ')
}

/**
 * Reads a print and walks it beside its grammar, `walks` times up to `steps` tokens: equal masks all the way, or, where
 * something is left out, at least the tokens of the grammar. What is printed is what llama.cpp reads, too.
 * @returns what was wrong, in words
 */
export function judgePrint(grammar: CompiledGrammar, random: Random, walks: number, steps: number): string[] {
  const { vocabulary } = grammar
  const print = String(grammar)
  const stop = whereLlamaStops(print)
  if (stop !== '') return [`llama.cpp stops ${stop}`]
  const read = compileGbnf(print, vocabulary)
  const mayHaveMore = isLoose(print)
  for (let walk = 0; walk < walks; walk++) {
    const matcher = grammar.matcher()
    const other = read.matcher()
    const finishAfter = random.below(steps * 2)
    for (let step = 0; step < steps; step++) {
      const mask = matcher.mask().slice()
      const expected = other.mask().slice()
      if (mayHaveMore) for (let word = 0; word < mask.length; word++) expected[word]! &= mask[word]!
      const wrong = difference(expected, mask, vocabulary)
      if (wrong !== '') return [`after ${showBytes(matcher.bytes())}: ${wrong}`]
      const id = chooseToken(matcher, vocabulary, random, step >= finishAfter)
      if (!hasBit(mask, id) || !matcher.accept(id) || !other.accept(id))
        return [`${showToken(vocabulary, id)} is refused after ${showBytes(matcher.bytes())}`]
      if (vocabulary.endTokens.includes(id)) break
    }
  }
  return []
}
