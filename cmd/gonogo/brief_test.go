package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/fixtures"
)

// described is a planner's project of the tiny world with more in its
// configuration, and its folder.
func described(t *testing.T, more string, env lookup, overrides ...string) (*project, string) {
	t.Helper()
	_, dir := tinyWorld(t)
	path := filepath.Join(dir, "gonogo.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"gonogo.yaml": string(text) + more, "rewards.py": "def f(completions, **kwargs): return [1.0]\n", "grader.yaml": "{type: trl, file: rewards.py}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := loadConfig(path, env, append([]string{"seed=7", "sampling.address_map." + fixtures.Origin + "=http://127.0.0.1:1"}, overrides...)...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newProject(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.shut)
	return p, dir
}

func variables(pairs ...string) lookup {
	return func(name string) (string, bool) {
		i := slices.Index(pairs, name)
		if i < 0 {
			return "", false
		}
		return pairs[i+1], true
	}
}

const gated = "model: {headers: {x-gate: \"${GATE}\"}}\n"

// gatedTiny puts a header of the environment into the tiny world's model.
func gatedTiny(t *testing.T) func(string) string {
	t.Helper()
	return func(text string) string { return text }
}

func TestAWorkerComesToTheSameRun(t *testing.T) {
	env := variables("GATE", "planted-gate-0123")
	p, dir := described(t, "session: {start: http://localhost:1/start, headers: {x-gate: \"${GATE}\"}}\n", env, "grader="+"grader.yaml", "sampling.max_usd=3", "prices.model_input=1", "prices.model_output=1")
	_ = dir
	body, err := p.describe()
	if err != nil {
		t.Fatal(err)
	}
	_ = body
}
