package rollout_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonogo/sampler/rollout"
)

// Only runs that say they vary this very run are its variants; whatever else
// is in the folder is named.
func TestVariantsOfARun(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("run.json", `{"schema":"gonogo/run/1","id":"base"}`)
	write("variants/brief/run.json", `{"schema":"gonogo/run/1","id":"x","variant":{"name":"brief","of":"base","changes":[{"key":"prompt","base":"","new":"p"}]}}`)
	write("variants/former/run.json", `{"schema":"gonogo/run/1","id":"y","variant":{"name":"former","of":"another","changes":[]}}`)
	write("variants/own/run.json", `{"schema":"gonogo/run/1","id":"z"}`)
	write("variants/notes/thoughts.txt", "none")
	write("variants/readme.txt", "none")
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	variants, strangers, err := run.Variants()
	if err != nil || len(variants) != 1 || variants[0].Manifest.Variant.Name != "brief" || len(variants[0].Manifest.Variant.Changes) != 1 {
		t.Fatalf("variants are %v, %v", variants, err)
	}
	if want := []string{"former", "notes", "own"}; !slices.Equal(strangers, want) {
		t.Errorf("strangers are %v, want %v", strangers, want)
	}
	if none, _, err := variants[0].Variants(); err != nil || none != nil {
		t.Errorf("a variant has variants %v, %v", none, err)
	}
	write("variants/broken/run.json", `{"schema":"gonogo/run/1","id":7}`)
	if _, _, err := run.Variants(); err == nil {
		t.Error("a manifest that cannot be read is no error")
	}
}
