/** The second judge, `@hyperjump/json-schema`, with our formats; it judges all dialects, and doubles. */
import { setShouldValidateFormat, validate } from '@hyperjump/json-schema/draft-2020-12'
import '@hyperjump/json-schema/draft-2019-09'
import '@hyperjump/json-schema/draft-07'
import '@hyperjump/json-schema/draft-06'
import '@hyperjump/json-schema/draft-04'
import { registerSchema, type SchemaObject, unregisterSchema } from '@hyperjump/json-schema'
import { addFormat } from '@hyperjump/json-schema/experimental'
import { ourFormats } from './validator.ts'

for (const [name, has] of ourFormats()) {
  addFormat({
    id: `https://json-schema.org/format/${name}`,
    handler: (value) => typeof value !== 'string' || has(value),
  })
}
setShouldValidateFormat(true)

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
let registered = 0

/** Its verdicts on a schema, given as JSON text; `null` where it does not compile it. */
export async function hyperjumpOf(schema: string): Promise<((text: string) => boolean | undefined) | null> {
  const uri = `https://example.com/judged/${registered++}`
  try {
    registerSchema(JSON.parse(schema) as SchemaObject | boolean, uri, DIALECT)
    const validator = await validate(uri)
    return (text) => {
      try {
        return validator(JSON.parse(text) as Parameters<typeof validator>[0]).valid
      } catch {
        return undefined
      }
    }
  } catch {
    return null
  } finally {
    unregisterSchema(uri)
  }
}
