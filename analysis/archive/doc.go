// Package archive serves the gonogo command; its API may change in any release.
//
// It keeps analyses on disk.
//
// In: a run directory, or the history directory of many nights. Out: the result of the run,
// computed, or read back as long as the run's files are those that were analyzed; and the
// nights, with the runs that they can be compared with.
package archive
