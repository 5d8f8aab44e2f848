package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/dataset"
	"gonogo/sampler/rollout"
)

// BaseVariant names the run itself among its variants.
const BaseVariant = "base"

// Override is what the variant shows the model instead of the rows.
func (v VariantValue) Override() dataset.Override {
	return dataset.Override{Prompt: v.Prompt, Add: v.PromptAdd, Tools: v.Tools, Drop: v.DropTools, Offer: v.AddTools, Rename: v.RenameTools}
}

// changesRows reports whether the variant changes what rows show to the model.
func (v VariantValue) changesRows() bool {
	return v.Prompt != nil || v.PromptAdd != "" || len(v.Tools)+len(v.DropTools)+len(v.AddTools)+len(v.RenameTools) > 0
}

// VariantPath is the path of a key of variant i, as errors name it.
func VariantPath(i int, name string) string { return fmt.Sprintf("variants[%d].%s", i, name) }

// checkVariants finds the variants that cannot be applied, as far as
// configuration and job alone show.
func checkVariants(c *Config) error {
	var errs []error
	seen := map[string]bool{}
	for i, v := range c.Variants {
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
		if v.APIKeyEnv != "" {
			errs = append(errs, keyVariable(c, VariantPath(i, "api_key_env"), v.APIKeyEnv))
		}
		if c.Body != nil && len(c.Tools.MCP) == 0 { // what servers offer is not known yet
			errs = append(errs, c.CheckVariantTools(i, c.Body.ToolNames())...)
		}
		if len(c.ModelChanges(i)) == 0 && !v.changesRows() {
			errs = append(errs, c.Fault(fmt.Sprintf("variants[%d]", i), "the variant %s changes nothing: let it override prompt, prompt_add, tools, drop_tools, add_tools, rename_tools, max_tool_calls, model, base_url, api, reasoning_effort or temperature by another value than the run's own", v.Name))
		}
	}
	return SortErrors(errs)
}

// CheckVariantTools rejects tools of variant i that are not served, and duplicate names.
// served are the names of all tools.
func (c *Config) CheckVariantTools(i int, served []string) []error {
	v := c.Variants[i]
	var errs []error
	who := "the job serves"
	if len(c.Tools.MCP) > 0 {
		who = "job and MCP servers have"
	}
	known := func(key, name string) {
		if !slices.Contains(served, name) {
			errs = append(errs, c.Fault(VariantPath(i, key), "%s no tool %q%s", who, name, ui.DidYouMean(name, served)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.Tools)) {
		known("tools."+name, name)
	}
	for k, name := range v.DropTools {
		known(fmt.Sprintf("drop_tools[%d]", k), name)
	}
	for k, name := range v.AddTools {
		known(fmt.Sprintf("add_tools[%d]", k), name)
	}
	taken := slices.DeleteFunc(slices.Clone(served), func(name string) bool {
		return slices.Contains(v.DropTools, name) || v.RenameTools[name] != ""
	})
	for _, name := range slices.Sorted(maps.Keys(v.RenameTools)) {
		key, to := "rename_tools."+name, v.RenameTools[name]
		known(key, name)
		switch {
		case to == "":
			errs = append(errs, c.Fault(VariantPath(i, key), "the new name is missing"))
		case slices.Contains(v.DropTools, name):
			errs = append(errs, c.Fault(VariantPath(i, key), "cannot be combined with drop_tools: a variant drops a tool or renames it"))
		case slices.Contains(taken, to):
			errs = append(errs, c.Fault(VariantPath(i, key), "another tool is called %s", to))
		}
		taken = append(taken, to)
	}
	return errs
}

// ForVariant is the configuration of variant i: the run's own with the variant's
// overrides of model, tools and call limit. The judge does not change.
func (c *Config) ForVariant(i int) *Config {
	out, v := *c, c.Variants[i]
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
	if v.MaxToolCalls != nil {
		out.Sampling.MaxToolCalls = *v.MaxToolCalls
	}
	out.DroppedTools, out.RenamedTools = v.DropTools, v.RenameTools
	if origin(m.BaseURL) != origin(c.Model.BaseURL) { // another server is not handed the model's credentials
		m.Headers, m.APIKeyEnv = nil, defaultKeyEnv
		m.RequestsPerMinute, m.TokensPerMinute = 0, 0 // nor bound by what this one bears
	}
	if n := v.RequestsPerMinute; n != nil {
		m.RequestsPerMinute = *n
	}
	if n := v.TokensPerMinute; n != nil {
		m.TokensPerMinute = *n
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

// variantPrices are the run's own prices, except for the model's tokens if it is another
// model or another server's. Those of one model belong together: its cached tokens have a
// price of their own whatever the others cost.
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

// ModelChanges lists what variant i changes about the model.
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
	for i, v := range c.Variants {
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
