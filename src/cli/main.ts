#!/usr/bin/env node
/** The `espalier` command. */
import { main } from './program.ts'
import { endQuietlyOnBrokenPipe } from './terminal.ts'

endQuietlyOnBrokenPipe()
process.exitCode = await main(process.argv.slice(2))
