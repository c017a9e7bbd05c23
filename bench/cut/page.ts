/**
 * A trace as one page that needs nothing else: style, script and data are in it, and its own policy forbids to load
 * anything. The same trace gives the same bytes.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../lib.ts'
import type { Trace } from './trace.ts'

const part = (file: string): string => readFileSync(join(root, 'bench', 'cut', file), 'utf8')

export function cutPage(trace: Trace): string {
  // In a script element `<` could end it; within JSON it may be spelled so.
  const data = JSON.stringify(trace).replaceAll('<', '\\u003c')
  const parts: Readonly<Record<string, string>> = {
    STYLE: part('page.css'),
    SCRIPT: part('page.js'),
    DATA: data,
    REQUEST: escaped(trace.request),
    MODEL: escaped(trace.model),
    TOOL: escaped(trace.tool),
    LAST: String(trace.steps.length - 1),
    LEAST: String(trace.steps[0]!.cost),
  }
  // Where each stands the template is HTML, CSS, JavaScript and JSON of its own.
  return part('page.html').replace(
    /\/\*__([A-Z]+)__\*\/|"__(DATA)__"|__([A-Z]+)__/gu,
    (_, ...names: (string | undefined)[]) => parts[names.slice(0, 3).find((name) => name !== undefined)!]!,
  )
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
