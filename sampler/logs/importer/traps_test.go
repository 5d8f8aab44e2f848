package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// told shows rollouts in a line each.
func told(g *got) []string {
	lines := []string{}
	for _, r := range g.records {
		reward := "-"
		if r.Reward != nil {
			reward = fmt.Sprint(*r.Reward)
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s/%d %s %s %s", r.Item, r.Sample, r.Outcome, reward, r.Error)))
	}
	return lines
}

// row is a table's row about one file: what comes of it, in words.
type row struct {
	name, file string
	want       []string // told
	note       string   // is among the notes
	broken     string   // is in the error
}

// tryRows imports the file of each row as a format.
func tryRows(t *testing.T, format string, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			f, g, err := importText(t, format, r.file)
			if r.broken != "" {
				if err == nil || errors.Is(err, ErrUnrecognized) || !strings.Contains(err.Error(), r.broken) {
					t.Errorf("format %s: error is %v, want %q", f.Name, err, r.broken)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(r.want, told(g)); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			if notes := strings.Join(g.notes, "\n"); !strings.Contains(notes, r.note) {
				t.Errorf("notes lack %q:\n%s", r.note, notes)
			}
		})
	}
}

// fuzzFormat holds a reader to what every one must keep: it never panics, no
// rollout comes twice, a failure is never a number, and what it hands on can
// be written.
func fuzzFormat(f *testing.F, name string, seeds ...string) {
	f.Add(samples[name])
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, file string) {
		_, g, err := importText(t, name, file)
		seen := make(map[rollout.Key]bool)
		for _, r := range g.records {
			if seen[r.Key()] {
				t.Errorf("%v came twice", r.Key())
			}
			seen[r.Key()] = true
			if r.Outcome == rollout.Graded && r.Reward == nil || r.Outcome.Missing() && r.Reward != nil || r.Item == "" || r.Sample < 0 {
				t.Errorf("record is %+v", r)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Errorf("record cannot be written: %v", err)
			}
		}
		for _, it := range g.items {
			if _, err := json.Marshal(it); err != nil {
				t.Errorf("item cannot be written: %v", err)
			}
		}
		if _, line := errors.AsType[*rollout.LineError](err); err != nil && !line && !errors.Is(err, ErrUnrecognized) && !errors.Is(err, rollout.ErrNoRecords) {
			t.Errorf("error without a line: %v", err)
		}
	})
}
