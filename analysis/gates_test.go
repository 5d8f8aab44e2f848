package analysis_test

import (
	"math"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
)

func TestGatesAreValidatedBeforeAnythingIsRead(t *testing.T) {
	message.New("other.pass", "words of something else")
	gate := func(change func(*analysis.Gate)) *analysis.Gate {
		g := &analysis.Gate{
			Name: "own", Words: analysis.Words{Why: "it matters", Pass: "fine", Fail: "not fine"},
			Check: func(*analysis.Result, analysis.Thresholds) []analysis.Finding { return nil },
		}
		change(g)
		return g
	}
	threshold := func(x analysis.Threshold) func(*analysis.Gate) {
		return func(g *analysis.Gate) { g.Thresholds = append(g.Thresholds, x) }
	}
	settings := func(change func(*analysis.Settings)) analysis.Settings {
		s := analysis.DefaultSettings()
		change(&s)
		return s
	}
	most := analysis.Threshold{Name: "own.most", Unit: "calls", Default: 5}
	sound, as := gate(threshold(most)), settings(func(*analysis.Settings) {})
	for _, c := range []struct {
		name     string
		gates    analysis.Gates
		settings analysis.Settings
		want     string // in the error; "": none
	}{
		{"a sound gate", analysis.Gates{sound}, as, ""},
		{"its threshold and its name in the settings", analysis.Gates{sound}, settings(func(s *analysis.Settings) {
			s.Thresholds, s.Require = analysis.Thresholds{"own.most": 3}, []string{"own", "data"}
		}), ""},
		{"a misspelt threshold", analysis.Gates{sound}, settings(func(s *analysis.Settings) { s.Thresholds = analysis.Thresholds{"own.mots": 3} }), `no threshold is called "own.mots"; there are compare.delta, compare.tolerance, own.most`},
		{"an infinite threshold", analysis.Gates{sound}, settings(func(s *analysis.Settings) { s.Thresholds = analysis.Thresholds{"own.most": math.Inf(1)} }), "must be finite"},
		{"a misspelt requirement", analysis.Gates{sound}, settings(func(s *analysis.Settings) { s.Require = []string{"onw"} }), `"onw" is neither a stage nor a gate`},
		{"two of a name", analysis.Gates{sound, gate(func(*analysis.Gate) {})}, as, `two gates are called "own"`},
		{"a part of the same name", analysis.Gates{gate(func(g *analysis.Gate) { g.Check, g.Parts = nil, []*analysis.Gate{sound} })}, as, `two gates are called "own"`},
		{"no name", analysis.Gates{gate(func(g *analysis.Gate) { g.Name = "" })}, as, "it needs a name"},
		{"no check", analysis.Gates{gate(func(g *analysis.Gate) { g.Check = nil })}, as, `the gate "own": it needs either a Check or Parts`},
		{"no words", analysis.Gates{gate(func(g *analysis.Gate) { g.Words = analysis.Words{} })}, as, "its Words need Pass"},
		{"words of another message's id", analysis.Gates{gate(func(g *analysis.Gate) { g.Name = "other" })}, as, `two messages have the id "other.pass"`},
		{"two thresholds of a name", analysis.Gates{gate(func(g *analysis.Gate) { g.Thresholds = []analysis.Threshold{most, most} })}, as, `two thresholds are called "own.most"`},
		{"a threshold of another gate", analysis.Gates{gate(threshold(analysis.Threshold{Name: "most"}))}, as, `must begin with "own."`},
		{"a share below 0", analysis.Gates{gate(threshold(analysis.Threshold{Name: "own.share", Unit: "share", Default: -0.1}))}, as, "own.share has the default -0.1"},
		{"a share above 1", analysis.Gates{gate(threshold(analysis.Threshold{Name: "own.share", Unit: "share", Default: 5}))}, as, "own.share has the default 5"},
	} {
		err := c.gates.Validate(c.settings)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// The words of a gate come with its findings; those of a stored one are known once the
// gate is declared, and a finding of a gate that is not in the list shows its id.
func TestAStoredFindingIsWordedByTheListOfGates(t *testing.T) {
	stored := message.Text{ID: "stored.fail"}
	if got := stored.String(); got != "stored.fail" {
		t.Errorf("without the gate it says %q", got)
	}
	gates := analysis.Gates{{Name: "stored", Label: "Stored", Words: analysis.Words{Why: "w", Pass: "p", Fail: "it fails"}}}
	gates.Declare()
	if got := stored.String(); got != "it fails" {
		t.Errorf("with the gate it says %q", got)
	}
	if l := (message.Language{}); gates.Named("stored").LabelIn(l) != "Stored" || gates.Named("unknown").LabelIn(l) != "" {
		t.Error("labels are not those of the list")
	}
}
