// Package stat holds the numbers: slices go in, Estimates come out, each with
// n, an interval and the name and source of its method.
//
// It knows no rollout. Rewards arrive as one slice per item; nothing here
// changes a caller's slice, sums over a map or reads a clock, and randomness
// comes in as a seeded source.
package stat
