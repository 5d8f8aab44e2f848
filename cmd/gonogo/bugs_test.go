package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/fixtures"
	"gonogo/sampler"
	"gonogo/sampler/isolation"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// tinyProject is the tiny world's configuration, ready for the first call;
// nothing is served.
func tinyProject(t *testing.T, secrets ...string) *project {
	t.Helper()
	_, dir := tinyWorld(t)
	cfg, err := config.Load(filepath.Join(dir, "gonogo.yaml"), os.LookupEnv, "seed=1", "sampling.address_map."+fixtures.Origin+"=http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	p, err := newProject(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.shut)
	p.redact = rollout.NewRedactor(secrets...)
	return p
}

// The jobs were listed before somebody answered the question and before the
// directory was locked: two processes then made, and paid, the same rollouts,
// and the directory was in conflict with itself.
func TestRolloutsMadeWhileSomebodyThinksAreNotMadeAgain(t *testing.T) {
	p := tinyProject(t)
	dir := filepath.Join(t.TempDir(), "run")
	before, err := p.jobs(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := p.begin(t.Context(), dir, p.manifest(dir))
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
	writer, jobs, err := p.begin(t.Context(), dir, p.manifest(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Close() }()
	if len(jobs) != len(before)-1 {
		t.Errorf("%d jobs are left of %d after one was done elsewhere", len(jobs), len(before))
	}
}

// An id that was masked in the record was not found by the next run, which
// made and paid the rollout again.
func TestIDsThatHoldASecretAreRefused(t *testing.T) {
	p := tinyProject(t)
	const id = "planted-003"
	p.files[0].Items[2].ID = id
	if err := p.plainIDs(); err != nil {
		t.Errorf("plain ids are refused: %v", err)
	}
	p.redact = rollout.NewRedactor(id)
	if err := p.plainIDs(); err == nil || !strings.Contains(err.Error(), ".jsonl:3:") {
		t.Errorf("error is %v, want one with the line of %q", err, id)
	}
}

// The rehearsal's lines were cut before they were masked, which left half of a
// key on the terminal.
func TestTheRehearsalShowsNoHalfKey(t *testing.T) {
	const key = "sk-planted-0123456789abcdef"
	p := tinyProject(t, key)
	text := strings.Repeat("x", 85) + " " + key
	var out bytes.Buffer
	p.trace(&out, &rollout.Record{Outcome: rollout.NoAnswer, Messages: []rollout.Message{
		{Role: "assistant", Content: text, Reasoning: text, ToolCalls: []rollout.ToolCall{{Name: "f", Arguments: text}}},
		{Role: "tool", Content: text},
	}})
	if strings.Contains(out.String(), "sk-pl") {
		t.Errorf("part of the key is shown:\n%s", out.String())
	}
}

// A flag without its value took the run for it, or the other way round.
func TestAFlagWithoutItsValueIsRefused(t *testing.T) {
	for _, args := range [][]string{
		{"analyze", "run", "--group-size"},
		{"analyze", "run", "other", "--config"},
		{"import", "file", "-o"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append([]string{"gonogo"}, args...), strings.NewReader(""), &stdout, &stderr)
		if code != exit.Usage || !strings.Contains(stderr.String(), "needs an argument") {
			t.Errorf("%v: exit code %d: %s", args, code, stderr.String())
		}
	}
}

// An argument was passed over: `gonogo run other.yaml` ran gonogo.yaml.
func TestArgumentsOfCommandsThatTakeNoneAreRefused(t *testing.T) {
	for _, command := range []string{"run", "sample", "check", "init", "demo", "version"} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{"gonogo", command, "other.yaml"}, strings.NewReader(""), &stdout, &stderr)
		if code != exit.Usage || !strings.Contains(stderr.String(), `the argument "other.yaml"`) {
			t.Errorf("%s: exit code %d: %s", command, code, stderr.String())
		}
	}
}

// A server that does not count tokens made a cap on tokens bound nothing, and
// nobody said so.
func TestACapThatCannotBeHeldIsSaid(t *testing.T) {
	p := tinyProject(t)
	s := sampler.Stats{Jobs: 5, Recorded: 5, TokensUnknown: 2, Elapsed: time.Second}
	if got := p.uncounted(s); got != "" {
		t.Errorf("without a cap: %q", got)
	}
	p.cfg.Sampling.MaxTokens = 100
	p.openBudget()
	if got := p.uncounted(s); !strings.Contains(got, "2 rollouts") || !strings.Contains(got, "sampling.max_tokens") {
		t.Errorf("with a cap: %q", got)
	}
	s.TokensUnknown = 0
	if got := p.uncounted(s); got != "" {
		t.Errorf("all counted: %q", got)
	}
}

// After Ctrl-C a failed last write was swallowed: it said only that what was
// made is there.
func TestAnInterruptionDoesNotHideAFailedLastWrite(t *testing.T) {
	interrupted := &exit.Error{Code: exit.Interrupted, Err: errors.New("interrupted")}
	var said bytes.Buffer
	if code := exitCode(&said, unlessLost(interrupted, errors.New("no space left on device"))); code != exit.Tool {
		t.Errorf("exit code is %d, want %d", code, exit.Tool)
	}
	for _, text := range []string{"interrupted", "no space left on device"} {
		if !strings.Contains(said.String(), text) {
			t.Errorf("it said %q, without %q", said.String(), text)
		}
	}
	if code := exitCode(&said, unlessLost(interrupted, nil)); code != exit.Interrupted {
		t.Errorf("exit code of an interruption alone is %d, want %d", code, exit.Interrupted)
	}
}

// Rollouts that waited for a session's place had begun: a deadline and Ctrl-C
// waited for hundreds of them.
func TestNoMoreRolloutsBeginThanThereMayBeSessions(t *testing.T) {
	p := tinyProject(t)
	p.cfg.Sampling.Concurrency = 0
	keeper, err := isolation.New(isolation.Config{Start: "http://127.0.0.1:1/start", Stop: "http://127.0.0.1:1/stop"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ inFlight, sessions, want int }{{0, 24, 24}, {8, 24, 8}, {8, 0, 8}, {0, 0, 0}} {
		p.sessions, p.cfg.Sampling.InFlight, p.cfg.Session.Concurrency = keeper, c.inFlight, c.sessions
		if got := p.sampling().Rollouts; got != c.want {
			t.Errorf("in_flight %d and %d sessions: %d rollouts, want %d", c.inFlight, c.sessions, got, c.want)
		}
		p.sessions = nil
		if got := p.sampling().Rollouts; got != c.inFlight {
			t.Errorf("in_flight %d without sessions: %d rollouts", c.inFlight, got)
		}
	}
}

// What the money of all will be held twice the rollouts that did not tell theirs.
func TestTheMoneyOfAllHoldsEachRolloutOnce(t *testing.T) {
	p := tinyProject(t)
	p.openBudget()
	account := p.budget.Open("rollouts", true)
	e := sampler.Event{Stats: sampler.Stats{Recorded: 8, USDUnknown: 2}}
	for i := range 8 {
		used := limit.Used{}
		if i < 6 {
			one := 1.0
			used.USD = &one
			e.USD.Add(one, nil)
			e.Judged.Add(one, nil)
		}
		if account.Reserve(time.Now()) != limit.Granted {
			t.Fatal("no rollout may begin")
		}
		account.Settle(time.Now(), used)
	}
	if got := p.moneyText(e, 16); !strings.HasPrefix(got, "$8 of about $16 ") {
		t.Errorf("it says %q, want $8 of about $16", got)
	}
}

// A variant's model kept 16 connections however many requests were in flight:
// all beyond them connected anew for every request.
func TestAVariantKeepsItsConnections(t *testing.T) {
	const atOnce = 48
	var opened atomic.Int64
	var all sync.WaitGroup
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		all.Done() // nobody is answered before all have asked
		all.Wait()
		w.WriteHeader(http.StatusBadRequest)
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	_, dir := tinyWorld(t)
	cfg, err := config.Load(filepath.Join(dir, "gonogo.yaml"), os.LookupEnv, "seed=1", "sampling.concurrency=0", "variants=[{name: cool, temperature: 0.2}]", "sampling.address_map."+fixtures.Origin+"="+srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newProject(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer p.shut()
	q := p.variants[0].p
	for range 3 {
		all.Add(atOnce)
		var asking sync.WaitGroup
		for range atOnce {
			asking.Go(func() { _, _ = q.bounds.Model.Reply(t.Context(), sampler.Request{Item: &q.items[0]}) })
		}
		asking.Wait()
	}
	if n := opened.Load(); n > atOnce*12/10 {
		t.Errorf("%d connections for %d requests at once", n, atOnce)
	}
}
