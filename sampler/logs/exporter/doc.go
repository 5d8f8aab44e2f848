// Package exporter serves the gonogo command; its API may change in any release.
//
// It writes the rollouts of a run as logs of other tools.
//
// In: a run directory and the name of a Format. Out: its files, and notes on what the
// format cannot hold. A failure stays a failure, with an error and no score. The figures
// that a log states are those that its tool computes from it. A stamp, under the key
// "gonogo", holds what the format has no words for: our importer makes the same records
// of a log again.
package exporter
