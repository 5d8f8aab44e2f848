package price

// Settings are prices in US dollars as written in a configuration.
type Settings struct {
	File             string             `json:"file,omitzero" or:"only the built-in list" mark:"file" example:"prices.json" doc:"your own list of prices, which takes precedence over the built-in one; gonogo help prices prints the built-in list, with its dates"`
	ModelInput       *float64           `json:"model_input,omitzero" or:"the listed price of the model at its server, else unknown: no costs are shown" min:"0" example:"1.1" doc:"US dollars per million input tokens of the model"`
	ModelCachedInput *float64           `json:"model_cached_input,omitzero" or:"prices.model_input" min:"0" example:"0.275" doc:"US dollars per million input tokens that the model's server had cached"`
	ModelOutput      *float64           `json:"model_output,omitzero" or:"the listed price of the model at its server, else unknown: no costs are shown" min:"0" example:"4.4" doc:"US dollars per million output tokens of the model, including reasoning"`
	JudgeInput       *float64           `json:"judge_input,omitzero" or:"the listed price, if all models that grade have the same; else unknown: if a model grades, no costs are shown" min:"0" example:"2" doc:"US dollars per million input tokens of a model that grades"`
	JudgeCachedInput *float64           `json:"judge_cached_input,omitzero" or:"prices.judge_input" min:"0" example:"0.5" doc:"US dollars per million input tokens that the judge's server had cached"`
	JudgeOutput      *float64           `json:"judge_output,omitzero" or:"the listed price, if all models that grade have the same; else unknown: if a model grades, no costs are shown" min:"0" example:"8" doc:"US dollars per million output tokens of a model that grades"`
	ToolCall         *float64           `json:"tool_call,omitzero" or:"tool calls are free" min:"0" example:"0.002" doc:"US dollars per tool call"`
	Tools            map[string]float64 `json:"tools,omitzero" or:"each at prices.tool_call" min:"0" example:"{search: 0.005}" doc:"US dollars per call, by the name of the tool"`
	TrainedTokens    *float64           `json:"trained_tokens,omitzero" or:"unknown" min:"0" example:"0.22" doc:"US dollars per million tokens that a hosted trainer learns from, prompts included; Tinker asked 0.22 for Qwen3-4B on 2026-01-05"`
	TrainingHour     *float64           `json:"training_hour,omitzero" or:"the published price of the model if one is known, with its date; else the cost is computed from tokens" min:"0" example:"100" doc:"US dollars per hour of training, if that price includes the trainer's rollouts"`
}

// Prices returns the configured prices.
func (v Settings) Prices() Prices {
	return Prices{
		Model:    Token{Input: v.ModelInput, CachedInput: v.ModelCachedInput, Output: v.ModelOutput},
		Judge:    Token{Input: v.JudgeInput, CachedInput: v.JudgeCachedInput, Output: v.JudgeOutput},
		ToolCall: v.ToolCall, Tools: v.Tools, TrainingHour: v.TrainingHour, TrainedToken: v.TrainedTokens,
	}
}

// Settled returns the settings with the prices of the price list filled in, if they name a file:
// that file may be gone when the run is looked at again.
func (v Settings) Settled(p Prices) Settings {
	if v.File == "" {
		return v
	}
	v.File = ""
	v.ModelInput, v.ModelCachedInput, v.ModelOutput = p.Model.Input, p.Model.CachedInput, p.Model.Output
	v.JudgeInput, v.JudgeCachedInput, v.JudgeOutput = p.Judge.Input, p.Judge.CachedInput, p.Judge.Output
	v.TrainingHour = p.TrainingHour
	return v
}
