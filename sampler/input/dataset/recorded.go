package dataset

import (
	"os"
	"slices"

	"gonogo/sampler/rollout"
)

// Recorded is what the manifest of a run says of a split's file; nil where it says nothing.
func Recorded(m *rollout.Manifest, split rollout.Split) *rollout.Data {
	if m == nil {
		return nil
	}
	i := slices.IndexFunc(m.Data, func(d rollout.Data) bool { return d.Split == split })
	if i < 0 {
		return nil
	}
	return &m.Data[i]
}

// FindRecorded returns the first of the places that holds a file, and the first that holds
// the recorded one, known by its hash: any, where none is recorded. "" is none.
func FindRecorded(places []string, recorded *rollout.Data) (there, match string, err error) {
	for _, place := range places {
		if info, err := os.Stat(place); err != nil || info.IsDir() {
			continue
		}
		if there == "" {
			there = place
		}
		if recorded == nil {
			return there, place, nil
		}
		sum, err := HashFile(place)
		if err != nil {
			return "", "", err
		}
		if sum == recorded.SHA256 {
			return there, place, nil
		}
	}
	return there, "", nil
}
