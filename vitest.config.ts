/**
 * Tests mirror src/ under test/. Files named `*.ci.test.ts` take minutes and run when `ESPALIER_CI` is set, as
 * `.ci/run` does. Each file has a process of its own, since an ONNX session keeps native threads.
 */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const long = Boolean(process.env.ESPALIER_CI)

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: long ? [] : ['test/**/*.ci.test.ts'],
    pool: 'forks',
    // One core fewer than there are is what is taken by itself, which leaves half of a machine with two idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: long ? 600_000 : 60_000,
    hookTimeout: 120_000,
  },
})
