package config

import (
	"fmt"
	"net/url"

	"gonogo/analysis"
)

func priceKeys() []key {
	const perMillion = "US dollars per million "
	return []key{
		{
			Path: "prices.file", File: true, Fallback: "the built-in list alone", Doc: "a list of prices of your own, which goes before the built-in one; gonogo help prices prints that, with its dates", Example: "prices.json",
			at: func(v *values) any { return &v.Prices.File },
		},
		{
			Path: "prices.model_input", Min: bound(0), Fallback: "the listed price of the model at its server, else unknown: money is not told", Doc: perMillion + "input tokens of the model", Example: "1.1",
			at: func(v *values) any { return &v.Prices.ModelInput },
		},
		{
			Path: "prices.model_cached_input", Min: bound(0), Fallback: "prices.model_input", Doc: perMillion + "input tokens that the model's server had cached", Example: "0.275",
			at: func(v *values) any { return &v.Prices.ModelCachedInput },
		},
		{
			Path: "prices.model_output", Min: bound(0), Fallback: "the listed price of the model at its server, else unknown: money is not told", Doc: perMillion + "output tokens of the model, reasoning among them", Example: "4.4",
			at: func(v *values) any { return &v.Prices.ModelOutput },
		},
		{
			Path: "prices.judge_input", Min: bound(0), Fallback: "the listed price, where all models that grade have the same; else unknown: where a model grades, money is not told", Doc: perMillion + "input tokens of a model that grades", Example: "2",
			at: func(v *values) any { return &v.Prices.JudgeInput },
		},
		{
			Path: "prices.judge_cached_input", Min: bound(0), Fallback: "prices.judge_input", Doc: perMillion + "input tokens that the judge's server had cached", Example: "0.5",
			at: func(v *values) any { return &v.Prices.JudgeCachedInput },
		},
		{
			Path: "prices.judge_output", Min: bound(0), Fallback: "the listed price, where all models that grade have the same; else unknown: where a model grades, money is not told", Doc: perMillion + "output tokens of a model that grades", Example: "8",
			at: func(v *values) any { return &v.Prices.JudgeOutput },
		},
		{
			Path: "prices.tool_call", Min: bound(0), Fallback: "tool calls are free", Doc: "US dollars of one tool call", Example: "0.002",
			at: func(v *values) any { return &v.Prices.ToolCall },
		},
		{
			Path: "prices.tools", Min: bound(0), Fallback: "each at prices.tool_call", Doc: "US dollars of one call, by name of the tool", Example: "{search: 0.005}",
			at: func(v *values) any { return &v.Prices.Tools },
		},
		{
			Path: "prices.training_hour", Min: bound(0), Fallback: "the published price where one is known of the model, with its date; else the tokens are counted",
			Doc: "US dollars of an hour of training, where that pays for the trainer's rollouts too", Example: "100",
			at: func(v *values) any { return &v.Prices.TrainingHour },
		},
	}
}

// TokenPrices are the configured prices. Where there is none the lists are asked, a
// list of one's own first.
func (c *Config) TokenPrices() analysis.Prices {
	v := c.Prices
	list := c.priceList.Before(analysis.BuiltinPrices())
	p := analysis.Prices{
		Model:    analysis.TokenPrice{Input: v.ModelInput, CachedInput: v.ModelCachedInput, Output: v.ModelOutput},
		Judge:    analysis.TokenPrice{Input: v.JudgeInput, CachedInput: v.JudgeCachedInput, Output: v.JudgeOutput},
		ToolCall: v.ToolCall, Tools: v.Tools, TrainingHour: v.TrainingHour,
	}
	if p.Model.Input == nil && p.Model.Output == nil {
		p.Model = beside(list.Tokens(c.Model.Name, hostOf(c.Model.BaseURL)), v.ModelCachedInput)
	}
	if p.Judge.Input == nil && p.Judge.Output == nil {
		p.Judge = beside(listedJudge(c, list), v.JudgeCachedInput)
	}
	if p.TrainingHour == nil {
		p.TrainingHour, p.Source = list.Training(c.Model.Name, hostOf(c.Model.BaseURL))
	}
	return p
}

// beside is a listed price with that of cached tokens which was configured, if it
// was.
func beside(listed analysis.TokenPrice, cached *float64) analysis.TokenPrice {
	if cached != nil {
		listed.CachedInput = cached
	}
	return listed
}

// listedJudge is the listed price of the models that grade, where all have the
// same.
func listedJudge(c *Config, list analysis.PriceList) analysis.TokenPrice {
	var models []string
	if c.Body != nil {
		models = c.Body.Judges()
	}
	for _, d := range c.Detectors() {
		if d.Judge != "" {
			models = append(models, d.Model)
		}
	}
	var common analysis.TokenPrice
	for i, model := range models {
		price := list.Tokens(model, hostOf(c.Judge.BaseURL))
		if i > 0 && price.Source != common.Source {
			return analysis.TokenPrice{}
		}
		common = price
	}
	return common
}

// readPrices reads a list of prices of one's own.
func readPrices(c *Config) error {
	c.priceList = analysis.PriceList{}
	if c.Prices.File == "" {
		return nil
	}
	text, err := ReadBounded(c.Absolute(c.Prices.File))
	if err == nil {
		c.priceList, err = analysis.ParsePrices(text)
	}
	if err != nil {
		return c.Fault("prices.file", "%v", err)
	}
	return nil
}

// settledPrices are the price keys with what a file of one's own says in them: the
// file may be gone when the run is looked at again.
func settledPrices(c *Config) priceValues {
	v := c.Prices
	if v.File == "" {
		return v
	}
	p := c.TokenPrices()
	v.File = ""
	v.ModelInput, v.ModelCachedInput, v.ModelOutput = p.Model.Input, p.Model.CachedInput, p.Model.Output
	v.JudgeInput, v.JudgeCachedInput, v.JudgeOutput = p.Judge.Input, p.Judge.CachedInput, p.Judge.Output
	v.TrainingHour = p.TrainingHour
	return v
}

// unpricedModel names the keys without which the rollouts' money cannot be
// bounded: nil where it is not, or all models have a price.
func unpricedModel(c *Config) error {
	if c.Sampling.MaxUSD == 0 {
		return nil
	}
	var errs []error
	if !c.TokenPrices().Model.Known() && c.Model.Name != "" {
		errs = append(errs, unpriced(c, "the model "+c.Model.Name, "prices.model_input and prices.model_output", c.Model.BaseURL))
	}
	for i, v := range c.VariantList() {
		if q := c.ForVariant(i); !q.TokenPrices().Model.Known() && (q.Model.Name != c.Model.Name || q.Model.BaseURL != c.Model.BaseURL) {
			errs = append(errs, unpriced(c, fmt.Sprintf("the model %s of the variant %s", q.Model.Name, v.Name), "model_input and model_output of the variant", q.Model.BaseURL))
		}
	}
	return Join(errs)
}

// unpricedJudge does so for models that grade.
func unpricedJudge(c *Config) error {
	if c.Sampling.MaxUSD == 0 || !c.AsksJudge() || c.TokenPrices().Judge.Known() {
		return nil
	}
	return unpriced(c, "the model that grades", "prices.judge_input and prices.judge_output", c.Judge.BaseURL)
}

func unpriced(c *Config, model, set, server string) error {
	return c.Fault("sampling.max_usd", "%s has no known price at %s: set %s, in US dollars per million tokens (0 where they cost nothing)", model, hostOf(server), set)
}

// hostOf is the server of a URL, with its port.
func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Host
}
