// Package gatetest tests a gate with a table. In: a gate, and results with the findings expected of
// each. Out: test failures.
package gatetest

import (
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// Case is a result with the findings expected from the gate.
type Case struct {
	Name       string
	Result     *analysis.Result
	Thresholds analysis.Thresholds // nil: the defaults
	Want       []Finding           // in the gate's order
}

// Finding holds the compared parts of a finding. Its texts need only contain Title and Remedy.
type Finding struct {
	Split         rollout.Split
	Severity      analysis.Severity
	Status        analysis.Status
	Title, Remedy string
}

// Run checks that the gate is valid and compares its findings in each case.
func Run(t *testing.T, g *analysis.Gate, cases ...Case) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			s := analysis.DefaultSettings()
			s.Thresholds = c.Thresholds
			if err := (analysis.Gates{g}).Validate(s); err != nil {
				t.Fatal(err)
			}
			got := g.Judge(c.Result, c.Thresholds)
			if len(got) != len(c.Want) {
				t.Fatalf("%s gives %d findings, want %d: %+v", g.Name, len(got), len(c.Want), got)
			}
			for i, want := range c.Want {
				f, title, remedy := got[i], got[i].Title.String(), got[i].Remedy.String()
				if f.Split != want.Split || f.Severity != want.Severity || f.Status != want.Status ||
					!strings.Contains(title, want.Title) || !strings.Contains(remedy, want.Remedy) {
					t.Errorf("%s gives %s %s on %q: %q, %q; want %+v", g.Name, f.Severity, f.Status, f.Split, title,
						remedy, want)
				}
				if strings.ContainsAny(title+f.Why.String(), "{}") || title == "" {
					t.Errorf("%s leaves a word out: %q, %q", g.Name, title, f.Why.String())
				}
			}
		})
	}
}
