package compare_test

import (
	"encoding/json"
	"testing"

	"gonogo/analysis/compare"
	"gonogo/sampler/rollout"
)

// A server's own settings that changed between two runs are named, where both servers said
// them and no request replaced them.
func TestAServersOwnSettingsAreCompared(t *testing.T) {
	run := func(sent, server string) *rollout.Manifest {
		s := new(rollout.Sampling)
		for text, into := range map[string]*map[string]json.RawMessage{sent: &s.Sent, server: &s.Server} {
			if text != "" {
				if err := json.Unmarshal([]byte(text), into); err != nil {
					t.Fatal(err)
				}
			}
		}
		return &rollout.Manifest{Source: rollout.Live, Sampling: s}
	}
	base := run("", `{"temperature":0.8,"top_k":40}`)
	for _, c := range []struct {
		name string
		new  *rollout.Manifest
		keys []string
	}{
		{"the same", base, nil},
		{"another temperature", run("", `{"temperature":1,"top_k":40}`), []string{"model.server.temperature"}},
		{"one setting less", run("", `{"temperature":0.8}`), []string{"model.server.top_k"}},
		{"a server that does not say", run("", ""), nil},
		{"one that is sent now", run(`{"temperature":0.8}`, `{"temperature":1,"top_k":40}`), []string{"model.server.temperature"}},
	} {
		var keys []string
		for _, d := range compare.Differences(base, c.new) {
			if keys = append(keys, d.Key); d.What != "model" {
				t.Errorf("%s: %s is of the %s", c.name, d.Key, d.What)
			}
		}
		if len(keys) != len(c.keys) || len(keys) == 1 && keys[0] != c.keys[0] {
			t.Errorf("%s: %v, want %v", c.name, keys, c.keys)
		}
	}
	if got := compare.ManifestSettings(base)["model.server.top_k"]; got != "40" {
		t.Errorf("a night keeps %q", got)
	}
}
