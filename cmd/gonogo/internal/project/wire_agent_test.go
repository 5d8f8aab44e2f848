package project

import (
	"slices"
	"strings"
	"testing"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/sampler/boundary/mcp"
)

// An agent sees no key of the run's; one that asks a model of its own sees that of the
// model, and the judge's all the same not.
func TestTheKeysThatAnAgentDoesNotSee(t *testing.T) {
	yes := true
	for _, c := range []struct {
		own  *bool
		keys [2]string // of model and judge
		want []string
	}{
		{nil, [2]string{"MODEL", "JUDGE"}, []string{"MODEL", "JUDGE"}},
		{&yes, [2]string{"MODEL", "JUDGE"}, []string{"JUDGE"}},
		{&yes, [2]string{"MODEL", "MODEL"}, nil},
	} {
		cfg := &config.Config{}
		cfg.Agent.Command, cfg.Agent.OwnModel = []string{"agent"}, c.own
		cfg.Model.APIKeyEnv, cfg.Judge.APIKeyEnv = c.keys[0], c.keys[1]
		if got := keyVariables(NewUnwired(cfg)); !slices.Equal(got, c.want) {
			t.Errorf("%v, its own model %t: %v, want %v", c.keys, c.own != nil, got, c.want)
		}
	}
}

// A variant's key is none of a tool server's business either.
func TestTheKeysThatToolServersDoNotSee(t *testing.T) {
	t.Setenv("JUDGE", "of-the-judge")
	t.Setenv("OTHER", "of-the-variant")
	cfg := &config.Config{MCPServers: []mcp.Config{{Name: "shop", Command: []string{"/bin/sh", "-c", `echo "it sees <$JUDGE$OTHER>" >&2; exit 1`}}}}
	cfg.Judge.APIKeyEnv = "JUDGE"
	cfg.Variants = []config.VariantValue{{Name: "b", APIKeyEnv: "OTHER"}}
	p := NewUnwired(cfg)
	defer p.Close()
	if err := p.MCP.StartMCP(t.Context()); err == nil || !strings.Contains(err.Error(), "it sees <>") {
		t.Errorf("error %v", err)
	}
}
