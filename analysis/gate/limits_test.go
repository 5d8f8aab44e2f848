package gate

import (
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate/gatetest"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// onTrain is a result of a train split.
func onTrain(sr analysis.SplitResult) *analysis.Result {
	return &analysis.Result{
		Confidence: 0.95, RewardRange: [2]float64{0, 1},
		Splits: map[rollout.Split]*analysis.SplitResult{rollout.Train: &sr},
	}
}

// between is an estimate with an interval.
func between(low, value, high float64) stat.Estimate {
	return stat.Estimate{Value: &value, Low: &low, High: &high, N: 200, Items: 50}
}

func one(split rollout.Split, severity analysis.Severity, status analysis.Status, title string) []gatetest.Finding {
	return []gatetest.Finding{{Split: split, Severity: severity, Status: status, Title: title}}
}

// A model that calls a tool in a tenth of its rollouts makes none in 31 of them by chance (4 %).
func TestToolsThatAreNotCalledCountFrom32Rollouts(t *testing.T) {
	offered := func(n, calls int) *analysis.Result {
		return onTrain(analysis.SplitResult{Tools: analysis.ToolUse{
			Offered: n, ByTool: map[string]analysis.ToolStat{"search": {Calls: calls}},
		}})
	}
	gatetest.Run(t, toolsUnused,
		gatetest.Case{Name: "31 rollouts without a call", Result: offered(31, 0)},
		gatetest.Case{Name: "32 rollouts without a call", Result: offered(32, 0), Want: one("", analysis.Blocking, analysis.Unknown, "none of 32 rollouts with tools called one")},
		gatetest.Case{Name: "40 rollouts with one call", Result: offered(40, 1)},
	)
}

// A tool that answers within a tenth of a second does not set the pace of a step, whatever its tail.
func TestTheTailOfAQuickToolIsNotJudged(t *testing.T) {
	tool := func(p50, p95 float64) *analysis.Result {
		return onTrain(analysis.SplitResult{Tools: analysis.ToolUse{
			Calls: between(2, 2, 2), Max: 2, ByTool: map[string]analysis.ToolStat{"search": {Calls: 9, P50: &p50, P95: &p95}},
		}})
	}
	advisory := func(status analysis.Status, title string) []gatetest.Finding {
		return one(rollout.Train, analysis.Advisory, status, title)
	}
	gatetest.Run(t, toolsTail,
		gatetest.Case{Name: "99 ms, ten times the median", Result: tool(0.0099, 0.099), Want: advisory(analysis.Skipped, "too fast to judge")},
		gatetest.Case{Name: "120 ms, ten times the median", Result: tool(0.012, 0.12), Want: advisory(analysis.Fail, "search has a long tail")},
		gatetest.Case{Name: "120 ms, twice the median", Result: tool(0.06, 0.12), Want: advisory(analysis.Pass, "no tool has a long tail")},
	)
}

// Copies are judged from 20 items, and if nine of ten items are copies with a sign that they are.
func TestMostItemsMustBeCopies(t *testing.T) {
	copies := func(compared int, share float64, signs ...string) *analysis.Result {
		return onTrain(analysis.SplitResult{Copies: &analysis.Copies{Compared: compared, Share: share, Text: 300, Signs: signs}})
	}
	blocking := func(status analysis.Status, title string) []gatetest.Finding {
		return one(rollout.Train, analysis.Blocking, status, title)
	}
	gatetest.Run(t, samplingIdentical,
		gatetest.Case{Name: "18 of 20 items", Result: copies(20, 0.9, analysis.CopiesText), Want: blocking(analysis.Fail, "on 90 % of items all rollouts are copies of one")},
		gatetest.Case{Name: "89 of 100 items", Result: copies(100, 0.89, analysis.CopiesText), Want: blocking(analysis.Pass, "")},
		gatetest.Case{Name: "all of 20 items, with no sign but equal short answers", Result: copies(20, 1), Want: blocking(analysis.Pass, "")},
		gatetest.Case{Name: "all of 19 items", Result: copies(19, 1, analysis.CopiesText), Want: one("", analysis.Advisory, analysis.Skipped, "")},
	)
}

// What a rollout earns while the core of its reward is at zero is a caution from 2 % of such rollouts
// on, and blocks from the threshold (10 %) on.
func TestRewardsWithoutTheirCore(t *testing.T) {
	bought := func(low, value, high float64) *analysis.Result {
		return &analysis.Result{Confidence: 0.95, RewardRange: [2]float64{0, 1}, Grader: &analysis.Grader{Layers: &analysis.Layers{
			Core: "correct", ZeroN: 200, ZeroItems: 50, Bought: between(low, value, high), AtZero: between(0.1, 0.1, 0.1),
		}}}
	}
	want := func(blocking, advisory analysis.Status) []gatetest.Finding {
		return []gatetest.Finding{{Severity: analysis.Blocking, Status: blocking}, {Severity: analysis.Advisory, Status: advisory}}
	}
	gatetest.Run(t, graderLayers,
		gatetest.Case{Name: "at most 1.9 %", Result: bought(0.005, 0.01, 0.019), Want: want(analysis.Pass, analysis.Pass)},
		gatetest.Case{Name: "at least 2.1 %", Result: bought(0.021, 0.024, 0.028), Want: want(analysis.Pass, analysis.Fail)},
		gatetest.Case{Name: "at least 11 %", Result: bought(0.11, 0.15, 0.2), Want: want(analysis.Fail, analysis.Fail)},
	)
}

// A trainer repeats requests that failed: one in twenty may be answered differently.
func TestRequestsThatAreAnsweredDifferently(t *testing.T) {
	repeats := func(low, value, high float64) *analysis.Result {
		return &analysis.Result{Confidence: 0.95, Burst: &analysis.Burst{Repeats: between(low, value, high)}}
	}
	gatetest.Run(t, endpointRepeat,
		gatetest.Case{Name: "at most 4.9 %", Result: repeats(0.01, 0.03, 0.049), Want: one("", analysis.Advisory, analysis.Pass, "3 % of 200 different requests")},
		gatetest.Case{Name: "at least 5.1 %", Result: repeats(0.051, 0.06, 0.07), Want: one("", analysis.Advisory, analysis.Fail, "6 % of 200 different requests")},
	)
}

// What an open answer needs is said in items and samples where it is known, and not promised where
// more data may not settle it.
func TestAnOpenAnswerSaysWhatWouldSettleIt(t *testing.T) {
	open := func(needs *analysis.Needs, settles bool) *analysis.Gate {
		return &analysis.Gate{
			Name: "open", Words: analysis.Words{Why: "why", Pass: "pass", Unknown: "open", UnknownRemedy: "{needs}"},
			Check: func(*analysis.Result, analysis.Thresholds) []analysis.Finding {
				j := analysis.Judgement{Severity: analysis.Blocking, Needs: needs, Settles: settles}
				return []analysis.Finding{j.Finding(analysis.Unknown, analysis.BoundOf(between(0, 0.5, 1)))}
			},
		}
	}
	for _, c := range []struct {
		name    string
		needs   *analysis.Needs
		settles bool
		remedy  string
	}{
		{"known", &analysis.Needs{Items: 40, Samples: 8}, true, "About 40 items with 8 samples each would settle it."},
		{"more of it", nil, true, "More data would settle it."},
		{"perhaps nothing", &analysis.Needs{Items: 40, Samples: 8}, false, "more data alone may not settle it"},
	} {
		want := one("", analysis.Blocking, analysis.Unknown, "open")
		want[0].Remedy = c.remedy
		gatetest.Run(t, open(c.needs, c.settles), gatetest.Case{Name: c.name, Result: &analysis.Result{}, Want: want})
	}
}

// Requests that were repeated are a caution above a twentieth of the rollouts, and what failures
// depend on from a hundredth on.
func TestFailuresThatCostNoRollout(t *testing.T) {
	none, p := 0.0, 0.001
	split := func(change func(*analysis.SplitResult)) *analysis.Result {
		sr := analysis.SplitResult{Missing: analysis.Missing{Share: &none}, Reward: analysis.Reward{}}
		sr.Reward.N = 200
		change(&sr)
		return onTrain(sr)
	}
	retried := func(n int) *analysis.Result {
		return split(func(sr *analysis.SplitResult) { sr.Missing.Retried, sr.Missing.Retries = n, n })
	}
	depend := func(repeated int) *analysis.Result {
		return split(func(sr *analysis.SplitResult) {
			sr.Missing.Repeated = repeated
			sr.MissingBy = &analysis.MissingBy{Item: analysis.PermutationTest{P: &p, Statistic: &p}, Items: []string{"q"}}
		})
	}
	for _, test := range []struct {
		name   string
		result *analysis.Result
		want   int // findings
	}{
		{"10 of 200 rollouts with a repeated request", retried(10), 2},
		{"11 of 200 rollouts with a repeated request", retried(11), 3},
		{"2 of 202 attempts failed, and failures depend on the item", depend(2), 2},
		{"3 of 203 attempts failed, and failures depend on the item", depend(3), 3},
	} {
		if got := infraFailures.Check(test.result, analysis.Thresholds{}); len(got) != test.want {
			t.Errorf("%s: %d findings, want %d: %+v", test.name, len(got), test.want, got)
		}
	}
}

// "27.7 % of right answers are rejected" was said of a few rewrites, and more audited items were
// advised where every item was audited.
func TestASentenceOfTheAuditIsAboutTheAudit(t *testing.T) {
	share, low, high := 2.0/16, 0.02, 0.38
	brittle := func(low float64, sampled int) *analysis.Result {
		r := onTrain(analysis.SplitResult{Items: analysis.ItemCounts{Sampled: sampled}})
		r.Grader = &analysis.Grader{
			Audited: 40, Brittle: &stat.Estimate{Value: &share, Low: &low, High: &high, N: 16, Items: 8},
			Probes: []analysis.ProbeResult{{Probe: "bold", Expect: rollout.Top, Items: 8, Above: 6, Accept: between(0.3, 0.75, 0.97)}},
		}
		return r
	}
	referenced := func(sampled, references int) *analysis.Result {
		r := brittle(low, sampled)
		r.Shift = &analysis.Shift{References: references}
		// sent to items without a reference, too
		r.Grader.Probes = append(r.Grader.Probes, analysis.ProbeResult{Probe: "empty", Expect: rollout.Bottom, Items: 12})
		return r
	}
	for _, test := range []struct {
		name   string
		result *analysis.Result
		title  string
		remedy string
	}{
		{"clearly too many", brittle(0.1, 20), "the grader rejected 2 of 16 rewrites of right answers in the audit, most often “bold”", "If only one form is right and the prompt does not say so"},
		{"some items were not audited", brittle(low, 20), "the grader rejected 2 of 16 rewrites of right answers in the audit: too few to tell", "More audited items would tell"},
		{"all items were audited", brittle(low, 8), "the grader rejected 2 of 16 rewrites of right answers in the audit: too few to tell", "All items with a reference were audited"},
		{"the others have no reference", referenced(20, 8), "the grader rejected 2 of 16 rewrites of right answers in the audit: too few to tell", "All items with a reference were audited"},
		{"some with a reference were not audited", referenced(20, 9), "the grader rejected 2 of 16 rewrites of right answers in the audit: too few to tell", "More audited items would tell"},
	} {
		f := graderBrittle.Judge(test.result, nil)[0]
		if title, remedy := f.Title.String(), f.Remedy.String(); !strings.HasPrefix(title, test.title) || !strings.Contains(remedy, test.remedy) {
			t.Errorf("%s: %s %q, %q", test.name, f.Status, title, remedy)
		}
	}
}
