/**
 * What this process has done so far, in counts that depend on nothing but the input: no clock is read.
 *
 * Every part of the engine that does work worth sparing adds to these, by sums where it loops: that costs an addition a
 * partition, a mask, a walk. `test/mask/counters.test.ts` compares them with what they were, so that nothing grows unseen.
 */
export const effort = {
  /** Steps of the schema algebra. */
  steps: 0,
  /** Transitions of patterns, each a derivative. */
  derivatives: 0,
  /** Transitions of automata over bytes that were computed: those of strings, numbers and texts. */
  transitions: 0,
  /** Partitions made. */
  partitions: 0,
  /** Nodes of tries looked at for partitions, class tables, rests and walks. */
  reads: 0,
  /** Fragments made, those within others too. */
  fragments: 0,
  /** Masks made, those within others too. */
  masks: 0,
}
