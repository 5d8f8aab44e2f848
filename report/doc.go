// Package report makes reports. In: a Result. Out: a report for people.
//
// NewRunPage, NewComparisonPage and NewHistoryPage each build one model of the whole report, in
// order; each Format writes one kind of page, and Write writes a directory of them with the charts.
// A format decides how things look, never what the report says. Texts are in the catalogue of
// words.go; the findings and their remedies come with their texts from package analysis.
package report
