package project

import (
	"os"
	"path/filepath"
	"testing"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/fixtures"
	"gonogo/sampler/rollout"
)

// tinyProject is the tiny world's configuration, ready for the first call;
// nothing is served.
func tinyProject(t *testing.T, secrets ...string) *Project {
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
	p, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	p.Redact = rollout.NewRedactor(secrets...)
	return p
}

// tinyWorld writes the tiny world's files into a folder of their own.
func tinyWorld(t *testing.T) (world fixtures.World, dir string) {
	t.Helper()
	world, err := fixtures.Find("tiny")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := world.Write(dir); err != nil {
		t.Fatal(err)
	}
	return world, dir
}
