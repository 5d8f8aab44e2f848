// Package compare serves the gonogo command; its API may change in any release.
//
// It compares two runs item by item. In: a base run and a new one. Out: a Comparison with its
// answer, the differences with their intervals, and notes on what confounds them. It also
// ranks the variants of a run.
package compare
