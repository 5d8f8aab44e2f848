// Package project loads a configuration with its files and wires its endpoints:
// everything needed before the first request.
//
// In: a configuration, or a run directory that holds one. Out: a [Project] of small
// parts: inputs, wiring, sessions, audit, spending, queue, and variants made of the same
// parts.
package project
