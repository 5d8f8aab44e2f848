// Package analysis defines the types shared by the packages below it: a Result with its numbers,
// findings and verdict, the Settings of an analysis, and the Gate. It computes nothing about a run:
// package collect reads one, measure computes the numbers, gate holds the gates, and judge combines
// them.
//
// All of these packages are pure. Of the sampler's packages they import only sampler/rollout, and
// they use no network, no clock, and no files except those passed to them. The same records, seed
// and settings give the same bytes.
//
// # Your own gate
//
// A Gate is a value with thresholds, words and a Check. Check compares a measured Bound with a
// threshold and returns Findings made from a Judgement, or by Skip if there is nothing to judge.
// The list of gates is an argument of judge.Analyze: append yours to gate.All. Package gatetest
// tests it.
package analysis
