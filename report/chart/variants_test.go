package chart_test

import (
	"fmt"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// ranked is a Result with variants that answer in each of the four ways, as
// they would be ranked, and one that could not be compared.
func ranked(t *testing.T) *analysis.Result {
	t.Helper()
	r := reporttest.Load(t, "go")
	split := rollout.Train
	v := &analysis.Variants{Split: &split, Delta: 0.05, Hoped: 0.05, Correction: "holm"}
	for _, one := range []struct {
		name             string
		answer           analysis.VariantAnswer
		value, low, high float64
	}{
		{"checks-the-company-and-then-the-unit-of-each-figure", analysis.Gains, 0.131, 0.083, 0.179},
		{"brief", analysis.CannotTell, 0.04, -0.03, 0.11},
		{"same", analysis.NoDifference, 0.004, -0.021, 0.029},
		{"small-model", analysis.Loses, -0.22, -0.29, -0.15},
	} {
		d := analysis.Difference{Estimate: stat.Estimate{Value: &one.value, Low: &one.low, High: &one.high, N: 1920, Items: 120, Method: "mean over items of the difference, paired (Miller 2024); t(119) interval"}}
		v.Ranked = append(v.Ranked, analysis.Variant{Name: one.name, Answer: one.answer, Splits: map[rollout.Split]*analysis.VariantSplit{split: {Answer: one.answer, Reward: d}}})
	}
	v.Ranked = append(v.Ranked, analysis.Variant{Name: "not-made-yet", Answer: analysis.CannotTell})
	r.Variants = v
	return r
}

func TestVariantsPicture(t *testing.T) {
	checkPicture(t, "ranked", "variants", ranked(t))
}

func TestVariantsInWords(t *testing.T) {
	for what, c := range map[string]struct {
		bend func(*analysis.Variants)
		want string
	}{
		"one gains":    {func(*analysis.Variants) {}, "gains 0.131 without any training"},
		"two gain":     {func(v *analysis.Variants) { v.Ranked[1].Answer = analysis.Gains }, "2 of 5 variants gain on the base"},
		"none gains":   {func(v *analysis.Variants) { v.Ranked[0].Answer = analysis.CannotTell }, "None of 5 variants is shown to gain"},
		"none is made": {func(v *analysis.Variants) { v.Split = nil }, "no data, no variant could be compared"},
	} {
		r := ranked(t)
		c.bend(r.Variants)
		if alt := chart.Render(chartNamed(t, "variants"), r).Alt(); !strings.Contains(alt, c.want) {
			t.Errorf("%s: the picture says %q, want %q", what, alt, c.want)
		}
	}
	// If there are many, each keeps its row and the picture stays XML.
	r := ranked(t)
	for i := range 60 {
		one := r.Variants.Ranked[1]
		one.Name = fmt.Sprintf("v%d", i)
		r.Variants.Ranked = append(r.Variants.Ranked, one)
	}
	f := chart.Render(chartNamed(t, "variants"), r)
	wellFormed(t, writeSVG(t, f))
	if !strings.Contains(f.Subtitle, "25 variants in the table only") {
		t.Errorf("65 variants: %s", f.Subtitle)
	}
}
