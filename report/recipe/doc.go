// Package recipe serves the gonogo command; its API may change in any release.
//
// It derives the configuration of a trainer from what a run measured.
//
// In: the result of a run, and what its configuration says about training. Out: the settings that
// the measurements support, each with its reason, in the format of a trainer. Settings that no
// measurement supports, such as the learning rate, are left out.
package recipe
