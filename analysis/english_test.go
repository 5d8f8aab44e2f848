package analysis_test

import (
	"bytes"
	"strings"
	"testing"

	"gonogo/analysis"
)

// stored is a result of a program with a gate of its own: its messages are not of this program, and
// one is an argument of another.
const stored = `{"schema":"gonogo/result/2","verdict":{"answer":"NO-GO","reason":"house.rule","judged":["house.rule"],"not_judged":null,"required":null,"changed_thresholds":null},
"exit_code":3,"gates":[{"name":"house.rule","label":"The \u001b[2Jrule"}],
"english":{"house.rule.fail":"broken \u202ein {rooms|room}: {advice}","house.advice":"mind the step"},
"findings":[{"gate":"house.rule","severity":"blocking","status":"fail","facts":[{"id":"house.rule","status":"fail"}],
"message":{"id":"house.rule.fail","args":{"rooms":{"count":3},"advice":{"text":{"id":"house.advice"}}}}}]}`

// A result of another program is read with its words, which cannot control a terminal, and written
// with them.
func TestAResultBringsItsEnglish(t *testing.T) {
	r, err := analysis.Decode(strings.NewReader(stored))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Findings[0].Title.String(), "broken in 3 rooms: mind the step"; got != want {
		t.Errorf("the finding says %q, want %q", got, want)
	}
	if got := r.Gates[0].Label; got != "The [2Jrule" {
		t.Errorf("the gate's label is %q", got)
	}
	var first, again bytes.Buffer
	if err := r.Encode(&first); err != nil {
		t.Fatal(err)
	}
	if r, err = analysis.Decode(bytes.NewReader(first.Bytes())); err != nil {
		t.Fatal(err)
	}
	if err := r.Encode(&again); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), again.Bytes()) {
		t.Error("a result that was read is written otherwise")
	}
	if !strings.Contains(first.String(), `"house.advice": "mind the step"`) {
		t.Errorf("the words are lost: %s", &first)
	}
	masked, err := r.WithoutTexts()
	if err != nil || masked.Findings[0].Title.String() != "broken in 3 rooms: mind the step" {
		t.Errorf("without texts of the run the words of the gate stay: %v, %v", masked.Findings[0].Title, err)
	}
}

// Words that name an argument twice are not filled in: arguments are messages themselves, and would
// multiply at each level.
func TestForeignWordsDoNotMultiply(t *testing.T) {
	hostile := strings.Replace(stored, `broken \u202ein {rooms|room}: {advice}`, `{advice} {advice}`, 1)
	r, err := analysis.Decode(strings.NewReader(hostile))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Findings[0].Title.String(); !strings.HasPrefix(got, "house.rule.fail {") {
		t.Errorf("the finding says %q", got)
	}
}

// A result from before gates were recorded is written as it was.
func TestAnOldResultGetsNoEnglish(t *testing.T) {
	old := strings.Replace(stored, `"gates":[{"name":"house.rule","label":"The \u001b[2Jrule"}],`, "", 1)
	old = old[:strings.Index(old, `"english"`)] + old[strings.Index(old, `"findings"`):]
	r, err := analysis.Decode(strings.NewReader(old))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Encode(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), `"english"`) || strings.Contains(b.String(), `"gates"`) {
		t.Errorf("keys were added: %s", &b)
	}
	if got := r.Findings[0].Title.String(); !strings.HasPrefix(got, "house.rule.fail {") {
		t.Errorf("an unknown message is shown as %q", got)
	}
}

// A gate that cannot be named cannot be looked for.
func TestAGateWithoutANameIsRefused(t *testing.T) {
	for _, gates := range []string{`[null]`, `[{}]`, `[{"name":"a","parts":[null]}]`} {
		text := strings.Replace(stored, `[{"name":"house.rule","label":"The \u001b[2Jrule"}]`, gates, 1)
		if _, err := analysis.Decode(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "a gate without a name") {
			t.Errorf("%s: %v", gates, err)
		}
	}
}
