package viewer

import (
	"testing"

	"gonogo/sampler/rollout"
)

func TestWhatARunIsCalled(t *testing.T) {
	of := func(name, dir string) *side {
		return &side{run: &rollout.Run{Dir: dir, Manifest: &rollout.Manifest{Name: name}}, names: newNames(false)}
	}
	for _, c := range []struct {
		why        string
		run, other *side
		want       string
	}{
		{"by its name", of("memos", "runs/first"), nil, "memos"},
		{"without one by its directory", of("", "runs/first"), nil, "first"},
		{"two of a name by both", of("memos", "runs/first"), of("memos", "runs/second"), "memos (first)"},
		{"two of different names", of("memos", "runs/first"), of("decks", "runs/second"), "memos"},
	} {
		if got := c.run.title(c.other); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
