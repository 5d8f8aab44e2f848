// Package output is what is kept and shown of an analysis.
//
// In: a run directory. Out: result.json, the report's files, and the text on a
// terminal.
package output
