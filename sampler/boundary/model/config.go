package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout/credential"
)

// The wire formats.
const (
	Responses = "responses"
	Chat      = "chat"
)

// Config describes one model at one endpoint. A nil parameter is not sent, so that the server's
// default applies.
type Config struct {
	Name    string            // name of the model or deployment; unused by a Judge
	BaseURL string            // such as https://api.openai.com/v1; a query, such as Azure's api-version, is kept
	API     string            // Responses (also when empty) or Chat
	APIKey  string            // sent as a bearer token; "" sends none
	Headers map[string]string // sent with every request; may replace Authorization

	Temperature     *float64
	TopP            *float64
	MaxOutputTokens *int
	ReasoningEffort string
	// nil = true, as in training, but left out for servers that refuse the parameter
	ParallelToolCalls *bool
	ResponseFormat    json.RawMessage            // the job's response_format in chat format; nil = text
	Extra             map[string]json.RawMessage // further parameters, sent unchanged, such as top_k and min_p
	// parameters listed by LeavesOut that are never sent, whatever the other settings
	LeaveOut []string

	MaxConns int          // connections to keep: the number of requests in flight; 0 = 16
	HTTP     *http.Client // nil = a new endpoint.HTTPClient
}

// LeavesOut lists the parameters that Config.LeaveOut may name. Only a Judge sends seed; only a Model
// sends include and parallel_tool_calls.
func LeavesOut() []string {
	return []string{
		"include", "max_output_tokens", "parallel_tool_calls", "reasoning_effort", "response_format",
		"seed", "temperature", "top_p",
	}
}

// withoutLeftOut returns the Config without the parameters that LeaveOut names. The callers handle
// seed, include and the default of parallel_tool_calls, which are not part of a request's head.
func (c Config) withoutLeftOut() Config {
	for _, name := range c.LeaveOut {
		switch name {
		case "max_output_tokens":
			c.MaxOutputTokens = nil
		case "parallel_tool_calls":
			c.ParallelToolCalls = nil
		case "reasoning_effort":
			c.ReasoningEffort = ""
		case "response_format":
			c.ResponseFormat = nil
		case "temperature":
			c.Temperature = nil
		case "top_p":
			c.TopP = nil
		}
	}
	return c
}

// reserved lists the parameters that Config.Extra cannot replace.
var reserved = []string{
	"include", "input", "max_completion_tokens", "max_output_tokens", "max_tokens", "messages", "model", "n",
	"parallel_tool_calls", "reasoning",
	"reasoning_effort", "response_format", "seed", "store", "stream", "temperature", "text", "tools", "top_p",
}

// Validate reports invalid values.
func (c Config) Validate() error {
	if c.API != "" && c.API != Responses && c.API != Chat {
		return fmt.Errorf("model api %q is neither %s nor %s", c.API, Responses, Chat)
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("model base_url %q is not an http or https URL", credential.BareURL(c.BaseURL))
	}
	if err := endpoint.CheckHeaders(c.Headers); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if err := endpoint.CheckHeaders(map[string]string{"Authorization": c.APIKey}); err != nil {
		return errors.New("the model's API key contains a line break or another control character: remove it")
	}
	if len(c.ResponseFormat) > 0 && !json.Valid(c.ResponseFormat) {
		return errors.New("response_format is not JSON")
	}
	for name := range c.Extra {
		if slices.Contains(reserved, name) {
			return fmt.Errorf(
				"model.extra names %q, which gonogo sets itself: use a key of model, or leave it out", name)
		}
	}
	for _, name := range c.LeaveOut {
		if !slices.Contains(LeavesOut(), name) {
			return fmt.Errorf("leave_out names %q: it must be one of %s", name, strings.Join(LeavesOut(), ", "))
		}
	}
	return nil
}
