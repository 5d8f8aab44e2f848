package compare_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/sampler/rollout"
)

// asked is a rollout that calls the tools look and list once each.
type asked struct {
	reward       float64
	look, answer string
	served       string
	outcome      string
}

// asks are 40 items x 4 rollouts.
func asks(of func(i, s int) asked) []string {
	var lines []string
	for i := range 40 {
		for s := range 4 {
			a := of(i, s)
			grade := fmt.Sprintf(`"graded","reward":%g`, a.reward)
			if a.outcome != "" {
				grade = fmt.Sprintf("%q", a.outcome)
			}
			lines = append(lines, fmt.Sprintf(`{"item":"q%d","split":"eval","sample":%d,"outcome":%s,"answer":%q,"served_by":%q,"turns":2,"calls":[`+
				`{"turn":0,"name":"list","arguments":"{}","output":"all","status":"ok"},{"turn":0,"name":"look","arguments":"{\"q\":%d}","output":%q,"status":"ok"}]}`,
				i, s, grade, a.answer, a.served, s%2, a.look))
		}
	}
	return lines
}

func TestWhatIsBehindAChange(t *testing.T) {
	dice := rand.New(rand.NewPCG(7, 7))
	high := func(i, s int) asked {
		return asked{reward: float64(one((i+s)%4 > 0)), look: fmt.Sprint("row ", i, s%2), answer: fmt.Sprint("answer ", (i+s)%4), served: "m fp_1"}
	}
	low := func(i, s int) asked {
		a := high(i, s)
		a.reward, a.answer = float64(one((i+s)%4 > 2)), fmt.Sprint("answer ", one((i+s)%4 > 2)*3)
		return a
	}
	with := func(of func(i, s int) asked, change func(a *asked, i, s int)) func(i, s int) asked {
		return func(i, s int) asked {
			a := of(i, s)
			change(&a, i, s)
			return a
		}
	}
	random := func(a *asked, _, _ int) { a.look = fmt.Sprint(dice.IntN(3)) }
	anyPrint := func(a *asked, _, _ int) { a.served = fmt.Sprint("m fp_", dice.IntN(3)) }
	dim := func(a *asked, i, s int) { a.answer = "the same"; a.reward *= float64(dice.IntN(2)) }
	made := func(key, value string) func(*rollout.Run) {
		return func(r *rollout.Run) {
			r.Manifest = &rollout.Manifest{Binding: map[string]string{key: value, "job": "j"}, Source: rollout.Import}
		}
	}
	for _, c := range []struct {
		about     string
		base, new func(i, s int) asked
		regraded  []compare.Regraded
		key       string // of a setting that differs
		want      string // the kinds
		says      string
	}{
		{"a tool that finds nothing for half of what it is asked", high, with(low, func(a *asked, _, s int) {
			if s%2 == 0 {
				a.look = "nothing"
			}
		}), nil, "", "tool", "Likely cause: of 160 calls that both runs made, the tool look answered 50 % ["},
		{"a tool that loses two answers of five by chance", high, with(low, func(a *asked, _, _ int) {
			if dice.IntN(5) < 2 {
				a.look = "nothing"
			}
		}), nil, "", "tool", "within a run"},
		{"a tool whose answers are chance in both runs", with(high, random), with(low, random), nil, "", "policy", "Likely cause: the model's own behaviour"},
		{"another fingerprint", high, with(low, func(a *asked, _, _ int) { a.served = "m fp_2" }), nil, "", "model", "in 100 % of the rollouts the endpoint names m fp_2, in the base run it names m fp_1"},
		{"several fingerprints in both runs", with(high, anyPrint), with(low, anyPrint), nil, "", "policy", ""},
		{"a grader that halves its grades", with(high, func(a *asked, i, s int) { a.answer = fmt.Sprint(s) }), with(high, func(a *asked, i, s int) { a.answer = fmt.Sprint(s); a.reward /= 2 }), nil, "", "grader", "the same outputs get different grades: -0.375 ["},
		{"a grader that throws dice in both runs", with(high, dim), with(high, dim), nil, "", "", "."},
		{"outputs graded again as they were", high, low, again(40, 0), "", "policy", ""},
		{"outputs graded again by half", high, low, again(40, -0.5), "", "grader", "regrading 40 outputs of the base run changes their mean grade by -0.487 ["},
		{"another prompt", high, low, nil, "job.prompt", "setting", "the runs were made with a different job.prompt"},
		{"another model, which says so", high, with(low, func(a *asked, _, _ int) { a.served = "b" }), nil, "model.name", "setting", "Likely cause: the runs were made with a different model.name."},
		{"another grader whose grades are the same", high, low, nil, "grader", "policy", ""},
		{"a tool and a model", high, with(low, func(a *asked, _, _ int) { a.look, a.served = "nothing", "n" }), nil, "", "tool model", "; a different model replied"},
		{"a failing tool", high, with(low, func(a *asked, i, s int) {
			if s == 3 && i%2 == 0 {
				a.outcome = "tool"
			}
		}), nil, "", "failures", "12.5 % of the rollouts failed in a tool, up from 0 %"},
		{"no model and no output is recorded", with(high, func(a *asked, _, _ int) { *a = asked{reward: a.reward} }), with(low, func(a *asked, _, _ int) { *a = asked{reward: a.reward} }), nil, "", "policy", "the model that replied is not recorded; the runs have too few equal outputs"},
		{"an improvement, too", low, with(high, func(a *asked, _, _ int) { a.served = "better" }), nil, "", "model", "Likely cause"},
		{"a fall, of a grader that became milder", high, low, again(40, 0.5), "", "grader", "Also changed: regrading 40 outputs"},
		{"a fall, of a grader that became milder, and another model", high, with(low, func(a *asked, _, _ int) { a.served = "n" }), again(40, 0.5), "", "model grader", "Likely cause: a different model"},
		{"equal answers after other calls are not equal outputs", with(high, func(a *asked, _, _ int) { a.answer = "done" }), with(low, func(a *asked, _, _ int) { a.answer, a.look, a.served = "done", "nothing", "n" }), nil, "", "tool model", ""},
		{"no change of the reward", high, with(high, func(a *asked, _, _ int) { a.served = "other" }), nil, "", "model", "Also changed: a different model"},
		{"no change at all", high, high, nil, "", "", "."},
	} {
		base, new := opened(t, asks(c.base)), opened(t, asks(c.new))
		if c.key != "" {
			made(c.key, "a")(base)
			made(c.key, "b")(new)
		}
		got := compared(t, base, new)
		if err := got.Attribute(t.Context(), base, new, rollout.ReadOptions{}, c.regraded); err != nil {
			t.Fatal(err)
		}
		saidInChinese(t, got)
		var kinds []string
		for _, cause := range got.LikelyCauses {
			kinds = append(kinds, cause.Kind)
		}
		if strings.Join(kinds, " ") != c.want || !strings.Contains(got.Sentence.String(), c.says) {
			t.Errorf("%s: %q, want %q: %s", c.about, kinds, c.want, got.Sentence)
		}
	}
}

// A tool that keeps a state answers the same call differently after others: that more is
// asked before is the model's doing.
func TestAToolThatKeepsAStateIsNotBehindAChange(t *testing.T) {
	side := func(adds int, reward float64) *rollout.Run {
		var lines []string
		for i := range 40 {
			for s := range 4 {
				calls := `{"turn":0,"name":"count","arguments":"{}","output":"0","status":"ok"}`
				for k := range adds + s/3 {
					calls += fmt.Sprintf(`,{"turn":%d,"name":"add","arguments":"{}","output":"","status":"ok"},{"turn":%[1]d,"name":"count","arguments":"{}","output":"%d","status":"ok"}`, k+1, k+1)
				}
				lines = append(lines, fmt.Sprintf(`{"item":"q%d","split":"eval","sample":%d,"outcome":"graded","reward":%g,"answer":"a%d","turns":%d,"calls":[%s]}`, i, s, reward*float64(one(s > 0)), s, adds+s/3+1, calls))
			}
		}
		return opened(t, lines)
	}
	base, new := side(0, 1), side(4, 0.5)
	got := compared(t, base, new)
	if err := got.Attribute(t.Context(), base, new, rollout.ReadOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	if len(got.LikelyCauses) != 1 || got.LikelyCauses[0].Kind != compare.CausePolicy {
		t.Errorf("%+v, want the model's own behaviour", got.LikelyCauses)
	}
}

// Rewards alone show a change, and nothing of what is behind it.
func TestRewardsAloneNameNoCause(t *testing.T) {
	side := func(reward float64) *rollout.Run {
		var lines []string
		for i := range 40 {
			for s := range 4 {
				lines = append(lines, fmt.Sprintf(`{"item":"q%d","split":"eval","sample":%d,"reward":%g}`, i, s, reward*float64(one(s > 0))))
			}
		}
		return opened(t, lines)
	}
	base, new := side(1), side(0.5)
	got := compared(t, base, new)
	if err := got.Attribute(t.Context(), base, new, rollout.ReadOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	saidInChinese(t, got)
	want := "These logs do not show what is behind it: the model that replied is not recorded; the runs have too few equal outputs"
	if len(got.LikelyCauses) > 0 || !strings.Contains(got.Sentence.String(), want) {
		t.Errorf("%+v: %s", got.LikelyCauses, got.Sentence)
	}
}

// That a grader is NO-GO is not a change of the run.
func TestANoGoGraderHasNoCause(t *testing.T) {
	hackable := "grader.hackable"
	base, again := opened(t, graded("eval", 40, 4, steps(4, 0))), opened(t, graded("eval", 40, 4, steps(4, 1)))
	got := compared(t, base, again)
	got.AddVerdicts(nil, &analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.NoGo, Reason: &hackable}})
	if err := got.Attribute(t.Context(), base, again, rollout.ReadOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	if got.Answer != compare.NotBetter || len(got.LikelyCauses) > 0 || strings.Contains(got.Sentence.String(), "cause:") {
		t.Errorf("%s %+v: %s", got.Answer, got.LikelyCauses, got.Sentence)
	}
}

// again are outputs that got a grade of 0.5 and get another one.
func again(n int, change float64) (list []compare.Regraded) {
	for i := range n {
		list = append(list, compare.Regraded{Item: fmt.Sprint(i), Before: 0.5, After: 0.5 + change*float64(one(i > 0))})
	}
	return list
}

// The example of a changed answer is one that was given before, and one that was not.
func TestAChangedAnswerIsShown(t *testing.T) {
	of := func(text string) func(i, s int) asked {
		return func(i, s int) asked { return asked{reward: float64(one(s > 1 || text != "found")), look: text} }
	}
	base, new := opened(t, asks(of("found"))), opened(t, asks(of("none")))
	got := compared(t, base, new)
	if err := got.Attribute(t.Context(), base, new, rollout.ReadOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	want := compare.ChangedAnswer{Item: "q0", Arguments: `{"q":0}`, Base: "found", New: "none"}
	if len(got.LikelyCauses) != 1 || len(got.LikelyCauses[0].Examples) != 3 || got.LikelyCauses[0].Examples[0] != want || *got.LikelyCauses[0].Share.Value != 1 || *got.LikelyCauses[0].Within != 0 {
		t.Errorf("%+v, want first %+v", got.LikelyCauses, want)
	}
}

// Of 100 pairs of runs whose tool answers by chance, hardly one names the tool.
func TestLongAToolThatAnswersByChanceIsNotBehindAChange(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	dice, named := rand.New(rand.NewPCG(3, 5)), 0
	side := func() *rollout.Run {
		return opened(t, asks(func(i, s int) asked {
			return asked{reward: 0.5, look: []string{"found", "found", "found", "none"}[dice.IntN(4)]}
		}))
	}
	for range 100 {
		base, new := side(), side()
		got := compared(t, base, new)
		if err := got.Attribute(t.Context(), base, new, rollout.ReadOptions{}, nil); err != nil {
			t.Fatal(err)
		}
		named += one(slices.ContainsFunc(got.LikelyCauses, func(c compare.Cause) bool { return c.Kind == compare.CauseTool }))
	}
	if named > 3 { // 1 in 200 is expected
		t.Errorf("%d of 100 pairs name the tool", named)
	}
}
