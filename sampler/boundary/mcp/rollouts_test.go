package mcp_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/boundary/mcp"
	"gonogo/sampler/rollout"
)

// caller is a policy that calls each of the tools, one after the other, and answers.
type caller []string

func (c caller) Reply(_ context.Context, req sampler.Request) (sampler.Reply, error) {
	n := len(req.Turns)
	if n == len(c) {
		return sampler.Reply{Text: "done", Final: true}, nil
	}
	return sampler.Reply{Calls: []rollout.ToolCall{{ID: fmt.Sprint("call_", n), Name: c[n], Arguments: "{}"}}}, nil
}

// fair gives everybody the same.
type fair struct{}

func (fair) Grade(context.Context, sampler.Output) (sampler.Grade, error) {
	return sampler.Grade{Reward: 1}, nil
}

// records keeps what is recorded.
type records []*rollout.Record

func (r *records) Append(rec *rollout.Record) error {
	*r = append(*r, rec)
	return nil
}

// sampled makes n rollouts in which the policy calls the tools.
func sampled(t *testing.T, n int, tools map[string]*mcp.Tool, calls ...string) (records, error) {
	t.Helper()
	item := &rollout.Item{ID: "q", Split: rollout.Train}
	var jobs []sampler.Rollout
	for i := range n {
		jobs = append(jobs, sampler.Rollout{Item: item, Sample: i})
	}
	b := sampler.Boundaries{Model: caller(calls), Grader: fair{}, Tools: map[string]sampler.Tool{}}
	for name, tool := range tools {
		b.Tools[name] = tool
	}
	cfg := sampler.DefaultConfig()
	cfg.Concurrency, cfg.ToolTimeout = 4, 20*time.Second
	cfg.Retry.Wait = time.Millisecond
	var got records
	_, err := sampler.Sample(t.Context(), sampler.SampleOptions{
		Config: cfg, Seed: 7, Rollouts: jobs, Boundaries: b, Sink: &got,
	})
	return got, err
}

// A server of its own ends with its rollout, with all that it started.
func TestRolloutsWithServersOfTheirOwn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked for in /proc")
	}
	cfg := program("files", "serve")
	cfg.PerRollout = true
	tools := open(t, mcp.Options{}, cfg)
	got, err := sampled(t, 12, tools, "count", "spawn", "count", "env")
	if err != nil || len(got) != 12 {
		t.Fatalf("%d records, %v", len(got), err)
	}
	for _, r := range got {
		if r.Outcome != rollout.Graded || len(r.Calls) != 4 || r.Calls[0].Output != "1" || r.Calls[2].Output != "2" {
			t.Errorf("outcome %s, %s: %+v", r.Outcome, r.Error, r.Calls)
		}
	}
	if left := remaining(t, spawned()); left > 0 {
		t.Errorf("%d processes are left", left)
	}
}

// A server that dies is started again where all share it: the rollouts go on.
func TestRolloutsOutliveTheirServer(t *testing.T) {
	tools := open(t, mcp.Options{}, program("files", "serve"))
	got, err := sampled(t, 1, tools, "count", "crash")
	if err != nil || len(got) != 1 || got[0].Outcome != rollout.ToolFailed || !strings.Contains(got[0].Error, "exit status 7") || got[0].Retries != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, name := range []string{"GONOGO_TRACE_ID", "GONOGO_CANARY"} { // the one who started it again has it not to itself
		if res, err := tools["env"].Call(t.Context(), sampler.Call{Arguments: `{"text":"` + name + `"}`, TraceID: "trace_x"}); err != nil || res.Output != "" {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
	got, err = sampled(t, 4, tools, "echo", "refuse")
	if err != nil || len(got) != 4 {
		t.Fatal(err)
	}
	for _, r := range got {
		if r.Outcome != rollout.Graded || r.Calls[1].Status != rollout.CallError {
			t.Errorf("outcome %s, %s: %+v", r.Outcome, r.Error, r.Calls)
		}
	}
}
