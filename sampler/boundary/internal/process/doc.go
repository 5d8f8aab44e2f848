// Package process starts child processes and kills them with everything that they start.
//
// In: a command, or a mark in the environment of processes. Out: the lines that a process answers, and
// how it ended. No process is left behind.
package process
