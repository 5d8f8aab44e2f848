// Package curation is what gonogo curate does with a training file.
//
// In: a run and the data files that it was sampled from. Out: the rows worth training
// on, a table of every row with its reason, and, where it is asked for, new rollouts
// that measure the choice.
package curation
