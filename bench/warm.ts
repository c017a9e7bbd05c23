/**
 * What does the same schema cost again, in a process that has compiled it before?
 *
 * An engine that keeps what it compiled has only to find it; the others compile again.
 */
import { runFresh } from './fresh/measure.ts'

export { options } from './fresh/measure.ts'

export const summary = 'the same schema again in one process: compile, first mask, first ten masks'

export async function run(args: string[]): Promise<void> {
  await runFresh('warm', args)
}
