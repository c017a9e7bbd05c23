/**
 * Tools that a model cannot tell apart: alike in name, description and parameters. Every pair is compared, with sets of
 * at most `MAX_WORDS` words; `document.ts` bounds the number of tools.
 */
import type { LintTool } from './document.ts'
import type { Finding } from './finding.ts'
import { wordsOf } from './words.ts'

const MAX_WORDS = 200

/** Verbs of one meaning, by the first. */
const SYNONYMS = new Map(
  [
    'get fetch read retrieve load show view',
    'find search lookup query list browse',
    'create add new make insert',
    'update edit modify change set patch',
    'delete remove drop erase',
    'send post submit',
    'start run execute launch',
  ].flatMap((line) => {
    const [first, ...others] = line.split(' ')
    return others.map((word): [string, string] => [word, first as string])
  }),
)

/** Words that say nothing about what a tool is for. */
const EMPTY = new Set(
  'a an the of to for in on and or is are it its this that with by from as be use used tool when user users asks wants el la los las un una de que y o en para por se'.split(
    ' ',
  ),
)

interface Profile {
  readonly tool: LintTool
  readonly name: ReadonlySet<string>
  readonly description: ReadonlySet<string>
  readonly parameters: ReadonlySet<string>
}

/** Says of each tool which one before it is like it, if any: the first. */
export function findOverlaps(tools: readonly LintTool[], findings: Finding[]): void {
  const profiles = tools.filter(({ hosted }) => !hosted).map(profileOf)
  for (const [index, profile] of profiles.entries()) {
    for (const other of profiles.slice(0, index)) {
      const how = likeness(other, profile)
      if (how === null) continue
      const { name, pointer } = profile.tool
      const why = `${how} as ${other.tool.name} (${other.tool.pointer}); a model cannot tell which of the two to take`
      const instead = 'say in each when to use it and when the other, or make them one tool with a parameter'
      findings.push({ severity: 'warning', pointer, keyword: 'description', tool: name, why, instead })
      break
    }
  }
}

function profileOf(tool: LintTool): Profile {
  const name = wordsOf(tool.name.replace(/([a-z])([A-Z])/gu, '$1 $2').replaceAll('_', ' ')).map(stem)
  const words = wordsOf(tool.description.slice(0, 4_000)).filter((word) => !EMPTY.has(word))
  const properties = tool.schema?.get('properties')
  return {
    tool,
    name: new Set(name),
    description: new Set(words.slice(0, MAX_WORDS).map(stem)),
    parameters: new Set(properties instanceof Map ? [...properties.keys()].slice(0, MAX_WORDS) : []),
  }
}

function stem(word: string): string {
  const singular = word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
  return SYNONYMS.get(singular) ?? singular
}

/** In what the two are the same, as the beginning of a sentence; `null` where they can be told apart. */
function likeness(a: Profile, b: Profile): string | null {
  // One that names the other says which of the two is meant.
  if (names(a.tool, b.tool) || names(b.tool, a.tool)) return null
  const name = shared(a.name, b.name)
  const description = shared(a.description, b.description)
  const parameters = shared(a.parameters, b.parameters)
  if (a.description.size >= 2 && description >= 0.7) return 'says the same'
  if (name === 1) return 'has a name that means the same'
  const same = parameters === 1 && a.parameters.size >= 2
  if (same && (name >= 0.5 || description >= 0.4)) return 'takes the same arguments for much the same'
  if (name >= 0.5 && parameters >= 0.5 && description >= 0.3)
    return 'is much the same in name, words and arguments'
  return null
}

/** A name of one plain word may be meant as that word. */
function names(one: LintTool, other: LintTool): boolean {
  return /[_\-\d]|[a-z][A-Z]/u.test(other.name) && one.description.includes(other.name)
}

/** Share of what either has that both have; nothing is not alike. */
function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 && b.size === 0) return 0
  let both = 0
  for (const word of a) if (b.has(word)) both++
  return both / (a.size + b.size - both)
}
