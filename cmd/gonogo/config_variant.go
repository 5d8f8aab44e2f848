package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonogo/sampler/dataset"
	"gonogo/sampler/job"
	"gonogo/sampler/rollout"
)

// baseVariant names the run itself among its variants.
const baseVariant = "base"

func variantKeys() []key {
	return []key{{
		Path: "variants", Fallback: "none", Doc: "cheaper levers than training, each sampled on the same items with the same seed as the run itself and ranked against it; each overrides something of the prompt, the tools' descriptions and the model",
		Entry:   variantEntry(),
		Example: "[{name: brief, prompt: \"Answer in one line.\"}, {name: cool, temperature: 0.2}]",
		at:      func(v *values) any { return &v.Variants },
	}}
}

// variantEntry lists the keys of an entry of variants.
func variantEntry() []entryKey {
	name := nameEntry
	name.Doc = "what it is called in the report, and its folder below RUN/variants"
	name.Pattern, name.Want = `^[a-z0-9]([a-z0-9_.-]{0,62}[a-z0-9_-])?$`, "made of a-z, 0-9, _, . and -, at most 64, and end with no dot"
	return []entryKey{
		name,
		{Name: "doc", Doc: docEntry.Doc},
		{Name: "prompt", Doc: "the text that stands for the system and developer messages that each row begins with; a row without any gets it as a system message, and an empty text leaves them out"},
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
		{Name: "model_cached_input", Kind: yamlNumber, Doc: "US dollars per million input tokens that its server had cached; alone it stands beside the price that the model has without it"},
		{Name: "model_output", Kind: yamlNumber, Doc: "US dollars per million output tokens"},
	}
}

// variantValue is one entry of variants.
type variantValue struct {
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

// override is what the variant puts to the model instead of the rows.
func (v variantValue) override() dataset.Override {
	return dataset.Override{Prompt: v.Prompt, Add: v.PromptAdd, Tools: v.Tools}
}

// variants returns the entries of variants.
func (c *config) variants() []variantValue { return entries[variantValue](c.Variants) }

// variantPath is the path of a key of variant i, as errors name it.
func variantPath(i int, name string) string { return fmt.Sprintf("variants[%d].%s", i, name) }

// checkVariants finds the variants that cannot be applied, as far as
// configuration and job alone show. It notes where their keys stand.
func (c *config) checkVariants() error {
	var errs []error
	seen := map[string]bool{}
	for i, v := range c.variants() {
		c.placeVariant(i)
		fault := func(name, format string, args ...any) {
			errs = append(errs, c.fault(variantPath(i, name), format, args...))
		}
		switch {
		case v.Name == baseVariant:
			fault("name", "%s is the run itself: call the variant something else", baseVariant)
		case seen[v.Name]:
			fault("name", "there is a variant %s already", v.Name)
		}
		seen[v.Name] = true
		if v.Prompt != nil && v.PromptAdd != "" {
			fault("prompt_add", "stands beside prompt: a variant replaces the prompt or adds to it")
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
			errs = append(errs, c.keyVariable(variantPath(i, "api_key_env"), v.APIKeyEnv))
		}
		errs = append(errs, c.checkVariantTools(i, v)...)
		if len(c.modelChanges(i)) == 0 && v.Prompt == nil && v.PromptAdd == "" && len(v.Tools) == 0 {
			errs = append(errs, c.entryFault("variants", c.Variants, i, fmt.Errorf("the variant %s changes nothing: let it override prompt, prompt_add, tools, model, base_url, api, reasoning_effort or temperature by another value than the run's own", v.Name)))
		}
	}
	return joinConfigErrors(errs)
}

// placeVariant notes where the keys of variant i stand.
func (c *config) placeVariant(i int) {
	file, node := c.given["variants"].file, c.Variants[i].node
	if node == nil {
		return
	}
	for _, f := range node.fields {
		c.given[variantPath(i, f.key)] = place{file, f.value.line, f.value.column}
		if f.key != "tools" {
			continue
		}
		for _, t := range f.value.fields {
			c.given[variantPath(i, "tools."+t.key)] = place{file, t.line, t.column}
		}
	}
}

// checkVariantTools refuses descriptions of tools that the job does not serve.
func (c *config) checkVariantTools(i int, v variantValue) []error {
	if c.Body == nil || len(c.Tools.MCP) > 0 { // what servers offer is not known yet: fits tells
		return nil
	}
	var errs []error
	served := c.Body.ToolNames()
	for _, name := range slices.Sorted(maps.Keys(v.Tools)) {
		if !slices.Contains(served, name) {
			errs = append(errs, c.fault(variantPath(i, "tools."+name), "the job serves no tool %q%s", name, didYouMean(name, served)))
		}
	}
	return errs
}

// forVariant is the configuration of variant i: the run's own, with what the
// variant overrides of the model. The judge is settled already and stays.
func (c *config) forVariant(i int) *config {
	out, v := *c, c.variants()[i]
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
	out.Prices = c.variantPrices(v, m.Name == c.Model.Name && m.BaseURL == c.Model.BaseURL)
	if i < len(c.variantAPIKeys) {
		out.modelKey = c.variantAPIKeys[i]
	}
	return &out
}

// variantPrices are those of the run itself but for the model's tokens, where it
// is another model or another server's. Those of one model belong together: its
// cached tokens alone have a price beside whatever the others cost.
func (c *config) variantPrices(v variantValue, same bool) priceValues {
	p := c.Prices
	if !same || v.ModelInput != nil || v.ModelOutput != nil {
		p.ModelInput, p.ModelCachedInput, p.ModelOutput = v.ModelInput, nil, v.ModelOutput
	}
	if v.ModelCachedInput != nil {
		p.ModelCachedInput = v.ModelCachedInput
	}
	return p
}

// modelChanges lists what variant i changes of the model.
func (c *config) modelChanges(i int) []rollout.Change {
	var out []rollout.Change
	was, now := c.binding(), c.forVariant(i).binding()
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if was[key] != now[key] {
			out = append(out, rollout.Change{Key: key, Base: was[key], New: now[key]})
		}
	}
	return out
}

// takeVariantKeys takes the variants' API keys from the environment.
func (c *config) takeVariantKeys() error {
	var errs []error
	c.variantAPIKeys = nil
	for i, v := range c.variants() {
		m, key := c.forVariant(i).Model, c.modelKey
		if v.APIKeyEnv != "" || origin(m.BaseURL) != origin(c.Model.BaseURL) {
			var err error
			key, err = c.apiKey(variantPath(i, "api_key_env"), m.APIKeyEnv, m.BaseURL, v.APIKeyEnv != "")
			errs = append(errs, err)
		}
		c.variantAPIKeys = append(c.variantAPIKeys, key)
	}
	return errors.Join(errs...)
}

// maskedVariants are the entries without what their URLs may hold.
func (c *config) maskedVariants() []mapValue {
	var out []mapValue
	for i, m := range c.Variants {
		var entry map[string]any
		if err := json.Unmarshal(m.Body, &entry); err != nil {
			panic(fmt.Sprintf("gonogo: a variant: %v", err)) // it was made from JSON
		}
		if url := c.variants()[i].BaseURL; url != "" {
			entry["base_url"] = job.MaskURL(url)
		}
		out = append(out, mapValue{Body: marshal(entry)})
	}
	return out
}
