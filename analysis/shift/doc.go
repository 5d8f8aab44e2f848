// Package shift compares two samples of items. Rows go in, each an id with a
// text, numbers and categories; tests come out, each with its effect, a
// permutation p, what it could have missed, and the rows and words that tell
// the samples apart. It also finds rows that leak from one sample into another
// and rows that contradict each other.
//
// It knows no rollout and no split. Randomness (which rows of a large sample
// are compared, how labels are permuted) is seeded, sums run in a fixed order,
// and rows are put in order of their ids first: the same rows give the same
// answer in any order and whatever GOMAXPROCS.
package shift
