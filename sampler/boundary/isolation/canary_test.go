package isolation_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/boundary/isolation"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// ofTrace is a session of a rollout of its own.
func ofTrace(trace string) *sampler.RolloutSession {
	return &sampler.RolloutSession{ID: "session_" + trace, TraceID: trace, Item: anItem}
}

func TestAPlaceTellsWhoWasThere(t *testing.T) {
	own, other, late := rollout.Canary("trace_1"), rollout.Canary("trace_2"), rollout.Canary("trace_3")
	for _, c := range []struct {
		what          string
		before, after string   // in the file; "" is none
		want          []string // that are found, each once
	}{
		{"a fresh place", "", own, []string{own}},
		{"what another left", other, own, []string{other, own}},
		{"what the start planted", own, own, []string{own}},
		{"what an earlier try of the same rollout left", own + "\n", own, []string{own}},
		{"another came meanwhile", "", late, []string{own, late}},
		{"one before and one meanwhile", other, late, []string{other, own, late}},
		{"the rollout took the file away", "", "", []string{own}},
		{"the rollout wrote over it", "", "my notes", []string{own}},
	} {
		path := filepath.Join(t.TempDir(), ".canary")
		if c.before != "" {
			must(t, os.WriteFile(path, []byte(c.before), 0o600))
		}
		k, _ := keeper(t, isolation.Config{Start: "true", Canary: path})
		e := ofTrace("trace_1")
		must(t, starts(t.Context(), k, e))
		if got := text(t, path); strings.TrimSpace(got) != own {
			t.Errorf("%s: the file holds %q", c.what, got)
		}
		must(t, os.Remove(path))
		if c.after != "" {
			must(t, os.WriteFile(path, []byte(c.after), 0o600))
		}
		k.Inspect(t.Context(), e)
		var found []string
		for _, canary := range e.Found {
			if !slices.Contains(found, canary) {
				found = append(found, canary)
			}
		}
		if !slices.Equal(found, c.want) {
			t.Errorf("%s: found %q, want %q", c.what, found, c.want)
		}
		must(t, k.Stop(t.Context(), e))
		must(t, k.Close())
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A place that spoils later is one rollout's trouble, not the run's.
func TestACanaryThatCannotBeWrittenLaterIsTriedAgain(t *testing.T) {
	dir := t.TempDir()
	k, _ := keeper(t, isolation.Config{Start: "true", Canary: filepath.Join(dir, "{{session.id}}")})
	first, second := ofTrace("trace_1"), ofTrace("trace_2")
	must(t, starts(t.Context(), k, first))
	must(t, os.WriteFile(filepath.Join(dir, second.ID), []byte("notes"), 0o600))
	f, failed := endpoint.AsFailure(starts(t.Context(), k, second))
	if !failed || f.Fatal || !f.Temporary {
		t.Errorf("%+v", f)
	}
	must(t, k.Stop(t.Context(), first))
	must(t, k.Stop(t.Context(), second))
	must(t, k.Close())
}
