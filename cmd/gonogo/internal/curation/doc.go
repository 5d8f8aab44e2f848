// Package curation implements gonogo curate.
//
// In: a run and the data files that it was sampled from. Out: the rows worth training
// on, a table of every row with its reason, and, on request, new rollouts that measure
// the selection.
package curation
