/**
 * The tokens of a `tokenizer.json`, from a cache file beside it where there is a good one.
 *
 * The cache holds what the file says, whatever the options of the vocabulary, under the SHA-256 of the file's bytes. One that
 * is missing, damaged, of another file or of another version is made anew; it is written beside its place and renamed, so
 * that readers see the old one or the new one, whoever else writes. A cache that cannot be written is no error: a warning of
 * the process (`ESPALIER_VOCABULARY_CACHE`) says so.
 */
import { createHash, randomUUID } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { decodeTable, encodeTable } from '../vocab/table-cache.ts'
import type { TokenTable } from '../vocab/token-table.ts'
import { readTokenizerJson } from '../vocab/tokenizer-json.ts'

/** Reads the table of a `tokenizer.json` with these bytes; `cache` is the path of the cache file, or `null` for none. */
export async function readTokenTable(tokenizer: Uint8Array, cache: string | null): Promise<TokenTable> {
  if (cache === null) return readTokenizerJson(tokenizer)
  const key = createHash('sha256').update(tokenizer).digest('hex')
  const cached = await readFile(cache).catch(() => null)
  const known = cached === null ? null : decodeTable(cached, key)
  if (known !== null) return known
  const table = readTokenizerJson(tokenizer)
  await writeCache(cache, encodeTable(table, key))
  return table
}

async function writeCache(path: string, bytes: Uint8Array): Promise<void> {
  const unfinished = `${path}.${randomUUID()}.tmp`
  try {
    await writeFile(unfinished, bytes, { flag: 'wx' })
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined)
    const reason = error instanceof Error ? error.message : String(error)
    process.emitWarning(`the vocabulary cache ${path} cannot be written: ${reason}`, {
      code: 'ESPALIER_VOCABULARY_CACHE',
    })
  }
}
