package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"gonogo/analysis/price"
	"gonogo/sampler/input/document"
	"gonogo/sampler/rollout"
)

// BaseVariant is the name of the run itself among its variants.
const BaseVariant = "base"

// VariantPath returns the path of a key of variant i, as used in errors.
func VariantPath(i int, name string) string { return fmt.Sprintf("variants[%d].%s", i, name) }

// checkVariants finds the variants that cannot be applied, as far as configuration and job alone
// show.
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
		if v.Prompt != nil && v.Add != "" {
			fault("prompt_add", "cannot be combined with prompt: a variant replaces the prompt or adds to it")
		}
		if v.APIKeyEnv != "" {
			errs = append(errs, keyVariable(c, VariantPath(i, "api_key_env"), v.APIKeyEnv))
		}
		if c.Body != nil && len(c.Tools.MCP) == 0 { // the tools of servers are not known yet
			errs = append(errs, c.CheckVariantTools(i, c.Body.ToolNames())...)
		}
		if len(c.ModelChanges(i)) == 0 && v.Empty() {
			errs = append(errs, c.Fault(fmt.Sprintf("variants[%d]", i), "the variant %s changes nothing: let it "+
				"override prompt, prompt_add, tools, drop_tools, add_tools, rename_tools, max_tool_calls, model, "+
				"base_url, api, reasoning_effort or temperature with a value other than the run's own", v.Name))
		}
	}
	return document.SortErrors(errs)
}

// CheckVariantTools rejects tools of variant i that are not served, and duplicate names. served
// lists the names of all tools.
func (c *Config) CheckVariantTools(i int, served []string) (errs []error) {
	who := "the job serves"
	if len(c.Tools.MCP) > 0 {
		who = "job and MCP servers have"
	}
	for _, f := range c.Variants[i].Faults(who, served) {
		errs = append(errs, c.Fault(VariantPath(i, f.Path), "%s", f.Msg))
	}
	return errs
}

// ForVariant returns the configuration of variant i: the run's own with the variant's overrides of
// model, tools and call limit. The judge does not change.
func (c *Config) ForVariant(i int) *Config {
	out, v := *c, c.Variants[i]
	out.values = c.values.clone()
	out.Variants, out.Queue.Address = nil, c.Queue.Address // includes its credentials
	m := &out.Model
	m.Name, m.BaseURL, m.API = cmp.Or(v.Model, m.Name), cmp.Or(v.BaseURL, m.BaseURL), cmp.Or(v.API, m.API)
	m.ReasoningEffort, m.Temperature = cmp.Or(v.ReasoningEffort, m.ReasoningEffort),
		cmp.Or(v.Temperature, m.Temperature)
	out.Sampling.MaxToolCalls = *cmp.Or(v.MaxToolCalls, &c.Sampling.MaxToolCalls)
	out.DroppedTools, out.RenamedTools = v.Drop, v.Rename
	if origin(m.BaseURL) != origin(c.Model.BaseURL) { // another server must not receive the model's credentials
		m.Headers, m.APIKeyEnv = nil, defaultKeyEnv
		m.RequestsPerMinute, m.TokensPerMinute = 0, 0 // nor is it bound by this server's limits
	}
	m.RequestsPerMinute, m.TokensPerMinute = *cmp.Or(v.RequestsPerMinute, &m.RequestsPerMinute),
		*cmp.Or(v.TokensPerMinute, &m.TokensPerMinute)
	m.APIKeyEnv = cmp.Or(v.APIKeyEnv, m.APIKeyEnv)
	out.Prices = variantPrices(c, v, m.Name == c.Model.Name && m.BaseURL == c.Model.BaseURL)
	if i < len(c.variantAPIKeys) {
		out.ModelKey = c.variantAPIKeys[i]
	}
	return &out
}

// variantPrices returns the run's own prices, except for the model's tokens if the variant uses
// another model or server. Prices of one model belong together: its cached tokens have their own
// price, whatever other models cost.
func variantPrices(c *Config, v VariantValue, same bool) price.Settings {
	p := c.Prices
	if !same || v.ModelInput != nil || v.ModelOutput != nil {
		p.ModelInput, p.ModelCachedInput, p.ModelOutput = v.ModelInput, nil, v.ModelOutput
	}
	p.ModelCachedInput = cmp.Or(v.ModelCachedInput, p.ModelCachedInput)
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

// takeVariantKeys reads the variants' API keys from the environment.
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
