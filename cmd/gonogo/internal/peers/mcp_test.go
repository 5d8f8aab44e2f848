package peers

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The official client in Python lists the tools of gonogo mcp and calls them; it checks each result
// against its schema.
func TestMCPClient(t *testing.T) {
	p := meet(t, "mcp")
	cmd := p.command("python", filepath.Join(p.scripts, "session.py"), program, "run", "w/gonogo.yaml")
	p.gonogo(4, "demo", "--world", "tiny", "--no-audit", "--set", "report.formats=[markdown]", "-o", filepath.Join(cmd.Dir, "run"))
	p.gonogo(0, "init", "--template", "code-tests", "-o", filepath.Join(cmd.Dir, "w", "gonogo.yaml"))
	told := decode[struct {
		Tools   []string
		Results map[string]map[string]any
		Errors  map[string]any
	}](p, p.output(cmd))
	slices.Sort(told.Tools)
	want := []string{"check_configuration", "compare_runs", "estimate_cost", "explain_verdict", "get_rollouts", "list_findings"}
	if !slices.Equal(told.Tools, want) {
		t.Errorf("the tools are %v", told.Tools)
	}
	for _, name := range want {
		if told.Results[name] == nil {
			t.Errorf("%s has no result", name)
		}
	}
	if told.Results["explain_verdict"]["verdict"] != "UNDECIDED" { // the tiny world has 12 items
		t.Errorf("the verdict is explained as %v", told.Results["explain_verdict"])
	}
	refused, err := json.Marshal(told.Errors["explain_verdict"])
	if err != nil || !strings.Contains(string(refused), "outside the folder of the server") {
		t.Errorf("the folder above is answered with %s, %v", refused, err)
	}
}
