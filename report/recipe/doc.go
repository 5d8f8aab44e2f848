// Package recipe serves the gonogo command; its API may change in any release.
//
// It derives a trainer's configuration from what a run measured.
//
// In: the result of a run and what its configuration says of training. Out: the
// settings that the measurements speak for, each with its reason, in the form of one
// trainer. What no measurement speaks for, such as the learning rate, is left out.
package recipe
