package shift

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"gonogo/fixtures"
)

// The questions of the worlds are written from wordings that both files share,
// about different companies.
func TestLongWorldsDoNotLeak(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	for _, w := range fixtures.Worlds() {
		if w.Gate == "leakage" || w.Gate == "data.conflicts" {
			continue // that is what they are about
		}
		t.Run(w.Name, func(t *testing.T) {
			dir := t.TempDir()
			if err := w.Write(dir); err != nil {
				t.Fatal(err)
			}
			rows := append(worldRows(t, dir, "train", fixtures.TrainFile), worldRows(t, dir, "eval", fixtures.EvalFile)...)
			found := leaks(t, rows)
			for i, p := range found.Pairs {
				if first := found.Pairs[0]; p.Kind == NearLeak && p.Score < 0.6 && (i == 0 || p.A == first.A || p.B == first.B) {
					continue // one wording that just misses being a template
				}
				t.Errorf("%s %.2f:\n%s\n%s", p.Kind, p.Score, rows[p.A].Prompt, rows[p.B].Prompt)
			}
			if len(found.Conflicts)+len(found.Flaws) > 0 {
				t.Errorf("conflicts %v, flaws %v", found.Conflicts, found.Flaws)
			}
			t.Logf("%d rows, duplicates %v, answers in prompts %d: %s", len(rows), found.Duplicates, len(found.Answers), found.Crossings[0].Note)
		})
	}
}

func worldRows(t *testing.T, dir, split, file string) []Entry {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	var rows []Entry
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		var row struct {
			Messages, Prompt []struct{ Content json.RawMessage } // of one of them, Prompt as TRL has it
			Answer           json.RawMessage                     `json:"reference_answer"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		e := Entry{Split: split, Reference: string(row.Answer)}
		for _, m := range append(row.Messages, row.Prompt...) {
			var text string
			if json.Unmarshal(m.Content, &text) != nil {
				text = string(m.Content) // blocks: an image is part of what is asked
			}
			e.Prompt += text + "\n"
		}
		rows = append(rows, e)
	}
	return rows
}
