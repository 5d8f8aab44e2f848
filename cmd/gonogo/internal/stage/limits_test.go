package stage

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// TestWhatLimitedAnEndpointIsNoted resumes one run: each row is the end of a call of it.
func TestWhatLimitedAnEndpointIsNoted(t *testing.T) {
	byRefusals := endpoint.State{Name: "model", Limit: 4, HeldBy: limit.HeldByRefusals}
	byQueue := endpoint.State{Name: "grader", Limit: 2, HeldBy: limit.HeldByQueue}
	bySetting := endpoint.State{Name: "tool search", Limit: 8, HeldBy: limit.HeldBySetting, Waiting: 3}
	dir := filepath.Join(t.TempDir(), "run")
	w, err := rollout.Create(dir, rollout.Manifest{Source: rollout.Live, Notes: []string{"imported"}}, nil, rollout.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, c := range []struct {
		what  string
		stats sampler.Stats
		want  []string
	}{
		{"half a minute: too short", sampler.Stats{Elapsed: 30 * time.Second, Boundaries: []endpoint.State{byRefusals}}, []string{"imported"}},
		{"what is set is no surprise", sampler.Stats{Elapsed: time.Hour, Boundaries: []endpoint.State{bySetting}}, []string{"imported"}},
		{"429s and a queue", sampler.Stats{Elapsed: time.Hour, Boundaries: []endpoint.State{byRefusals, byQueue}}, []string{
			"imported",
			"While rollouts were made, endpoint model: limited to 4 by 429s (sampling.concurrency).",
			"While rollouts were made, endpoint grader: handles about 2 at once; more would queue (sampling.concurrency).",
		}},
		{"another call replaces them", sampler.Stats{Elapsed: time.Hour, Boundaries: []endpoint.State{byQueue}}, []string{
			"imported", "While rollouts were made, endpoint grader: handles about 2 at once; more would queue (sampling.concurrency).",
		}},
		{"nothing limits it any more", sampler.Stats{Elapsed: time.Hour}, []string{"imported"}},
	} {
		if err := noteLimits(w, c.stats); err != nil {
			t.Fatal(err)
		}
		run, err := rollout.OpenManifest(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := run.Manifest.Notes; !slices.Equal(got, c.want) {
			t.Errorf("%s: notes %q, want %q", c.what, got, c.want)
		}
	}
}

// A line of a found hole broke the bar's line.
func TestLinesAppearAboveTheBar(t *testing.T) {
	p := tinyProject(t)
	c := &project.Invocation{Err: &bytes.Buffer{}}
	_, err := underProgress(t.Context(), p, c, "probes", 1, p.Sampling(),
		func(_ context.Context, _ <-chan struct{}, show *console.Progress) (sampler.Stats, error) {
			if c.Talk() != io.Writer(show) {
				t.Error("a line does not go to the progress display")
			}
			return sampler.Stats{}, nil
		})
	if err != nil || c.Talk() != c.Err {
		t.Errorf("error %v; without a bar lines go to %T", err, c.Talk())
	}
}
