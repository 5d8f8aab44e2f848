// Package exit holds the exit codes of gonogo, the same in every command, and
// errors that carry one.
//
// In: what went wrong. Out: an error whose code the process ends with.
package exit
