package chart_test

import (
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
)

// Both models are drawn and named, wherever the result holds them; without
// them nothing of them is said.
func TestModelsBeyondTheSamples(t *testing.T) {
	for _, name := range []string{"best_of_k", "informative"} {
		var c chart.Chart
		for _, other := range chart.Charts() {
			if other.Name == name {
				c = other
			}
		}
		r := reporttest.Load(t, "go")
		_, s, _ := chart.ShownSplit(r)
		s.Extrapolated, s.Beyond = nil, analysis.Extrapolation{}
		bare := chart.Render(c, r)
		for _, k := range []int{12, 16, 256} {
			for model, y := range map[string]float64{analysis.BetaBinomial: 0.97, analysis.ZeroInflated: 0.9} {
				s.Extrapolated = append(s.Extrapolated, analysis.Extrapolated{Quantity: analysis.InformativeGroups, K: k, Model: model, Value: stat.FiniteOrNil(y), Low: stat.FiniteOrNil(y - 0.1), High: stat.FiniteOrNil(1)})
				s.Beyond.BestOf = append(s.Beyond.BestOf, analysis.Extrapolated{Quantity: analysis.BestOfK, K: k, Model: model, Value: stat.FiniteOrNil(y)})
			}
		}
		f := chart.Render(c, r)
		if len(f.Legend) != len(bare.Legend)+3 {
			t.Errorf("%s: %d entries in the legend, %d without models: want both fits and their band", name, len(f.Legend), len(bare.Legend))
		}
		at := "at 256"
		if name == "informative" { // models are not drawn beyond the range that is possible
			at = "at 16"
		}
		if !strings.Contains(f.Subtitle, at) || !strings.Contains(f.Subtitle, "0.9") && !strings.Contains(f.Subtitle, "90 %") {
			t.Errorf("%s: subtitle %q does not name the gap", name, f.Subtitle)
		}
		if strings.Contains(bare.Subtitle, "models") {
			t.Errorf("%s: subtitle %q speaks of models that are not there", name, bare.Subtitle)
		}
		if string(writeSVG(t, f)) == string(writeSVG(t, bare)) {
			t.Errorf("%s: the models are not drawn", name)
		}
	}
}

// One model alone, where the other misses what was measured, is named without
// the other.
func TestOneModelBeyondTheSamples(t *testing.T) {
	for model, want := range map[string]string{analysis.BetaBinomial: "beta-binomial fit", analysis.ZeroInflated: "fit, if some items never succeed"} {
		r := reporttest.Load(t, "go")
		_, s, _ := chart.ShownSplit(r)
		s.Extrapolated, s.Beyond = nil, analysis.Extrapolation{BestOf: []analysis.Extrapolated{
			{Quantity: analysis.BestOfK, K: 64, Model: model, Value: stat.FiniteOrNil(0.95), Low: stat.FiniteOrNil(0.9), High: stat.FiniteOrNil(1)},
		}}
		f := chart.Render(chartNamed(t, "best_of_k"), r)
		var labels []string
		for _, e := range f.Legend {
			labels = append(labels, e.Label)
		}
		if all := strings.Join(labels, "; "); !strings.Contains(all, want) || strings.Contains(all, "both") || strings.Contains(all, "the same") || !strings.Contains(all, "95 % of refits") {
			t.Errorf("%s: legend %q", model, all)
		}
		for _, head := range f.Table.Head {
			if head == "" || strings.HasPrefix(head, " ") {
				t.Errorf("%s: a column without a name in %q", model, f.Table.Head)
			}
		}
	}
}

// The share with grader noise is a line of its own where it differs from the net
// one, which alone is told in the title.
func TestTheInformativeShareIsNetOfGraderNoise(t *testing.T) {
	for name, want := range map[string]bool{"audited": true, "go": false} {
		r := reporttest.Load(t, name)
		_, s, _ := chart.ShownSplit(r)
		at, _ := s.SignalAt(r.GroupSize)
		f := chart.Render(chartNamed(t, "informative"), r)
		if net := message.Percent(*at.Teaches().Value); !strings.Contains(f.Title, net+" of groups teach") {
			t.Errorf("%s: title %q lacks %s", name, f.Title, net)
		}
		raw := 0
		for _, e := range f.Legend {
			if e.Label == "with grader noise" {
				raw++
			}
		}
		if got := raw == 1 && slices.Contains(f.Table.Head, "with grader noise"); got != want {
			t.Errorf("%s: the share with grader noise is shown: %v, want %v", name, got, want)
		}
	}
}
