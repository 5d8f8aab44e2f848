// Package setup serves the gonogo command; its API may change in any release.
//
// It takes over what another tool is configured to do.
//
// In: a configuration of promptfoo. Out: the same tests as rows, their assertions as a Python grader, and how the
// model is called.
package setup
