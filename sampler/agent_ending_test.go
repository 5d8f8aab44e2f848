package sampler_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// toldAgent answers as told, with a model proxy that recorded what it was told.
type toldAgent struct {
	done    sampler.AgentResult
	err     error
	heard   sampler.ModelTraffic
	refused string
	broken  func() // breaks the run off, when the agent plays; nil: it answers
}

func (a *toldAgent) Open(context.Context, sampler.AgentRequest) (sampler.ModelAccess, func() sampler.ModelTraffic, error) {
	return sampler.ModelAccess{Refused: func() string { return a.refused }}, func() sampler.ModelTraffic { return a.heard }, nil
}

func (a *toldAgent) Run(ctx context.Context, _ sampler.AgentRequest) (sampler.AgentResult, error) {
	if a.broken != nil {
		a.broken()
		<-ctx.Done()
		return a.done, context.Cause(ctx)
	}
	return a.done, a.err
}

func count(n int64) *int64 { return &n }

// An agent that swallows errors answers nothing when its model fails, or is refused:
// that is not an answer of the model's, which would count at the bottom.
func TestAnAgentThatSwallowsErrorsIsNobodysZero(t *testing.T) {
	failure := &endpoint.Failure{URL: "http://model", Status: http.StatusServiceUnavailable, Temporary: true, Err: errors.New("overloaded")}
	for _, c := range []struct {
		why     string
		a       toldAgent
		outcome rollout.Outcome
		says    string
	}{
		{"no answer, and the model had failed", toldAgent{heard: sampler.ModelTraffic{Turns: 2, Failed: failure}}, rollout.ModelAPI, "overloaded"},
		{"white space is none", toldAgent{done: sampler.AgentResult{Output: " \n"}, heard: sampler.ModelTraffic{Failed: failure}}, rollout.ModelAPI, "overloaded"},
		{"no answer, and its request was refused", toldAgent{refused: "another model"}, rollout.ToolFailed, "not forwarded to the model: another model"},
		{"no answer of a model that answered", toldAgent{heard: sampler.ModelTraffic{Turns: 2}}, rollout.NoAnswer, "the answer is empty"},
		{"a conversation that outgrew the model", toldAgent{err: errors.New("BadRequestError"), heard: sampler.ModelTraffic{Turns: 9, Failed: failure, CutOff: "context_length_exceeded"}}, rollout.NoAnswer, "outgrew the context of the model's server: context_length_exceeded"},
		{"a prompt that does not fit the model", toldAgent{err: errors.New("BadRequestError"), heard: sampler.ModelTraffic{Failed: failure, CutOff: "context_length_exceeded"}}, rollout.PromptTooLong, "context_length_exceeded"},
		{"one that did, and an answer all the same", toldAgent{done: sampler.AgentResult{Output: "42"}, heard: sampler.ModelTraffic{Turns: 9, Failed: failure, CutOff: "context_length_exceeded"}}, rollout.Graded, ""},
		{"an answer after a reply that was cut off", toldAgent{done: sampler.AgentResult{Output: "42"}, heard: sampler.ModelTraffic{Turns: 2, Finish: rollout.FinishLength}}, rollout.Graded, ""},
		{"an answer all the same", toldAgent{done: sampler.AgentResult{Output: "42"}, heard: sampler.ModelTraffic{Turns: 2, Failed: failure}}, rollout.Graded, ""},
		{"no answer, and the model's last reply was cut off", toldAgent{heard: sampler.ModelTraffic{Turns: 2, Finish: rollout.FinishLength}}, rollout.NoAnswer, `ended with "length"`},
		{"a refusal of the model's", toldAgent{done: sampler.AgentResult{Refusal: "no"}, heard: sampler.ModelTraffic{Turns: 1, Failed: failure}}, rollout.NoAnswer, "refused: no"},
		{"more turns than there may be", toldAgent{done: sampler.AgentResult{Output: "42", Turns: 13}}, rollout.StepLimit, "max_steps of 12"},
		{"as many as there may be", toldAgent{done: sampler.AgentResult{Output: "42", Turns: 12}}, rollout.Graded, ""},
		{"more calls than there may be", toldAgent{done: sampler.AgentResult{Output: "42", Turns: 1, Calls: make([]rollout.Call, 2)}}, rollout.StepLimit, "max_tool_calls of 1"},
		{"a reward of 0 after the model failed", toldAgent{done: sampler.AgentResult{Output: "42", Rewards: []float64{0}}, heard: sampler.ModelTraffic{Turns: 2, Failed: failure}}, rollout.ModelAPI, "overloaded"},
		{"a reward of 0 after its request was refused", toldAgent{done: sampler.AgentResult{Rewards: []float64{0}}, refused: "another model"}, rollout.ToolFailed, "not forwarded to the model: another model"},
		{"why there is no reward, after the model failed", toldAgent{done: sampler.AgentResult{Output: "42", NoReward: &sampler.GradeError{Kind: sampler.KindReported, Err: errors.New("no reward")}}, heard: sampler.ModelTraffic{Turns: 2, Failed: failure}}, rollout.ModelAPI, "overloaded"},
		{"a reward for a conversation that outgrew the model", toldAgent{done: sampler.AgentResult{Output: "42", Rewards: []float64{0}}, heard: sampler.ModelTraffic{Turns: 9, Failed: failure, CutOff: "context_length_exceeded"}}, rollout.Graded, ""},
		{"a reward without an answer, and a grader that does not take it", toldAgent{done: sampler.AgentResult{Rewards: []float64{1}}, heard: sampler.ModelTraffic{Turns: 2}}, rollout.NoAnswer, "the answer is empty"},
		{"the model's last reply as the answer", toldAgent{done: sampler.AgentResult{LastReply: true}, heard: sampler.ModelTraffic{Turns: 1, Messages: []rollout.Message{{Role: "assistant", Content: "42"}, {Role: "tool", Content: "x"}}}}, rollout.Graded, ""},
		{"the model's last reply, after which the model failed", toldAgent{done: sampler.AgentResult{LastReply: true}, heard: sampler.ModelTraffic{Turns: 1, Failed: failure, Messages: []rollout.Message{{Role: "assistant", Content: "let me see"}}}}, rollout.ModelAPI, "overloaded"},
		{"a limit", toldAgent{done: sampler.AgentResult{Limit: "max_turns"}, heard: sampler.ModelTraffic{Turns: 9}, refused: "another path"}, rollout.StepLimit, "max_turns"},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				cfg, sink := sampler.DefaultConfig(), &list{}
				cfg.Breaker, cfg.AgentTimeout, cfg.MaxSteps, cfg.MaxToolCalls = 0, time.Hour, 12, 1
				it := &rollout.Item{ID: "a", Split: rollout.Train}
				if _, err := sampler.Sample(t.Context(), sampler.SampleOptions{
					Config: cfg, Seed: 1, Rollouts: []sampler.Rollout{{Item: it}},
					Boundaries: sampler.Boundaries{Agent: &c.a, ModelProxy: &c.a, Grader: worked{}}, Sink: sink,
				}); err != nil {
					t.Fatal(err)
				}
				want := c.a.heard.Finish
				switch {
				case c.a.done.Refusal != "":
					want = rollout.FinishRefusal
				case c.says == "the answer is empty":
					want = rollout.FinishEmpty
				case c.outcome == rollout.NoAnswer:
					want = rollout.FinishLength
				}
				if r := sink.records[0]; r.Finish != want {
					t.Errorf("the last reply ended with %q, want %q", r.Finish, want)
				}
				if r := sink.records[0]; r.Outcome != c.outcome || !strings.Contains(r.Error, c.says) {
					t.Errorf("outcome %s: %s; want %s: …%s…", r.Outcome, r.Error, c.outcome, c.says)
				}
			})
		})
	}
}

// What an agent used is held against the budget whether it tells its turns or not; of
// one that tells nothing the budget is not kept in silence.
func TestABudgetHoldsForAgents(t *testing.T) {
	used := rollout.Usage{Input: count(90), Output: count(10)}
	for _, c := range []struct {
		why    string
		a      toldAgent
		most   int // records
		untold bool
	}{
		{"it tells tokens and no turns", toldAgent{done: sampler.AgentResult{Output: "42", Usage: used}}, 30, false},
		{"tokens that were counted, of replies that could not be read", toldAgent{done: sampler.AgentResult{Output: "42"}, heard: sampler.ModelTraffic{Usage: used}}, 30, false},
		{"it tells nothing", toldAgent{done: sampler.AgentResult{Output: "42"}}, 200, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				cfg, sink := sampler.DefaultConfig(), &list{}
				cfg.Budget, cfg.Concurrency = limit.NewBudget(limit.Bounds{Tokens: 1000}), 2
				var jobs []sampler.Rollout
				it := &rollout.Item{ID: "a", Split: rollout.Train}
				for i := range 1000 {
					jobs = append(jobs, sampler.Rollout{Item: it, Sample: i})
				}
				stats, err := sampler.Sample(t.Context(), sampler.SampleOptions{
					Config: cfg, Seed: 1, Rollouts: jobs,
					Boundaries: sampler.Boundaries{Agent: &c.a, ModelProxy: &c.a, Grader: worked{}}, Sink: sink,
				})
				if errors.Is(err, sampler.ErrUnknownUsage) != c.untold || !c.untold && err != nil || len(sink.records) > c.most {
					t.Errorf("%d records, stopped by %q: %v", len(sink.records), stats.StoppedBy, err)
				}
			})
		})
	}
}

// A rollout that was broken off is none, whatever was heard of it until then.
func TestAnAgentThatIsBrokenOffLeavesNoRecord(t *testing.T) {
	failure := &endpoint.Failure{Status: http.StatusBadRequest, Err: errors.New("too long")}
	for _, heard := range []sampler.ModelTraffic{{Turns: 1}, {Limit: "max_steps of 2"}, {Failed: failure}, {Failed: failure, CutOff: "context_length_exceeded"}} {
		inBubble(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			a, sink := &toldAgent{heard: heard, broken: cancel}, &list{}
			it := &rollout.Item{ID: "a", Split: rollout.Train}
			if _, err := sampler.Sample(ctx, sampler.SampleOptions{
				Config: sampler.DefaultConfig(), Seed: 1, Rollouts: []sampler.Rollout{{Item: it}},
				Boundaries: sampler.Boundaries{Agent: a, ModelProxy: a, Grader: worked{}}, Sink: sink,
			}); !errors.Is(err, context.Canceled) || len(sink.records) > 0 {
				t.Errorf("heard %+v: %d records, %v", heard, len(sink.records), err)
			}
		})
	}
}

// Tokens that were counted go before those that an agent tells.
func TestTokensThatWereCountedGoFirst(t *testing.T) {
	told, counted := rollout.Usage{Input: count(1)}, rollout.Usage{Input: count(90)}
	for _, c := range []struct {
		turns         int
		told, counted rollout.Usage
		want          rollout.Usage
	}{{2, told, counted, counted}, {2, told, rollout.Usage{}, rollout.Usage{}}, {0, told, counted, told}, {0, rollout.Usage{}, counted, counted}} {
		if got := sampler.UsageOf(sampler.AgentResult{Usage: c.told}, sampler.ModelTraffic{Turns: c.turns, Usage: c.counted}); got != c.want {
			t.Errorf("%d turns: %+v, want %+v", c.turns, got, c.want)
		}
	}
}
