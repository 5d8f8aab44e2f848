package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// The names of the training job in metadata. No such account exists.
const (
	sageMakerRegion = "us-west-2"
	sageMakerJob    = "arn:aws:sagemaker:" + sageMakerRegion + ":000000000000:job/AgentRFT/gonogo"
)

// invokePayload is what the platform POSTs to an agent. The documentation names prompt, metadata and
// inferenceParams; the SDK's models name instance, metadata and inference_params. Both are sent.
type invokePayload struct {
	Prompt   string                     `json:"prompt"`
	Instance map[string]json.RawMessage `json:"instance"`
	Metadata map[string]string          `json:"metadata"`
	Camel    map[string]any             `json:"inferenceParams"`
	Snake    map[string]any             `json:"inference_params"`
}

// payload returns the body of a rollout's invocation.
func (s *SageMaker) payload(t *trajectory, it *rollout.Item) ([]byte, error) {
	temperature, topP, maxTokens := 1.0, 1.0, 4096 // the documented defaults of a job's sampling_params
	if v := s.cfg.Params.Temperature; v != nil {
		temperature = *v
	}
	if v := s.cfg.Params.TopP; v != nil {
		topP = *v
	}
	if v := s.cfg.Params.MaxTokens; v != nil {
		maxTokens = *v
	}
	var row map[string]json.RawMessage
	_ = jsontext.Unmarshal(it.Row, &row) // cannot fail: it was read as an object
	instance := maps.Clone(row)
	maps.DeleteFunc(instance, func(name string, _ json.RawMessage) bool {
		return name == "messages" || slices.Contains(s.cfg.Hide, name)
	})
	prompt := promptOf(row, s.cfg.Prompt)
	if instance == nil {
		instance = make(map[string]json.RawMessage)
	}
	instance["prompt"], _ = json.Marshal(prompt) // a string always encodes
	endpoint := s.runtime.address()
	body, err := json.Marshal(invokePayload{
		Prompt: prompt, Instance: instance,
		Metadata: map[string]string{
			"jobArn": sageMakerJob, "rolloutId": t.id, "job_arn": sageMakerJob, "trajectory_id": t.id,
			"endpoint": endpoint, "region": sageMakerRegion,
		},
		Camel: map[string]any{"temperature": temperature, "topP": topP, "maxTokens": maxTokens},
		Snake: map[string]any{"temperature": temperature, "top_p": topP, "max_tokens": maxTokens},
	})
	if err != nil {
		return nil, fmt.Errorf("write the rollout for the agent: %w", err)
	}
	return body, nil
}

// promptOf returns the prompt of a row as the platform sends it, a text: that of the field, else the
// text of a single user message, else the messages as JSON.
func promptOf(row map[string]json.RawMessage, field string) string {
	if raw, ok := row[cmp.Or(field, "prompt")]; ok {
		return jsontext.TextOrJSON(raw)
	}
	var messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if jsontext.Unmarshal(row["messages"], &messages) == nil && len(messages) == 1 && messages[0].Role == "user" {
		return jsontext.TextOrJSON(messages[0].Content)
	}
	return string(row["messages"])
}
