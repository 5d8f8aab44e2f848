// Package measure computes the numbers of a run. In: a run. Out: an analysis.Result with
// all of its numbers, without findings and verdict. The same records, seed and settings
// give the same bytes.
package measure
