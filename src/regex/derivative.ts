/**
 * Brzozowski derivatives: what may follow a character, as an expression.
 *
 * A derivative is taken by one representative of a class of characters that the expression does not tell apart
 * (`chardfa.ts` finds the classes), and remembered by node and class. Recursion goes as deep as nodes nest, which the
 * builder limits; tails of concatenations are a loop.
 */
import type { Regex, Texts } from './node.ts'
import type { RegexBuilder } from './regex.ts'

export class Derivatives {
  readonly #builder: RegexBuilder
  readonly #representatives: Int32Array
  readonly #known = new Map<number, Regex>()

  /** `representatives` holds a code point of each class. */
  constructor(builder: RegexBuilder, representatives: Int32Array) {
    this.#builder = builder
    this.#representatives = representatives
  }

  /** The texts `t` such that a character of the class followed by `t` is in the language. */
  of(regex: Regex, cls: number): Regex {
    const { none, epsilon, all } = this.#builder
    switch (regex.kind) {
      case 'none':
      case 'epsilon':
        return none
      case 'all':
        return all
      case 'chars':
        return regex.set.has(this.#representatives[cls] as number) ? epsilon : none
      case 'texts':
        return this.#builder.textsPart(narrow(regex.texts, this.#representatives[cls] as number))
      case 'concat':
        if (!regex.left.nullable) return this.#builder.concat(this.of(regex.left, cls), regex.right)
        break
      default:
        break
    }
    const key = regex.id * this.#representatives.length + cls
    let result = this.#known.get(key)
    if (result === undefined) {
      result = this.#compute(regex, cls)
      this.#known.set(key, result)
    }
    return result
  }

  #compute(regex: Regex, cls: number): Regex {
    const builder = this.#builder
    switch (regex.kind) {
      case 'concat': {
        const options: Regex[] = []
        let rest: Regex = regex
        while (rest.kind === 'concat') {
          const first = this.of(rest.left, cls)
          if (first.kind !== 'none') options.push(builder.concat(first, rest.right))
          if (!rest.left.nullable) return builder.orAll(options)
          rest = rest.right
        }
        options.push(this.of(rest, cls))
        return builder.orAll(options)
      }
      case 'or':
        return builder.orAll(regex.items.map((item) => this.of(item, cls)))
      case 'and': {
        const parts: Regex[] = []
        for (const item of regex.items) {
          const part = this.of(item, cls)
          if (part.kind === 'none') return part
          parts.push(part)
        }
        return builder.and(...parts)
      }
      case 'not':
        return builder.not(this.of(regex.body, cls))
      case 'repeat': {
        const rest = builder.repeat(regex.body, Math.max(regex.min - 1, 0), regex.max - 1)
        return builder.concat(this.of(regex.body, cls), rest)
      }
      case 'reference':
        return this.of(regex.body, cls)
      default:
        throw new TypeError(`no derivative of ${regex.kind} is remembered`)
    }
  }
}

/** The texts that go on with the character, which is taken off. */
function narrow(texts: Texts, codePoint: number): Texts {
  const character = String.fromCodePoint(codePoint)
  let { from, to, offset } = texts
  for (let unit = 0; unit < character.length; unit++) {
    const code = character.charCodeAt(unit)
    const start = bound(texts.values, from, to, offset, code)
    to = bound(texts.values, start, to, offset, code + 1)
    from = start
    offset++
  }
  return { values: texts.values, list: texts.list, from, to, offset }
}

/** The first index whose text has at least this unit at the offset; a text that ends there has less. */
function bound(values: readonly string[], from: number, to: number, offset: number, code: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >> 1
    const unit = (values[middle] as string).charCodeAt(offset)
    if (unit >= code) high = middle
    else low = middle + 1
  }
  return low
}
