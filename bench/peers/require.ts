/** The packages of `bench/peers/package.json`, which are none of this project's own. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from '../lib.ts'

export const peersFolder: string = join(root, 'bench', 'peers')

export const fromPeers: NodeJS.Require = createRequire(join(peersFolder, 'package.json'))
