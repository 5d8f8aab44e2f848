// Package curate serves the gonogo command; its API may change in any release.
//
// It selects the rows of a training file. In: a run, its audit and the file. Out: for each row
// whether it is kept, and all reasons for dropping it.
package curate
