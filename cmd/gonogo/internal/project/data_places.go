package project

import (
	"os"
	"path/filepath"
	"slices"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/fixtures"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/rollout"
)

// DataPlaces lists the paths where a split's data file may be: the path in the configuration and,
// for a file that can be verified by its hash, the path in the current configuration and the path
// where the demo leaves its files.
func DataPlaces(c *Invocation, run *rollout.Run, cfg *config.Config, split rollout.Split) []string {
	places := []string{cfg.Data.Of(split)}
	recorded := dataset.Recorded(run.Manifest, split)
	if c.Config == "" && recorded != nil {
		if path, err := ConfigPath(c); err == nil {
			if here, err := config.Peek(path, os.LookupEnv); err == nil {
				places = append(places, here.Data.Of(split))
			}
		}
	}
	if _, demo := cfg.Sampling.AddressMap[fixtures.Origin]; demo && recorded != nil {
		places = append(places, filepath.Join(run.Dir, "world", recorded.File))
	}
	return slices.DeleteFunc(places, func(p string) bool { return p == "" })
}
