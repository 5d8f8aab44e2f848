package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/fixtures"
	"gonogo/report"
	"gonogo/report/chart"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/logs/importer"
)

// named is one value of an extension list, whatever its type.
type named struct {
	name, doc string
	complete  bool // its func is there
}

// Every list of the house holds values with a name of their own, a doc and a
// func.
func TestEveryListIsNamedAndDocumented(t *testing.T) {
	lists := map[string][]named{}
	for _, g := range gate.All() {
		lists["gates"] = append(lists["gates"], named{g.Name, g.Doc, g.Check != nil || len(g.Parts) > 0})
		for _, part := range g.Parts {
			lists["facts"] = append(lists["facts"], named{part.Name, part.Doc, part.Check != nil})
		}
	}
	for _, x := range gate.All().Thresholds() {
		lists["thresholds"] = append(lists["thresholds"], named{x.Name, x.Doc, true})
	}
	for _, c := range chart.Charts() {
		lists["charts"] = append(lists["charts"], named{c.Name, c.Doc, c.Draw != nil})
	}
	for _, c := range chart.Comparisons() {
		lists["charts of a comparison"] = append(lists["charts of a comparison"], named{c.Name, c.Doc, c.Draw != nil})
	}
	for _, f := range report.ComparisonFormats() {
		lists["formats of a comparison"] = append(lists["formats of a comparison"], named{f.Name, f.Doc, f.Write != nil})
	}
	for _, f := range report.Formats() {
		lists["report formats"] = append(lists["report formats"], named{f.Name, f.Doc, f.Write != nil})
	}
	for _, f := range importer.Formats() {
		lists["import formats"] = append(lists["import formats"], named{f.Name, f.Doc, f.Read != nil})
	}
	for _, f := range exportFormats() {
		lists["export formats"] = append(lists["export formats"], named{f.name, f.doc, f.write != nil})
	}
	for _, k := range grader.Kinds() {
		lists["grader kinds"] = append(lists["grader kinds"], named{k.Name, k.Doc, k.New != nil})
	}
	for _, x := range dataset.Targets() {
		lists["targets"] = append(lists["targets"], named{x.Name, x.Doc, true})
	}
	for _, w := range fixtures.Worlds() {
		lists["worlds"] = append(lists["worlds"], named{w.Name, w.Doc, w.Verdict != ""})
	}
	for _, c := range commands() {
		lists["commands"] = append(lists["commands"], named{c.Name, c.Usage, c.Action != nil})
	}
	for _, x := range topics() {
		lists["help topics"] = append(lists["help topics"], named{x.Name, x.Doc, x.print != nil})
	}
	for list, values := range lists {
		seen := map[string]bool{}
		for _, v := range values {
			if v.name == "" || v.doc == "" || !v.complete {
				t.Errorf("%s: %q lacks a name, a doc or what it does", list, v.name)
			}
			if seen[v.name] {
				t.Errorf("%s: %q is listed twice", list, v.name)
			}
			seen[v.name] = true
		}
	}
}

// shownByScripts are the parts of gates that no world can show, with the script that does:
// sample sends the one prompt of an item, so only a log holds several.
var shownByScripts = map[string]string{"rollouts.prompts": "import_items"}

// Every gate is what one world is about: a blocking one decides it, one that is
// only ever advisory is its last caution, after at most one that it brings with it.
func TestEveryGateHasItsWorld(t *testing.T) {
	decided, cautioned, shown := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, w := range fixtures.Worlds() {
		decided[w.Gate], shown[w.Fact] = true, true
		if n := len(w.Cautions); w.Gate == "" && (n == 1 || n == 2) {
			cautioned[w.Cautions[n-1]] = true
		}
	}
	blocking := blockingGates(t)
	for _, g := range gate.All() {
		switch {
		case slices.Contains(blocking, g.Name):
			if !decided[g.Name] {
				t.Errorf("no world is decided by the gate %s", g.Name)
			}
		case !cautioned[g.Name]:
			t.Errorf("no world has %s as its last of at most two cautions", g.Name)
		}
		for _, part := range g.Parts {
			script, byScript := shownByScripts[part.Name]
			if byScript {
				if _, err := os.Stat(filepath.Join("testdata", "script", script+".txtar")); err != nil {
					t.Errorf("%s: %v", part.Name, err)
				}
			}
			if shown[part.Name] == byScript {
				t.Errorf("%s, a part of %s: want either a world or a script that is about it", part.Name, g.Name)
			}
		}
	}
}

// blockingGates are the gates that give a blocking finding even of an empty
// result.
func blockingGates(t *testing.T) []string {
	t.Helper()
	r := &analysis.Result{RewardRange: [2]float64{0, 1}, GroupSize: 8, Confidence: 0.95}
	var names []string
	for _, g := range gate.All() {
		r.Findings = nil
		judge.Judge(r, nil, analysis.Gates{g})
		for _, f := range r.Findings {
			if f.Severity == analysis.Blocking {
				names = append(names, g.Name)
			}
		}
	}
	if len(names) == 0 {
		t.Fatal("no gate is blocking")
	}
	return names
}
