package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"gonogo/sampler"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// Request is sent to an agent for each rollout.
type Request struct {
	TraceID string `json:"trace_id"` // names this rollout; the same in all its calls
	// the rollout's canary: a rollout that finds another one's is not isolated from it
	Canary   string                     `json:"canary"`
	ItemID   string                     `json:"item_id"`
	Split    string                     `json:"split"`
	Sample   int                        `json:"sample"`
	Attempt  int                        `json:"attempt"`
	Messages json.RawMessage            `json:"messages"` // the item's prompt
	Item     map[string]json.RawMessage `json:"item"`     // the row, without its messages and hidden fields
	// the endpoint of the model; absent if the agent has its own
	Model   *Model                     `json:"model,omitempty"`
	Limits  Limits                     `json:"limits"`
	Tools   map[string]string          `json:"tools,omitempty"`   // URLs of the job's tools, by name
	Session map[string]json.RawMessage `json:"session,omitempty"` // the values of the rollout's session
}

// Model is an OpenAI-compatible endpoint for this rollout only.
type Model struct {
	BaseURL string `json:"base_url"`
	APIKey  string `json:"api_key"`
	Name    string `json:"name"`
	API     string `json:"api"` // responses or chat
}

// Limits holds the limits of a rollout; 0 means no limit.
type Limits struct {
	MaxSteps     int     `json:"max_steps"`
	MaxToolCalls int     `json:"max_tool_calls"`
	TimeoutS     float64 `json:"timeout_s"`
}

// Hidden lists the row fields that are not sent to an agent by default: the usual names of references
// and other right answers.
func Hidden() []string {
	names := []string{
		"completion", "golden", "ideal", "labels", "output", "response", "reward_model", "rubric",
		"tests",
	}
	names = slices.Concat(names, rollout.ReferenceFields(), rollout.AcceptedFields())
	slices.Sort(names)
	return names
}

// RequestOptions configures what agents get.
type RequestOptions struct {
	Hide  []string          // row fields that are not sent
	Tools map[string]string // URLs of tools, by name; {{session.NAME}} is replaced by a value of the session
}

// request returns the request for p. It fails if a tool's URL reads a value that the session does not
// have.
func (t RequestOptions) request(p sampler.AgentRequest) (Request, error) {
	r := Request{
		TraceID: p.TraceID, Canary: rollout.Canary(p.TraceID), ItemID: p.Item.ID, Split: string(p.Item.Split),
		Sample: p.Sample, Attempt: p.Attempt,
		Limits: Limits{p.MaxSteps, p.MaxToolCalls, p.Timeout.Seconds()},
	}
	var row map[string]json.RawMessage
	_ = jsontext.Unmarshal(p.Item.Row, &row) // cannot fail: it was read as an object
	r.Messages = row["messages"]
	r.Item = maps.Clone(row)
	maps.DeleteFunc(r.Item, func(name string, _ json.RawMessage) bool {
		return name == "messages" ||
			slices.Contains(t.Hide, name)
	})
	if p.Model != nil {
		r.Model = &Model{p.Model.BaseURL, p.Model.Key, p.Model.Model, p.Model.API}
	}
	if p.RolloutSession != nil {
		r.Session = maps.Clone(p.RolloutSession.Values)
		if r.Session == nil {
			r.Session = map[string]json.RawMessage{}
		}
		if _, ok := r.Session["id"]; !ok {
			id, _ := json.Marshal(p.RolloutSession.ID) // a string always encodes
			r.Session["id"] = id
		}
	}
	for name, url := range t.Tools {
		filled, err := p.RolloutSession.Fill(url)
		if err != nil {
			return r, fmt.Errorf("the address of the tool %s: %w", name, err)
		}
		if r.Tools == nil {
			r.Tools = make(map[string]string, len(t.Tools))
		}
		r.Tools[name] = filled
	}
	return r, nil
}
