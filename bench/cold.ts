/**
 * What does the first request wait for: a new process, a schema that nobody has seen, its first masks?
 *
 * The time of the vocabulary begins with the path of its file. A mask is timed together with the acceptance of its token.
 */
import { runFresh } from './fresh/measure.ts'

export { options } from './fresh/measure.ts'

export const summary = 'a new process, a new schema: vocabulary, compile, first mask, first ten masks'

export async function run(args: string[]): Promise<void> {
  await runFresh('cold', args)
}
