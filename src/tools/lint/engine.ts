/** What our own engine says of a schema: its refusals as errors, its report as notes, both with pointers into the document. */
import { LimitError, SchemaError } from '../../errors.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { compile } from '../../mask/compile-schema.ts'
import { byteVocabulary } from '../../vocab/byte-vocabulary.ts'
import type { Vocabulary } from '../../vocab/vocabulary.ts'
import type { LintTool } from './document.ts'
import type { Finding } from './finding.ts'

let bytes: Vocabulary | null = null

/** A vocabulary that can spell everything: what is refused over it is refused over any. */
export function anyVocabulary(): Vocabulary {
  bytes ??= byteVocabulary()
  return bytes
}

/** The schema that a call's arguments are compiled from. */
export function argumentsOf(schema: JsonObject): JsonObject {
  return schema.has('type') ? schema : new Map<string, JsonValue>([...schema, ['type', 'object']])
}

/** What hangs on no place is said once for all tools: `general` holds what was said. */
export function checkCompiles(tool: LintTool, findings: Finding[], general: Set<string>): void {
  const { schema, schemaPointer, name } = tool
  if (schema === undefined) return
  const at = (pointer: string): string =>
    pointer.startsWith('#') ? schemaPointer + pointer.slice(1) : pointer
  const root = schema.get('type')
  if (root !== undefined && root !== 'object') {
    findings.push({
      severity: 'error',
      pointer: `${schemaPointer}/type`,
      keyword: 'type',
      tool: name,
      why: 'the arguments of a call are one object',
      instead: 'write "type": "object", with a property for each argument',
    })
    return
  }
  try {
    const { report } = compile(argumentsOf(schema), anyVocabulary())
    for (const { pointer, keyword, message } of report.annotations) {
      // Read by models, not by the engine.
      if (READ_BY_MODELS.has(keyword)) continue
      const instead = 'nothing, if it is meant for people; else say it with a keyword that constrains'
      findings.push({ severity: 'note', pointer: at(pointer), keyword, tool: name, why: message, instead })
    }
    for (const { pointer, message, liftedBy } of report.narrowings) {
      const instead = liftedBy === undefined ? 'nothing lifts it' : `${liftedBy} lifts it`
      if (pointer !== '#')
        findings.push({ severity: 'note', pointer: at(pointer), tool: name, why: message, instead })
      else if (!general.has(message)) {
        general.add(message)
        findings.push({ severity: 'note', pointer, why: message, instead })
      }
    }
  } catch (error) {
    if (error instanceof SchemaError) {
      for (const { pointer, keyword, message } of error.errors) {
        findings.push({
          severity: 'error',
          pointer: at(pointer),
          ...(keyword === undefined ? {} : { keyword }),
          tool: name,
          why: message,
          instead: 'change it as the message says; --fix moves what cannot be enforced into the description',
        })
      }
    } else if (error instanceof LimitError) {
      findings.push({
        severity: 'error',
        pointer: at(error.pointer ?? '#'),
        tool: name,
        why: error.reason,
        instead: 'make the schema simpler, or raise the limit where it is compiled',
      })
    } else throw error
  }
}

const READ_BY_MODELS = new Set(['title', 'description'])
