package judge

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/gate"
	"gonogo/analysis/measure"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

func TestGatesAreNamedDocumentedAndWorded(t *testing.T) {
	seen := make(map[string]bool)
	for _, g := range gate.All() {
		if g.Name == "" || g.Label == "" || g.Doc == "" || (g.Check == nil) == (len(g.Parts) == 0) {
			t.Errorf("gate %+v lacks a name, a doc, or a check or parts", g)
		}
		if seen[g.Name] {
			t.Errorf("gate %s is listed twice", g.Name)
		}
		seen[g.Name] = true
		for _, one := range append([]*analysis.Gate{g}, g.Parts...) {
			if w := one.Words; w.Pass == "" || len(one.Parts) == 0 && (w.Why == "" || w.Caution == "" || one.Check == nil) {
				t.Errorf("%s of gate %s has no words or no check", one.Name, g.Name)
			}
		}
	}
}

// A report has room for so few, and a reader patience.
func TestGatesAndThresholdsStayFew(t *testing.T) {
	if n := len(gate.All()); n > 26 {
		t.Errorf("%d gates: make the new one a fact of another", n)
	}
	if n := len(gate.All().Thresholds()); n > 45 {
		t.Errorf("%d thresholds: fix what is not worth setting", n)
	}
}

// Those of gonogo compare belong to no gate.
func TestEveryThresholdBelongsToAGate(t *testing.T) {
	for _, row := range gate.All().Thresholds() {
		if row.Doc == "" {
			t.Errorf("threshold %s has no doc", row.Name)
		}
		if !slices.ContainsFunc(gate.All(), func(g *analysis.Gate) bool { return strings.HasPrefix(row.Name, g.Name) }) && !strings.HasPrefix(row.Name, "compare.") {
			t.Errorf("threshold %s belongs to no gate", row.Name)
		}
	}
}

// Every gate gives a finding whatever it is asked about, and no placeholder is
// left in its words.
func TestEveryGateAnswersInWords(t *testing.T) {
	results := map[string]*analysis.Result{
		"nothing":   {Splits: map[rollout.Split]*analysis.SplitResult{}, RewardRange: [2]float64{0, 1}, GroupSize: 8, Confidence: 0.95},
		"all rules": crowded(true),
		"all fine":  crowded(false),
	}
	for _, name := range slices.Sorted(maps.Keys(results)) {
		for _, g := range gate.All() {
			findings := g.Judge(results[name], nil)
			if len(findings) == 0 {
				t.Errorf("%s: gate %s gives no finding", name, g.Name)
			}
			for _, f := range findings {
				for _, text := range []string{f.Title.String(), f.Why.String(), f.Remedy.String()} {
					if strings.ContainsAny(text, "{}") {
						t.Errorf("%s: %s leaves a word out: %q", name, g.Name, text)
					}
				}
				if f.Gate != g.Name || f.Title.IsEmpty() || f.Items == nil {
					t.Errorf("%s: gate %s gives %+v", name, g.Name, f)
				}
			}
		}
	}
}

// crowded is a result that has something for every gate: bad throughout, or
// good throughout.
func crowded(bad bool) *analysis.Result {
	c := collect.New(stat.Range{Lo: 0, Hi: 1})
	for i := range 120 {
		for j := range 8 {
			y := float64((i+j)%3) / 2
			rec := rollout.Record{
				Item: fmt.Sprint(i), Split: rollout.Train, Sample: j, Outcome: rollout.Graded, Turns: 3, Elapsed: 20e9,
				Answer: fmt.Sprintf("the answer to question %d, sample %d", i, j), Parts: map[string]float64{"core": math.Ceil(y), "style": float64(i%2) / 2},
				Calls: []rollout.Call{
					{Name: "search", Arguments: fmt.Sprint(i, j), Status: rollout.CallOK, Elapsed: 20e6, OutputBytes: 100},
					{Name: "cat", Arguments: fmt.Sprint(i, j), Status: rollout.CallOK, Elapsed: 20e6, OutputBytes: 100, Turn: 1},
				},
			}
			if bad {
				y = 0
				rec.Answer = "the same answer, whatever the question was"
				rec.Calls[0].Status, rec.Calls[1].Status = rollout.CallMalformed, rollout.CallFailed
				rec.Calls[1].OutputBytes = 1e6
				if j%2 == 0 {
					rec.Outcome = rollout.StepLimit
				}
				if j == 7 {
					rec.Outcome = rollout.ToolFailed
				}
				if j%3 == 0 {
					rec.Calls = append(rec.Calls, rollout.Call{Name: "slow", Elapsed: rollout.Seconds(j * j * j * 1e9), OutputBytes: 1e6, Status: rollout.CallOK, Arguments: fmt.Sprint(j)})
				}
			}
			rec.Reward = &y
			if err := c.Add(&rec); err != nil {
				panic(err)
			}
		}
	}
	crowdedAudit(c, bad)
	s := analysis.DefaultSettings()
	s.BatchSize = 16
	r := &analysis.Result{
		RewardRange: [2]float64{0, 1}, Ceiling: 1, GroupSize: 8, Confidence: 0.95, Splits: map[rollout.Split]*analysis.SplitResult{},
		Run: analysis.RunInfo{Data: []rollout.Data{{Split: rollout.Train, File: "train.jsonl", Rows: 120}}},
	}
	if bad {
		r.Problems = []rollout.Problem{{File: "train.jsonl", Line: 3, Message: "the last message is not the user's", Blocking: true}, {Message: "advice"}}
	}
	info := &rollout.GraderInfo{Parts: []string{"core", "style"}, Core: "core", Formula: "core + style"}
	measure.Fill(r, c, &rollout.Run{Manifest: &rollout.Manifest{Grader: info}}, s)
	return r
}

// crowdedAudit adds an audit and labels that have something for every gate.
func crowdedAudit(c *collect.Collector, bad bool) {
	add := func(name string, expect rollout.Expectation, i, sample int, good, ill float64, grades ...float64) {
		reward, share := good, 0.9
		if bad {
			reward = ill
		}
		must(c.AddProbe(&rollout.Record{
			Item: fmt.Sprint(i), Split: rollout.Train, Sample: sample, Outcome: rollout.Graded, Reward: &reward, Grades: grades, Answer: "the payload of a probe",
			Probe: &rollout.ProbeInfo{Name: name, Expect: expect, Share: &share, Base: &rollout.Base{Sample: sample, Reward: &good}},
		}))
	}
	for i := range 40 {
		add("filler", rollout.Bottom, i, 0, 0, 1)
		add(rollout.ProbeReference, rollout.Top, i, 0, 1, float64(i%5/4))
		add("case", rollout.Top, i, 0, 1, 0)
		add("padding", rollout.Same, i, 0, 1, 0)
		add("odd", rollout.Note, i, 0, 1, 0)
		first := float64(i%3) / 2
		add(rollout.ProbeRegrade, rollout.Same, i, 0, first, 0, first, first)
		add(rollout.ProbeConstant, rollout.Note, i, 0, 0, 1)
		add(rollout.ProbeDetector+"tricks", rollout.Note, i, 1, 0, 1)
		if bad {
			add(rollout.ProbeConsensus, rollout.Note, i, 0, 0, 0)
		}
		score, sample := float64(i%3)/2, 0
		if bad {
			score = float64(i % 2)
		}
		c.People = append(c.People, rollout.Label{Split: rollout.Train, Item: fmt.Sprint(i), Sample: &sample, Score: &score, Rater: fmt.Sprint(i % 2)})
	}
	c.Audit.Settle()
}

// What the user names is wanted, whatever the run holds; what is required by default
// is not where the run has nothing that it could judge.
func TestRequired(t *testing.T) {
	passes := analysis.Finding{Gate: "data.enough", Severity: analysis.Blocking, Fact: analysis.Fact{Status: analysis.Pass}}
	var one analysis.Finding
	for _, g := range gate.All() {
		if g.Name == "shift" {
			one = g.Judge(&analysis.Result{Shift: &analysis.Shift{}}, nil)[0]
		}
	}
	gate := analysis.Gate{Name: "leakage", Check: func(*analysis.Result, analysis.Thresholds) []analysis.Finding {
		return analysis.Skip("", analysis.Blocking, message.Verbatim("there is only one split"))
	}}
	leakage := gate.Judge(nil, nil)[0]
	open := analysis.Finding{Gate: "shift", Severity: analysis.Advisory, Fact: analysis.Fact{Status: analysis.Unknown, Title: message.Verbatim("a large one cannot be ruled out")}}
	caution := analysis.Finding{Gate: "shift", Severity: analysis.Advisory, Fact: analysis.Fact{Status: analysis.Fail}}
	alike := analysis.Finding{Gate: "shift", Severity: analysis.Blocking, Fact: analysis.Fact{Status: analysis.Pass}}
	for _, c := range []struct {
		name     string
		require  []string
		findings []analysis.Finding
		verdict  analysis.Verdict
		why      string // of the gate that is not judged
	}{
		{"a default is no demand", []string{"data", "leakage"}, []analysis.Finding{passes, leakage}, analysis.Go, ""},
		{"a stage by name with one split", []string{"shift"}, []analysis.Finding{passes, one}, analysis.Undecided, "there is only one split: set data.eval or data.production to compare it with another"},
		{"a difference that is neither shown nor ruled out", []string{"shift"}, []analysis.Finding{passes, open}, analysis.Undecided, "a large one cannot be ruled out"},
		{"a small difference", []string{"shift"}, []analysis.Finding{passes, caution}, analysis.Go, ""},
		{"splits that are alike", []string{"shift"}, []analysis.Finding{passes, alike}, analysis.Go, ""},
		{"not required", []string{"data"}, []analysis.Finding{passes, open}, analysis.Go, ""},
	} {
		r := &analysis.Result{Findings: c.findings, Require: c.require}
		fold(r)
		why := ""
		if m := r.Missing(); len(m) == 1 {
			why = m[0].Why.String()
		}
		if r.Verdict != c.verdict || why != c.why || (c.verdict == analysis.Undecided) != (r.Reason != nil && *r.Reason == "shift") {
			t.Errorf("%s: %s, not judged because %q; want %s, %q", c.name, r.Verdict, why, c.verdict, c.why)
		}
	}
}

// Of parts that are equally bad the first leads, and parts are listed by gravity.
func TestTheGravestOfEqualPartsLeads(t *testing.T) {
	part := func(name string, s analysis.Status) *analysis.Gate {
		return &analysis.Gate{Name: name, Check: func(*analysis.Result, analysis.Thresholds) []analysis.Finding {
			return []analysis.Finding{{Gate: name, Severity: analysis.Advisory, Fact: analysis.Fact{ID: name, Status: s}}}
		}}
	}
	g := analysis.Gate{Name: "whole", Parts: []*analysis.Gate{part("a", analysis.Pass), part("b", analysis.Fail), part("c", analysis.Fail), part("d", analysis.Unknown)}}
	list := g.Judge(&analysis.Result{}, nil)
	if len(list) != 1 || list[0].ID != "b" || list[0].Others[1].ID != "c" {
		t.Errorf("found %+v", list)
	}
	for name, first := range map[string]string{"endpoint.burst": "endpoint.lost", "grader.shortcuts": "grader.layers", "rollouts.finished": "rollouts.markup"} {
		for _, g := range gate.All() {
			if g.Name == name && g.Parts[0].Name != first {
				t.Errorf("%s begins with %s, not %s", name, g.Parts[0].Name, first)
			}
		}
	}
}

func TestFold(t *testing.T) {
	finding := func(gate string, s analysis.Severity, status analysis.Status) analysis.Finding {
		return analysis.Finding{Gate: gate, Severity: s, Fact: analysis.Fact{Status: status}}
	}
	tests := []struct {
		name     string
		findings []analysis.Finding
		verdict  analysis.Verdict
		reason   string
		cautions []string
	}{
		{"nothing was judged", nil, analysis.Undecided, "", nil},
		{"only skipped gates decide nothing", []analysis.Finding{finding("a", analysis.Blocking, analysis.Skipped)}, analysis.Undecided, "", nil},
		{"an advisory pass alone decides nothing", []analysis.Finding{finding("a", analysis.Advisory, analysis.Pass)}, analysis.Undecided, "", nil},
		{"all pass", []analysis.Finding{finding("a", analysis.Blocking, analysis.Pass), finding("b", analysis.Blocking, analysis.Skipped)}, analysis.Go, "", nil},
		{"a fail outweighs an unknown before it", []analysis.Finding{finding("a", analysis.Blocking, analysis.Unknown), finding("b", analysis.Blocking, analysis.Fail)}, analysis.NoGo, "b", nil},
		{"the first fail is the reason", []analysis.Finding{finding("a", analysis.Blocking, analysis.Fail), finding("b", analysis.Blocking, analysis.Fail)}, analysis.NoGo, "a", nil},
		{"an unknown is enough to be undecided", []analysis.Finding{finding("a", analysis.Blocking, analysis.Pass), finding("b", analysis.Blocking, analysis.Unknown)}, analysis.Undecided, "b", nil},
		{"advisory fails are cautions, each named once", []analysis.Finding{finding("a", analysis.Blocking, analysis.Pass), finding("b", analysis.Advisory, analysis.Fail), finding("b", analysis.Advisory, analysis.Fail)}, analysis.Go, "", []string{"b"}},
		{"an advisory unknown is nothing", []analysis.Finding{finding("a", analysis.Blocking, analysis.Pass), finding("b", analysis.Advisory, analysis.Unknown)}, analysis.Go, "", nil},
		{"the zero status is unknown", []analysis.Finding{{Gate: "a", Severity: analysis.Blocking}}, analysis.Undecided, "a", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := &analysis.Result{Findings: test.findings}
			fold(r)
			got := ""
			if r.Reason != nil {
				got = *r.Reason
			}
			if r.Verdict != test.verdict || got != test.reason || !slices.Equal(r.Cautions, test.cautions) {
				t.Errorf("got %s for %q with cautions %v, want %s for %q with %v", r.Verdict, got, r.Cautions, test.verdict, test.reason, test.cautions)
			}
		})
	}
}
