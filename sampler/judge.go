package sampler

import (
	"context"
	"encoding/json"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// Judge is a model that grades: graders call it, rollouts do not.
type Judge interface {
	// Complete makes one request, without retrying. Failures of the endpoint are *endpoint.Failure.
	Complete(ctx context.Context, p Prompt) (Completion, error)
}

// Prompt asks a judge for one structured answer. A nil parameter is not sent.
type Prompt struct {
	Model      string
	Messages   json.RawMessage // array of {role, content}
	SchemaName string          // name of the structured answer
	Schema     json.RawMessage // its JSON schema, strict

	Seed            *int64
	Temperature     *float64
	TopP            *float64
	MaxTokens       *int
	ReasoningEffort string
	RequestID       string
	Try             *endpoint.Try // the try that makes this request; nil outside a run
}

// Completion is a judge's answer.
type Completion struct {
	Text    string
	Refusal string // set if the judge refused
	CutOff  string // why the answer is incomplete; "" if it is complete
	Usage   rollout.Usage
}
