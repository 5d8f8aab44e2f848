package stage

import (
	"strings"
	"testing"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/sampler/rollout"
)

// New rollouts need the run's settings, but for what a checkpoint changes, and for what only MCP servers
// know.
func TestSettingsOfRolloutsMadeAgain(t *testing.T) {
	t.Parallel()
	cfg, err := config.Peek("", func(string) (string, bool) { return "", false }, "model.name=now")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		key, was   string
		checkpoint bool
		differs    bool
	}{
		"another model":                     {"model.name", "then", false, true},
		"another model of a checkpoint":     {"model.name", "then", true, false},
		"another server of a checkpoint":    {"model.base_url", "http://then", true, false},
		"another temperature":               {"model.temperature", "0.1", true, true},
		"tools of an MCP server":            {"tools.mcp.files.tools", "ab12", false, false},
		"another seed":                      {"seed", "4", false, false},
		"other data, which hashes identify": {"data.train", "ab12", false, false},
	} {
		a := Again{Run: &rollout.Run{Dir: "run", Manifest: &rollout.Manifest{Binding: map[string]string{c.key: c.was}}}}
		if c.checkpoint {
			a.Checkpoint = &config.Checkpoint{}
		}
		err := a.sameSettings(cfg)
		if (err != nil) != c.differs || err != nil && !strings.Contains(err.Error(), "in "+c.key) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
