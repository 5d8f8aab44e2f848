// Package viewer serves the gonogo command; its API may change in any release.
//
// It shows what a model did: a page on the loopback interface for one run directory, or for two
// side by side, to read, search and label rollouts.
//
// In: the rollouts.jsonl of a run, its items, its labels and the marks of detectors. Out: an
// http.Handler with the page and its JSON, new lines of labels.jsonl, and view.index in the run
// directory, which is rebuilt when it is out of date.
//
// Everything that a model, a tool or a grader wrote is hostile: it leaves this package as JSON, and
// the page puts it into text nodes only.
package viewer
