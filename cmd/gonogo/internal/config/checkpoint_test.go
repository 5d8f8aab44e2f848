package config

import (
	"strings"
	"testing"
)

// A checkpoint on another server takes its own key or none, is not sent the headers of the run, leaves
// the judge where it was and costs what the run's model costs.
func TestACheckpointOnAnotherServer(t *testing.T) {
	yaml := "job: job.json\ndata: {train: train.jsonl}\nprices: {model_input: 3, model_output: 12}\n" +
		"model: {base_url: \"https://a.example.com/v1\", headers: {x-own: own-secret-1}}\n"
	env := environment("OPENAI_API_KEY", "sk-planted", "TOOL_KEY", "planted-tool", "OTHER_KEY", "sk-other-planted")
	for name, c := range map[string]struct {
		at            Checkpoint
		key, model    string
		headers       int
		usd           float64
		fails, hidden string
	}{
		"a key of its own": {Checkpoint{"https://b.example.com/v1", "step-20", "OTHER_KEY"}, "sk-other-planted", "step-20", 0, 3, "", ""},
		"no key":           {Checkpoint{"https://b.example.com/v1", "", "none"}, "", "base-model", 0, 3, "", ""},
		"a local server":   {Checkpoint{"http://localhost:1/v1", "", "none"}, "", "base-model", 0, 3, "", ""},
		"the run's server": {Checkpoint{"https://a.example.com/v1", "adapter", ""}, "sk-planted", "adapter", 1, 3, "", ""},
		"the base model":   {Checkpoint{"https://a.example.com/v1", "", ""}, "", "", 0, 0, "sampled its base model base-model there", ""},
		"the base by name": {Checkpoint{"https://a.example.com/v2", "base-model", ""}, "", "", 0, 0, "name the checkpoint with --model", ""},
		"no such variable": {Checkpoint{"https://b.example.com/v1", "", "NO_SUCH"}, "", "", 0, 0, "--api-key-env: the environment has no NO_SUCH", ""},
		"a key":            {Checkpoint{"https://b.example.com/v1", "", "sk-abcdef123456"}, "", "", 0, 0, "must name the environment variable", "sk-abcdef"},
		"no address":       {Checkpoint{"localhost:8000", "", ""}, "", "", 0, 0, "give the address of an OpenAI-compatible server", ""},
	} {
		base, _, err := loaded(t, yaml, env)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.at.Complete(base)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) || c.hidden != "" && strings.Contains(err.Error(), c.hidden) {
				t.Errorf("%s: %v, want %s", name, err, c.fails)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.ModelKey != c.key || got.Model.Name != c.model || len(got.Model.Headers) != c.headers ||
			got.Model.BaseURL != c.at.BaseURL || got.Judge.BaseURL != "https://a.example.com/v1" || *got.TokenPrices().Model.Input != c.usd {
			t.Errorf("%s: key %q, %+v, judge %s, prices %+v", name, got.ModelKey, got.Model, got.Judge.BaseURL, got.TokenPrices().Model)
		}
		if base.ModelKey != "sk-planted" || base.Model.Name != "base-model" {
			t.Errorf("%s: the run's configuration changed", name)
		}
	}
}

func TestACheckpointOfAnAgentWithItsOwnModel(t *testing.T) {
	c, _, err := loaded(t, "grader: {type: string_check, name: g, operation: eq, input: \"{{sample.output_text}}\", reference: \"{{item.a}}\"}\n"+
		"data: {train: train.jsonl}\nagent: {command: [x], own_model: true}\n", environment())
	if err != nil {
		t.Fatal(err)
	}
	if _, err = (Checkpoint{BaseURL: "http://localhost:1/v1"}).Complete(c); err == nil || !strings.Contains(err.Error(), "let it use the checkpoint") {
		t.Error(err)
	}
}
