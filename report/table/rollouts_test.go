package table

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis/collect"
	"gonogo/sampler/rollout"
)

// The rows of one sample at two steps were once the same.
func TestARowNamesItsStep(t *testing.T) {
	s, err := NewSurvey(func(yield func(collect.Counted) error) (rollout.Input, error) {
		for _, step := range []int{0, 20} {
			rec := &rollout.Record{Item: "q1", Split: rollout.Train, Step: step, Outcome: rollout.Graded}
			if err := yield(collect.Counted{Record: rec}); err != nil {
				return rollout.Input{}, err
			}
		}
		return rollout.Input{}, nil
	}, true, func(collect.Counted) {})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := s.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	at := slices.Index(rows[0], "step")
	if at != slices.Index(rows[0], "sample")+1 || rows[1][at] != "0" || rows[2][at] != "20" {
		t.Errorf("steps in column %d of %q", at, rows)
	}
}

// Rows beyond what may be kept are read again.
func TestRowsThatAreNotKeptAreReadAgain(t *testing.T) {
	times := 0
	read := func(yield func(collect.Counted) error) (rollout.Input, error) {
		times++
		for i := range 5 {
			rec := &rollout.Record{Item: "q1", Sample: i, Parts: map[string]float64{"a": float64(i)}}
			if err := yield(collect.Counted{Record: rec, At: i + 1}); err != nil {
				return rollout.Input{}, err
			}
		}
		return rollout.Input{}, nil
	}
	var want string
	for _, c := range []struct{ most, block int }{{mostKept, 1}, {0, 1}, {0, 128 << 10}} { // the last has one open block
		times = 0
		s := &Survey{read: read, dead: map[int]bool{}, kept: newKeeper()}
		s.kept.most, s.kept.block = c.most, c.block
		if err := s.survey(func(collect.Counted) {}); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := s.WriteCSV(&out); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = out.String()
		}
		if wanted := map[bool]int{true: 1, false: 2}[c.most > 0]; out.String() != want || times != wanted {
			t.Errorf("at most %d bytes in blocks of %d: read %d times, want %d; %q, want %q", c.most, c.block, times, wanted, out.String(), want)
		}
	}
	if lines := strings.Count(want, "\n"); lines != 6 {
		t.Errorf("%d lines", lines)
	}
}
