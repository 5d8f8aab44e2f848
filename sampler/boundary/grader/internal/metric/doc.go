// Package metric compares two texts, as the text_similarity graders of a
// fine-tuning job would.
//
// In: an answer and its reference. Out: a number from 0 to 1. The metrics are listed in
// Metrics; each follows one reference implementation (rapidfuzz, nltk, rouge-score), and
// testdata holds what those gave on a few hundred pairs. How the hosted service computes
// its metrics is not documented: the Choice of each says what we do.
//
// The functions are pure, take any string (a byte that is not UTF-8 counts as
// U+FFFD) and never panic.
package metric
