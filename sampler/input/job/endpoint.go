package job

import (
	"encoding/json"
	"maps"
	"slices"

	"gonogo/sampler/jsontext"
)

// GraderURLs returns the URLs that the job's grader, or a grader within it,
// posts to, in the order of the graders' names.
func (j *Job) GraderURLs() []string { return graderURLs(j.Grader) }

func graderURLs(raw json.RawMessage) []string {
	var g struct {
		Type    string                     `json:"type"`
		URL     string                     `json:"url"`
		Graders map[string]json.RawMessage `json:"graders"`
	}
	if jsontext.Unmarshal(raw, &g) != nil {
		return nil
	}
	var urls []string
	if g.Type == "endpoint" && g.URL != "" {
		urls = append(urls, g.URL)
	}
	for _, name := range slices.Sorted(maps.Keys(g.Graders)) {
		urls = append(urls, graderURLs(g.Graders[name])...)
	}
	return urls
}
