// Package pilot serves the gonogo command; its API may change in any release.
//
// It judges the first steps of a training against the base run.
//
// In: the rewards of the base run by item, the rollouts that the trainer logged by step, and the
// eval split sampled again from checkpoints. Out: at each planned look the paired differences with
// their intervals, and a verdict: GO (go on), NO-GO (stop) or UNDECIDED (look again at a step).
//
// A trainer's reward curve has the noise of the items that a step happened to show. Here every
// rollout is compared with the base run of the same item, so that this noise cancels.
package pilot
