package archive

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/sampler/rollout"
)

// judgedNow is an empty result, judged by today's gates and read again.
func judgedNow(t *testing.T) *analysis.Result {
	t.Helper()
	r := &analysis.Result{Schema: analysis.Schema, RewardRange: [2]float64{0, 1}, GroupSize: 8, Confidence: 0.95}
	r.Thresholds = gate.All().Values(nil)
	judge.Judge(r, nil, gate.All())
	var b bytes.Buffer
	if err := r.Encode(&b); err != nil {
		t.Fatal(err)
	}
	back, err := analysis.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

func TestSameRules(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*analysis.Result)
		want   bool
	}{
		{"judged now", func(*analysis.Result) {}, true},
		{"another value of a threshold", func(r *analysis.Result) {
			r.Thresholds["leakage"]["leakage"] = 0.5
			r.Changed = []analysis.Changed{{Name: "leakage", Default: gate.All().Values(nil).ByName()["leakage"], Value: 0.5}}
		}, true},
		{"another default", func(r *analysis.Result) { r.Thresholds["baseline.headroom"]["baseline.headroom.caution"] = 0.05 }, false},
		{"a threshold less", func(r *analysis.Result) { delete(r.Thresholds, "signal.informative") }, false},
		{"another doc of a gate", func(r *analysis.Result) { r.Gates[0].Doc = "Advisory." }, false},
		{"before gates were recorded", func(r *analysis.Result) { r.Gates = nil }, false},
	} {
		r := judgedNow(t)
		c.change(r)
		if got := SameRules(r, gate.All()); got != c.want {
			t.Errorf("%s: %t, want %t", c.what, got, c.want)
		}
		dir := t.TempDir()
		if err := WriteResult(dir, r); err != nil {
			t.Fatal(err)
		}
		if other, err := ReadOther(dir, gate.All()); err != nil || (other == nil) != c.want {
			t.Errorf("%s: ReadOther returns a result: %t, %v; want %t", c.what, other != nil, err, !c.want)
		}
	}
}

func TestRejudgedNamesWhatChanged(t *testing.T) {
	finding := func(gate string, severity analysis.Severity, status analysis.Status) analysis.Finding {
		return analysis.Finding{Gate: gate, Split: rollout.Train, Severity: severity, Fact: analysis.Fact{Status: status}}
	}
	was, is := judgedNow(t), judgedNow(t)
	was.Findings = []analysis.Finding{
		finding("baseline.reachable", analysis.Blocking, analysis.Fail),
		finding("signal.informative", analysis.Blocking, analysis.Fail), finding("leakage", analysis.Blocking, analysis.Pass),
	}
	is.Findings = []analysis.Finding{
		finding("signal.informative", analysis.Blocking, analysis.Unknown), finding("leakage", analysis.Blocking, analysis.Pass),
	}
	was.Changed = []analysis.Changed{{Name: "signal.informative", Default: 0.1, Value: 0.2}} // which no longer exists
	changes, ok := Rejudged(was, is)
	if !ok || len(changes) != 2 || changes[0].Gate != "signal.informative" || *changes[0].Was != analysis.Fail ||
		*changes[0].Is != analysis.Unknown || changes[1].Gate != "baseline.reachable" || changes[1].Is != nil {
		t.Errorf("%t, changes %+v", ok, changes)
	}
	for what, change := range map[string]func(*analysis.Result){
		"another group size": func(r *analysis.Result) { r.GroupSize = 16 },
		"another epsilon":    func(r *analysis.Result) { r.Epsilon = new(float64) },
		"other epochs":       func(r *analysis.Result) { r.Plan = planOf(t, 3) },
		"no epochs":          func(r *analysis.Result) { r.Plan = planOf(t, 0) },
	} {
		was.Plan, is.Plan = planOf(t, 2), planOf(t, 2)
		if _, ok := Rejudged(was, is); !ok {
			t.Error("at the same epochs the settings differ")
		}
		other := *is
		change(&other)
		if changes, ok := Rejudged(was, &other); ok {
			t.Errorf("at %s the rules are blamed for %+v", what, changes)
		}
	}
}

// planOf is the plan of a run of one item, as its result has it.
func planOf(t *testing.T, epochs int) *analysis.Plan {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, rollout.RolloutsFile), []byte(`{"item":"a","reward":1}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run, err := rollout.OpenManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := analysis.DefaultSettings()
	s.Boot, s.BatchSize, s.Epochs = 0, 4, epochs
	r, _, err := Analyze(t.Context(), run, rollout.ReadOptions{}, s, gate.All())
	if err != nil {
		t.Fatal(err)
	}
	return r.Plan
}

// A night's result by other rules is judged again, stored, and then left alone.
func TestANightIsJudgedAgainOnce(t *testing.T) {
	dir := t.TempDir()
	old := judgedNow(t)
	old.Gates, old.Run.ToolVersion = nil, "v0.9.0"
	notes, calls := []string{}, 0
	o := JudgeOptions{
		Note: func(text string) { notes = append(notes, text) },
		Rejudge: func(_ *rollout.Run, stored *analysis.Result) (*analysis.Result, error) {
			if SameRules(stored, gate.All()) {
				return nil, nil
			}
			calls++
			return judgedNow(t), nil
		},
	}
	for range 2 {
		var err error
		if old, err = o.current(old, "2026-01-01", &rollout.Run{Dir: dir}); err != nil {
			t.Fatal(err)
		}
	}
	want := "night 2026-01-01 was judged by other rules (gonogo v0.9.0), and is judged again: UNDECIDED, before UNDECIDED"
	if calls != 1 || len(notes) != 1 || notes[0] != want {
		t.Errorf("judged %d times, with the notes %q", calls, notes)
	}
	if stored, err := ReadResult(dir); err != nil || stored == nil || !SameRules(stored, gate.All()) {
		t.Errorf("stored is %v, %v", stored, err)
	}
}
