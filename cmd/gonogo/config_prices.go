package main

import "gonogo/analysis"

func priceKeys() []key {
	const perMillion = "US dollars per million "
	return []key{
		{
			Path: "prices.model_input", Min: bound(0), Fallback: "unknown: money is not told", Doc: perMillion + "input tokens of the model", Example: "1.1",
			at: func(v *values) any { return &v.Prices.ModelInput },
		},
		{
			Path: "prices.model_cached_input", Min: bound(0), Fallback: "prices.model_input", Doc: perMillion + "input tokens that the model's server had cached", Example: "0.275",
			at: func(v *values) any { return &v.Prices.ModelCachedInput },
		},
		{
			Path: "prices.model_output", Min: bound(0), Fallback: "unknown: money is not told", Doc: perMillion + "output tokens of the model, reasoning among them", Example: "4.4",
			at: func(v *values) any { return &v.Prices.ModelOutput },
		},
		{
			Path: "prices.judge_input", Min: bound(0), Fallback: "unknown: where a model grades, money is not told", Doc: perMillion + "input tokens of a model that grades", Example: "2",
			at: func(v *values) any { return &v.Prices.JudgeInput },
		},
		{
			Path: "prices.judge_cached_input", Min: bound(0), Fallback: "prices.judge_input", Doc: perMillion + "input tokens that the judge's server had cached", Example: "0.5",
			at: func(v *values) any { return &v.Prices.JudgeCachedInput },
		},
		{
			Path: "prices.judge_output", Min: bound(0), Fallback: "unknown: where a model grades, money is not told", Doc: perMillion + "output tokens of a model that grades", Example: "8",
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

// prices are the configured prices; an hour of training that has none takes
// the published one.
func (c *config) prices() analysis.Prices {
	v := c.Prices
	p := analysis.Prices{
		Model:    analysis.TokenPrice{Input: v.ModelInput, CachedInput: v.ModelCachedInput, Output: v.ModelOutput},
		Judge:    analysis.TokenPrice{Input: v.JudgeInput, CachedInput: v.JudgeCachedInput, Output: v.JudgeOutput},
		ToolCall: v.ToolCall, Tools: v.Tools, TrainingHour: v.TrainingHour,
	}
	if p.TrainingHour == nil {
		listed := analysis.ListedPrices(c.Model.Name)
		p.TrainingHour, p.Source = listed.TrainingHour, listed.Source
	}
	return p
}
