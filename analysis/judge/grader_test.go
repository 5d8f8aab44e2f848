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

// erring is a run of 40 items with 4 rollouts, of which the first is rewarded. All rewarded outputs are
// labelled, and one rejected output of every other item: people call a rewarded output wrong in every
// fourth item, and a rejected one right in every tenth.
func erring() *folder {
	f := &folder{}
	for i := range 40 {
		for j := range 4 {
			f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g,"answer":"text %d of %d"}`, i, j, map[bool]float64{true: 1, false: 0.2}[j == 0], j, i))
		}
		label := func(sample int, right bool) {
			f.labels = append(f.labels, fmt.Sprintf(`{"item":"q%d","sample":%d,"mark":%q}`, i, sample, map[bool]string{true: "right", false: "wrong"}[right]))
		}
		label(0, i%4 > 0)
		if i%2 == 0 {
			label(1, i%10 == 0)
		}
	}
	return f
}

// By hand: the grader accepts 1/4; of 40 accepted outputs 30 are right, of 20 rejected ones 4. So right =
// 0.25·0.75 + 0.75·0.2 = 0.3375, false accepts = 0.0625/0.6625, false rejects = 0.15/0.3375. Of the 60
// labels 34 say right; they agree with the grader in 30 + 16, by chance in (34·40 + 26·20)/60.
func TestErrorsByLabels(t *testing.T) {
	a := erring().analyze(t).Grader.Agreement
	if a.Errors == nil {
		t.Fatalf("agreement is %+v", a)
	}
	near(t, "base rate", a.BaseRate.Value, 34.0/60)
	chance := (34.0*40 + 26*20) / 3600
	near(t, "kappa", a.Kappa.Value, (46.0/60-chance)/(1-chance))
	near(t, "accepted", a.Errors.Accepted.Value, 0.25)
	near(t, "accepted, but wrong", a.Errors.WrongAccepted.Value, 0.25)
	near(t, "rejected, but right", a.Errors.RightRejected.Value, 0.2)
	near(t, "false accepts", a.Errors.FalseAccept.Value, 0.0625/0.6625)
	near(t, "false rejects", a.Errors.FalseReject.Value, 0.15/0.3375)
	near(t, "right", a.Errors.Right.Value, 0.3375)
	if len(a.Kappa.Warnings) != 1 || !strings.Contains(a.Kappa.Warnings[0].String(), "accepts 66.7 % of the labelled outputs and 25 % of the run's") {
		t.Errorf("the warnings of kappa are %q", a.Kappa.Warnings)
	}
}

func TestErrorsByOtherLabels(t *testing.T) {
	for about, change := range map[string]func(*folder) (right float64){
		"outputs that no rollout has do not count in the run's errors": func(f *folder) float64 {
			for i := range 20 {
				f.labels = append(f.labels, fmt.Sprintf(`{"item":"q%d","output":"payload of q%d","score":0}`, i, i))
				f.probe("label", rollout.Note, fmt.Sprint("q", i), `"reward":1`)
			}
			return 0.3375
		},
		"a label of a text is one of every rollout with it: 3 more rejected outputs are wrong": func(f *folder) float64 {
			for j := 1; j < 4; j++ {
				f.rollouts[4*1+j] = fmt.Sprintf(`{"item":"q1","sample":%d,"reward":0.2,"answer":"the same"}`, j)
			}
			f.labels = append(f.labels, `{"item":"q1","output":"the same","score":0}`)
			return 0.25*0.75 + 0.75*4/23
		},
		"a draw of two people is not an opinion": func(f *folder) float64 {
			for i := 0; i < 40; i += 10 { // the four rejected outputs that one person calls right
				f.labels = append(f.labels, fmt.Sprintf(`{"item":"q%d","sample":1,"mark":"wrong","rater":"bo"}`, i))
			}
			return 0.25 * 0.75
		},
		"of another split only the labelled one counts": func(f *folder) float64 {
			for i := range 40 {
				f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"e%d","split":"eval","sample":0,"reward":1}`, i))
			}
			return 0.3375
		},
	} {
		f := erring()
		want := change(f)
		a := f.analyze(t).Grader.Agreement
		if a.Errors == nil {
			t.Fatalf("%s: agreement is %+v", about, a)
		}
		near(t, about, a.Errors.Right.Value, want)
	}

	f := erring()
	f.labels = append(f.labels, `{"item":"q1","sample":2,"score":0.5}`)
	if a := f.analyze(t).Grader.Agreement; a.Errors != nil || a.Kappa != nil || a.BaseRate != nil {
		t.Errorf("labels finer than right and wrong: %+v", a)
	}
}

// Labels of texts that no rollout has: by Rogan & Gladen's formula, with 1/4 of the run accepted, 4 of 20
// wrong texts accepted and 2 of 20 right ones rejected, (0.25 + 0.8 - 1)/(0.9 + 0.8 - 1).
func TestErrorsByTexts(t *testing.T) {
	f := erring()
	f.labels = nil
	for i := range 20 {
		for right, accepted := range []bool{i < 4, i >= 2} {
			item := fmt.Sprint("q", 2*i+right)
			f.labels = append(f.labels, fmt.Sprintf(`{"item":%q,"output":"payload of %s","score":%d}`, item, item, right))
			f.probe("label", rollout.Note, item, fmt.Sprintf(`"reward":%g`, map[bool]float64{true: 1, false: 0.2}[accepted]))
		}
	}
	a := f.analyze(t).Grader.Agreement
	if a.Errors == nil {
		t.Fatalf("agreement is %+v", a)
	}
	near(t, "false accepts", a.Errors.FalseAccept.Value, 0.2)
	near(t, "false rejects", a.Errors.FalseReject.Value, 0.1)
	near(t, "right", a.Errors.Right.Value, (0.25+0.8-1)/(0.9+0.8-1))
	if a.Errors.WrongAccepted.Known() {
		t.Errorf("wrong of the accepted outputs is %+v", a.Errors.WrongAccepted)
	}
}
