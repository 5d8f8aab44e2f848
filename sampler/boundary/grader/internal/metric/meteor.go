package metric

import (
	"math"
	"strings"
)

// METEOR is nltk's meteor_score with one reference and its parameters (alpha
// 0.9, beta 3, gamma 0.5), without synonyms: words match as written, letter case
// aside, or by their Porter stem, but not by WordNet, which is too large to be
// carried along. So it is an approximation, at most what nltk gives where
// synonyms are met (Lavie and Agarwal 2007, W07-0734).
//
// Equal texts of n words score 1 - 0.5/n³. Linear in the lengths of both texts.
// Not symmetric: recall weighs nine times as much as precision.
func METEOR(input, reference string) float64 {
	a, b := lowered(MeteorWords(input)), lowered(MeteorWords(reference))
	match := make([]int, len(a)) // of each word of a, its place in b, or -1
	for i := range match {
		match[i] = -1
	}
	taken := make([]bool, len(b))
	matches := matchWords(a, b, match, taken)
	matches += matchWords(
		stems(a, func(i int) bool { return match[i] < 0 }),
		stems(b, func(j int) bool { return !taken[j] }), match, taken)
	if matches == 0 {
		return 0
	}
	precision, recall := float64(matches)/float64(len(a)), float64(matches)/float64(len(b))
	mean := precision * recall / (0.9*precision + 0.1*recall)
	scattered := float64(chunks(match)) / float64(matches)
	return mean * (1 - 0.5*math.Pow(scattered, 3))
}

// MeteorWords splits a text as METEOR does here, for callers that match the words elsewhere.
func MeteorWords(text string) []string { return words(text) }

// matchWords matches the words of a that have no match yet, last first, with
// the last word of b that is equal and free. Empty words match nothing. It
// returns the number of new matches.
func matchWords(a, b []string, match []int, taken []bool) int {
	places := make(map[string][]int, len(b)) // ascending: the last one is the next
	for j, w := range b {
		if w != "" && !taken[j] {
			places[w] = append(places[w], j)
		}
	}
	found := 0
	for i := len(a) - 1; i >= 0; i-- {
		free := places[a[i]]
		if match[i] >= 0 || len(free) == 0 {
			continue
		}
		j := free[len(free)-1]
		places[a[i]] = free[:len(free)-1]
		match[i], taken[j] = j, true
		found++
	}
	return found
}

// stems are the stems of the words that are still free; the others are empty.
func stems(list []string, free func(int) bool) []string {
	out := make([]string, len(list))
	for i, w := range list {
		if free(i) {
			out[i] = stem(w)
		}
	}
	return out
}

func lowered(list []string) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = strings.ToLower(w)
	}
	return out
}

// chunks counts the runs of matches that are neighbours in both texts.
func chunks(match []int) int {
	n := 0
	for i, j := range match {
		if j >= 0 && (i == 0 || match[i-1] < 0 || match[i-1]+1 != j) {
			n++
		}
	}
	return n
}
