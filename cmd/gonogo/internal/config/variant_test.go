package config

import (
	"strings"
	"testing"
)

const variantsHead = "job: job.json\ndata: {train: train.jsonl}\nmodel: {base_url: \"https://a.example.com/v1\"}\nvariants:\n"

// A variant that cannot apply is a mistake with its place.
func TestVariantsThatCannotApply(t *testing.T) {
	for what, c := range map[string]struct{ entry, want string }{
		"no name":            {"- {prompt: x}", ":5:3: variants[0]: the entry has no name"},
		"no safe path":       {"- {name: ../up, prompt: x}", ":5:10: variants[0].name: must be made of a-z"},
		"a name of dots":     {"- {name: a., prompt: x}", ":5:10: variants[0].name: must be made of a-z"},
		"the run's own name": {"- {name: base, prompt: x}", ":5:10: variants[0].name: base is the run itself"},
		"a name twice":       {"- {name: a, prompt: x}\n- {name: a, prompt: y}", ":6:10: variants[1].name: there is a variant a already"},
		"nothing":            {"- {name: a, doc: d}", ":5:3: variants[0]: the variant a changes nothing"},
		"what holds already": {"- {name: a, model: base-model, reasoning_effort: high}", ":5:3: variants[0]: the variant a changes nothing"},
		"a tool of nobody":   {"- {name: a, tools: {serch: x}}", `:5:28: variants[0].tools.serch: the job serves no tool "serch", did you mean search?`},
		"a drop of nothing":  {"- {name: a, drop_tools: [serch]}", `:5:26: variants[0].drop_tools[0]: the job serves no tool "serch", did you mean search?`},
		"an unknown tool":    {"- {name: a, add_tools: [serch]}", `:5:25: variants[0].add_tools[0]: the job serves no tool "serch"`},
		"an empty name":      {"- {name: a, rename_tools: {search: \"\"}}", ":5:36: variants[0].rename_tools.search: the new name is missing"},
		"dropped by name":    {"- {name: a, drop_tools: [search], rename_tools: {search: find}}", ":5:58: variants[0].rename_tools.search: cannot be combined with drop_tools"},
		"no calls":           {"- {name: a, max_tool_calls: 0}", ":5:29: variants[0].max_tool_calls: must be 1 or more, got 0"},
		"no text":            {"- {name: a, tools: {search: [x]}}", ":5:29: variants[0].tools.search: must be text, got a list"},
		"no map":             {"- {name: a, tools: search}", `:5:20: variants[0].tools: must be a map from name to text, got "search"`},
		"two prompts":        {"- {name: a, prompt: x, prompt_add: y}", ":5:36: variants[0].prompt_add: cannot be combined with prompt"},
		"too hot":            {"- {name: a, temperature: 3}", ":5:26: variants[0].temperature: must be 2 or less, got 3"},
		"half a request":     {"- {name: a, prompt: x, requests_per_minute: 0.5}", ":5:45: variants[0].requests_per_minute: must be a whole number, got 0.5"},
		"an unknown key":     {"- {name: a, promt: x}", `:5:13: unknown key "variants[0].promt", did you mean "variants[0].prompt"?`},
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
	other, warm := c.ForVariant(0), c.ForVariant(1)
	if m := other.Model; m.Name != "big" || other.ModelKey != "sk-other-planted" || len(m.Headers) > 0 || other.Judge.BaseURL != "https://a.example.com/v1" || other.JudgeKey != "sk-planted" {
		t.Errorf("the other server gets %+v, key %q; the judge is at %s", m, other.ModelKey, other.Judge.BaseURL)
	}
	if warm.ModelKey != "sk-planted" || warm.Model.Headers["x-own"] != "own-secret-1" || *warm.Model.Temperature != 0.5 || c.Model.Temperature != nil {
		t.Errorf("the same server gets %+v, key %q", warm.Model, warm.ModelKey)
	}
	masked := string(c.Masked())
	for _, secret := range []string{"sk-other-planted", "hidden-pass"} {
		if strings.Contains(masked, secret) || !strings.Contains(strings.Join(c.Secrets(), "\n"), secret) {
			t.Errorf("%s is shown, or not known as a secret", secret)
		}
	}
	again, err := FromManifest("run.json", c.Masked())
	if err != nil || len(again.Variants) != 2 {
		t.Errorf("the manifest's configuration does not read back: %v", err)
	}
	if was, now := c.Binding(), other.Binding(); was["model.name"] == now["model.name"] {
		t.Error("the variant is bound to the base's model")
	}
}

// model_cached_input alone was read and forgotten.
func TestPricesOfAVariant(t *testing.T) {
	const none = -1.0
	for what, c := range map[string]struct {
		base, entry           string
		input, cached, output float64
	}{
		"those of the run, for its model":           {"{model_input: 2, model_cached_input: 1, model_output: 8}", "prompt: x", 2, 1, 8},
		"cached tokens alone, beside the run's":     {"{model_input: 2, model_output: 8}", "prompt: x, model_cached_input: 0.5", 2, 0.5, 8},
		"its own, without the run's of cached ones": {"{model_input: 2, model_cached_input: 1, model_output: 8}", "prompt: x, model_input: 3, model_output: 9", 3, none, 9},
		"cached tokens alone, beside the listed":    {"{}", "model: o4-mini, base_url: \"https://api.openai.com/v1\", api_key_env: none, model_cached_input: 0.5", 1.1, 0.5, 4.4},
		"none of the run's for another model":       {"{model_input: 2, model_cached_input: 1, model_output: 8}", "model: unlisted", none, none, none},
	} {
		cfg, _, err := loaded(t, variantsHead+"- {name: a, "+c.entry+"}\nprices: "+c.base+"\n", keysInPlace)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		p := cfg.ForVariant(0).TokenPrices().Model
		for name, price := range map[string]struct {
			got  *float64
			want float64
		}{"input": {p.Input, c.input}, "cached": {p.CachedInput, c.cached}, "output": {p.Output, c.output}} {
			got := none
			if price.got != nil {
				got = *price.got
			}
			if got != price.want {
				t.Errorf("%s: %s costs %g, want %g", what, name, got, price.want)
			}
		}
	}
}

// A variant on another server was held to what the run's own server bears.
func TestTheMinuteOfAVariant(t *testing.T) {
	head := strings.Replace(variantsHead, "v1\"}", "v1\", requests_per_minute: 60, tokens_per_minute: 9000}", 1)
	for entry, want := range map[string][2]int{
		"model: m":                          {60, 9000},
		"model: m, requests_per_minute: 30": {30, 9000},
		"model: m, base_url: \"https://b.example.com/v1\", api_key_env: none":                            {0, 0},
		"model: m, base_url: \"https://b.example.com/v1\", api_key_env: none, requests_per_minute: 10":   {10, 0},
		"model: m, base_url: \"https://b.example.com/v1\", api_key_env: none, tokens_per_minute: 100000": {0, 100000},
	} {
		cfg, _, err := loaded(t, head+"- {name: a, "+entry+"}\n", keysInPlace)
		if err != nil {
			t.Errorf("%s: %v", entry, err)
			continue
		}
		if m := cfg.ForVariant(0).Model; [2]int{m.RequestsPerMinute, m.TokensPerMinute} != want {
			t.Errorf("%s: %d requests, %d tokens a minute, want %v", entry, m.RequestsPerMinute, m.TokensPerMinute, want)
		}
	}
}
