// Package metric compares two texts, as the text_similarity graders of a fine-tuning job would.
//
// In: an answer and its reference. Out: a number from 0 to 1. Metrics lists the metrics. Each
// follows one reference implementation (rapidfuzz, nltk, rouge-score), and testdata holds the
// results of these on a few hundred pairs. How the hosted service computes its metrics is not
// documented: the Choice of each says what gonogo does.
//
// The functions are pure, accept any string (a byte that is not UTF-8 counts as U+FFFD) and never
// panic.
package metric
