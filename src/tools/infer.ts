/**
 * Types of arguments from what describes them: a JSON Schema whose literals TypeScript kept (`as const`, or written in place), or
 * a validator. Types alone; what cannot be said is `unknown`, never a guess.
 */
import type { StandardSchema } from './standard-schema.ts'

/** The values of a JSON Schema. Root is the document, in which references are found. */
export type FromSchema<S, Root = S> = S extends { readonly static: infer T }
  ? T
  : S extends { readonly const: infer T }
    ? Writable<T>
    : S extends { readonly enum: readonly (infer T)[] }
      ? Writable<T>
      : S extends { readonly $ref: infer R }
        ? FromSchema<Target<R, Root>, Root>
        : S extends { readonly anyOf: readonly (infer T)[] } | { readonly oneOf: readonly (infer T)[] }
          ? T extends unknown
            ? FromSchema<T, Root>
            : never
          : S extends { readonly allOf: infer T }
            ? All<T, Root>
            : S extends { readonly type: infer T }
              ? T extends readonly (infer U)[]
                ? OfType<U, S, Root>
                : OfType<T, S, Root>
              : S extends false
                ? never
                : unknown

type OfType<T, S, Root> = T extends 'object'
  ? OfObject<S, Root>
  : T extends 'array'
    ? OfArray<S, Root>
    : T extends 'string'
      ? string
      : T extends 'integer' | 'number'
        ? number
        : T extends 'boolean'
          ? boolean
          : T extends 'null'
            ? null
            : unknown

type OfObject<S, Root> = S extends { readonly properties: infer P }
  ? keyof P extends never
    ? Record<string, unknown>
    : Flat<
        { -readonly [K in keyof P as K extends RequiredOf<S> ? K : never]: FromSchema<P[K], Root> } & {
          -readonly [K in keyof P as K extends RequiredOf<S> ? never : K]?: FromSchema<P[K], Root>
        }
      >
  : S extends { readonly additionalProperties: infer A }
    ? Record<string, A extends object ? FromSchema<A, Root> : unknown>
    : Record<string, unknown>

type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? R : never

type OfArray<S, Root> = S extends { readonly prefixItems: infer P extends readonly unknown[] }
  ? [...Prefix<S, P, Root>, ...(S extends { readonly items: false } ? [] : Items<S, Root>[])]
  : Items<S, Root>[]

type Items<S, Root> = S extends { readonly items: infer I } ? FromSchema<I, Root> : unknown

/** The first items, which may be missing unless the least number of them says otherwise. */
type Prefix<S, P extends readonly unknown[], Root> = S extends { readonly minItems: P['length'] }
  ? Each<P, Root>
  : Partial<Each<P, Root>>

type Each<P extends readonly unknown[], Root> = { -readonly [I in keyof P]: FromSchema<P[I], Root> }

type All<T, Root> = T extends readonly [infer First, ...infer Rest]
  ? FromSchema<First, Root> & All<Rest, Root>
  : unknown

type Target<R, Root> = R extends '#'
  ? Root
  : R extends `#/${infer Keyword}/${infer Name}`
    ? Keyword extends keyof Root
      ? Name extends keyof Root[Keyword]
        ? Root[Keyword][Name]
        : unknown
      : unknown
    : unknown

type Writable<T> = T extends object ? { -readonly [K in keyof T]: Writable<T[K]> } : T

type Flat<T> = { [K in keyof T]: T[K] }

/** What describes the arguments of a tool, in any of the shapes. */
type ParametersOf<T> = T extends { readonly function: infer F }
  ? ParametersOf<F>
  : T extends
        | { readonly parameters: infer P }
        | { readonly input_schema: infer P }
        | { readonly inputSchema: infer P }
    ? P
    : unknown

type NameOf<T> = T extends { readonly function: { readonly name: infer N extends string } }
  ? N
  : T extends { readonly name: infer N extends string }
    ? N
    : string

/** The arguments of a tool: those that its validator gives, or of its schema. */
export type ToolArguments<T> =
  ParametersOf<T> extends StandardSchema<infer Output>
    ? Output
    : unknown extends FromSchema<ParametersOf<T>>
      ? Readonly<Record<string, unknown>>
      : FromSchema<ParametersOf<T>>

/** A call of one of the tools: told apart by its name. */
export type CallOf<Tools> = Tools extends readonly (infer T)[] ? CallOfTool<T> : CallOfTool<Tools>

type CallOfTool<T> = T extends unknown
  ? {
      readonly id: string
      readonly name: NameOf<T>
      readonly arguments: ToolArguments<T>
      readonly argumentsText: string
    }
  : never
