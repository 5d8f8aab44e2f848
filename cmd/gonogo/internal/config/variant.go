package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/dataset"
	"gonogo/sampler/job"
	"gonogo/sampler/rollout"
)

// BaseVariant names the run itself among its variants.
const BaseVariant = "base"

// variantEntry lists the keys of an entry of variants.
func variantEntry() []entryKey {
	name := nameEntry
	name.Doc = "what it is called in the report, and its folder below RUN/variants"
	name.Pattern, name.Want = `^[a-z0-9]([a-z0-9_.-]{0,62}[a-z0-9_-])?$`, "made of a-z, 0-9, _, . and -, at most 64, and end with no dot"
	return []entryKey{
		name,
		{Name: "doc", Doc: docEntry.Doc},
		{Name: "prompt", Doc: "the text that replaces the system and developer messages at the beginning of each row; a row without any gets it as a system message, and an empty text leaves them out"},
		{Name: "prompt_add", Doc: "instead of prompt: a text that follows the last of these messages, after an empty line; for rows whose prompts differ"},
		{Name: "tools", Kind: yamlMap, Doc: "descriptions to offer tools by, by the tool's name"},
		{Name: "model", Doc: "another model's name"},
		{Name: "base_url", Doc: "where that model answers; the judge stays where it is", Pattern: urlPattern, Want: "a http:// or https:// URL", hidden: true},
		{Name: "api", Doc: "which API its server speaks", Enum: []string{"responses", "chat"}},
		{Name: "api_key_env", Doc: "the environment variable that holds its API key, or none", hidden: true},
		{Name: "reasoning_effort", Doc: "how long a reasoning model may think; sent as written"},
		{Name: "temperature", Kind: yamlNumber, Doc: "sampling temperature, from 0 to 2"},
		{Name: "requests_per_minute", Kind: yamlNumber, Doc: "most requests a minute to that model; without it model.requests_per_minute where it answers at the run's own server, else what its server says"},
		{Name: "tokens_per_minute", Kind: yamlNumber, Doc: "most tokens a minute, in and out, of that model; without it as requests_per_minute"},
		{Name: "model_input", Kind: yamlNumber, Doc: "US dollars per million input tokens; without it prices.model_input where the model is the run's own, else the listed price"},
		{Name: "model_cached_input", Kind: yamlNumber, Doc: "US dollars per million input tokens that its server had cached; alone it complements the price that the model has without it"},
		{Name: "model_output", Kind: yamlNumber, Doc: "US dollars per million output tokens"},
	}
}

// VariantValue is one entry of variants.
type VariantValue struct {
	Name            string            `json:"name"`
	Doc             string            `json:"doc"`
	Prompt          *string           `json:"prompt"`
	PromptAdd       string            `json:"prompt_add"`
	Tools           map[string]string `json:"tools"`
	Model           string            `json:"model"`
	BaseURL         string            `json:"base_url"`
	API             string            `json:"api"`
	APIKeyEnv       string            `json:"api_key_env"`
	ReasoningEffort string            `json:"reasoning_effort"`
	Temperature     *float64          `json:"temperature"`

	RequestsPerMinute *float64 `json:"requests_per_minute"`
	TokensPerMinute   *float64 `json:"tokens_per_minute"`

	ModelInput       *float64 `json:"model_input"`
	ModelCachedInput *float64 `json:"model_cached_input"`
	ModelOutput      *float64 `json:"model_output"`
}

// Override is what the variant puts to the model instead of the rows.
func (v VariantValue) Override() dataset.Override {
	return dataset.Override{Prompt: v.Prompt, Add: v.PromptAdd, Tools: v.Tools}
}

// VariantList returns the entries of variants.
func (c *Config) VariantList() []VariantValue { return entries[VariantValue](c.Variants) }

// VariantPath is the path of a key of variant i, as errors name it.
func VariantPath(i int, name string) string { return fmt.Sprintf("variants[%d].%s", i, name) }

// checkVariants finds the variants that cannot be applied, as far as
// configuration and job alone show. It notes where their keys stand.
func checkVariants(c *Config) error {
	var errs []error
	seen := map[string]bool{}
	for i, v := range c.VariantList() {
		placeVariant(c, i)
		fault := func(name, format string, args ...any) {
			errs = append(errs, c.Fault(VariantPath(i, name), format, args...))
		}
		switch {
		case v.Name == BaseVariant:
			fault("name", "%s is the run itself: call the variant something else", BaseVariant)
		case seen[v.Name]:
			fault("name", "there is a variant %s already", v.Name)
		}
		seen[v.Name] = true
		if v.Prompt != nil && v.PromptAdd != "" {
			fault("prompt_add", "cannot be combined with prompt: a variant replaces the prompt or adds to it")
		}
		if t := v.Temperature; t != nil && (*t < 0 || *t > 2) {
			fault("temperature", "must be from 0 to 2, got %g", *t)
		}
		for name, price := range map[string]*float64{"model_input": v.ModelInput, "model_cached_input": v.ModelCachedInput, "model_output": v.ModelOutput} {
			if price != nil && *price < 0 {
				fault(name, "must be 0 or more, got %g", *price)
			}
		}
		for name, most := range map[string]*float64{"requests_per_minute": v.RequestsPerMinute, "tokens_per_minute": v.TokensPerMinute} {
			if most != nil && (*most < 0 || *most != math.Trunc(*most) || *most > 1e12) {
				fault(name, "must be a whole number, 0 or more, got %g", *most)
			}
		}
		if v.APIKeyEnv != "" {
			errs = append(errs, keyVariable(c, VariantPath(i, "api_key_env"), v.APIKeyEnv))
		}
		errs = append(errs, checkVariantTools(c, i, v)...)
		if len(c.ModelChanges(i)) == 0 && v.Prompt == nil && v.PromptAdd == "" && len(v.Tools) == 0 {
			errs = append(errs, c.EntryFault("variants", c.Variants, i, fmt.Errorf("the variant %s changes nothing: let it override prompt, prompt_add, tools, model, base_url, api, reasoning_effort or temperature by another value than the run's own", v.Name)))
		}
	}
	return Join(errs)
}

// placeVariant notes where the keys of variant i stand.
func placeVariant(c *Config, i int) {
	file, node := c.given["variants"].file, c.Variants[i].node
	if node == nil {
		return
	}
	for _, f := range node.fields {
		c.given[VariantPath(i, f.key)] = place{file, f.value.line, f.value.column}
		if f.key != "tools" {
			continue
		}
		for _, t := range f.value.fields {
			c.given[VariantPath(i, "tools."+t.key)] = place{file, t.line, t.column}
		}
	}
}

// checkVariantTools refuses descriptions of tools that the job does not serve.
func checkVariantTools(c *Config, i int, v VariantValue) []error {
	if c.Body == nil || len(c.Tools.MCP) > 0 { // what servers offer is not known yet: fits tells
		return nil
	}
	var errs []error
	served := c.Body.ToolNames()
	for _, name := range slices.Sorted(maps.Keys(v.Tools)) {
		if !slices.Contains(served, name) {
			errs = append(errs, c.Fault(VariantPath(i, "tools."+name), "the job serves no tool %q%s", name, ui.DidYouMean(name, served)))
		}
	}
	return errs
}

// ForVariant is the configuration of variant i: the run's own, with what the
// variant overrides of the model. The judge is settled already and stays.
func (c *Config) ForVariant(i int) *Config {
	out, v := *c, c.VariantList()[i]
	out.values = c.values.clone()
	out.Variants = nil
	m := &out.Model
	for _, o := range []struct {
		to   *string
		text string
	}{
		{&m.Name, v.Model},
		{&m.BaseURL, v.BaseURL},
		{&m.API, v.API},
		{&m.ReasoningEffort, v.ReasoningEffort},
	} {
		if o.text != "" {
			*o.to = o.text
		}
	}
	if v.Temperature != nil {
		m.Temperature = v.Temperature
	}
	if origin(m.BaseURL) != origin(c.Model.BaseURL) { // another server is not handed the model's credentials
		m.Headers, m.APIKeyEnv = nil, defaultKeyEnv
		m.RequestsPerMinute, m.TokensPerMinute = 0, 0 // nor bound by what this one bears
	}
	if n := v.RequestsPerMinute; n != nil {
		m.RequestsPerMinute = int(*n)
	}
	if n := v.TokensPerMinute; n != nil {
		m.TokensPerMinute = int(*n)
	}
	if v.APIKeyEnv != "" {
		m.APIKeyEnv = v.APIKeyEnv
	}
	out.Prices = variantPrices(c, v, m.Name == c.Model.Name && m.BaseURL == c.Model.BaseURL)
	if i < len(c.variantAPIKeys) {
		out.ModelKey = c.variantAPIKeys[i]
	}
	return &out
}

// variantPrices are those of the run itself but for the model's tokens, where it
// is another model or another server's. Those of one model belong together: its
// cached tokens alone have a price beside whatever the others cost.
func variantPrices(c *Config, v VariantValue, same bool) priceValues {
	p := c.Prices
	if !same || v.ModelInput != nil || v.ModelOutput != nil {
		p.ModelInput, p.ModelCachedInput, p.ModelOutput = v.ModelInput, nil, v.ModelOutput
	}
	if v.ModelCachedInput != nil {
		p.ModelCachedInput = v.ModelCachedInput
	}
	return p
}

// ModelChanges lists what variant i changes of the model.
func (c *Config) ModelChanges(i int) []rollout.Change {
	var out []rollout.Change
	was, now := c.Binding(), c.ForVariant(i).Binding()
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if was[key] != now[key] {
			out = append(out, rollout.Change{Key: key, Base: was[key], New: now[key]})
		}
	}
	return out
}

// takeVariantKeys takes the variants' API keys from the environment.
func takeVariantKeys(c *Config) error {
	var errs []error
	c.variantAPIKeys = nil
	for i, v := range c.VariantList() {
		m, key := c.ForVariant(i).Model, c.ModelKey
		if v.APIKeyEnv != "" || origin(m.BaseURL) != origin(c.Model.BaseURL) {
			var err error
			key, err = apiKey(c, VariantPath(i, "api_key_env"), m.APIKeyEnv, m.BaseURL, v.APIKeyEnv != "")
			errs = append(errs, err)
		}
		c.variantAPIKeys = append(c.variantAPIKeys, key)
	}
	return errors.Join(errs...)
}

// maskedVariants are the entries without what their URLs may hold.
func maskedVariants(c *Config) []MapValue {
	var out []MapValue
	for i, m := range c.Variants {
		var entry map[string]any
		if err := json.Unmarshal(m.Body, &entry); err != nil {
			panic(fmt.Sprintf("gonogo: a variant: %v", err)) // it was made from JSON
		}
		if url := c.VariantList()[i].BaseURL; url != "" {
			entry["base_url"] = job.MaskURL(url)
		}
		out = append(out, MapValue{Body: Marshal(entry)})
	}
	return out
}
