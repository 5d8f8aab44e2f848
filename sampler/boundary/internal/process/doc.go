// Package process starts child processes and ends them with everything they start.
//
// In: a command, or a mark in the environment of processes. Out: lines that a process
// answers, how it ended, and no process left behind.
package process
