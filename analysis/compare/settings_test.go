package compare_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/gate"
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

// The settings of a judge follow those of the model by default, so they differ with it. They are no
// cause of anything where no model grades.
func TestAJudgeIsNamedOnlyWhereThereIsOne(t *testing.T) {
	const (
		judged   = `{"grader":{"type":"multi","graders":{"style":{"type":"score_model","model":"m"}}}}`
		detected = `{"grader":{"type":"string_check"},"audit":{"detectors":[{"name":"d","judge":"Is this a hack?"}]}}`
		without  = `{"grader":{"type":"string_check"},"judge":{"api":"chat"}}`
	)
	run := func(config, api string) *rollout.Manifest {
		return &rollout.Manifest{Config: json.RawMessage(config), Binding: map[string]string{"model.api": api, "judge.api": api}}
	}
	for _, c := range []struct {
		name, base, new string
		want            []string
	}{
		{"no judge", without, without, []string{"model.api"}},
		{"a judge in both", judged, judged, []string{"model.api", "judge.api"}},
		{"a judge in one of them", without, judged, []string{"model.api", "judge.api"}},
		{"a judge that only looks for hacks", detected, detected, []string{"model.api", "judge.api"}},
		{"a configuration that is not recorded", "", "", []string{"model.api", "judge.api"}},
	} {
		var keys []string
		for _, d := range compare.Differences(run(c.base, "chat"), run(c.new, "responses")) {
			keys = append(keys, d.Key)
		}
		slices.Sort(keys)
		slices.Sort(c.want)
		if !slices.Equal(keys, c.want) {
			t.Errorf("%s: %v differ, want %v", c.name, keys, c.want)
		}
		_, kept := compare.ManifestSettings(run(c.new, "chat"))["judge.api"]
		if kept != slices.Contains(c.want, "judge.api") {
			t.Errorf("%s: a night keeps judge.api: %v", c.name, kept)
		}
	}
}

// A misspelt threshold was ignored, so the comparison was judged by the default.
func TestAMisspeltThresholdIsRefused(t *testing.T) {
	s := analysis.DefaultSettings()
	s.Thresholds = analysis.Thresholds{"compare.detla": 0.2}
	run := opened(t, []string{`{"item":"a","reward":1}`})
	_, err := compare.Runs(t.Context(), run, run, rollout.ReadOptions{}, s)
	for what, err := range map[string]error{
		"Runs":         err,
		"RankVariants": compare.RankVariants(t.Context(), &analysis.Result{}, run, nil, rollout.ReadOptions{}, s, gate.All()),
	} {
		if err == nil || !strings.Contains(err.Error(), `"compare.detla"; there are`) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
