/**
 * The texts of a language that begin or end with a character of a set.
 *
 * Where the structure shows the first or last character the result is split along it; an intersection with `set[^]*` or
 * `[^]*set` is the exact answer for the rest. The empty text never belongs to the result.
 */
import { ANY, type CharSet } from './charset.ts'
import { type Regex, spine } from './node.ts'
import type { RegexBuilder } from './regex.ts'

export function startingIn(builder: RegexBuilder, regex: Regex, set: CharSet): Regex {
  switch (regex.kind) {
    case 'none':
    case 'epsilon':
      return builder.none
    case 'all':
      return builder.concat(builder.chars(set), builder.all)
    case 'chars':
      return builder.chars(regex.set.intersect(set))
    case 'or':
      return builder.orAll(regex.items.map((item) => startingIn(builder, item, set)))
    case 'repeat':
      return builder.concat(startingIn(builder, regex.body, set), oneLess(builder, regex))
    case 'concat': {
      const options: Regex[] = []
      let rest: Regex = regex
      while (rest.kind === 'concat') {
        options.push(builder.concat(startingIn(builder, rest.left, set), rest.right))
        if (!rest.left.nullable) return builder.orAll(options)
        rest = rest.right
      }
      options.push(startingIn(builder, rest, set))
      return builder.orAll(options)
    }
    default:
      return builder.and(builder.concat(builder.chars(set), builder.all), regex)
  }
}

export function endingIn(builder: RegexBuilder, regex: Regex, set: CharSet): Regex {
  if (!regex.nullable && set.key === ANY.key) return regex
  switch (regex.kind) {
    case 'none':
    case 'epsilon':
      return builder.none
    case 'all':
      return builder.concat(builder.all, builder.chars(set))
    case 'chars':
      return builder.chars(regex.set.intersect(set))
    case 'or':
      return builder.orAll(regex.items.map((item) => endingIn(builder, item, set)))
    case 'repeat':
      return builder.concat(oneLess(builder, regex), endingIn(builder, regex.body, set))
    case 'concat': {
      const parts = spine(regex)
      const options: Regex[] = []
      for (let last = parts.length - 1; last >= 0; last--) {
        const part = parts[last] as Regex
        options.push(builder.concatAll([...parts.slice(0, last), endingIn(builder, part, set)]))
        if (!part.nullable) break
      }
      return builder.orAll(options)
    }
    default:
      return builder.and(builder.concat(builder.all, builder.chars(set)), regex)
  }
}

/** What is left of a repetition when one round, which was not empty, is taken off. */
function oneLess(builder: RegexBuilder, { body, min, max }: Extract<Regex, { kind: 'repeat' }>): Regex {
  return builder.repeat(body, Math.max(min - 1, 0), max - 1)
}
