// Package report tells: a Result goes in, a report that a person can read
// comes out.
//
// NewPage makes one model of everything that is said, in the order it is
// said; each Format writes that same Page in its own way, and Write puts a
// directory of them together with the charts. A format decides how things
// look, never what is said. Texts are in the catalogue of words.go; what a
// finding means and what to do about it is worded by package analysis.
package report
