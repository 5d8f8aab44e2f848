// Package exporter writes the rollouts of a run as the logs of other tools, so
// that what was made or judged here can be read there.
//
// In: a run directory and the name of a Format. Out: its files, and notes on
// what the format has no place for. A failure stays a failure: where a format
// asks for a number all the same, the error stands beside it, and a stamp of
// ours (item, split, sample and outcome under the key "gonogo") tells our own
// importer what it was.
package exporter
