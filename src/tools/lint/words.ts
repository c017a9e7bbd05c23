/**
 * What descriptions say, as far as it can be read off their words: English, Spanish, French, German and Portuguese. Guesses, so
 * they only make warnings; a text in another script is taken to say all that it should.
 */

/** Words that tell when something is done. */
const WHEN =
  /\b(when|whenever|if|use|used|call|only|before|after|unless|instead|cuando|si|usa|utiliza|úsal[ao]|llama|solo|sólo|antes|después|para que|quand|lorsque|utilise[rz]?|si|seulement|wenn|falls|nur|verwende|nutze|quando|se|use-[ao]|só)(?![\p{L}])/iu

/** Whether the description tells when to use the tool, and not only what it does. */
export function saysWhen(description: string): boolean {
  return !/\p{Script=Latin}/u.test(description) || WHEN.test(description)
}

/** A description that is hardly more than a name. */
export function isTerse(description: string): boolean {
  return /\p{Script=Latin}/u.test(description) && wordsOf(description).length < 4
}

/** The words of a text, in lower case. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

const ANNOUNCED =
  /\b(one of|either|(?:allowed|possible|valid|accepted) values?|options?:|choices?:|uno de|una de|valores (?:posibles|permitidos|válidos)|un de|eine[rs]? von|um de|uma de)(?![\p{L}])/iu
const EXAMPLES = /\b(e\.g|for example|such as|like|por ejemplo|como|par exemple|z\.\s?b)(?![\p{L}])/iu
/** What names kinds of texts and not texts. */
const KINDS = new Set([
  ...[
    'name',
    'names',
    'id',
    'ids',
    'email',
    'url',
    'number',
    'code',
    'title',
    'path',
    'key',
    'text',
    'string',
    'keyword',
  ],
  ...[
    'address',
    'city',
    'country',
    'phrase',
    'word',
    'words',
    'sentence',
    'null',
    'empty',
    'none',
    'more',
    'less',
  ],
])

/** The choices that the description of a string seems to list; `null` where it lists none. */
export function listedChoices(description: string): string[] | null {
  const text = description.trim().replace(/[.]$/u, '')
  const piped = /(?<![\w-])[\w-]+(?:\s*\|\s*[\w-]+)+/u.exec(text)
  if (piped !== null) return split(piped[0], /\s*\|\s*/u)
  if (EXAMPLES.test(text)) return null
  const quoted = [...text.matchAll(/["'`“‘]([\p{L}\p{N}_-]{1,30})["'`”’]/gu)].map(
    (match) => match[1] as string,
  )
  if (quoted.length >= 2 && new Set(quoted).size === quoted.length) return quoted
  const announced = ANNOUNCED.exec(text)
  const list = announced === null ? text : text.slice(announced.index + announced[0].length)
  const choices = split(
    list.replace(/^[\s:(]+|[)\s]+$/gu, ''),
    /\s*(?:,\s*(?:or|and|o|ou|oder)\s|,|;|\/|\s(?:or|o|ou|oder)\s)\s*/u,
  )
  if (choices === null || choices.some((choice) => wordsOf(choice).length > (announced === null ? 2 : 3)))
    return null
  if (choices.length === 2 && announced === null && choices.some((choice) => wordsOf(choice).length > 1))
    return null
  return choices.some((choice) => wordsOf(choice).some((word) => KINDS.has(word))) ? null : choices
}

function split(text: string, by: RegExp): string[] | null {
  const choices = text
    .split(by)
    .map((choice) => choice.trim())
    .filter((choice) => choice !== '')
  return choices.length >= 2 && choices.length <= 50 ? choices : null
}

const NEEDED =
  /^(?:required|mandatory|obligatori[oa]|requerid[oa]|erforderlich)\b|\((?:required|mandatory|obligatori[oa])\)|\b(?:is|are|es|ist|est) (?:always )?(?:required|mandatory|obligatori[oa]|requerid[oa]|obligatoire|erforderlich)\b|\bmust (?:always )?be (?:given|set|provided|present|specified|supplied|included)\b|\bmust not be (?:empty|null|omitted)\b/iu
const CONDITIONAL =
  /\b(?:not (?:required|mandatory)|(?:required|mandatory|obligatori[oa]) (?:only |sol[oa] )?(?:if|when|for|unless|with|si|cuando)|optional)\b/iu

/** Whether the description of a parameter says that it has to be there. */
export function saysNeeded(description: string): boolean {
  return NEEDED.test(description) && !CONDITIONAL.test(description)
}

/** Whether it says that the parameter may be left out. */
export function saysOptional(description: string): boolean {
  return /^(?:optional|opcional)\b|\((?:optional|opcional)\)|\bleave (?:it |this )?out\b|\bomit (?:it|this|if|when)\b|\bmay be omitted\b/iu.test(
    description,
  )
}
