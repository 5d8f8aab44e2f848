// Package measure serves the gonogo command; its API may change in any release.
//
// It computes the numbers of a run. In: a run. Out: an analysis.Result with all numbers, but
// without findings and verdict. The same records, seed and settings give the same bytes.
package measure
