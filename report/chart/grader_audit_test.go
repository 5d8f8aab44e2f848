package chart_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// audited is a Result whose grader was put to n probes on 40 items; every
// fifth found holes.
func audited(t *testing.T, n int) *analysis.Result {
	r := reporttest.Load(t, "go")
	for i := range n {
		p := analysis.ProbeResult{Probe: fmt.Sprintf("probe_with_quite_a_long_name_%02d", i), Items: 40, Payloads: 80, Expect: []rollout.Expectation{rollout.Bottom, rollout.Bottom, rollout.Top, rollout.Same, rollout.Note}[i%5]}
		if i%5 == i/5 {
			p.Above = 3 * (i/5 + 1)
		}
		if p.Expect == rollout.Top {
			p.Above = 40 - p.Above
		}
		share := float64(p.Above) / 40
		p.Accept = stat.Estimate{Value: &share, Low: stat.FiniteOrNil(max(0, share-0.1)), High: stat.FiniteOrNil(min(1, share+0.1)), N: 40, Items: 40, Method: "share of items; Clopper–Pearson interval"}
		r.Grader.Probes = append(r.Grader.Probes, p)
	}
	return r
}

func graderAudit(t *testing.T, r *analysis.Result) chart.Figure {
	t.Helper()
	for _, c := range chart.Charts() {
		if c.Name == "grader_audit" {
			return chart.Render(c, r)
		}
	}
	t.Fatal("no such chart")
	return chart.Figure{}
}

func TestGraderAuditIsLegibleWithManyProbes(t *testing.T) {
	for _, n := range []int{1, 5, 35, 90} {
		r := audited(t, n)
		r.Grader.Probes = append(r.Grader.Probes,
			analysis.ProbeResult{Probe: "left out: no item", Expect: rollout.Bottom},
			analysis.ProbeResult{Probe: "without interval", Expect: rollout.Bottom, Items: 3, Above: 1})
		f := graderAudit(t, r)
		if f.Plot == nil {
			t.Fatalf("%d probes: no data: %s", n, f.NoData)
		}
		if f.Height > 700 {
			t.Errorf("%d probes: the picture is %v high, which fits no page", n, f.Height)
		}
		for _, size := range sizes {
			checkLayout(t, fmt.Sprintf("%d probes at %v × %v", n, size.w, size.h), f, size.w, size.h*f.Height/chart.Height)
		}
		var names []string
		for _, text := range texts(f, chart.Width, f.Height) {
			names = append(names, text.text)
		}
		drawn := strings.Count(strings.Join(names, "\n"), "probe_with")
		if all := n - n/5; drawn < min(all, 8) || len(f.Table.Marks) < all {
			t.Errorf("%d probes: %d are drawn, and %d in the table", n, drawn, len(f.Table.Marks))
		}
		for _, p := range r.Grader.Probes { // whatever else is left out
			if p.Expect != rollout.Note && p.Items > 0 && (chart.CountHoles(p) > 0 || chart.CountMoves(p) > 0) && !slices.ContainsFunc(names, func(s string) bool {
				head, tail, _ := strings.Cut(s, "…") // of a long one
				return strings.HasPrefix(p.Probe, head) && strings.HasSuffix(p.Probe, tail) && head+tail != ""
			}) {
				t.Errorf("%d probes: %s found something, and is not drawn in %q", n, p.Probe, names)
			}
		}
	}
}

func TestGraderAuditWithoutAnAuditSaysHowToMakeOne(t *testing.T) {
	for what, r := range map[string]*analysis.Result{
		"no grader":  {},
		"no probes":  reporttest.Load(t, "go"),
		"only notes": {Grader: &analysis.Grader{Probes: []analysis.ProbeResult{{Probe: "constant", Expect: rollout.Note, Items: 4}}}},
	} {
		if f := graderAudit(t, r); f.Plot != nil || !strings.Contains(f.NoData, "gonogo audit") {
			t.Errorf("%s: no-data reason is %q", what, f.NoData)
		}
	}
}

func TestAnAuditWithoutProbesIsNotCalledMissing(t *testing.T) {
	r := &analysis.Result{Grader: &analysis.Grader{Audited: 12}}
	if f := graderAudit(t, r); f.Plot != nil || !strings.Contains(f.NoData, "no probe") {
		t.Errorf("no-data reason is %q", f.NoData)
	}
}

func TestGraderAuditTitleCountsTheHoles(t *testing.T) {
	f := graderAudit(t, audited(t, 35))
	if want := "2 of 28 probes fooled the grader; 1 made it reject a right answer; in 1 formatting alone changed the reward"; f.Title != want {
		t.Errorf("title is %q, want %q", f.Title, want)
	}
	if want := "up to 40 items a probe, n = 2,240 payloads; bars: 95 % Clopper–Pearson intervals; 19 probes that held are in the table only"; f.Subtitle != want {
		t.Errorf("subtitle is %q, want %q", f.Subtitle, want)
	}
	if f := graderAudit(t, audited(t, 2)); f.Title == "" || !strings.HasPrefix(f.Title, "1 of 2") {
		t.Errorf("title is %q", f.Title)
	}
}

func TestHolesComeFirst(t *testing.T) {
	p := func(name string, expect rollout.Expectation, items, above int) analysis.ProbeResult {
		return analysis.ProbeResult{Probe: name, Expect: expect, Items: items, Above: above}
	}
	var got []string
	for _, p := range chart.ProbesByUrgency([]analysis.ProbeResult{
		p("told nothing", rollout.Bottom, 0, 0), p("noted", rollout.Note, 9, 9), p("moved", rollout.Same, 10, 9), p("held", rollout.Bottom, 10, 0),
		p("right and rejected", rollout.Top, 10, 4), p("right and accepted", rollout.Top, 10, 10), p("paid", rollout.Bottom, 10, 2), p("paid more", rollout.Bottom, 10, 5),
	}) {
		got = append(got, fmt.Sprintf("%s: %d", p.Probe, chart.CountHoles(p)+chart.CountMoves(p)))
	}
	want := []string{"paid more: 5", "paid: 2", "right and rejected: 6", "moved: 9", "held: 0", "right and accepted: 0", "told nothing: 0", "noted: 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestGraderAuditOfHostileNames(t *testing.T) {
	r := audited(t, 5)
	for i, name := range []string{"</text><script>", "rtl \u202egnp", "esc \x1b[31m", strings.Repeat("long", 100), "中文 🎉"} {
		r.Grader.Probes[i].Probe = name
	}
	f := graderAudit(t, r)
	checkLayout(t, "hostile", f, chart.Width, f.Height)
	var b bytes.Buffer
	if err := chart.WriteSVG(&b, f, chart.Width, f.Height); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.Bytes())
	if bytes.Contains(b.Bytes(), []byte("<script")) || bytes.Contains(b.Bytes(), []byte("\x1b")) {
		t.Error("a probe's name became more than text")
	}
}
