package stage

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/boundary/isolation"
	"gonogo/sampler/rollout"
)

// The rollouts were listed before somebody answered the question and before the
// directory was locked: two processes then made, and paid, the same rollouts,
// and the directory was in conflict with itself.
func TestRolloutsMadeWhileSomebodyThinksAreNotMadeAgain(t *testing.T) {
	p := tinyProject(t)
	dir := filepath.Join(t.TempDir(), "run")
	before, err := rolloutsOf(t.Context(), p, dir)
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
	writer, rollouts, err := beginRollouts(t.Context(), p, dir, p.Manifest(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Close() }()
	if len(rollouts) != len(before)-1 {
		t.Errorf("%d rollouts are left of %d after one was done elsewhere", len(rollouts), len(before))
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
		progressOf(p, &project.Invocation{Err: console.NewEvents(&out)}, "rollouts", 1, p.Sampling()).Close()
		var start struct {
			Event string
			Most  int `json:"in_flight_max"`
		}
		if err := json.NewDecoder(&out).Decode(&start); err != nil || start.Event != "start" || start.Most != c.want {
			t.Errorf("%+v (%v), want %d at most", start, err, c.want)
		}
	}
}
