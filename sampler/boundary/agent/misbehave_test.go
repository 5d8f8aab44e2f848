package agent_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/boundary/agent"
	"gonogo/sampler/rollout"
)

// Whatever an agent does, it is that rollout's failure, by name; the run goes on.
func TestLongAMisbehavingAgentFailsItsRolloutAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	s := newSite(t)
	s.jobs = s.jobs[:6]
	for _, c := range []struct {
		how     string
		outcome rollout.Outcome
		kind    string
		says    string
	}{
		{"garbage", rollout.ToolFailed, sampler.KindAgentGarbled, `wrote "Loading the model …" instead of a JSON object`},
		{"two", rollout.ToolFailed, sampler.KindAgentGarbled, "more than one line"},
		{"huge", rollout.ToolFailed, sampler.KindAgentGarbled, "without a line break"},
		{"hang", rollout.ToolFailed, sampler.KindAgentHung, "no result within 500ms"},
		{"crash", rollout.ToolFailed, sampler.KindAgentCrashed, "exit status 7; it printed: Traceback: out of luck"},
		{"nameless", rollout.ToolFailed, sampler.KindAgentGarbled, `no "trace_id"`},
		{"another", rollout.ToolFailed, sampler.KindAgentGarbled, "trace_0"},
		{"negative", rollout.ToolFailed, sampler.KindAgentGarbled, "negative or impossible number of tokens"},
		{"silent", rollout.NoAnswer, "", "the answer is empty"},
		{"model", rollout.ModelAPI, "", "its model failed: overloaded"},
		{"tool", rollout.ToolFailed, "", "a tool failed: database is locked"},
		{"itself", rollout.ToolFailed, sampler.KindAgentError, "index out of range"},
	} {
		t.Run(c.how, func(t *testing.T) {
			a := command(t, c.how, nil)
			cfg := sampler.DefaultConfig()
			cfg.Concurrency, cfg.AgentTimeout, cfg.Breaker = 3, 20*time.Second, 0
			if c.how == "hang" {
				cfg.AgentTimeout = 500 * time.Millisecond
			}
			var got records
			if _, err := sampler.Sample(t.Context(), sampler.SampleOptions{
				Config: cfg, Seed: 7, Rollouts: s.jobs, Boundaries: sampler.Boundaries{Agent: a, Grader: s.grader},
				Sink: &got,
			}); err != nil {
				t.Fatal(err)
			}
			if len(got) != len(s.jobs) {
				t.Fatalf("%d records of %d rollouts", len(got), len(s.jobs))
			}
			for _, r := range got {
				if r.Outcome != c.outcome || r.Kind != c.kind || !strings.Contains(r.Error, c.says) || r.Reward != nil || r.Retries != 0 {
					t.Errorf("outcome %s, kind %q, %d retries: %s; want %s, %q: …%s…", r.Outcome, r.Kind, r.Retries, r.Error, c.outcome, c.kind, c.says)
				}
			}
		})
	}
}

// A line that comes between two rollouts is not taken for the next one's result.
func TestALateLineIsNobodysResult(t *testing.T) {
	s := newSite(t)
	late := filepath.Join(t.TempDir(), "late")
	t.Setenv(lateAt, late)
	a := command(t, "late", func(c *agent.CommandConfig) { c.Processes = 1 })
	for i := range 3 {
		job := s.jobs[i]
		got, err := a.Run(t.Context(), sampler.AgentRequest{Item: job.Item, TraceID: sampler.TraceID(1, job.Item.Split, job.Item.ID, i, 0), Timeout: time.Minute})
		if err != nil || got.Output != "42" {
			t.Errorf("rollout %d: %+v, %v", i, got, err)
		}
		if err := os.WriteFile(late, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if !waitFor(late, false) {
			t.Fatal("the agent never wrote its late line")
		}
	}
}

// A process that wrote what is not a result is still at its rollout: the next one is
// not handed to it.
func TestAProcessThatWroteNonsensePlaysNoMore(t *testing.T) {
	s := newSite(t)
	a := command(t, "chatty", func(c *agent.CommandConfig) { c.Processes = 1 })
	for i := range 4 {
		job := s.jobs[i]
		_, err := a.Run(t.Context(), sampler.AgentRequest{Item: job.Item, TraceID: sampler.TraceID(1, job.Item.Split, job.Item.ID, i, 0), Timeout: time.Minute})
		if own, ok := errors.AsType[*sampler.AgentError](err); !ok || own.Kind != sampler.KindAgentGarbled {
			t.Errorf("rollout %d, each of a process of its own: %v", i, err)
		}
	}
}

// An agent that fails in the same way on item after item ends the run, as any
// endpoint does.
func TestAnAgentThatAlwaysCrashesEndsTheRun(t *testing.T) {
	s := newSite(t)
	cfg := sampler.DefaultConfig()
	cfg.Concurrency, cfg.AgentTimeout = 2, time.Minute
	var got records
	_, err := sampler.Sample(t.Context(), sampler.SampleOptions{
		Config: cfg, Seed: 7, Rollouts: s.jobs,
		Boundaries: sampler.Boundaries{Agent: command(t, "crash", nil), Grader: s.grader}, Sink: &got,
	})
	if err == nil || !strings.Contains(err.Error(), "the agent failed 5 rollouts in a row with the same error: the agent's process ended: exit status 7") || len(got) == len(s.jobs) {
		t.Errorf("%d of %d rollouts, %v", len(got), len(s.jobs), err)
	}
}

// A program that is not there is said before any rollout is paid for.
func TestAProgramThatIsNotThereEndsTheRun(t *testing.T) {
	s := newSite(t)
	a, err := agent.NewCommand(agent.CommandConfig{Argv: []string{"/nowhere/agent"}, Processes: 2})
	if err != nil {
		t.Fatal(err)
	}
	var got records
	_, err = sampler.Sample(t.Context(), sampler.SampleOptions{
		Config: sampler.DefaultConfig(), Seed: 7, Rollouts: s.jobs,
		Boundaries: sampler.Boundaries{Agent: a, Grader: s.grader}, Sink: &got,
	})
	if err == nil || !strings.Contains(err.Error(), "/nowhere/agent") || len(got) > 0 {
		t.Errorf("%d records, %v", len(got), err)
	}
}

// Nothing that an agent starts outlives its rollout, where it has a process of its
// own, or the agent.
func TestNothingIsLeftBehind(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked for in /proc")
	}
	s := newSite(t)
	dir := t.TempDir()
	sleeps := fmt.Sprintf("sleep 4242.%d", os.Getpid()) // no one else's
	for _, perRollout := range []bool{false, true} {
		script := `while read -r line; do trace=$(printf %s "$line" | sed 's/.*"trace_id":"\([^"]*\)".*/\1/')
(setsid ` + sleeps + ` &) ; ` + sleeps + ` &
echo x >>` + filepath.Join(dir, "started") + `
printf '{"trace_id":"%s","output":"42"}\n' "$trace"; done`
		a, err := agent.NewCommand(agent.CommandConfig{Argv: []string{"/bin/sh", "-c", script}, Processes: 3, PerRollout: perRollout})
		if err != nil {
			t.Fatal(err)
		}
		var got records
		cfg := sampler.DefaultConfig()
		cfg.Concurrency, cfg.AgentTimeout, cfg.Breaker = 3, 20*time.Second, 0
		if _, err := sampler.Sample(t.Context(), sampler.SampleOptions{
			Config: cfg, Seed: 7, Rollouts: s.jobs[:3], Boundaries: sampler.Boundaries{Agent: a, Grader: s.grader},
			Sink: &got,
		}); err != nil {
			t.Fatal(err)
		}
		a.Close()
		for _, r := range got {
			if r.Outcome != rollout.Graded {
				t.Errorf("outcome %s: %s", r.Outcome, r.Error)
			}
		}
		if left := remaining(t, strings.ReplaceAll(sleeps, " ", "\x00")); left > 0 {
			t.Errorf("a process for each rollout %v: %d processes are left", perRollout, left)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "started")); err != nil || len(b) == 0 {
		t.Errorf("nothing was started: %v", err)
	}
}

// remaining counts the processes of that command line once those that were killed
// had a while to die.
func remaining(t *testing.T, what string) (n int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if n = running(t, what); n == 0 || time.Now().After(deadline) {
			return n
		}
	}
}

// running counts the processes with that in their command line.
func running(t *testing.T, what string) (n int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && strings.Contains(string(b), what) {
			n++
		}
	}
	return n
}
