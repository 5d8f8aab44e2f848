package project

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/fixtures"
	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/isolation"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// An id that was masked in the record was not found by the next run, which
// made and paid the rollout again.
func TestIDsThatHoldASecretAreRefused(t *testing.T) {
	p := tinyProject(t)
	const id = "planted-003"
	p.Inputs.Files[0].Items[2].ID = id
	if err := p.Inputs.CheckIDs(p.Redact); err != nil {
		t.Errorf("plain ids are refused: %v", err)
	}
	p.Redact = rollout.NewRedactor(id)
	if err := p.Inputs.CheckIDs(p.Redact); err == nil || !strings.Contains(err.Error(), ".jsonl:3:") {
		t.Errorf("error is %v, want one with the line of %q", err, id)
	}
}

// A server that does not count tokens made a cap on tokens bound nothing, and
// no one said so.
func TestACapThatCannotBeHeldIsSaid(t *testing.T) {
	p := tinyProject(t)
	s := sampler.Stats{Rollouts: 5, Recorded: 5, TokensUnknown: 2, Elapsed: time.Second}
	if got := console.Uncounted(p.Spending.Budget.Bounds(), s); got != "" {
		t.Errorf("without a cap: %q", got)
	}
	p.Config.Sampling.MaxTokens = 100
	p.Spending.openBudget()
	if got := console.Uncounted(p.Spending.Budget.Bounds(), s); !strings.Contains(got, "2 rollouts") || !strings.Contains(got, "sampling.max_tokens") {
		t.Errorf("with a cap: %q", got)
	}
	s.TokensUnknown = 0
	if got := console.Uncounted(p.Spending.Budget.Bounds(), s); got != "" {
		t.Errorf("all counted: %q", got)
	}
}

// Rollouts that waited for a session's place had begun: a deadline and Ctrl-C
// waited for hundreds of them.
func TestNoMoreRolloutsBeginThanThereMayBeSessions(t *testing.T) {
	p := tinyProject(t)
	p.Config.Sampling.Concurrency = 0
	keeper, err := isolation.New(isolation.Config{Start: "http://127.0.0.1:1/start", Stop: "http://127.0.0.1:1/stop"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ inFlight, sessions, want int }{{0, 24, 24}, {8, 24, 8}, {8, 0, 8}, {0, 0, 0}} {
		p.Session.Sessions, p.Config.Sampling.InFlight, p.Config.Session.Concurrency = keeper, c.inFlight, c.sessions
		if got := p.Sampling().Rollouts; got != c.want {
			t.Errorf("in_flight %d and %d sessions: %d rollouts, want %d", c.inFlight, c.sessions, got, c.want)
		}
		p.Session.Sessions = nil
		if got := p.Sampling().Rollouts; got != c.inFlight {
			t.Errorf("in_flight %d without sessions: %d rollouts", c.inFlight, got)
		}
	}
}

// What the money of all will be held twice the rollouts that did not tell theirs.
func TestTheMoneyOfAllHoldsEachRolloutOnce(t *testing.T) {
	p := tinyProject(t)
	p.Spending.openBudget()
	account := p.Spending.Budget.Open("rollouts", true)
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
	if got := console.MoneyText(p.Spending.Budget, e, 16); !strings.HasPrefix(got, "$8 of about $16 ") {
		t.Errorf("it says %q, want $8 of about $16", got)
	}
}

// A variant's model kept 16 connections however many requests were in flight:
// all beyond them connected again for every request.
func TestAVariantKeepsItsConnections(t *testing.T) {
	const atOnce = 48
	var opened atomic.Int64
	var all sync.WaitGroup
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		all.Done() // no one is answered before all have asked
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
	p, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	q := p.Variants[0].P
	for range 3 {
		all.Add(atOnce)
		var asking sync.WaitGroup
		for range atOnce {
			asking.Go(func() { _, _ = q.Bounds.Model.Reply(t.Context(), sampler.Request{Item: &q.Inputs.Items[0]}) })
		}
		asking.Wait()
	}
	if n := opened.Load(); n > atOnce*12/10 {
		t.Errorf("%d connections for %d requests at once", n, atOnce)
	}
}

func TestAGraderThatReadsToolCallsIsWarnedOf(t *testing.T) {
	for reads, want := range map[string]bool{"{{sample.output_tools[0].function.name}}": true, "{{sample.output_text}}": false} {
		p := tinyProject(t)
		raw, err := json.Marshal(map[string]string{"type": "string_check", "name": "n", "operation": "eq", "input": reads, "reference": "x"})
		if err != nil {
			t.Fatal(err)
		}
		g, err := grader.New(grader.Kinds(), raw, grader.Env{})
		if err != nil {
			t.Fatal(err)
		}
		warnReads(p, g)
		warned := slices.ContainsFunc(p.Warnings, func(w string) bool { return strings.Contains(w, "sampling.sample_tools") })
		if warned != want {
			t.Errorf("a grader that reads %s is warned of: %t, want %t", reads, warned, want)
		}
	}
}

func TestAWorldServesWhatItsFilesName(t *testing.T) {
	for _, c := range []struct {
		world, path string
		want        bool
	}{
		{"code-tests", "/tools/list_files", true},
		{"code-tests", "/tools/list_files/", true},
		{"code-tests", "/tools/list", false}, // it begins like list_files
		{"edit-planning", "/session/start", true},
		{"edit-planning", "/session/{{session.id}}/tools/grep", true},
		{"edit-planning", "/tools/grep", false},
	} {
		world, err := fixtures.Find(c.world)
		if err != nil {
			t.Fatal(err)
		}
		if got := world.Serves(fixtures.Origin + c.path); got != c.want {
			t.Errorf("%s serves %s: %t, want %t", c.world, c.path, got, c.want)
		}
	}
}
