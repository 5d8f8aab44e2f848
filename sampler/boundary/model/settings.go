package model

import (
	"encoding/json"

	"gonogo/sampler/limit"
)

// Settings is the configuration of the model that is measured, and of its requests.
type Settings struct {
	Name              string            `json:"name,omitzero" or:"the job's model" mark:"binding" example:"gpt-oss-20b" doc:"the base model that is measured, as its endpoint calls it"`
	BaseURL           string            `json:"base_url,omitzero" or:"OPENAI_BASE_URL, else https://api.openai.com/v1" is:"url" mark:"url,binding" example:"http://localhost:8000/v1" doc:"where the model answers: any OpenAI-compatible server"`
	API               string            `json:"api,omitzero" default:"responses" enum:"responses,chat" mark:"binding" doc:"which API to use: responses, or chat for servers without it"`
	APIKeyEnv         string            `json:"api_key_env,omitzero" default:"OPENAI_API_KEY" doc:"the environment variable that holds the API key; none says that no key is needed; a loopback server needs none unless this key is set"`
	Headers           map[string]string `json:"headers,omitzero" or:"none" mark:"secret" example:"{api-key: \"${AZURE_KEY}\"}" doc:"headers of every request; ${NAME} is taken from the environment"`
	Temperature       *float64          `json:"temperature,omitzero" or:"the server's own" min:"0" max:"2" mark:"binding" example:"1" doc:"sampling temperature; reasoning models may refuse it"`
	TopP              *float64          `json:"top_p,omitzero" or:"the server's own" min:"0" max:"1" mark:"binding" example:"1" doc:"nucleus sampling"`
	Extra             map[string]any    `json:"extra,omitzero" or:"none" mark:"binding" example:"{top_k: 20, min_p: 0}" doc:"further parameters of each request, sent unchanged: those that OpenAI does not have, such as top_k, min_p, repetition_penalty and chat_template_kwargs"`
	MaxOutputTokens   *int              `json:"max_output_tokens,omitzero" or:"the server's own" min:"1" mark:"binding" example:"8192" doc:"most tokens of one model turn"`
	ReasoningEffort   string            `json:"reasoning_effort,omitzero" or:"the job's reasoning_effort, unless that is default" mark:"binding" example:"medium" doc:"how long a reasoning model may think; sent as written"`
	ParallelToolCalls *bool             `json:"parallel_tool_calls,omitzero" or:"true, as in training; left out for servers that refuse the parameter" mark:"binding" example:"false" doc:"whether the model may ask for several tools at once"`
	LeaveOut          []string          `json:"leave_out,omitzero" or:"none" mark:"binding" example:"[response_format]" doc:"parameters that are not sent, whoever asks for them, for a server that refuses them: include, max_output_tokens, parallel_tool_calls, reasoning_effort, response_format, temperature, top_p; include and parallel_tool_calls, and in chat the name max_completion_tokens, are left out automatically once a server has refused them"`
	Timeout           limit.Duration    `json:"timeout" default:"10m" doc:"longest wait for the answer to one model turn, or for its next byte: a slow answer that keeps arriving does not time out"`
	RequestsPerMinute int               `json:"requests_per_minute" default:"0" min:"0" doc:"most requests a minute to the model; 0 follows the server's rate limit headers"`
	TokensPerMinute   int               `json:"tokens_per_minute" default:"0" min:"0" doc:"most tokens a minute, in and out, of the model; 0 follows the server's rate limit headers"`
}

// JudgeSettings is the configuration of the server of the models that grade.
type JudgeSettings struct {
	BaseURL           string            `json:"base_url,omitzero" or:"model.base_url" is:"url" mark:"url,binding" example:"https://judge.example.com/v1" doc:"where models that grade answer"`
	API               string            `json:"api,omitzero" or:"model.api" enum:"responses,chat" mark:"binding" example:"chat" doc:"which API the judge's server has"`
	APIKeyEnv         string            `json:"api_key_env,omitzero" or:"model.api_key_env; OPENAI_API_KEY when judge.base_url is another server's" example:"JUDGE_API_KEY" doc:"the environment variable that holds the judge's API key, or none"`
	Headers           map[string]string `json:"headers,omitzero" or:"model.headers; none when judge.base_url is another server's" mark:"secret" example:"{api-key: \"${AZURE_KEY}\"}" doc:"headers of every request to the judge; ${NAME} is taken from the environment"`
	LeaveOut          []string          `json:"leave_out,omitzero" or:"none" mark:"binding" example:"[seed, temperature]" doc:"parameters that a grader's job names and that are not sent to the judge: max_output_tokens, reasoning_effort, response_format, seed, temperature, top_p"`
	Timeout           limit.Duration    `json:"timeout" or:"model.timeout" example:"2m" doc:"longest wait for one grade by a model"`
	RequestsPerMinute int               `json:"requests_per_minute" default:"0" min:"0" doc:"most requests a minute to the judge; 0 follows the server's rate limit headers"`
	TokensPerMinute   int               `json:"tokens_per_minute" default:"0" min:"0" doc:"most tokens a minute, in and out, of the judge; 0 follows the server's rate limit headers"`
}

// Config returns the configuration of the model's client. The caller fills in the API key.
func (s Settings) Config() Config {
	extra := make(map[string]json.RawMessage, len(s.Extra))
	for name, value := range s.Extra {
		extra[name], _ = json.Marshal(value) // cannot fail: it was read from JSON
	}
	return Config{
		Extra: extra,
		Name:  s.Name, BaseURL: s.BaseURL, API: s.API, Headers: s.Headers, Temperature: s.Temperature, TopP: s.TopP,
		MaxOutputTokens: s.MaxOutputTokens,
		ReasoningEffort: s.ReasoningEffort, ParallelToolCalls: s.ParallelToolCalls, LeaveOut: s.LeaveOut,
	}
}

// Minute returns the limits per minute of the model's endpoint.
func (s Settings) Minute() limit.Limits {
	return limit.Limits{Requests: float64(s.RequestsPerMinute), Tokens: float64(s.TokensPerMinute)}
}

// Minute returns the limits per minute of the judge's endpoint.
func (s JudgeSettings) Minute() limit.Limits {
	return limit.Limits{Requests: float64(s.RequestsPerMinute), Tokens: float64(s.TokensPerMinute)}
}
