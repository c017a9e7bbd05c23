/**
 * Patterns with assertions, translated exactly.
 *
 * An expression is translated together with its *continuation*: the language of everything that follows, to the end of
 * the text. So a lookahead is an intersection with the continuation, `$` is its intersection with the empty text. What
 * assertions ask of the text before is kept as a *place*: the start, or the class of the last character, told apart as
 * finely as `^`, `\b` and one-character lookbehinds need; a continuation is given for each place. A loop around
 * assertions becomes a language defined by itself. Longer lookbehinds are intersections with the language of what stands
 * before, which is known where they stand at the top of an alternative behind plain expressions.
 */
import type { AST } from '@eslint-community/regexpp'
import { ANY, CharSet, WORD } from './charset.ts'
import { endingIn, startingIn } from './edges.ts'
import type { Regex, RegexBuilder } from './regex.ts'
import type { Syntax } from './syntax.ts'

/** Most copies that counted loops around assertions are written out to, over the whole pattern. */
const MAX_COPIES = 1_000

/**
 * A language for each context. Context `2 * p` is place `p` (0 the start, `i + 1` a last character in class `i`);
 * context `2 * p + 1` is the same place with nothing consumed since the innermost loop began its round.
 */
type Continuation = readonly Regex[]

export class AssertionTranslator {
  readonly #syntax: Syntax
  readonly #builder: RegexBuilder
  readonly #classes: readonly CharSet[]
  readonly #all: Continuation
  #copies = 0

  constructor(syntax: Syntax, pattern: AST.Pattern) {
    this.#syntax = syntax
    this.#builder = syntax.builder
    this.#classes = this.#placeClasses(pattern)
    this.#all = this.#forEachContext(() => this.#builder.all)
  }

  /** The texts in which the pattern is found. */
  search(pattern: AST.Pattern): Regex {
    return this.#between(this.#builder.all, pattern, this.#all)
  }

  /** The texts that match the pattern from their beginning to their end. */
  whole(pattern: AST.Pattern): Regex {
    const { epsilon } = this.#builder
    return this.#between(
      epsilon,
      pattern,
      this.#forEachContext(() => epsilon),
    )
  }

  /** The pattern behind a language and before another one, which is the same in every context. */
  #between(before: Regex, pattern: AST.Pattern, after: Continuation): Regex {
    const [plain, others] = this.#partition(pattern)
    const options = others.flatMap(({ elements }) => this.#unfold(elements))
    const found = options.map((elements) => this.#sequenceBetween(before, elements, after))
    // Plain alternatives have one beginning and one end for all of them: thousands of words stay a trie.
    if (plain.length > 0)
      found.push(this.#builder.concat(before, this.#syntax.alternatives(plain), after[0] as Regex))
    return this.#builder.orAll(found)
  }

  /** Alternatives without assertions, and those with. */
  #partition({ alternatives }: AST.Pattern): [plain: AST.Alternative[], others: AST.Alternative[]] {
    const plain: AST.Alternative[] = []
    const others: AST.Alternative[] = []
    for (const alternative of alternatives) {
      const isPlain = alternative.elements.every((element) => this.#syntax.isPlain(element))
      if (isPlain) plain.push(alternative)
      else others.push(alternative)
    }
    return [plain, others]
  }

  #sequenceBetween(before: Regex, elements: readonly AST.Element[], after: Continuation): Regex {
    const last = elements.findLastIndex((element) => this.#isLongLookbehind(element))
    if (last < 0) return this.#join(before, this.#sequence(elements, after))
    const known = this.#before(elements.slice(0, last + 1), before)
    return this.#join(known, this.#sequence(elements.slice(last + 1), after))
  }

  /** The same sequence as alternatives in which no lookbehind of several characters stands inside a group. */
  #unfold(elements: readonly AST.Element[]): (readonly AST.Element[])[] {
    let sequences: AST.Element[][] = [[]]
    for (const element of elements) {
      if (!isGroup(element) || !this.#hasLongLookbehind(element)) {
        for (const sequence of sequences) sequence.push(element)
        continue
      }
      const alternatives = this.#syntax.groupAlternatives(element)
      const options = alternatives.flatMap((alternative) => this.#unfold(alternative.elements))
      if (sequences.length * options.length > MAX_COPIES) {
        throw this.#syntax.error('too many alternatives around lookbehinds', element)
      }
      sequences = sequences.flatMap((start) => options.map((end) => [...start, ...end]))
    }
    return sequences
  }

  #hasLongLookbehind(group: AST.Group | AST.CapturingGroup): boolean {
    if (this.#syntax.isPlain(group)) return false
    return group.alternatives.some(({ elements }) =>
      elements.some((part) => (isGroup(part) ? this.#hasLongLookbehind(part) : this.#isLongLookbehind(part))),
    )
  }

  #isLongLookbehind(element: AST.Element): boolean {
    return isLookbehind(element) && this.#shortLookbehind(element) === null
  }

  /** A language before continuations by place. */
  #join(before: Regex, after: Continuation): Regex {
    const builder = this.#builder
    const options: Regex[] = []
    const atStart = after[0] as Regex
    if (before.nullable) options.push(atStart)
    for (const { regex, set } of this.#groups(after)) {
      // One continuation wherever something stands before, and it may stand at the start as well: no need to split.
      const everywhere = set.key === ANY.key && before.nullable && builder.or(atStart, regex) === atStart
      options.push(builder.concat(everywhere ? before : endingIn(builder, before, set), regex))
    }
    return builder.orAll(options)
  }

  /** The continuations after a character, each with the last characters for which it holds. */
  #groups(continuation: Continuation): Iterable<{ readonly regex: Regex; readonly set: CharSet }> {
    const groups = new Map<number, { regex: Regex; set: CharSet }>()
    for (const [index, cls] of this.#classes.entries()) {
      const regex = continuation[2 * index + 2] as Regex
      if (regex.kind === 'none') continue
      const group = groups.get(regex.id)
      if (group === undefined) groups.set(regex.id, { regex, set: cls })
      else group.set = group.set.union(cls)
    }
    return groups.values()
  }

  #alternatives(alternatives: readonly AST.Alternative[], continuation: Continuation): Continuation {
    const options = alternatives.map(({ elements }) => this.#sequence(elements, continuation))
    return this.#forEachContext((context) =>
      this.#builder.orAll(options.map((option) => option[context] as Regex)),
    )
  }

  #sequence(elements: readonly AST.Element[], continuation: Continuation): Continuation {
    let result = continuation
    let end = elements.length
    while (end > 0) {
      let start = end
      while (start > 0 && this.#syntax.isPlain(elements[start - 1] as AST.Element)) start--
      if (start < end) {
        result = this.#plain(this.#syntax.sequence(elements.slice(start, end)), result)
        end = start
      } else {
        result = this.#element(elements[--end] as AST.Element, result)
      }
    }
    return result
  }

  /** A plain expression before the continuation, which depends on the last character it consumed. */
  #plain(regex: Regex, continuation: Continuation): Continuation {
    const builder = this.#builder
    const groups = [...this.#groups(continuation)]
    const everywhere = groups.find(({ set }) => set.key === ANY.key)?.regex
    if (regex.nullable && continuation.every((rest) => rest === everywhere)) {
      return continuation.map((rest) => builder.concat(regex, rest))
    }
    const some = builder.orAll(
      groups.map(({ regex: rest, set }) => builder.concat(endingIn(builder, regex, set), rest)),
    )
    if (!regex.nullable) return continuation.map(() => some)
    return continuation.map((rest) =>
      rest === everywhere ? builder.concat(regex, rest) : builder.or(rest, some),
    )
  }

  #element(element: AST.Element, continuation: Continuation): Continuation {
    switch (element.type) {
      case 'Assertion':
        return this.#assertion(element, continuation)
      case 'Group':
      case 'CapturingGroup':
        return this.#alternatives(this.#syntax.groupAlternatives(element), continuation)
      case 'Quantifier':
        return this.#quantifier(element, continuation)
      default:
        return this.#plain(this.#syntax.element(element), continuation)
    }
  }

  #assertion(assertion: AST.Assertion, continuation: Continuation): Continuation {
    const builder = this.#builder
    switch (assertion.kind) {
      case 'start':
        return continuation.map((rest, context) => (context < 2 ? rest : builder.none))
      case 'end':
        return continuation.map((rest) => (rest.nullable ? builder.epsilon : builder.none))
      case 'word':
        return continuation.map((rest, context) => {
          const afterWord = context >= 2 && this.#isWithin(context, WORD)
          return this.#ahead(rest, WORD, afterWord === assertion.negate)
        })
      case 'lookahead': {
        const ahead = this.#alternatives(assertion.alternatives, this.#all)
        return continuation.map((rest, context) => {
          const wanted = ahead[context] as Regex
          const set = firstCharacter(wanted, builder)
          if (set !== null) return this.#ahead(rest, set, !assertion.negate)
          return builder.and(assertion.negate ? builder.not(wanted) : wanted, rest)
        })
      }
      case 'lookbehind': {
        const short = this.#shortLookbehind(assertion)
        if (short === null) {
          const advice = 'put it at the start of an alternative, behind nothing but plain expressions'
          throw this.#syntax.error(
            `a lookbehind of several characters is not supported here; ${advice}`,
            assertion,
          )
        }
        return continuation.map((rest, context) => {
          const holds = context < 2 ? short.atStart : this.#isWithin(context, short.set)
          return holds === assertion.negate ? builder.none : rest
        })
      }
    }
  }

  /** The texts of the language whose first character is, or is not, in the set; an empty text has none. */
  #ahead(rest: Regex, set: CharSet, inside: boolean): Regex {
    if (inside) return startingIn(this.#builder, rest, set)
    const other = startingIn(this.#builder, rest, set.complement())
    return rest.nullable ? this.#builder.or(this.#builder.epsilon, other) : other
  }

  /** Whether the last character of a context is in the set. Classes are within such a set or outside. */
  #isWithin(context: number, set: CharSet): boolean {
    const cls = this.#classes[(context >> 1) - 1] as CharSet
    return set.has(cls.ranges[0] as number)
  }

  #quantifier(quantifier: AST.Quantifier, continuation: Continuation): Continuation {
    const { min, max } = this.#syntax.bounds(quantifier)
    const { element } = quantifier
    let result = continuation
    if (max === Number.POSITIVE_INFINITY) {
      result = this.#loop(element, continuation)
    } else {
      for (let round = max; round > min; round--) {
        const more = this.#copy(quantifier, result)
        const next = this.#forEachContext((context) =>
          this.#builder.or(continuation[context] as Regex, more[context] as Regex),
        )
        if (same(next, result)) break
        result = next
      }
    }
    for (let round = min; round > 0; round--) {
      const next = this.#copy(quantifier, result)
      if (same(next, result)) break
      result = next
    }
    return result
  }

  #copy(quantifier: AST.Quantifier, continuation: Continuation): Continuation {
    if (++this.#copies > MAX_COPIES) {
      throw this.#syntax.error('a count of this size around an assertion is not supported', quantifier)
    }
    return this.#element(quantifier.element, continuation)
  }

  /**
   * Any number of rounds. A round that consumes nothing leads nowhere that no round would not lead to, so the language
   * after a round is only needed behind a character.
   */
  #loop(element: AST.Element, continuation: Continuation): Continuation {
    const builder = this.#builder
    const references = this.#classes.map((_, index) =>
      builder.reference((continuation[2 * index + 2] as Regex).nullable),
    )
    const after = this.#forEachContext((context) =>
      context % 2 === 1 || context === 0
        ? builder.none
        : (references[(context >> 1) - 1]?.regex ?? builder.none),
    )
    const round = this.#element(element, after)
    const result = this.#forEachContext((context) =>
      builder.or(continuation[context] as Regex, round[context | 1] as Regex),
    )
    for (const [index, reference] of references.entries()) reference.define(result[2 * index + 2] as Regex)
    return result
  }

  /** What may stand before, given that `before` stands before the elements: the mirror image of a continuation. */
  #before(elements: readonly AST.Element[], before: Regex): Regex {
    const builder = this.#builder
    let result = before
    for (const element of elements) {
      if (this.#syntax.isPlain(element)) {
        result = builder.concat(result, this.#syntax.element(element))
      } else if (isGroup(element)) {
        const start = result
        const alternatives = this.#syntax.groupAlternatives(element)
        result = builder.orAll(alternatives.map((alternative) => this.#before(alternative.elements, start)))
      } else if (element.type === 'Assertion' && element.kind === 'start') {
        result = result.nullable ? builder.epsilon : builder.none
      } else if (isLookbehind(element)) {
        const wanted = builder.or(
          ...element.alternatives.map((alternative) => this.#before(alternative.elements, builder.all)),
        )
        result = builder.and(result, element.negate ? builder.not(wanted) : wanted)
      } else {
        const what = 'what looks ahead cannot stand in or before a lookbehind of several characters'
        throw this.#syntax.error(what, element)
      }
    }
    return result
  }

  /** When a lookbehind holds, if the last character decides; `null` if more must be known. */
  #shortLookbehind(
    assertion: AST.LookbehindAssertion,
  ): { readonly atStart: boolean; readonly set: CharSet } | null {
    let atStart = false
    let set = CharSet.of()
    for (const { elements } of assertion.alternatives) {
      const [first] = elements
      if (elements.length === 1 && first?.type === 'Assertion' && first.kind === 'start') {
        atStart = true
        continue
      }
      if (!elements.every((element) => this.#syntax.isPlain(element))) return null
      const regex = this.#syntax.sequence(elements)
      if (regex.nullable) return { atStart: true, set: ANY }
      if (regex.kind === 'none') continue
      if (regex.kind !== 'chars') return null
      set = set.union(regex.set)
    }
    return { atStart, set }
  }

  /** The coarsest classes of last characters that keep apart what the pattern's assertions do. */
  #placeClasses(pattern: AST.Pattern): readonly CharSet[] {
    const sets: CharSet[] = []
    const pending: AST.Node[] = [pattern]
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      if (node.type === 'Assertion' && node.kind === 'word') sets.push(WORD)
      if (node.type === 'Assertion' && node.kind === 'lookbehind') {
        const short = this.#shortLookbehind(node)
        if (short !== null) sets.push(short.set)
      }
      if ('alternatives' in node) pending.push(...node.alternatives)
      if (node.type === 'Alternative') pending.push(...node.elements)
      if (node.type === 'Quantifier') pending.push(node.element)
    }
    let classes = [ANY]
    for (const set of sets) {
      const other = set.complement()
      classes = classes
        .flatMap((cls) => [cls.intersect(set), cls.intersect(other)])
        .filter((cls) => !cls.isEmpty)
    }
    return classes
  }

  #forEachContext(language: (context: number) => Regex): Regex[] {
    return Array.from({ length: 2 * this.#classes.length + 2 }, (_, context) => language(context))
  }
}

function isGroup(element: AST.Element): element is AST.Group | AST.CapturingGroup {
  return element.type === 'Group' || element.type === 'CapturingGroup'
}

function isLookbehind(element: AST.Element): element is AST.LookbehindAssertion {
  return element.type === 'Assertion' && element.kind === 'lookbehind'
}

function same(a: Continuation, b: Continuation): boolean {
  return a.every((regex, index) => regex === b[index])
}

/** The set, if the language is every text that begins with a character of a set. */
function firstCharacter(regex: Regex, builder: RegexBuilder): CharSet | null {
  if (regex === builder.repeat(builder.any, 1, Number.POSITIVE_INFINITY)) return ANY
  return regex.kind === 'concat' && regex.left.kind === 'chars' && regex.right.kind === 'all'
    ? regex.left.set
    : null
}
