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
	}, func(collect.Counted) {})
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
