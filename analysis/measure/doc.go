// Package measure computes: a run goes in, and out comes an analysis.Result with all of
// its numbers, without findings and verdict. The same records, seed and settings give
// the same bytes.
package measure
