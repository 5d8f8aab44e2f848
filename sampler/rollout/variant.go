package rollout

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// VariantsDir is the directory of a run's variants, each a run directory of its own by the variant's name.
const VariantsDir = "variants"

// Variant says in a run's manifest that the run was made like another one but
// for the changes: same items, same samples, same seed.
type Variant struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc,omitempty"`
	Of      string   `json:"of"` // ID of the run that it varies
	Changes []Change `json:"changes"`
}

// Change is one thing in which a variant departs from its run.
type Change struct {
	Key  string `json:"key"`  // such as prompt, tools.search or model.temperature
	Base string `json:"base"` // "" is not set
	New  string `json:"new"`  // "" is nothing
}

// VariantDir is where the variant of that name of the run in dir is.
func VariantDir(dir, name string) string { return filepath.Join(dir, VariantsDir, name) }

// Variants opens the variants of a run, by name. Directories that are no run, or
// whose manifest does not say that they vary this very run, are left out and
// named in strangers. A single file of rollouts has none.
func (r *Run) Variants() (variants []*Run, strangers []string, err error) {
	dir, ok := r.neighbour(VariantsDir)
	if !ok || r.Manifest == nil {
		return nil, nil, nil
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
