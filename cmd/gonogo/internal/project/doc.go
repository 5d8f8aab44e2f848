// Package project is a configuration with its files read and its endpoints wired:
// all that there is before the first call.
//
// In: a configuration, or a run directory that keeps one. Out: a [Project] of small
// parts: inputs, wiring, sessions, audit, spending, queue, and the variants that are
// made of the same parts.
package project
