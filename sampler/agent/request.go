package agent

import (
	"encoding/json"
	"maps"
	"slices"

	"gonogo/sampler"
)

// Request is what an agent is told of a rollout.
type Request struct {
	TraceID  string                     `json:"trace_id"` // names this rollout; the same in all its calls
	ItemID   string                     `json:"item_id"`
	Split    string                     `json:"split"`
	Sample   int                        `json:"sample"`
	Attempt  int                        `json:"attempt"`
	Messages json.RawMessage            `json:"messages"`          // the item's prompt
	Item     map[string]json.RawMessage `json:"item"`              // the row, without what is hidden
	Model    *Model                     `json:"model,omitempty"`   // where to ask the model; absent: the agent has its own
	Limits   Limits                     `json:"limits"`            //
	Session  map[string]json.RawMessage `json:"session,omitempty"` // what the rollout's session answered
}

// Model is an OpenAI-compatible endpoint, for this rollout alone.
type Model struct {
	BaseURL string `json:"base_url"`
	APIKey  string `json:"api_key"`
	Name    string `json:"name"`
	API     string `json:"api"` // responses or chat
}

// Limits bound a rollout; 0 is no limit.
type Limits struct {
	MaxSteps     int     `json:"max_steps"`
	MaxToolCalls int     `json:"max_tool_calls"`
	TimeoutS     float64 `json:"timeout_s"`
}

// Hidden are the fields of a row that an agent is not told unless somebody says
// otherwise: where references usually stand.
func Hidden() []string {
	return []string{
		"answer", "completion", "expected", "expected_output", "gold", "golden", "ground_truth", "ideal", "label", "labels",
		"output", "reference", "reference_answer", "response", "rubric", "solution", "target", "tests",
	}
}

// requestOf is what an agent is told of p.
func requestOf(p sampler.Play, hide []string) Request {
	r := Request{
		TraceID: p.TraceID, ItemID: p.Item.ID, Split: string(p.Item.Split), Sample: p.Sample, Attempt: p.Attempt,
		Limits: Limits{p.MaxSteps, p.MaxToolCalls, p.Timeout.Seconds()},
	}
	var row map[string]json.RawMessage
	_ = json.Unmarshal(p.Item.Row, &row) // it was read as an object
	r.Messages = row["messages"]
	r.Item = maps.Clone(row)
	maps.DeleteFunc(r.Item, func(name string, _ json.RawMessage) bool { return name == "messages" || slices.Contains(hide, name) })
	if p.Model != nil {
		r.Model = &Model{p.Model.BaseURL, p.Model.Key, p.Model.Model, p.Model.API}
	}
	if p.Enclosure != nil {
		r.Session = maps.Clone(p.Enclosure.Values)
		if r.Session == nil {
			r.Session = map[string]json.RawMessage{}
		}
		id, _ := json.Marshal(p.Enclosure.ID) // a string
		r.Session["id"] = id
	}
	return r
}
