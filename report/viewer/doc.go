// Package viewer shows what a model did: a page on loopback over one run
// directory, or two beside each other, for reading, searching and labelling
// rollouts.
//
// In: the rollouts.jsonl of a run, its items, its labels and what detectors
// marked. Out: an http.Handler with the page and the JSON that it asks for, new
// lines of labels.jsonl, and view.index beside the run, which is made again
// wherever it does not fit.
//
// Whatever a model, a tool or a grader wrote is hostile: it leaves this package
// as JSON, and the page puts it into text nodes alone.
package viewer
