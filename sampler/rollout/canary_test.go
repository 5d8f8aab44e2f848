package rollout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// found lists the canaries in a text.
func found(text string) (words []string) {
	Canaries(text, func(canary string) bool {
		words = append(words, canary)
		return true
	})
	return words
}

func TestCanariesAreFound(t *testing.T) {
	a, b := Canary("trace_a"), Canary("trace_b")
	if a == b || len(a) != canaryLength || Canary("") != "" {
		t.Fatalf("canaries %s, %s and %q", a, b, Canary(""))
	}
	last := byte('0')
	if a[len(a)-1] == last {
		last = '1'
	}
	for _, c := range []struct {
		what, text string
		want       []string
	}{
		{"alone", a, []string{a}},
		{"in a line", "the note says: " + a + ".\n", []string{a}},
		{"two, one of them twice", a + b + " " + a, []string{a, b, a}},
		{"in a path", "/tmp/" + a + "/notes.txt", []string{a}},
		{"with digits behind", a + "00", []string{a}},
		{"after the beginning of one", "canary_" + a, []string{a}},
		{"mistyped", a[:len(a)-1] + string(last), nil},
		{"shouted", strings.ToUpper(a), nil},
		{"made up", "canary_0123456789abcdef0123456789abcdef", nil},
		{"cut off", a[:len(a)-1], nil},
		{"the word alone", "a canary_ in a coal mine", nil},
		{"nothing", "", nil},
	} {
		if got := found(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: found %q in %q, want %q", c.what, got, c.text, c.want)
		}
	}
	n := 0
	Canaries(a+b, func(string) bool { n++; return false })
	if n != 1 {
		t.Errorf("%d canaries after the first was enough", n)
	}
}

// Of ten thousand rollouts no two have one word, and no word that is made up reads
// as one of theirs.
func TestCanariesAreNobodyElses(t *testing.T) {
	seen := make(map[string]bool)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 10_000 {
		word := Canary(fmt.Sprintf("trace_%032x", i))
		if seen[word] || !slices.Equal(found(word), []string{word}) {
			t.Fatalf("rollout %d has the canary %s", i, word)
		}
		seen[word] = true
		if made := fmt.Sprintf("canary_%016x%016x", rng.Uint64(), rng.Uint64()); found(made) != nil {
			t.Fatalf("%s is made up, and counts", made)
		}
	}
}

func FuzzCanaries(f *testing.F) {
	f.Add(Canary("trace_a"))
	f.Add("canary_" + Canary("trace_b") + Canary("trace_c")[:20])
	f.Add("canary_0123456789abcdef0123456789abcdef")
	f.Fuzz(func(t *testing.T, text string) {
		words := found(text)
		for _, w := range words {
			if !isCanary(w) || !strings.Contains(text, w) {
				t.Errorf("found %q in %q", w, text)
			}
		}
		// What is written into any text is found there, with what was there before.
		own := Canary("trace_d")
		if got := found(text + "\n" + own); len(got) != len(words)+1 || got[len(words)] != own {
			t.Errorf("found %q in %q and %s", got, text, own)
		}
	})
}

// BenchmarkCanaries looks through what a rollout of thirty long tool outputs reads.
func BenchmarkCanaries(b *testing.B) {
	text := strings.Repeat("A line of a report, of which a cat can_ary tell nothing.\n", 300)
	b.SetBytes(int64(30 * len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for range 30 {
			Canaries(text, func(string) bool { return true })
		}
	}
}
