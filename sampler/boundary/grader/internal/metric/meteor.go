package metric

import (
	"math"
	"strings"
)

// METEOR returns nltk's meteor_score for one reference with its default parameters (alpha 0.9, beta
// 3, gamma 0.5), but without synonyms (Lavie and Agarwal 2007, W07-0734). Words match in lower case
// or by their Porter stem, not by WordNet, which is too large to ship. So it is an approximation: on
// texts with synonyms it is mostly below nltk's score.
//
// Equal texts of n words score 1 - 0.5/n³. The cost is linear in the lengths of both texts. It is not
// symmetric: recall weighs nine times as much as precision.
func METEOR(input, reference string) float64 {
	a, b := lowered(MeteorWords(input)), lowered(MeteorWords(reference))
	match := make([]int, len(a)) // for each word of a the index of its match in b, or -1
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

// MeteorWords splits a text as METEOR does, for callers that compute the score in another way.
func MeteorWords(text string) []string { return words(text) }

// matchWords matches each word of a that has no match yet, from the last to the first, with the last
// equal word of b that is free. Empty words match nothing. It returns the number of new matches.
func matchWords(a, b []string, match []int, taken []bool) int {
	places := make(map[string][]int, len(b)) // free indices of each word, ascending; the last is used first
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

// stems returns the stems of the words that are still free, and "" for the others.
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

// chunks counts the runs of matches that are adjacent in both texts.
func chunks(match []int) int {
	n := 0
	for i, j := range match {
		if j >= 0 && (i == 0 || match[i-1] < 0 || match[i-1]+1 != j) {
			n++
		}
	}
	return n
}
