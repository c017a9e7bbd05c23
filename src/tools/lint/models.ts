/** What makes models err, whatever enforces the schema: what a tool and its parameters leave unsaid, or say only in words. */
import { resolveLocal } from '../../json/pointer.ts'
import { quote } from '../../json/print.ts'
import type { JsonObject } from '../../json/value.ts'
import { childPointer } from '../../schema/pointer.ts'
import { placesOf } from '../places.ts'
import { saysForm, splitDescription } from './describe-rules.ts'
import type { LintTool } from './document.ts'
import type { Finding } from './finding.ts'
import { acceptsNull } from './nullable.ts'
import { isObjectSchema, typesOf } from './places.ts'
import { isEntered, requiredOf } from './services.ts'
import { isTerse, listedChoices, saysNeeded, saysOptional, saysWhen } from './words.ts'

type Warn = (pointer: string, keyword: string | undefined, why: string, instead: string) => void

/** @param checksOpen whether to say which objects are open; a service's rules say it already */
export function checkForModels(tool: LintTool, checksOpen: boolean, findings: Finding[]): void {
  const warn: Warn = (pointer, keyword, why, instead) => {
    const about = keyword === undefined ? {} : { keyword }
    findings.push({ severity: 'warning', pointer, ...about, tool: tool.name, why, instead })
  }
  checkDescription(tool, warn)
  const { schema, schemaPointer } = tool
  if (schema === undefined) return
  for (const place of placesOf(schema, schemaPointer, (keyword) => isEntered(keyword, 'openai-strict'))) {
    if (!(place.schema instanceof Map)) continue
    const { pointer } = place
    if (place.schema.has('nullable')) {
      const why = 'nullable is OpenAPI; JSON Schema does not know it, so null is not allowed'
      warn(
        `${pointer}/nullable`,
        'nullable',
        why,
        'write "type": ["string", "null"], or anyOf with {"type": "null"}',
      )
    }
    if (checksOpen && isOpen(place.schema)) {
      const why = 'the object is open: a model may invent further properties'
      warn(pointer, 'additionalProperties', why, 'write "additionalProperties": false')
    }
    if (place.keyword === 'properties') {
      const isRequired = requiredOf(place.parent?.schema).has(place.name)
      checkParameter(place.schema, pointer, place.name, isRequired, schema, warn)
    }
  }
}

function checkDescription({ description, pointer, hosted }: LintTool, warn: Warn): void {
  if (hosted) return
  const at = `${pointer}/description`
  if (description.trim() === '')
    warn(pointer, 'description', 'the tool has no description', 'say when to use it, and when not')
  else if (isTerse(description))
    warn(
      at,
      'description',
      'the description hardly says more than the name',
      'say when to use it, and when not',
    )
  else if (!saysWhen(description)) {
    const why = 'the description says what the tool does, but not when to use it'
    warn(at, 'description', why, 'begin with "Use this when …", and say when not to')
  }
}

/** Closed objects say so; those that describe their further properties are open on purpose. */
function isOpen(schema: JsonObject): boolean {
  const extra = schema.get('additionalProperties')
  const combined = ['anyOf', 'oneOf', 'allOf', '$ref', 'unevaluatedProperties', 'patternProperties'] as const
  if (!isObjectSchema(schema) || combined.some((keyword) => schema.has(keyword))) return false
  return schema.get('properties') instanceof Map && (extra === undefined || extra === true)
}

function checkParameter(
  schema: JsonObject,
  pointer: string,
  name: string,
  isRequired: boolean,
  root: JsonObject,
  warn: Warn,
): void {
  const target = resolveLocal(root, schema.get('$ref'))
  const meant = target instanceof Map ? target : schema
  const given = schema.get('description') ?? meant.get('description')
  // What a fix has said in place of keywords does not describe the parameter more than these did.
  const { own: description, added } = splitDescription(typeof given === 'string' ? given : '')
  const at = childPointer(pointer, 'description')
  // Its values, or its own properties, describe it.
  const speaks =
    ['enum', 'const', 'pattern', 'format', 'anyOf', 'oneOf', 'properties'].some((keyword) =>
      meant.has(keyword),
    ) || saysForm(added)
  if (description === '') {
    if (!speaks) {
      const why = `the parameter ${quote(name)} has no description`
      warn(pointer, 'description', why, 'say what it is, in which form, and when to leave it out')
    }
    return
  }
  const types = typesOf(meant).filter((type) => type !== 'null')
  const isString = types.length === 1 && types[0] === 'string'
  const isFree = isString && !['enum', 'const', 'pattern', 'format'].some((keyword) => meant.has(keyword))
  const choices = isFree ? listedChoices(description) : null
  if (choices !== null) {
    const shown = choices.slice(0, 6).map((choice) => quote(choice))
    const why = 'the description lists what is allowed, and the schema allows any string'
    warn(pointer, 'enum', why, `use enum: [${shown.join(', ')}${choices.length > 6 ? ', …' : ''}]`)
  }
  if (isFree && /\bYYYY-MM-DD\b(?!T)/u.test(description)) {
    const why = 'the description asks for a date, and the schema allows any string'
    warn(pointer, 'format', why, 'use "format": "date"')
  }
  if (!isRequired && saysNeeded(description)) {
    const why = `the description says that ${quote(name)} has to be there, and the schema that it may be left out`
    warn(at, 'required', why, `list ${quote(name)} in required`)
  }
  if (isRequired && saysOptional(description) && !acceptsNull(schema, root)) {
    const why = `the description says that ${quote(name)} may be left out; the schema makes a model invent one`
    warn(at, 'required', why, 'take it out of required, or let it be null')
  }
}
