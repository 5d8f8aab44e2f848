// Package night keeps the history directory of gonogo nightly.
//
// In: a project. Out: a run for tonight, its comparison with the last good night and
// with the trend, and a line in nights.jsonl.
package night
