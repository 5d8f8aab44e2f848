package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/fixtures"
	"gonogo/sampler/input/document"
)

// mcpConfig reads a configuration with these servers.
func mcpConfig(t *testing.T, servers string) (*Config, error) {
	t.Helper()
	dir := t.TempDir()
	world, err := fixtures.Find("tiny")
	if err == nil {
		err = world.Write(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "gonogo.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(text, "\ntools:\n  mcp:\n"+servers...), 0o644); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"SEARCH_KEY": "planted-search-key", "FILES_TOKEN": "planted-files-token"}
	return Load(file, func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	})
}

func TestMCPServersHideTheirSecrets(t *testing.T) {
	c, err := mcpConfig(t, `    - {name: files, command: [serve, -n, 1, -m, 1], env: {FILES_TOKEN: "${FILES_TOKEN}"}, per_rollout: true}
    - {name: search, url: "https://me:planted-password@search.example.com/mcp", headers: {authorization: "Bearer ${SEARCH_KEY}"}, only: [query], rename: {query: find}}
`)
	if err != nil {
		t.Fatal(err)
	}
	files, search := c.MCPServers[0], c.MCPServers[1]
	if files.Env["FILES_TOKEN"] != "planted-files-token" || len(files.Command) != 5 || !files.PerRollout || search.Headers["authorization"] != "Bearer planted-search-key" || search.Rename["query"] != "find" {
		t.Errorf("%+v", c.MCPServers)
	}
	masked := string(c.Masked())
	for _, secret := range []string{"planted-search-key", "planted-files-token", "planted-password"} {
		if strings.Contains(masked, secret) {
			t.Errorf("%s stands in the manifest", secret)
		}
		if !strings.Contains(strings.Join(c.Secrets(), "\n"), secret) {
			t.Errorf("%s is not masked elsewhere", secret)
		}
	}
	// What a manifest keeps is read back, and cannot be run with.
	again, err := FromManifest("run.json", json.RawMessage(masked))
	if err != nil {
		t.Fatal(err)
	}
	if err := document.SortErrors(takeMCP(again)); err == nil || !strings.Contains(err.Error(), "a run stores no secrets") {
		t.Error(err)
	}
}

func TestMCPServersThatContradictThemselves(t *testing.T) {
	for _, c := range []struct{ servers, says string }{
		{"    - {name: a}\n", "tools.mcp[0]: the MCP server a needs either a command or a url"},
		{"    - {command: [x]}\n", "the entry has no name"},
		{"    - {name: a, command: x}\n", `tools.mcp[0].command: must be a list of texts, got "x"`},
		{"    - {name: a, command: [[x]]}\n", "tools.mcp[0].command[0]: must be text, got a list"},
		{"    - {name: a, comand: [x]}\n", `unknown key "tools.mcp[0].comand", did you mean "tools.mcp[0].command"?`},
		{"    - {name: a, command: [x]}\n    - {name: a, command: [y]}\n", "tools.mcp[1]: there is a server a already"},
		{"    - {name: a, url: \"http://x:{{session.port}}\"}\n", "reads {{session.port}}"},
		{"    - {name: a, command: [x]}\nagent: {command: [y]}\n", "cannot be combined with an agent"},
	} {
		if _, err := mcpConfig(t, c.servers); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want …%s…", c.servers, err, c.says)
		}
	}
}
