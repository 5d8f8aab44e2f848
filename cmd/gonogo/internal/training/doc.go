// Package training judges what a trainer logged of its first steps, for gonogo pilot.
//
// In: a base run, logs of rollouts in any format of sampler/logs/importer, and logged curves. Out: the
// rollouts as groups of the base run's items, step by step, without their texts, the kinds of
// their answers, and the curves.
package training
