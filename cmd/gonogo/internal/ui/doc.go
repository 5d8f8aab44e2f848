// Package ui is the terminal interface: progress, events, questions, Ctrl-C, and the formatting of
// text and quantities.
//
// In: counts and texts. Out: lines on standard error, or one JSON event per line.
package ui
