// Package exit defines the exit codes of gonogo, the same for every command, and errors
// that carry one.
//
// In: the cause of a failure. Out: an error with the process's exit code.
package exit
