// Package analysis holds what all of analysis speaks of: a Result with its numbers, its
// findings and its verdict, the Settings it is judged by, and what a gate is. It
// computes nothing about a run: package collect reads one, measure makes the numbers,
// gate has the gates, and judge puts them together.
//
// All of them are pure. They see sampler/rollout and nothing else of the sampler: no
// network, no clock, and no file but what they are handed. The same records, seed and
// settings give the same bytes.
//
// # A gate of your own
//
// A Gate is a value made by NewGate, with its thresholds, its words and a Check. Check
// compares a Bound of what was measured with a threshold and makes its Findings with a
// Judgement, or with Skip where there is nothing to judge. The list of gates is an
// argument of judge.Analyze: append yours to gate.All.
package analysis
