package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/fixtures"
	"gonogo/fixtures/chaos"
	"gonogo/sampler/rollout"
)

// A run behind a network that spoils one request in eight, and the run after it
// that makes up for what was lost, leave what a run without faults leaves.
func TestLongARunInChaosIsMadeUpFor(t *testing.T) {
	long(t)
	world, dir := tinyWorld(t)
	server, err := world.Serve(fixtures.ServeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var calm atomic.Bool
	spoiled := chaos.Mix(1, nil, chaos.Share{Of: 0.125, Faults: chaos.Find(
		"reset_before", "reset_in_body", "closed", "short_length", "short_chunks", "429", "500_score", "502", "503", "half_json", "page", "empty", "wrong_shape", "short_gzip",
	)})
	proxy, err := chaos.New(server.Handler(), chaos.Options{Plan: func(r chaos.Request) *chaos.Fault {
		if calm.Load() {
			return nil
		}
		return spoiled(r)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	state := func(run string) map[rollout.Key]rollout.RolloutState {
		t.Helper()
		opened, err := rollout.Open(run)
		if err != nil {
			t.Fatal(err)
		}
		done, _, err := opened.State(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	sample := func(into, origin string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{
			"gonogo", "sample", "-c", filepath.Join(dir, "gonogo.yaml"), "-o", into, "--yes", "--seed", "3",
			"--set", "sampling.address_map." + fixtures.Origin + "=" + origin, "--set", "sampling.retries=1", "--set", "sampling.retry_wait=2ms", "--set", "sampling.breaker=0",
		}, strings.NewReader(""), &stdout, &stderr)
		if want := codeOfLoss(state(into)); code != want {
			t.Fatalf("exit code %d, want %d:\n%s", code, want, stderr.String())
		}
	}
	sound, tried := filepath.Join(dir, "sound"), filepath.Join(dir, "tried")
	sample(sound, server.URL())
	want := state(sound)
	sample(tried, proxy.URL())
	missing := 0
	for k, d := range state(tried) {
		if d.Outcome.Missing() {
			missing++
		} else if d.Outcome != want[k].Outcome {
			t.Errorf("%v is %s, want %s", k, d.Outcome, want[k].Outcome)
		}
	}
	calm.Store(true)
	sample(tried, proxy.URL())
	again := 0
	for k, d := range state(tried) {
		if again += d.Attempt; d.Outcome.Missing() {
			t.Errorf("%v is %s", k, d.Outcome)
		}
	}
	t.Logf("%d of %d were missing", missing, len(want))
	if n := len(state(tried)); missing == 0 || again != missing || n != len(want) {
		t.Errorf("%d of %d rollouts were missing, %d were made again, %d are there", missing, len(want), again, n)
	}
	rewards, sane := readRewards(t, tried), readRewards(t, sound)
	for k, d := range state(tried) {
		if d.Attempt == 0 && rewards[k] != sane[k] {
			t.Errorf("%v earns %g, and %g without faults", k, rewards[k], sane[k])
		}
	}
}

// codeOfLoss is the exit code of gonogo sample by the largest share of a split's rollouts that
// are lost: docs/gates.md, infra.failures.
func codeOfLoss(state map[rollout.Key]rollout.RolloutState) int {
	code := exit.OK
	for _, split := range rollout.Splits() {
		lost, all := 0, 0
		for k, d := range state {
			if k.Split == split {
				if all++; d.Outcome.Missing() {
					lost++
				}
			}
		}
		switch {
		case 5*lost > all: // 20 %
			return exit.NoGo
		case 20*lost > all: // 5 %
			code = exit.Undecided
		}
	}
	return code
}

// Nothing of an answer that no one asked for is printed: it may hold anything.
func TestAnswersThatNobodyAskedForAreNotShown(t *testing.T) {
	world, dir := tinyWorld(t)
	server, err := world.Serve(fixtures.ServeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var told atomic.Int64 // once is enough: an answer may go astray, and then it is waited for
	twice := chaos.Find("twice")[0]
	proxy, err := chaos.New(server.Handler(), chaos.Options{Plan: func(chaos.Request) *chaos.Fault {
		if told.Add(1) > 8 {
			return nil
		}
		return &twice
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	out, said, code := inProcess(t, "", "sample", "-c", filepath.Join(dir, "gonogo.yaml"), "-o", filepath.Join(dir, "run"), "--yes",
		"--set", "items=2", "--set", "sampling.address_map."+fixtures.Origin+"="+proxy.URL(), "--set", "sampling.breaker=0",
		"--set", "model.timeout=3s", "--set", "sampling.tool_timeout=3s", "--set", "sampling.grader_timeout=3s")
	if code != exit.OK || strings.Contains(string(out)+string(said), "HTTP/1.1") || !strings.Contains(string(out)+string(said), "Recorded") {
		t.Errorf("exit code %d:\n%s\n%s", code, out, said)
	}
}
