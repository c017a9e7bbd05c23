/** This package as an engine of the comparison: every spelling that an instance of MaskBench may have. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasBit } from '../../src/bits.ts'
import { compile, compileGbnf, type SchemaOptions, Vocabulary } from '../../src/core.ts'
import { root } from '../lib.ts'
import type { Engine, LoadEngine, Opening } from './protocol.ts'

export const MODE: SchemaOptions = { whitespace: 'any', propertyOrder: 'any', numbers: 'any' }

export const loadEspalier: LoadEngine = () => open

function open({ tokenizer, endToken, size }: Opening): Engine {
  const vocabulary = Vocabulary.fromTokenizerJson(readFileSync(tokenizer), {
    endTokens: [endToken],
    size,
  })
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return {
    version: manifest.version,
    settings: 'any white space, any property order, any spelling of numbers',
    compile(source, notation) {
      const grammar =
        notation === 'gbnf' ? compileGbnf(source, vocabulary) : compile(source, vocabulary, MODE)
      return {
        matcher() {
          const matcher = grammar.matcher()
          return {
            step(id) {
              const mask = matcher.mask()
              const allowed = hasBit(mask, id)
              const taken = allowed && matcher.accept(id)
              if (allowed !== taken) throw new Error(`token ${id} is in the mask and refused`)
              return allowed
            },
            ended: () => matcher.isComplete(),
          }
        },
      }
    },
  }
}
