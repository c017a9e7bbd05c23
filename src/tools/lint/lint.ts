/**
 * Lint of a tools document: what a service or our own engine would refuse, and what makes models err.
 *
 * Linear in the document but for the comparison of tools by pairs, and for what compiling costs. Nothing is sent anywhere:
 * the rules of the services are in `rules.ts`.
 */
import { checkNames } from '../../mask/options.ts'
import { type LintTool, readDocument, type ToolsDocument } from './document.ts'
import { checkCompiles } from './engine.ts'
import { type Finding, LINT_DIALECTS, type LintDialect } from './finding.ts'
import { checkForModels } from './models.ts'
import { findOverlaps } from './overlap.ts'
import { ANTHROPIC_LIMITS, RULES, type Service } from './rules.ts'
import { checkSchema } from './services.ts'

export interface LintOptions {
  /** Whose rules: default `json-schema`, what `compile` would say. */
  readonly dialect?: LintDialect
}

/**
 * The findings about tools in OpenAI's shapes or Anthropic's: JSON text, or a value; one tool or a list.
 *
 * Tools that say `strict: false` are not held against a service's rules. Limits that a service counts over a request are
 * counted over all tools of the document.
 *
 * @throws JsonError for text that is not JSON, SchemaError for what is no tool, LimitError for a document that is too deep
 *   (400 levels) or too large (1,000 tools, a million values), TypeError for options
 */
export function lintTools(tools: unknown, options: LintOptions = {}): Finding[] {
  const dialect = dialectOf(options)
  return lintDocument(readDocument(tools), dialect)
}

export function dialectOf(options: LintOptions): LintDialect {
  checkNames(options, ['dialect'])
  const { dialect = 'json-schema' } = options
  if (!LINT_DIALECTS.includes(dialect))
    throw new TypeError(`unknown dialect ${JSON.stringify(dialect)}; known are ${LINT_DIALECTS.join(', ')}`)
  return dialect
}

export function lintDocument(document: ToolsDocument, dialect: LintDialect): Finding[] {
  const findings: Finding[] = [...document.problems]
  const { tools } = document
  if (dialect === 'json-schema') {
    const general = new Set<string>()
    for (const tool of tools) checkCompiles(tool, findings, general)
  } else checkForService(tools, dialect, findings)
  for (const tool of tools) checkForModels(tool, dialect === 'json-schema' || tool.strict === false, findings)
  findOverlaps(tools, findings)
  return findings
}

/** What each service wants around a schema. */
const SHAPES: Readonly<Record<Service, string>> = {
  'anthropic-strict': '{"name": …, "description": …, "strict": true, "input_schema": {…}}',
  'openai-strict':
    '{"type": "function", "function": {"name": …, "description": …, "strict": true, "parameters": {…}}}',
}

/** Tools in another shape than the service's: it is the schema that is held against the rules, but the request would fail. */
function checkShapes(tools: readonly LintTool[], service: Service, findings: Finding[]): void {
  for (const shape of ['openai-strict', 'anthropic-strict', 'mcp'] as const) {
    const foreign = shape === service ? [] : tools.filter((tool) => tool.shape === shape)
    const [first] = foreign
    if (first === undefined) continue
    const names = foreign.map(({ name }) => name).join(', ')
    findings.push({
      severity: 'warning',
      pointer: first.pointer,
      keyword: first.schemaKey,
      why: `in the shape of ${whose(shape)} tools, which ${RULES[service].name} does not read: ${names}`,
      instead: `write ${SHAPES[service]}`,
    })
  }
}

function whose(shape: NonNullable<LintTool['shape']>): string {
  return shape === 'mcp' ? "the Model Context Protocol's" : `${RULES[shape].name}'s`
}

function checkForService(tools: readonly LintTool[], service: Service, findings: Finding[]): void {
  let optional = 0
  let unions = 0
  const own = tools.filter(({ hosted }) => !hosted)
  const strict = own.filter((tool) => tool.strict !== false)
  const { name } = RULES[service]
  const unenforced = `${name} then shows the schema to the model, and does not enforce it`
  const instead = 'write "strict": true, or check the arguments of each call'
  for (const tool of own) {
    if (tool.strict !== false) continue
    const why = `the tool says strict: false: ${unenforced}`
    const pointer = `${tool.pointer}/strict`
    findings.push({ severity: 'note', pointer, keyword: 'strict', tool: tool.name, why, instead })
  }
  checkShapes(own, service, findings)
  const silent = own.filter((tool) => tool.strict === undefined)
  if (silent.length > 0) {
    const why = `without strict: true: ${silent.map((tool) => tool.name).join(', ')}; ${unenforced}`
    findings.push({ severity: 'warning', pointer: silent[0]!.pointer, keyword: 'strict', why, instead })
  }
  for (const tool of strict) {
    const counts = checkSchema(tool, service, findings)
    optional += counts.optional
    unions += counts.unions
  }
  if (service !== 'anthropic-strict') return
  const limit = (what: string, actual: number, most: number, instead: string): void => {
    if (actual <= most) return
    const why = `${actual} ${what} in all strict tools together: Anthropic takes ${most} in a request`
    findings.push({ severity: 'error', pointer: '#', why, instead })
  }
  limit(
    'strict tools',
    strict.length,
    ANTHROPIC_LIMITS.tools,
    'write "strict": false where least can go wrong',
  )
  const fewer = 'require them, let them be null (each is one union), or write "strict": false on a tool'
  limit('optional parameters', optional, ANTHROPIC_LIMITS.optional, fewer)
  const plain = 'leave null out and make it optional, split tools, or write "strict": false on a tool'
  limit('parameters of union types', unions, ANTHROPIC_LIMITS.unions, plain)
}
