// Package shift serves the gonogo command; its API may change in any release.
//
// It compares two samples of items. In: rows, each with an id, a text, numbers and categories.
// Out: tests, each with an effect size, a permutation p-value, the smallest effect it could
// have detected, and the rows and words that distinguish the samples. It also finds rows that
// leak from one sample into another, and rows that contradict each other.
//
// It does not know rollouts or splits. Randomness (which rows of a large sample are
// compared, how labels are permuted) is seeded, sums run in a fixed order, and rows are
// first sorted by id: the same rows give the same answer in any order and for any
// GOMAXPROCS.
package shift
