package stage

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/isolation"
	"gonogo/sampler/rollout"
)

// The jobs were listed before somebody answered the question and before the
// directory was locked: two processes then made, and paid, the same rollouts,
// and the directory was in conflict with itself.
func TestRolloutsMadeWhileSomebodyThinksAreNotMadeAgain(t *testing.T) {
	p := tinyProject(t)
	dir := filepath.Join(t.TempDir(), "run")
	before, err := jobsOf(t.Context(), p, dir)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := beginRollouts(t.Context(), p, dir, p.Manifest(dir))
	if err != nil {
		t.Fatal(err)
	}
	reward, done := 1.0, before[0]
	err = other.Append(&rollout.Record{
		Item: done.Item.ID, Split: done.Item.Split, Sample: done.Sample, Source: rollout.Live, Outcome: rollout.Graded, Reward: &reward,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	writer, jobs, err := beginRollouts(t.Context(), p, dir, p.Manifest(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Close() }()
	if len(jobs) != len(before)-1 {
		t.Errorf("%d jobs are left of %d after one was done elsewhere", len(jobs), len(before))
	}
}

// The rehearsal's lines were cut before they were masked, which left half of a
// key on the terminal.
func TestTheRehearsalShowsNoHalfKey(t *testing.T) {
	const key = "sk-planted-0123456789abcdef"
	p := tinyProject(t, key)
	text := strings.Repeat("x", 85) + " " + key
	var out bytes.Buffer
	showTrace(p, &out, &rollout.Record{Outcome: rollout.NoAnswer, Messages: []rollout.Message{
		{Role: "assistant", Content: text, Reasoning: text, ToolCalls: []rollout.ToolCall{{Name: "f", Arguments: text}}},
		{Role: "tool", Content: text},
	}})
	if strings.Contains(out.String(), "sk-pl") {
		t.Errorf("part of the key is shown:\n%s", out.String())
	}
}

// After Ctrl-C a failed last write was swallowed: it said only that what was
// made is there.
func TestAnInterruptionDoesNotHideAFailedLastWrite(t *testing.T) {
	interrupted := &exit.Error{Code: exit.Interrupted, Err: errors.New("interrupted")}
	var said bytes.Buffer
	if code := ui.ExitCode(&said, JoinDiskError(interrupted, errors.New("no space left on device"))); code != exit.Tool {
		t.Errorf("exit code is %d, want %d", code, exit.Tool)
	}
	for _, text := range []string{"interrupted", "no space left on device"} {
		if !strings.Contains(said.String(), text) {
			t.Errorf("it said %q, without %q", said.String(), text)
		}
	}
	if code := ui.ExitCode(&said, JoinDiskError(interrupted, nil)); code != exit.Interrupted {
		t.Errorf("exit code of an interruption alone is %d, want %d", code, exit.Interrupted)
	}
}

// The event said 256 rollouts where there may be 24 sessions.
func TestTheStartTellsTheRolloutsThatMayBeUnderWay(t *testing.T) {
	p := tinyProject(t)
	p.Config.Sampling.Concurrency, p.Config.Session.Concurrency = 0, 24
	keeper, err := isolation.New(isolation.Config{Start: "http://127.0.0.1:1/start", Stop: "http://127.0.0.1:1/stop"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sessions *isolation.Keeper
		want     int
	}{{keeper, 24}, {nil, sampler.DefaultRollouts}} {
		p.Session.Sessions = c.sessions
		var out bytes.Buffer
		progressOf(p, &project.Call{Err: ui.NewEvents(&out)}, "rollouts", 1, p.Sampling()).Close()
		var start struct {
			Event string
			Most  int `json:"in_flight_max"`
		}
		if err := json.NewDecoder(&out).Decode(&start); err != nil || start.Event != "start" || start.Most != c.want {
			t.Errorf("%+v (%v), want %d at most", start, err, c.want)
		}
	}
}

func TestMarkupInMostFirstAnswersIsToldOfOnce(t *testing.T) {
	const call, plain = `<tool_call>{"name":"look"}</tool_call>`, "42"
	repeated := func(n int, answer string) []string { return slices.Repeat([]string{answer}, n) }
	for _, c := range []struct {
		name    string
		answers []string
		want    string // of the warning; "" is none
	}{
		{"all", repeated(20, call), "5 of the first 5 answers"},
		{"five of eight", slices.Concat(repeated(3, plain), repeated(5, call)), "5 of the first 8 answers"},
		{"half", slices.Concat(repeated(4, plain), repeated(20, call)), ""},
		{"rollouts without an answer do not count", slices.Concat(repeated(9, ""), repeated(5, call)), "5 of the first 5 answers"},
		{"what the prompt speaks of", repeated(20, "<think>"), ""},
		{"too few", repeated(4, call), ""},
	} {
		var said strings.Builder
		kept := &keeping{}
		w := &watchedSink{to: kept, say: &said, items: []rollout.Item{{ID: "q1", Split: rollout.Train, Row: []byte(`{"prompt":"Close <think>."}`)}}}
		for _, answer := range c.answers {
			if err := w.Append(&rollout.Record{Item: "q1", Split: rollout.Train, Answer: answer}); err != nil {
				t.Fatal(err)
			}
		}
		warned := strings.Count(said.String(), "warning")
		if !strings.Contains(said.String(), c.want) || warned != min(len(c.want), 1) || kept.n != len(c.answers) {
			t.Errorf("%s: %d records were handed on, and it said %q, want %q", c.name, kept.n, said.String(), c.want)
		}
		if warned > 0 && !strings.Contains(said.String(), "--tool-call-parser NAME") {
			t.Errorf("%s: it said %q, without the server's flag", c.name, said.String())
		}
	}
}

func TestFirstRolloutsThatCallNoToolAreToldOfOnce(t *testing.T) {
	tools := []byte(`[{"type":"function","function":{"name":"look"}}]`)
	for _, c := range []struct {
		name   string
		called []bool // by rollout, whether it called its tool
		tools  []byte
		want   int // warnings
	}{
		{"none of eight", make([]bool, 20), tools, 1},
		{"one of eight", append(make([]bool, 7), true), tools, 0},
		{"too few to say", make([]bool, 7), tools, 0},
		{"items without tools", make([]bool, 20), nil, 0},
	} {
		var said strings.Builder
		w := &watchedSink{to: &keeping{}, say: &said, items: []rollout.Item{{ID: "q1", Split: rollout.Train, Tools: c.tools}}}
		for _, called := range c.called {
			r := &rollout.Record{Item: "q1", Split: rollout.Train, Answer: "42"}
			if called {
				r.Calls = []rollout.Call{{Name: "look"}}
			}
			if err := w.Append(r); err != nil {
				t.Fatal(err)
			}
		}
		if n := strings.Count(said.String(), "none of the first 8 rollouts with tools called one"); n != c.want || strings.Count(said.String(), "warning") != c.want {
			t.Errorf("%s: it said %q, want %d warnings", c.name, said.String(), c.want)
		}
	}
}

type keeping struct{ n int }

func (k *keeping) Append(*rollout.Record) error { k.n++; return nil }

func TestARewardOutsideTheRangeIsToldOfOnce(t *testing.T) {
	var said strings.Builder
	kept := &keeping{}
	w := &watchedSink{to: kept, say: &said}
	outside := (&sampler.RangeError{Value: 7, Range: [2]float64{0, 1}}).Error()
	half := 0.5
	for _, r := range []rollout.Record{
		{Item: "q1", Outcome: rollout.Graded, Reward: &half},
		{Item: "q2", Outcome: rollout.GraderFailed, Kind: sampler.KindServer, Error: "no answer"},
		{Item: "q3", Outcome: rollout.GraderFailed, Kind: sampler.KindRange, Error: outside},
		{Item: "q4", Outcome: rollout.GraderFailed, Kind: sampler.KindRange, Error: outside},
	} {
		if err := w.Append(&r); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"item q3", "gave 7", "set reward_range", "gonogo grade RUN", "without sampling"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it said %q, without %q", said.String(), want)
		}
	}
	if kept.n != 4 || strings.Count(said.String(), "warning") != 1 {
		t.Errorf("%d records were handed on, and it said %q", kept.n, said.String())
	}
}
