/** Grammars that no schema gives, for what tool calls and later formats are made of: sequences, repetition, text, tokens. */
import { type Expr, type Grammar, GrammarBuilder, type Layout } from '../../src/grammar/grammar.ts'
import { parsePattern } from '../../src/regex/pattern.ts'
import { addSchema } from '../../src/schema/index.ts'

const LAYOUT: Layout = { whitespace: 'model', indent: 2, maxWhitespace: 64 }

export interface NamedGrammar {
  readonly name: string
  readonly build: () => Grammar
}

function literal(text: string): Expr {
  return { type: 'terminal', terminal: { kind: 'texts', texts: [text] }, frame: 'literal' }
}

function grammar(
  name: string,
  body: (builder: GrammarBuilder, text: (pattern: string) => Expr) => Expr,
): NamedGrammar {
  return {
    name,
    build: () => {
      const builder = new GrammarBuilder()
      const text = (pattern: string): Expr => ({
        type: 'terminal',
        terminal: { kind: 'text', language: parsePattern(pattern, builder.regexes) },
        frame: 'text',
      })
      const root = builder.declare('root')
      builder.define(root, body(builder, text))
      return builder.build(root, LAYOUT)
    },
  }
}

/** Free text with these stops. */
function free(stops: Readonly<Record<string, Expr | null>>, ends: boolean, atStart = false): Expr {
  return {
    type: 'free-text',
    stops: Object.entries(stops).map(([text, leadsTo]) => ({ text, atStart, leadsTo })),
    ends,
  }
}

function schema(builder: GrammarBuilder, value: object, name: string): Expr {
  return addSchema(builder, builder.regexes, value, {}, name).expr
}

/** @param control the id of a token that stands for no bytes of its own */
export function grammars(control: number): readonly NamedGrammar[] {
  const call = (builder: GrammarBuilder): Expr => ({
    type: 'frame',
    kind: 'tag',
    body: {
      type: 'sequence',
      items: [
        { type: 'token', ids: [control], frame: 'tag' },
        literal('\n{"name": "on", "arguments": '),
        schema(
          builder,
          { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } }, required: ['a'] },
          'on',
        ),
        literal('}\n</tool>'),
      ],
    },
  })
  return [
    grammar('text before a token', (_, text) => ({
      type: 'sequence',
      items: [text('^[a-cé ]{0,6}$'), { type: 'token', ids: [control], frame: 'tag' }, literal('1')],
    })),
    grammar('one call or several', (builder) => ({
      type: 'repeat',
      item: call(builder),
      min: 1,
      max: Number.POSITIVE_INFINITY,
    })),
    grammar('text, then calls', (builder, text) => ({
      type: 'sequence',
      items: [text('^[^<]*$'), { type: 'repeat', item: call(builder), min: 0, max: 2 }],
    })),
    grammar('any text', () => free({}, true)),
    grammar('text up to a call that is spelled', (builder) =>
      free(
        { '{"': { type: 'sequence', items: [literal(':'), call(builder)] }, true: null, é: literal(' ') },
        true,
      ),
    ),
    grammar('text that a stop must end', () => free({ '": ': literal('1'), '"}': literal('2') }, false)),
    grammar('text with a call by a token', (builder) => ({
      type: 'sequence',
      items: [
        free({ '</tool>': null }, true),
        { type: 'repeat', item: call(builder), min: 0, max: Number.POSITIVE_INFINITY },
      ],
    })),
    grammar('text unless it begins like a call', (builder) =>
      free({ '{"': schema(builder, { type: 'integer' }, 'n') }, true, true),
    ),
    grammar('text before other text', () => ({
      type: 'sequence',
      items: [free({ ab: null }, true), { type: 'choice', options: [literal('ab'), literal('1')] }],
    })),
    grammar('text between calls, again and again', (builder) => ({
      type: 'repeat',
      item: free({ '{"': call(builder) }, false),
      min: 0,
      max: Number.POSITIVE_INFINITY,
    })),
    grammar('a counted repetition', () => ({
      type: 'sequence',
      items: [
        {
          type: 'repeat',
          item: { type: 'choice', options: [literal('a'), literal('aa'), literal('ab')] },
          min: 3,
          max: 7,
        },
        literal('"'),
      ],
    })),
    grammar('a text that may be empty, again and again', (_, text) => ({
      type: 'repeat',
      item: text('^(aa)*$'),
      min: 3,
      max: Number.POSITIVE_INFINITY,
    })),
    grammar('texts that run into each other', (_, text) => ({
      type: 'sequence',
      items: [
        text('^(a|ab)*$'),
        text('^b*$'),
        { type: 'choice', options: [literal('ba'), text('^[0-9]+$')] },
      ],
    })),
    grammar('nested parentheses', (builder) => {
      const nest = builder.declare('nest')
      builder.define(nest, {
        type: 'choice',
        options: [
          literal('x'),
          { type: 'sequence', items: [literal('['), { type: 'call', rule: nest }, literal(']')] },
        ],
      })
      return { type: 'call', rule: nest }
    }),
  ]
}
