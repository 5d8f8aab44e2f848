package console

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/judge"
	"gonogo/sampler/rollout"
)

// A part of a gate that had nothing to compare is not the gate, whose other part is
// judged; with one split nothing of the gate is.
func TestASkippedPartIsNamed(t *testing.T) {
	var items []rollout.Item
	for i := range 40 {
		split := rollout.Train
		if i >= 28 {
			split = rollout.Eval
		}
		row := fmt.Sprintf(`{"messages":[{"role":"user","content":"how much is %d and %d"}]}`, i*37%101, i*53%97)
		it := rollout.Item{ID: fmt.Sprint(i), Split: split, Row: []byte(row)}
		if err := it.Decode(); err != nil {
			t.Fatal(err)
		}
		items = append(items, it)
	}
	for want, items := range map[string][]rollout.Item{"\nskipped    shift.fields: not checked: ": items, "\nskipped    shift: not checked: there is only one split": items[:28]} {
		var out bytes.Buffer
		_, found := judge.CheckItems(items, analysis.DefaultSettings())
		WriteFindings(&out, found)
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in:\n%s", want, out.String())
		}
	}
}

// A gate that fails says so once: its advisory half, which finds nothing, is no pass.
func TestAGateThatFailsDoesNotPassAsWell(t *testing.T) {
	var items []rollout.Item
	for i := range 80 {
		split := rollout.Train
		if i >= 40 {
			split = rollout.Eval
		}
		it := rollout.Item{ID: fmt.Sprint(i), Split: split, Row: []byte(fmt.Sprintf(`{"messages":[{"role":"user","content":"how much is %d and %d"}]}`, i%40, i%40*7))}
		if err := it.Decode(); err != nil {
			t.Fatal(err)
		}
		items = append(items, it)
	}
	_, found := judge.CheckItems(items, analysis.DefaultSettings())
	for range 2 { // in either order
		var out bytes.Buffer
		WriteFindings(&out, found)
		if text := out.String(); !strings.Contains(text, "fails      leakage (eval)") || strings.Contains(text, "passes     leakage") {
			t.Errorf("in:\n%s", text)
		}
		slices.Reverse(found)
	}
}
