package judge_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// ended are lines of 100 items, eight samples each; of says how each ended.
func ended(t *testing.T, of func(rec *rollout.Record, u float64)) []string {
	t.Helper()
	chance := rand.New(rand.NewPCG(1, 2))
	var out []string
	for i := range 100 {
		for j := range 8 {
			reward, tokens := 1.0, int64(100+j)
			rec := rollout.Record{
				Item: fmt.Sprintf("q%d", i), Split: rollout.Train, Sample: j, Source: rollout.Import, Outcome: rollout.Graded, Reward: &reward,
				Answer: "391", Finish: rollout.FinishStop, Usage: rollout.Usage{Output: &tokens},
			}
			of(&rec, chance.Float64())
			line, err := json.Marshal(rec)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(line))
		}
	}
	return out
}

// without takes a rollout's answer away.
func without(rec *rollout.Record, f rollout.Finish, cause string) {
	rec.Outcome, rec.Reward, rec.Answer, rec.Finish, rec.Error = rollout.NoAnswer, nil, "", f, cause
}

func TestUnfinishedAnswersAreJudged(t *testing.T) {
	sometimes := func(rec *rollout.Record) {
		if rec.Sample%2 == 0 {
			*rec.Reward = 0
		}
	}
	for _, c := range []endedCase{
		{"nothing says how replies ended", func(rec *rollout.Record, _ float64) { rec.Finish = "" }, analysis.Skipped, analysis.Unknown, "not checked: no record says how"},
		{"all finished", func(rec *rollout.Record, _ float64) { sometimes(rec) }, analysis.Pass, analysis.Pass, "0 % of rollouts end without a finished answer"},
		{"always right, and 35 % cut off", func(rec *rollout.Record, u float64) {
			if u < 0.35 {
				without(rec, rollout.FinishLength, "the reply was cut off: max_output_tokens")
			}
		}, analysis.Fail, analysis.Fail, "Raise max_output_tokens (P99 of finished answers: 107 tokens). Without these rollouts 0 % of groups of 8 teach something (with them 9"},
		{"the same where no limit was sent", func(rec *rollout.Record, u float64) {
			if u < 0.35 {
				without(rec, rollout.FinishLength, "the reply was cut off: max_output_tokens is not set, so it was the server's context or its default limit")
			}
		}, analysis.Fail, analysis.Fail, "Raise the server's context (llama.cpp: --ctx-size"},
		{"the same of records that tell it in the cause alone", func(rec *rollout.Record, u float64) {
			if rec.Finish = ""; u < 0.35 {
				without(rec, "", "finish_reason: length")
			}
		}, analysis.Fail, analysis.Fail, "cut off by the token limit"},
		{"always right, and 12 % refused: the signal is theirs", func(rec *rollout.Record, u float64) {
			if u < 0.12 {
				without(rec, rollout.FinishRefusal, "the model refused: no")
			}
		}, analysis.Fail, analysis.Fail, "the signal comes from the"},
		{"sometimes right, and 12 % empty", func(rec *rollout.Record, u float64) {
			if sometimes(rec); u < 0.12 {
				without(rec, rollout.FinishEmpty, "the answer is empty")
			}
		}, analysis.Pass, analysis.Fail, "Read the raw replies"},
		{"an answer that was cut off and graded counts, too", func(rec *rollout.Record, u float64) {
			if sometimes(rec); u < 0.3 {
				rec.Finish = rollout.FinishFilter
			}
		}, analysis.Fail, analysis.Fail, "withheld by a content filter"},
		{"what an endpoint failed is not among them", func(rec *rollout.Record, u float64) {
			if sometimes(rec); u < 0.3 {
				rec.Outcome, rec.Reward, rec.Finish = rollout.GraderFailed, nil, rollout.FinishLength
			}
		}, analysis.Pass, analysis.Pass, "0 % of rollouts"},
	} {
		c.hold(t, "rollouts.unfinished")
	}
}

// endedCase is a run whose records end as of says, and what a gate about ends must
// answer.
type endedCase struct {
	what     string
	of       func(rec *rollout.Record, u float64)
	blocking analysis.Status
	advisory analysis.Status
	says     string
}

func (c endedCase) hold(t *testing.T, gate string) {
	t.Helper()
	s := analysis.DefaultSettings()
	s.BatchSize, s.Epochs = 10, 1
	r := analyze(t, s, ended(t, c.of))
	got := map[analysis.Severity]analysis.Status{}
	var text []string
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Gate == gate {
			got[f.Severity] = f.Status
			text = append(text, f.Title.String(), f.Remedy.String())
		}
	}
	if got[analysis.Blocking] != c.blocking || got[analysis.Advisory] != c.advisory || !strings.Contains(strings.Join(text, "\n"), c.says) {
		t.Errorf("%s: %v, want %s and %s and %q in:\n%s", c.what, got, c.blocking, c.advisory, c.says, strings.Join(text, "\n"))
	}
	if c.blocking == analysis.Fail && (r.Verdict != analysis.NoGo || *r.Reason != "rollouts.finished") {
		t.Errorf("%s: %s for %s", c.what, r.Verdict, *r.Reason)
	}
}

func TestUnparsedMarkupIsJudged(t *testing.T) {
	for _, c := range []endedCase{
		{"no answers", func(rec *rollout.Record, _ float64) { rec.Answer = "" }, analysis.Skipped, analysis.Unknown, "not checked: the records have no answers"},
		{"none", func(rec *rollout.Record, _ float64) { rec.Answer = "a < b" }, analysis.Pass, analysis.Pass, "0 % of answers"},
		{"reasoning", func(rec *rollout.Record, _ float64) { rec.Answer = "<think>17 x 20</think>391" }, analysis.Fail, analysis.Fail, "--reasoning-parser"},
		{"calls", func(rec *rollout.Record, _ float64) { rec.Answer = `<tool_call>{"name":"search"}</tool_call>` }, analysis.Fail, analysis.Fail, "--enable-auto-tool-choice --tool-call-parser NAME"},
		{"one turn token", func(rec *rollout.Record, _ float64) {
			if rec.Item == "q7" && rec.Sample == 3 {
				rec.Answer = "391<|im_end|>"
			}
		}, analysis.Pass, analysis.Fail, "--chat-template"},
	} {
		c.hold(t, "rollouts.markup")
	}
}

// If items are enough and some were lost, that is the reason, not their number.
func TestLostItemsAreNamedAsTheReason(t *testing.T) {
	var all [][]float64
	for range 54 {
		all = append(all, []float64{0, 1, 0, 1, 1, 0, 0, 1})
	}
	in := lines(all)
	for i := range 3 {
		in = append(in, fmt.Sprintf(`{"item":"lost%d","outcome":"tool","error":"call search: status 503"}`, i))
	}
	r := analyze(t, analysis.DefaultSettings(), in)
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Gate != "data.enough" || f.Severity != analysis.Blocking {
			continue
		}
		if f.Status != analysis.Unknown || !strings.Contains(f.Title.String(), "3 of 57 sampled items (5.3 %) had no valid rollout") || !strings.Contains(f.Remedy.String(), "status 503") || strings.Contains(f.Title.String()+f.Remedy.String(), "settle") {
			t.Errorf("%s: %s %s", f.Status, f.Title.String(), f.Remedy.String())
		}
		return
	}
	t.Error("no finding")
}
