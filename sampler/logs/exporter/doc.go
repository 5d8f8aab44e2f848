// Package exporter serves the gonogo command; its API may change in any release.
//
// It writes the rollouts of a run as logs of other tools.
//
// In: a run directory and the name of a Format. Out: its files, and notes on what the
// format cannot hold. A failure stays a failure: if a format requires a number, the
// error is written next to it, and a stamp (item, split, sample and outcome under the
// key "gonogo") lets our importer restore the original.
package exporter
