/** Engines made ready for a comparison. */
import { type EngineName, PeerProcess } from './child.ts'
import { LocalEngine } from './local.ts'
import type { Opening } from './protocol.ts'

export type OpenEngine = PeerProcess | LocalEngine

/**
 * Each in a process of its own; a peer that does not open is named on stderr and left out.
 *
 * @param inProcess this package in the process that asks, for a profiler
 */
export async function openEngines(
  names: readonly EngineName[],
  vocabulary: Omit<Opening, 'engine'>,
  inProcess = false,
): Promise<OpenEngine[]> {
  const open: OpenEngine[] = []
  for (const name of names) {
    try {
      open.push(
        inProcess && name === 'espalier'
          ? await LocalEngine.open(vocabulary)
          : await PeerProcess.open(name, vocabulary),
      )
    } catch (error) {
      if (name === 'espalier') throw error
      console.error(`${name} is left out: ${(error as Error).message}`)
    }
  }
  return open
}
