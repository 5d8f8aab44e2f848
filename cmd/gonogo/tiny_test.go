package main

import (
	"os"
	"path/filepath"
	"testing"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/fixtures"
	"gonogo/sampler/rollout"
)

// tinyProject is the tiny world's configuration, ready for the first call;
// nothing is served.
func tinyProject(t *testing.T, secrets ...string) *project.Project {
	t.Helper()
	dir := t.TempDir()
	world, err := fixtures.Find("tiny")
	if err == nil {
		err = world.Write(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(filepath.Join(dir, "gonogo.yaml"), os.LookupEnv, "seed=1", "sampling.address_map."+fixtures.Origin+"=http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	p, err := project.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	p.Redact = rollout.NewRedactor(secrets...)
	return p
}
