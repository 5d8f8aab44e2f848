// Package stage implements the stages of a run: check, sample, grade, audit, burst.
//
// In: a project and the choices of the command line. Out: files in the run directory,
// progress on standard error, and an error that carries the exit code.
package stage
