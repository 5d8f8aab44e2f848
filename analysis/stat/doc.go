// Package stat serves the gonogo command; its API may change in any release.
//
// It computes statistics. In: slices. Out: Estimates, each with n, an interval and the name and
// source of its method.
//
// It does not know rollouts. Rewards are one slice per item. No function changes a caller's slice,
// sums over a map or reads a clock, and randomness comes from a seeded source.
package stat
