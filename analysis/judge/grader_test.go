package judge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// Reward 0.7·core + 0.3·style: with the core at zero the style alone pays. With
// core·style it does not.
func TestLayers(t *testing.T) {
	build := func(reward func(core, style float64) float64, info *rollout.GraderInfo) *analysis.Result {
		f := &folder{grader: info}
		for i := range 100 {
			for j := range 8 {
				core, style := float64((i+j)%2), float64((3*i+j*j)%5)/4
				f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g,"parts":{"style":%g,"tests":%g,"idle":%g}}`,
					i, j, reward(core, style), style, core, float64((i*j)%3)))
			}
		}
		return f.analyze(t)
	}
	sum := func(core, style float64) float64 { return 0.7*core + 0.3*style }
	product := func(core, style float64) float64 { return core * (0.7 + 0.3*style) }

	r := build(sum, &rollout.GraderInfo{Kind: "multi", Formula: "0.7*tests + 0.3*style", Parts: []string{"tests", "style"}, Core: "tests"})
	l := r.Grader.Layers
	if l.Parts[0].Name != "tests" || l.Parts[1].Name != "style" || l.Parts[2].Name != "idle" || l.ZeroN != 400 {
		t.Fatalf("layers are %+v", l)
	}
	near(t, "bought", l.Bought.Value, 320.0/400) // style 0 in a fifth of them
	near(t, "rest of a linear formula", l.Rest, 0)
	if !slices.Equal(l.Moving, []string{"style"}) {
		t.Errorf("moving is %v", l.Moving)
	}
	if r.Verdict != analysis.NoGo || stringOr(r.Reason, "") != "grader.shortcuts" {
		t.Errorf("verdict is %s by %q", r.Verdict, stringOr(r.Reason, ""))
	}

	r = build(product, &rollout.GraderInfo{Kind: "multi", Formula: "tests*(0.7 + 0.3*style)", Parts: []string{"tests", "style"}, Gates: []string{"tests"}})
	l = r.Grader.Layers
	near(t, "bought behind a gate", l.Bought.Value, 0)
	if l.Core != "tests" || !l.Parts[0].Gate || len(l.Moving) != 0 || r.Verdict != analysis.Go {
		t.Errorf("layers are %+v with verdict %s", l, r.Verdict)
	}
	if *l.Parts[0].Share < 0.9 || *l.Rest < 0 || *l.Rest > 0.1 {
		t.Errorf("the core explains %v, %v is left", *l.Parts[0].Share, *l.Rest)
	}

	r = build(sum, nil)
	if f := finding(t, r, "grader.layers", analysis.Blocking); f.Status != analysis.Skipped || r.Grader.Layers.Core != "" {
		t.Errorf("without a core grader.layers is %s", f.Status)
	}
}

func TestPeopleAndGrader(t *testing.T) {
	f := healthy()
	for i := range 30 {
		for j, y := range []float64{0, 1} {
			other := y
			if j == 1 && i%10 == 0 {
				other = 0 // the second rater does not take a tenth of the right ones
			}
			f.labels = append(f.labels,
				fmt.Sprintf(`{"item":"q%d","sample":%d,"rater":"ann","score":%g}`, i, j, y),
				fmt.Sprintf(`{"item":"q%d","split":"train","sample":%d,"rater":"bo","mark":%q}`, i, j, map[float64]string{0: "wrong", 1: "right"}[other]))
		}
	}
	f.labels = append(f.labels, `{"item":"q50","output":"never seen","rater":"ann","score":1}`, `{"item":"q1","sample":3,"rater":"ann","mark":"unclear"}`)
	r := f.analyze(t)
	a := r.Grader.Agreement
	if a.Labels != 121 || a.Outputs != 60 || a.Raters != 2 {
		t.Fatalf("agreement is %+v", a)
	}
	near(t, "ceiling", a.Ceiling.Value, 54.0/57) // of 30 ann's and 27 bo's top outputs, 27 + 27 by the other
	if !slices.Equal(a.Items, []string{"q0", "q10", "q20"}) {
		t.Errorf("they differ most on %v", a.Items)
	}
	if *a.Spearman.Value < 0.9 || a.Kappa == nil || a.Alpha == nil {
		t.Errorf("agreement is %+v", a)
	}
	if r.Ceiling != *a.Ceiling.High || len(r.Run.Notes) == 0 {
		t.Errorf("the ceiling is %v with notes %q, want the high end %v of people's", r.Ceiling, r.Run.Notes, *a.Ceiling.High)
	}
}

func TestLabelsOfTexts(t *testing.T) {
	f := &folder{}
	for i := range 20 {
		f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","reward":%g,"answer":"text %d"}`, i, float64(i%5)/4, i))
		f.labels = append(f.labels, fmt.Sprintf(`{"item":"q%d","output":"text %d","score":%d}`, i, i, i%5)) // on a scale of its own
		f.labels = append(f.labels, fmt.Sprintf(`{"item":"q%d","output":"payload of q%d","score":4}`, i, i))
		f.probe("label", rollout.Note, fmt.Sprint("q", i), `"reward":1`)
	}
	a := f.analyze(t).Grader.Agreement
	if a.Outputs != 40 || a.Kappa != nil || a.Ceiling != nil {
		t.Fatalf("agreement is %+v", a)
	}
	near(t, "rank correlation", a.Spearman.Value, 1)
}

func TestTooGood(t *testing.T) {
	f := &folder{}
	for i := range 30 {
		for j := range 4 {
			answer, calls, reward := fmt.Sprintf("a considered answer to question %d, sample %d", i, j), `[{"name":"search","arguments":"{}"}]`, 1.0
			if i >= 10 && j > 0 {
				reward = 0
			}
			if i%10 == 0 && j == 0 {
				answer, calls = "the task has been completed as you wished", `[]`
			}
			f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g,"answer":%q,"turns":2,"calls":%s}`, i, j, reward, answer, calls))
		}
	}
	counts := make(map[string]int)
	for _, p := range f.analyze(t).Grader.TooGood {
		counts[p.Pattern] = p.Count
		if p.Pattern == "one_text" && !strings.Contains(p.Note.String(), "the task has been completed") {
			t.Errorf("the note is %q", p.Note)
		}
	}
	if counts["at_top"] != 10 || counts["no_tools"] != 3 || counts["one_text"] != 3 {
		t.Errorf("patterns are %v", counts)
	}
}

func TestLengthWithinItems(t *testing.T) {
	f := &folder{}
	for i := range 30 {
		for j := range 6 {
			f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g,"answer":%q}`, i, j, float64(j)/10+float64((i*j)%3)/10, strings.Repeat("é", 10<<j)))
		}
	}
	r := f.analyze(t)
	l := r.Grader.Length
	if *l.Slope.Value < 0.09 || *l.Slope.Value > 0.12 || *l.P > 0.001 {
		t.Errorf("reward per doubling is %v with p %v, want about 0.11", *l.Slope.Value, *l.P)
	}
	if got := finding(t, r, "grader.length", analysis.Advisory); got.Status != analysis.Fail || !strings.Contains(got.Title.String(), "longer") {
		t.Errorf("grader.length is %s: %s", got.Status, got.Title.String())
	}
}
