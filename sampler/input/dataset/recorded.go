package dataset

import (
	"os"
	"slices"

	"gonogo/sampler/rollout"
)

// Recorded returns what the manifest of a run says about a split's file; nil if it says nothing.
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

// FindRecorded returns the first of the places that holds a file, and the first that holds the
// recorded file, which it identifies by its hash. If recorded is nil, any file matches. "" means
// none.
func FindRecorded(places []string, recorded *rollout.Data) (first, match string, err error) {
	for _, place := range places {
		if info, err := os.Stat(place); err != nil || info.IsDir() {
			continue
		}
		if first == "" {
			first = place
		}
		if recorded == nil {
			return first, place, nil
		}
		sum, err := HashFile(place)
		if err != nil {
			return "", "", err
		}
		if sum == recorded.SHA256 {
			return first, place, nil
		}
	}
	return first, "", nil
}
