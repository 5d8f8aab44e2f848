package report

import (
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/block"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// withVariants is a Result with a variant that gains, told with markup, and one
// that was not made.
func withVariants(t *testing.T) *analysis.Result {
	t.Helper()
	r := reporttest.Load(t, "go")
	split := rollout.Train
	value := func(x float64) *float64 { return &x }
	estimate := stat.Estimate{Value: value(0.131), Low: value(0.083), High: value(0.179), N: 1920, Items: 120, Method: "t(119) interval"}
	sp := &analysis.VariantSplit{
		Answer: analysis.Gains, Mean: stat.Estimate{Value: value(0.6), Low: value(0.5), High: value(0.7), N: 960, Items: 120},
		Reward: analysis.Difference{Estimate: estimate, PHolm: value(0.0006)},
		Costs: []analysis.Difference{
			{Estimate: stat.Estimate{Value: value(41.5)}, Name: "input_tokens", Direction: "up"},
			{Estimate: stat.Estimate{Value: value(-0.02)}, Name: "tool_calls", Direction: "unclear"},
		},
	}
	r.Variants = &analysis.Variants{Split: &split, Delta: 0.05, Hoped: 0.05, Correction: "holm", Notes: []message.Text{message.Verbatim("a note")}, Ranked: []analysis.Variant{
		{
			Name: "brief", Answer: analysis.Gains, Splits: map[rollout.Split]*analysis.VariantSplit{split: sp},
			Changes: []rollout.Change{{Key: "prompt", Base: "the rows' own", New: "Be <b>brief</b>\x1b[31m."}},
		},
		{Name: "late", Answer: analysis.CannotTell, Why: message.Verbatim("it has no rollout"), Splits: map[rollout.Split]*analysis.VariantSplit{}},
	}}
	return r
}

func TestVariantsInEveryFormat(t *testing.T) {
	p := NewRunPage(withVariants(t), Options{Dir: "my-run", All: true})
	forReaders(t, p, func(format, text, flat string) {
		for _, want := range []string{"GAINS", "0.131", "Shown to gain: 1 variant"} {
			if !strings.Contains(flat, want) {
				t.Errorf("%s does not say %q", format, want)
			}
		}
		if format != "text" && strings.Contains(text, "<b>brief") || strings.Contains(text, "\x1b[31m") {
			t.Errorf("%s: markup of a prompt is markup on the page", format)
		}
	})
	g := inBlocks[Grid](section(p.Doc(), "variants"))[0]
	if len(g.Rows) != 2 || g.Rows[0][0] != "base" || g.Rows[1][6] != "(-0.02)" || g.Rows[1][7] != "+41.5" || g.Rows[1][9] != "–" {
		t.Errorf("the table is %q", g.Rows)
	}
}

func TestVariantsThatWereNotMade(t *testing.T) {
	r := withVariants(t)
	r.Variants.Split = nil
	r.Variants.Ranked = r.Variants.Ranked[1:]
	p := NewRunPage(r, Options{})
	list := section(p.Doc(), "variants")
	if g := inBlocks[Grid](list); list[0].(block.Note).Texts[0] != english.Variants.None || len(g) != 1 || g[0].Rows[0][1] != "it has no rollout" {
		t.Errorf("the page says %+v", list)
	}
	r.Variants = nil
	for _, f := range NewRunPage(r, Options{}).Figures {
		if f.Name == "variants" {
			t.Error("a run without variants has a picture of them")
		}
	}
}
