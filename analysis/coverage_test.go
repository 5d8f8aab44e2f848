package analysis

import (
	"slices"
	"testing"

	"gonogo/analysis/message"
)

var nothingOfTheKind = Moot(message.New("test.moot", "the run has nothing of the kind"))

// A rehearsal that was not asked for left every run at "13 of 14 gates", with GO out of reach.
func TestWhatDoesNotApplyIsNotCounted(t *testing.T) {
	finding := func(gate string, status Status, why message.Def) Finding {
		f := Finding{Gate: gate, Severity: Blocking, Fact: Fact{ID: gate, Status: status}}
		if status == Skipped {
			f.Title = message.Text{ID: "gate.skipped", Args: message.Args{"reason": message.Nested(why.Text())}}
		}
		return f
	}
	r := &Result{Findings: []Finding{
		finding("data.enough", Pass, message.Def{}),
		finding("endpoint.burst", Skipped, message.New("test.no_burst", "no training step was rehearsed")),
		finding("leakage", Skipped, nothingOfTheKind),
	}}
	for _, test := range []struct {
		name     string
		required []string
		all      []string
	}{
		{"nothing else is asked for", nil, []string{"data.enough"}},
		{"a rehearsal is required", []string{"endpoint.burst"}, []string{"data.enough", "endpoint.burst"}},
		{"what the run does not have is required", []string{"leakage"}, []string{"data.enough", "leakage"}},
	} {
		r.Required = test.required
		passed, all := r.Coverage()
		if !slices.Equal(passed, []string{"data.enough"}) || !slices.Equal(all, test.all) {
			t.Errorf("%s: %q of %q passed, want all %q", test.name, passed, all, test.all)
		}
	}
	r.Required = nil
	r.Findings = append(r.Findings, finding("grader.truth", Skipped, message.New("test.no_audit", "it was not audited")))
	if passed, all := r.Coverage(); len(passed) != 1 || len(all) != 2 {
		t.Errorf("with a check that could have been made, %q of %q passed", passed, all)
	}
}
