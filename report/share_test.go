package report

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/stat"
	"gonogo/report/block"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// Whoever gets the page or the card needs to know what was measured, where and when.
func TestAReportSaysWhatItIsAbout(t *testing.T) {
	for _, test := range []struct {
		name, want string
		run        analysis.RunInfo
		started    string
	}{
		{"a run", "model qwen3 at gpu1:8000 · sampled on 2026-11-29", analysis.RunInfo{Source: "live", Model: "qwen3", Endpoint: "gpu1:8000"}, "2026-11-29T10:00:00Z"},
		{"a scripted world", "model scripted-policy · sampled on 2026-11-29", analysis.RunInfo{Source: "live", Model: "scripted-policy"}, "2026-11-29T10:00:00Z"},
		{"an import", "model qwen3", analysis.RunInfo{Source: "import", Model: "qwen3"}, "2026-11-29T10:00:00Z"},
		{"an import of rewards", "", analysis.RunInfo{Source: "import"}, ""},
	} {
		r := reporttest.Load(t, "go")
		r.Run, r.Timing = test.run, analysis.Timing{Started: test.started}
		p := NewRunPage(r, options())
		if got := p.Doc().About; got != test.want {
			t.Errorf("%s: it is about %q, want %q", test.name, got, test.want)
		}
		if html := string(written(t, writeHTML, Page(p))); test.want != "" && !strings.Contains(html, `<p class="about note">`+test.want) {
			t.Errorf("%s: the page does not say so", test.name)
		}
	}
	r := reporttest.Load(t, "go")
	r.Run.Model, r.Run.Endpoint = "<script>alert(1)</script>", "a\u202eb<img>"
	if html := string(written(t, writeHTML, Page(NewRunPage(r, options())))); strings.Contains(html, "<script>alert") || strings.Contains(html, "<img>") || strings.Contains(html, "\u202e") {
		t.Error("the name of the model is not escaped")
	}
}

// The numbers that a review asks for stay when the deciding number is shown too.
func TestTheDecidingNumberLeavesTheMeanAndTheInformativeShare(t *testing.T) {
	gate := "infra.failures"
	r := reporttest.Load(t, "go")
	f := gateFinding(gate, analysis.Fail)
	f.Value, f.Split = stat.FiniteOrNil(0.3), rollout.Train
	r.Verdict, r.Reason, r.Findings = analysis.NoGo, &gate, []analysis.Finding{f}
	var labels []string
	for _, b := range NewRunPage(r, Options{}).Doc().Brief {
		if tiles, ok := b.(block.Tiles); ok {
			for _, tile := range tiles {
				labels = append(labels, tile.Label)
			}
		}
	}
	if got := strings.Join(labels, ", "); !strings.Contains(got, ", "+english.Mean+", "+english.Informative) {
		t.Errorf("the numbers are %s", got)
	}
}

// A best of a group above the ceiling was "what training can aim for".
func TestTheAimIsNotAboveTheCeiling(t *testing.T) {
	r := reporttest.Load(t, "go")
	r.Ceiling = 0.5
	_, s, _ := chart.ShownSplit(r)
	if got := bestOf(r, s, &english).About; strings.Contains(got, english.AimFor) || !strings.Contains(got, "above the ceiling of 0.5") {
		t.Errorf("with a ceiling of 0.5: %q", got)
	}
	r.Ceiling = 1
	if got := bestOf(r, s, &english).About; !strings.Contains(got, english.AimFor) {
		t.Errorf("with a ceiling of 1: %q", got)
	}
}

// An answer with markup is shown in the place of an empty picture.
func TestUnparsedMarkupIsShown(t *testing.T) {
	gate := "rollouts.finished"
	f := gateFinding(gate, analysis.Fail)
	f.ID, f.Split = "rollouts.markup", rollout.Train
	r := &analysis.Result{
		Ruling: analysis.Ruling{Verdict: analysis.NoGo, Reason: &gate}, Findings: []analysis.Finding{f},
		Splits: map[rollout.Split]*analysis.SplitResult{rollout.Train: {Ends: analysis.FinishStats{MarkupAnswer: "I search. <tool_call>{}"}}},
	}
	md := string(written(t, WriteMarkdown, Page(NewRunPage(r, Options{}))))
	if !strings.Contains(md, english.Exhibit.Marked) || !strings.Contains(md, "I search.") {
		t.Errorf("the brief shows no answer:\n%s", md)
	}
}

// A page of rewards alone had eight empty frames.
func TestPicturesWithNothingToShowAreLeftOut(t *testing.T) {
	r := reporttest.Load(t, "go")
	r.Splits[rollout.Train].Tools = analysis.ToolUse{}
	p := NewRunPage(r, options())
	for _, f := range p.Figures {
		if f.Plot == nil {
			t.Errorf("%s has nothing to show", f.Name)
		}
	}
	html := string(written(t, writeHTML, Page(p)))
	if strings.Contains(html, `id="chart-tool_calls"`) || !strings.Contains(html, "no trace of tool calls was recorded") {
		t.Error("the page shows an empty picture, or does not say what is left out")
	}
}

var (
	viewBox  = regexp.MustCompile(`<svg viewBox="[\d.]+ [\d.]+ ([\d.]+) [\d.]+"`)
	fontSize = regexp.MustCompile(`font-size:([\d.]+)px`)
)

// At 390 pixels, less 14 on both sides, no letter of a picture is smaller than 11 pixels.
func TestLettersOfPicturesOnAPhone(t *testing.T) {
	const phone, least = 390 - 2*14, 11.0
	for _, name := range []string{"go", "audited", "cautious"} {
		for _, svg := range strings.Split(string(write(t, "html", page(t, name))), "<figure ")[1:] {
			svg, _, _ = strings.Cut(svg, "</svg>")
			box := viewBox.FindStringSubmatch(svg)
			sizes := fontSize.FindAllStringSubmatch(svg, -1)
			if box == nil || len(sizes) == 0 {
				t.Fatalf("%s: no picture in %.200s", name, svg)
			}
			wide, _ := strconv.ParseFloat(box[1], 64)
			for _, s := range sizes {
				if size, _ := strconv.ParseFloat(s[1], 64); size*phone/wide < least {
					t.Errorf("%s: letters of %.1f pixels in %.60s", name, size*phone/wide, svg)
				}
			}
		}
	}
}

// A comparison and a history name the models that they are about, the new one after the old one.
func TestComparisonAndHistoryNameTheirModels(t *testing.T) {
	c := nastyComparison(compare.Regressed)
	c.Base.Model, c.New.Model = "base-7b", "base-7b-rl"
	if got, want := NewComparisonPage(c, Options{}).Doc().About, "model base-7b → base-7b-rl"; got != want {
		t.Errorf("a comparison is about %q, want %q", got, want)
	}
	c.New.Model = c.Base.Model
	if got, want := NewComparisonPage(c, Options{}).Doc().About, "model base-7b"; got != want {
		t.Errorf("a comparison of one model is about %q, want %q", got, want)
	}
	h := nightsOf(4, dated)
	for i, model := range []string{"", "base-7b", "base-7b-rl", "base-7b-rl"} {
		h.Nights[i].Model = model
	}
	if got, want := NewHistoryPage(h, Options{}).Doc().About, "model base-7b → base-7b-rl"; got != want {
		t.Errorf("a history is about %q, want %q", got, want)
	}
}
