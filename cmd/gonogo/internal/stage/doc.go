// Package stage does what a run is made of, a stage at a time: check, sample, grade,
// audit, burst.
//
// In: a project and what the command line chose. Out: files in the run directory,
// progress on standard error, and an error that carries the exit code.
package stage
