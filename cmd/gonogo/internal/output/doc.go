// Package output stores and shows the results of an analysis.
//
// In: a run directory. Out: result.json, the report's files, and the text on a terminal.
package output
