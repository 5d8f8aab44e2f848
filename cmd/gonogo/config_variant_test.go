package main

import (
	"strings"
	"testing"
)

const variantsHead = "job: job.json\ndata: {train: train.jsonl}\nmodel: {base_url: \"https://a.example.com/v1\"}\nvariants:\n"

// A variant that cannot apply is a mistake with its place.
func TestVariantsThatCannotApply(t *testing.T) {
	for what, c := range map[string]struct{ entry, want string }{
		"no name":            {"- {prompt: x}", ":5:3: variants: the entry has no name"},
		"no safe path":       {"- {name: ../up, prompt: x}", ":5:10: variants: name must be made of a-z"},
		"a name of dots":     {"- {name: a., prompt: x}", ":5:10: variants: name must be made of a-z"},
		"the run's own name": {"- {name: base, prompt: x}", ":5:10: variants[0].name: base is the run itself"},
		"a name twice":       {"- {name: a, prompt: x}\n- {name: a, prompt: y}", ":6:10: variants[1].name: there is a variant a already"},
		"nothing":            {"- {name: a, doc: d}", ":5:3: variants[0]: the variant a changes nothing"},
		"what holds already": {"- {name: a, model: base-model, reasoning_effort: high}", ":5:3: variants[0]: the variant a changes nothing"},
		"a tool of nobody":   {"- {name: a, tools: {serch: x}}", `:5:21: variants[0].tools.serch: the job serves no tool "serch", did you mean search?`},
		"no text":            {"- {name: a, tools: {search: [x]}}", ":5:29: variants: tools.search must be text, got a list"},
		"no map":             {"- {name: a, tools: search}", `:5:20: variants: tools must be a map from name to text, got "search"`},
		"two prompts":        {"- {name: a, prompt: x, prompt_add: y}", ":5:36: variants[0].prompt_add: stands beside prompt"},
		"too hot":            {"- {name: a, temperature: 3}", ":5:26: variants[0].temperature: must be from 0 to 2, got 3"},
		"an unknown key":     {"- {name: a, promt: x}", `:5:13: variants: unknown key "promt", did you mean prompt?`},
		"no key":             {"- {name: a, model: m, base_url: \"https://b.example.com/v1\", api_key_env: NO_SUCH}", ":5:74: variants[0].api_key_env: the environment has no NO_SUCH"},
		"a key for its name": {"- {name: a, model: m, api_key_env: sk-abcdef123456}", ":5:36: variants[0].api_key_env: must name the environment variable"},
	} {
		_, _, err := loaded(t, variantsHead+c.entry+"\n", keysInPlace)
		if err == nil || !strings.Contains(err.Error(), "gonogo.yaml"+c.want) {
			t.Errorf("%s: %v, want %s", what, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "sk-abcdef") {
			t.Errorf("%s: the message shows the key", what)
		}
	}
}

// A variant on another server takes its own key, is not sent the headers of the
// base, leaves the judge where it was, and shows nothing of its secrets.
func TestAVariantOnAnotherServer(t *testing.T) {
	yaml := strings.Replace(variantsHead, "v1\"}", "v1\", headers: {x-own: own-secret-1}}", 1) +
		"- {name: other, model: big, base_url: \"https://me:hidden-pass@b.example.com/v1\", api_key_env: OTHER_KEY}\n- {name: warm, temperature: 0.5}\n"
	env := environment("OPENAI_API_KEY", "sk-planted", "TOOL_KEY", "planted-tool", "OTHER_KEY", "sk-other-planted")
	c, _, err := loaded(t, yaml, env)
	if err != nil {
		t.Fatal(err)
	}
	other, warm := c.forVariant(0), c.forVariant(1)
	if m := other.Model; m.Name != "big" || other.modelKey != "sk-other-planted" || len(m.Headers) > 0 || other.Judge.BaseURL != "https://a.example.com/v1" || other.judgeKey != "sk-planted" {
		t.Errorf("the other server gets %+v, key %q; the judge is at %s", m, other.modelKey, other.Judge.BaseURL)
	}
	if warm.modelKey != "sk-planted" || warm.Model.Headers["x-own"] != "own-secret-1" || *warm.Model.Temperature != 0.5 || c.Model.Temperature != nil {
		t.Errorf("the same server gets %+v, key %q", warm.Model, warm.modelKey)
	}
	masked := string(c.masked())
	for _, secret := range []string{"sk-other-planted", "hidden-pass"} {
		if strings.Contains(masked, secret) || !strings.Contains(strings.Join(c.secrets(), "\n"), secret) {
			t.Errorf("%s is shown, or not known as a secret", secret)
		}
	}
	again, err := configOf("run.json", c.masked())
	if err != nil || len(again.variants()) != 2 {
		t.Errorf("the manifest's configuration does not read back: %v", err)
	}
	if was, now := c.binding(), other.binding(); was["model.name"] == now["model.name"] {
		t.Error("the variant is bound to the base's model")
	}
}
