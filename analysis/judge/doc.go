// Package judge drives the analysis: it measures a run, asks every gate of a list, and
// folds the findings into one verdict.
package judge
