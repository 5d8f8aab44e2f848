// Package importer serves the gonogo command; its API may change in any release.
//
// It reads rollouts that other tools made, so they can be judged without paying for them again.
//
// In: a log file of a known Format. Out: rollout.Items, rollout.Records and notes on how identity
// and sample number were derived, handed to a Sink one by one. A shape that a format does not know
// is an error with file and line. A score is never guessed, and a failure is never imported as a
// number.
package importer
