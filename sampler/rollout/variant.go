package rollout

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gonogo/sampler/rollout/disk"
)

// VariantsDir is the directory of a run's variants, each of which is a run directory named after
// the variant.
const VariantsDir = "variants"

// Variant says in a run's manifest that the run equals another one except for the changes: same
// items, same samples, same seed.
type Variant struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc,omitempty"`
	Of      string   `json:"of"` // ID of the run that it is a variant of
	Changes []Change `json:"changes"`
}

// Change is one difference between a variant and its run.
type Change struct {
	Key  string `json:"key"`  // such as prompt, tools.search or model.temperature
	Base string `json:"base"` // "" is not set
	New  string `json:"new"`  // "" is nothing
}

// VariantDir returns the directory of the named variant of the run in dir.
func VariantDir(dir, name string) string { return filepath.Join(dir, VariantsDir, name) }

// Variants opens the variants of a run, by name. Directories that are not runs, or whose manifest
// does not name this run, are left out and listed in strangers. A single file of rollouts has no
// variants.
func (r *Run) Variants() (variants []*Run, strangers []string, err error) {
	dir, ok := r.neighbour(VariantsDir)
	if !ok || r.Manifest == nil {
		return nil, nil, nil
	}
	if err := disk.CheckRegularDir(dir); err != nil {
		return nil, nil, fmt.Errorf("look for variants: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("look for variants: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		v, err := Open(filepath.Join(dir, e.Name()))
		switch {
		case errors.Is(err, ErrNotARun), err == nil && (v.Manifest == nil || v.Manifest.Variant == nil ||
			v.Manifest.Variant.Of != r.Manifest.ID):
			strangers = append(strangers, e.Name())
		case err != nil:
			return nil, nil, err
		default:
			variants = append(variants, v)
		}
	}
	return variants, strangers, nil
}
