package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"gonogo/analysis/pilot"
	"gonogo/sampler/rollout/disk"
)

// PilotFile is the file in a run directory that says what the first steps of the training show.
var PilotFile = filepath.Join("pilot", "pilot.json")

// ReadPilot reads a run's pilot.json. It returns nil if there is none.
func ReadPilot(dir string) (*pilot.Result, error) {
	path := filepath.Join(dir, PilotFile)
	f, err := disk.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil // no pilot, or the run is a single file
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := pilot.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}
