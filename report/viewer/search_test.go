package viewer

import (
	"context"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// TestSearchInFullBlocksFindsWhatANaiveScanFinds is of lines whose triples lie
// on disk, and of those behind them.
func TestSearchInFullBlocksFindsWhatANaiveScanFinds(t *testing.T) {
	dir, _, text := long(t, 2*blockLines+100)
	x := opened(t, dir)
	best := map[rollout.Key]rollout.Record{}
	for _, line := range text {
		rec, _, err := rollout.ReadLine(line, "", "")
		if err != nil {
			t.Fatal(err)
		}
		best[rec.Key()] = *rec
	}
	some := 0
	for _, query := range []string{"search x", "straße 答案", "İstanbul42", "ecole", "ÉCOLE", "正しい", "🙂", `"quoted"`, "k", "42 42", "x grader reward", "nobody said this", "line\nend"} {
		want := map[rollout.Key]bool{}
		for key, rec := range best {
			if naive(rec, query) {
				want[key] = true
			}
		}
		got := found(t, x, query)
		for _, key := range got {
			if !want[key] {
				t.Errorf("search %q: %v does not hold it", query, key)
			}
		}
		if len(got) != len(want) {
			t.Errorf("search %q: %d found, want %d", query, len(got), len(want))
		}
		if len(want) > 0 && len(want) < len(best)/2 {
			some++
		}
	}
	if some < 4 {
		t.Errorf("only %d queries tell rollouts apart", some)
	}
}

// TestABlockLetsFewLinesPassThatHoldNothing holds blocks against the share of
// lines that they let pass: a search must not read them all.
func TestABlockLetsFewLinesPassThatHoldNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, corpus(blockLines, 4<<10, 0))
	x := opened(t, dir)
	s := search{x: x, query: []byte("quux xyzzy"), hashes: wanted([]byte("quux xyzzy"))}
	passed, _, err := s.candidates(0)
	if err != nil || len(passed) > blockLines/50 {
		t.Errorf("%d of %d lines pass, %v", len(passed), blockLines, err)
	}
	s = search{x: x, query: []byte("it is 77"), hashes: wanted([]byte("it is 77"))}
	passed, _, err = s.candidates(0)
	if err != nil || len(passed) == 0 {
		t.Errorf("a line that holds it does not pass: %v", err)
	}
}

func TestWhatStandsAroundAMatch(t *testing.T) {
	for text, want := range map[string]Place{
		"an ANSWER here": {Before: "an ", Match: "ANSWER", After: " here"},
		"İİİ Answer":     {Before: "İİİ ", Match: "Answer", After: ""},
		strings.Repeat("é", 50) + "answer" + strings.Repeat("語", 50): {
			Before: "…" + strings.Repeat("é", 35), Match: "answer", After: strings.Repeat("語", 23) + "…",
		},
	} {
		dir := t.TempDir()
		write(t, dir, encoded(t, rollout.Record{Item: "q", Split: rollout.Train, Source: rollout.Live, Outcome: rollout.NoAnswer, Answer: text}))
		_, _, err := opened(t, dir).Search(context.Background(), "answer", 0, nil, func(h Hit) bool {
			if want.At, want.What = "a", "answer"; len(h.Places) != 1 || h.Places[0] != want {
				t.Errorf("%s: got %+v, want %+v", text, h.Places, want)
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
