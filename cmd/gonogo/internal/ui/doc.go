// Package ui is what a person meets at the terminal: progress, events, questions,
// Ctrl-C, and the formatting of text and quantities.
//
// In: counts and texts. Out: lines on standard error, or a JSON event a line.
package ui
