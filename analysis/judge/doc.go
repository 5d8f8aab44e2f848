// Package judge drives the analysis: it measures a run, runs every gate of a list, and folds the
// findings into one verdict.
package judge
