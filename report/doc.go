// Package report makes reports. In: a Result. Out: a report for people.
//
// NewPage builds one model of the whole report, in order; each Format renders the same
// Page, and Write puts a directory of them together with the charts. A format decides
// how things look, never what is said. Texts are in the catalogue of words.go; package
// analysis words the findings and their remedies.
package report
