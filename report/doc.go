// Package report makes reports. In: a Result. Out: a report for people.
//
// NewPage builds one model of the whole report, in order; each Format renders the same Page, and
// Write writes a directory of them with the charts. A format decides how things look, never what
// the report says. Texts are in the catalogue of words.go; the findings and their remedies come
// with their texts from package analysis.
package report
