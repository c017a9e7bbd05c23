/**
 * Pattern syntax without assertions: characters, classes, groups, alternatives and quantifiers, as ECMA-262 means them
 * for a text of whole code points. Captures capture nothing, lazy quantifiers have the language of greedy ones.
 *
 * Recursion follows the nesting of groups, which `pattern.ts` has limited.
 */
import type { AST } from '@eslint-community/regexpp'
import { LimitError, PatternError } from '../errors.ts'
import { CharSet, DIGIT, LINE_TERMINATOR, SPACE, unicodeProperty, WORD } from './charset.ts'
import type { Regex, RegexBuilder } from './regex.ts'

/** No text of JavaScript is as long, so a greater maximum is no bound. */
const MAX_LENGTH = 2 ** 31
/** From how many literal alternatives on they are made a trie at once. */
const MANY_LITERALS = 8
/** Parts in a row that may be left out: each is an option of its own in every derivative. */
const MAX_OPTIONAL = 500

export class Syntax {
  readonly builder: RegexBuilder
  readonly #source: string
  readonly #unicode: boolean
  readonly #plain = new Map<AST.Node, boolean>()

  constructor(builder: RegexBuilder, source: string, unicode: boolean) {
    this.builder = builder
    this.#source = source
    this.#unicode = unicode
  }

  error(reason: string, node: AST.Node): PatternError {
    return new PatternError(reason, this.#source, node.start)
  }

  /** Whether nothing in the element looks around. Refuses what no regular language equals. */
  isPlain(element: AST.Element): boolean {
    switch (element.type) {
      case 'Assertion':
        return false
      case 'Backreference':
        throw this.error('a back-reference is not regular; write out what it may repeat', element)
      case 'Quantifier':
        return this.isPlain(element.element)
      case 'Group':
      case 'CapturingGroup': {
        let plain = this.#plain.get(element)
        if (plain === undefined) {
          plain = element.alternatives.every((alternative) =>
            alternative.elements.every((part) => this.isPlain(part)),
          )
          this.#plain.set(element, plain)
        }
        return plain
      }
      default:
        return true
    }
  }

  alternatives(alternatives: readonly AST.Alternative[]): Regex {
    if (alternatives.length >= MANY_LITERALS) {
      const values = alternatives.map(literalOf)
      if (values.every((value) => value !== null)) return this.builder.texts(values)
    }
    return this.builder.orAll(alternatives.map((alternative) => this.sequence(alternative.elements)))
  }

  sequence(elements: readonly AST.Element[]): Regex {
    const parts: Regex[] = []
    for (let index = 0; index < elements.length; index++) {
      const element = elements[index] as AST.Element
      const point = this.#unicode ? null : surrogatePair(element, elements[index + 1])
      if (point === null) {
        parts.push(this.element(element))
      } else {
        parts.push(this.builder.chars(CharSet.single(point)))
        index++
      }
    }
    const regex = this.builder.concatAll(parts)
    checkOptional(regex)
    return regex
  }

  element(element: AST.Element): Regex {
    switch (element.type) {
      case 'Character':
        return this.builder.chars(this.#character(element))
      case 'CharacterSet':
        return this.builder.chars(this.#characterSet(element))
      case 'CharacterClass':
        return this.builder.chars(this.#characterClass(element))
      case 'Group':
      case 'CapturingGroup':
        return this.alternatives(this.groupAlternatives(element))
      case 'Quantifier': {
        const { min, max } = this.bounds(element)
        return this.builder.repeat(this.element(element.element), min, max)
      }
      default:
        throw this.error(`${element.type} is not supported here`, element)
    }
  }

  groupAlternatives(group: AST.Group | AST.CapturingGroup): readonly AST.Alternative[] {
    if (group.type === 'Group' && group.modifiers !== null) {
      throw this.error('modifiers inside a pattern are not supported; spell the characters out', group)
    }
    return group.alternatives
  }

  bounds(quantifier: AST.Quantifier): { readonly min: number; readonly max: number } {
    const { min, max } = quantifier
    if (min >= MAX_LENGTH)
      throw new LimitError('repetitions in a pattern', MAX_LENGTH - 1, min, 'repeat it less often')
    return { min, max: max >= MAX_LENGTH ? Number.POSITIVE_INFINITY : max }
  }

  #character(character: AST.Character): CharSet {
    const { value } = character
    if (!this.#unicode && value >= 0xd800 && value <= 0xdfff) {
      throw this.error(
        'half of a character beyond U+FFFF; the pattern is not valid with flag u, make it so',
        character,
      )
    }
    return CharSet.single(value)
  }

  #characterSet(set: AST.CharacterSet): CharSet {
    let result: CharSet
    switch (set.kind) {
      case 'any':
        return LINE_TERMINATOR.complement()
      case 'digit':
        result = DIGIT
        break
      case 'space':
        result = SPACE
        break
      case 'word':
        result = WORD
        break
      case 'property':
        result = unicodeProperty(set.value === null ? set.key : `${set.key}=${set.value}`)
        break
    }
    return set.negate ? result.complement() : result
  }

  #characterClass(node: AST.CharacterClass): CharSet {
    const ranges: (readonly [number, number])[] = []
    let set = CharSet.of()
    for (const element of node.elements) {
      if (element.type === 'Character') {
        set = set.union(this.#character(element))
      } else if (element.type === 'CharacterClassRange') {
        this.#character(element.min)
        this.#character(element.max)
        ranges.push([element.min.value, element.max.value])
      } else if (element.type === 'CharacterSet') {
        set = set.union(this.#characterSet(element))
      } else {
        throw this.error('classes of flag v are not supported', element)
      }
    }
    set = set.union(CharSet.of(...ranges))
    return node.negate ? set.complement() : set
  }
}

function checkOptional(sequence: Regex): void {
  let row = 0
  for (let rest = sequence; rest.kind === 'concat'; rest = rest.right) {
    row = rest.left.nullable ? row + 1 : 0
    if (row > MAX_OPTIONAL)
      throw new LimitError(
        'optional parts in a row of a pattern',
        MAX_OPTIONAL,
        row,
        'make fewer parts optional, or repeat one',
      )
  }
}

/** The text of an alternative of characters only. */
function literalOf(alternative: AST.Alternative): string | null {
  let text = ''
  for (const element of alternative.elements) {
    if (element.type !== 'Character') return null
    text += String.fromCodePoint(element.value)
  }
  return text
}

/** The code point that two neighbouring characters are the halves of. */
function surrogatePair(first: AST.Element, second: AST.Element | undefined): number | null {
  if (first.type !== 'Character' || second?.type !== 'Character') return null
  const point = String.fromCharCode(first.value, second.value).codePointAt(0) as number
  return point > 0xffff ? point : null
}
