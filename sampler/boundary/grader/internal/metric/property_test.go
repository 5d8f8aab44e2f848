package metric

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// text draws a text of few letters, so there is much in common.
func text() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{"a", "b", "ab", "Paris", "paris", "running", "runs", "3.5", "é", "巴", "İ", ".", "-", "\u0301", "👍"}),
			rapid.StringN(0, 4, -1),
		), 0, 40).Draw(t, "words"), rapid.SampledFrom([]string{" ", "", "\n"}).Draw(t, "between"))
	})
}

func TestScoresAreFromZeroToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := text().Draw(t, "input"), text().Draw(t, "reference")
		for _, m := range Metrics() {
			if s := m.Score(a, b); !(s >= 0 && s <= 1) {
				t.Fatalf("%s of %q and %q is %v", m.Name, a, b, s)
			}
		}
	})
}

func TestNothingScoresNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := text().Draw(t, "text")
		for _, m := range Metrics() {
			if there, back := m.Score(a, ""), m.Score("", a); there != 0 || back != 0 {
				t.Fatalf("%s of %q and nothing is %v, the other way round %v", m.Name, a, there, back)
			}
		}
	})
}

func TestSymmetry(t *testing.T) {
	symmetric := []string{"fuzzy_match", "gleu", "rouge_1", "rouge_2", "rouge_3", "rouge_4", "rouge_5", "rouge_l"}
	rapid.Check(t, func(t *rapid.T) {
		a, b := text().Draw(t, "input"), text().Draw(t, "reference")
		for _, m := range Metrics() {
			if !slices.Contains(symmetric, m.Name) {
				continue
			}
			if there, back := m.Score(a, b), m.Score(b, a); there != back {
				t.Fatalf("%s of %q and %q is %v, the other way round %v", m.Name, a, b, there, back)
			}
		}
	})
}

// TestEqualTexts holds what the docs promise of equal texts: not all metrics
// give 1.
func TestEqualTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := text().Draw(t, "text")
		n, plain := len(words(a)), len(rougeWords(a))
		want := map[string]float64{
			"fuzzy_match": one(len(process(a)) > 0), "gleu": one(n > 0), "rouge_l": one(plain > 0),
			"rouge_1": one(plain >= 1), "rouge_2": one(plain >= 2), "rouge_3": one(plain >= 3), "rouge_4": one(plain >= 4), "rouge_5": one(plain >= 5),
		}
		if n == 1 || n >= 4 {
			want["bleu"] = 1
		}
		if n > 0 {
			want["meteor"] = 1 - 0.5/math.Pow(float64(n), 3)
		}
		for _, m := range Metrics() {
			w, ok := want[m.Name]
			if got := m.Score(a, a); ok && math.Abs(got-w) > 1e-12 {
				t.Fatalf("%s of %q with itself is %v, want %v", m.Name, a, got, w)
			}
		}
	})
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// TestLCSAgainstTheTable compares the parallel form with the plain table.
func TestLCSAgainstTheTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.Int32Range(0, int32(rapid.IntRange(0, 20).Draw(t, "letters"))), 0, 300)
		a, b := ids.Draw(t, "a"), ids.Draw(t, "b")
		if got, want := lcs(a, b, 21), table(a, b); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}

// table is the length of the longest common subsequence, as in a textbook.
func table(a, b []int32) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		corner := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = corner + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			corner = above
		}
	}
	return row[len(b)]
}

// TestPartialRatioAgainstEveryPart compares the one pass over all parts with
// one part after the other.
func TestPartialRatioAgainstEveryPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SliceOfN(rapid.RuneFrom([]rune("abcd é")), 0, 60)
		a, b := letters.Draw(t, "a"), letters.Draw(t, "b")
		if got, want := partialRatio(a, b), everyPart(a, b); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%q and %q: %v, want %v", string(a), string(b), got, want)
		}
	})
}

func everyPart(a, b []rune) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 {
		return one(len(b) == 0)
	}
	best := 0.0
	for _, side := range [][2][]rune{{a, b}, {b, a}} {
		needle, long := side[0], side[1]
		if len(needle) > len(long) {
			continue
		}
		for i := 1 - len(needle); i < len(long); i++ {
			best = max(best, ratio(needle, long[max(i, 0):min(i+len(needle), len(long))]))
		}
	}
	return best
}
