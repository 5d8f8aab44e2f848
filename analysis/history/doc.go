// Package history serves the gonogo command; its API may change in any release.
//
// It finds what changed from night to night. In: summaries of many runs of one evaluation
// set. Out: series with their intervals, the nights at which a series changed, with an interval
// for the night, and what was configured differently then. It reads no files except those
// passed to it, reads no clock, and takes its randomness from a seed.
package history
