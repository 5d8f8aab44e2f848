package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// atif is a conversation in Harbor's Agent Trajectory Interchange Format, versions 1.0 to 1.8.
type atif struct {
	transcript.Builder
	prompt []rollout.Message // messages before the agent's first step
}

type atifStep struct {
	Source    string          `json:"source"` // system, user or agent
	Message   json.RawMessage `json:"message"`
	Reasoning string          `json:"reasoning_content"`
	Copied    bool            `json:"is_copied_context"` // repeated from an earlier part of the trajectory
	Calls     []struct {
		ID        string          `json:"tool_call_id"`
		Name      string          `json:"function_name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"tool_calls"`
	Observation *struct {
		Results []struct {
			Call    string          `json:"source_call_id"`
			Content json.RawMessage `json:"content"`
		} `json:"results"`
	} `json:"observation"`
}

// read adds the steps of a trajectory and of the files in the same folder that continue it.
func (a *atif) read(f File) error {
	const mostParts = 1000
	for range mostParts {
		var part struct {
			Steps []atifStep `json:"steps"`
			Next  string     `json:"continued_trajectory_ref"`
		}
		if err := readObject(f, &part); err != nil {
			return err
		}
		for i, s := range part.Steps {
			if err := a.step(s); err != nil {
				return lineError(f, 1, "step %d: %w", i+1, err)
			}
		}
		next := path.Base(path.Clean(part.Next))
		if next == "." || next == "/" || next == ".." {
			return nil
		}
		f = f.Beside(next)
	}
	return fmt.Errorf("%s: its trajectory continues in more than %d files", f.Name, mostParts)
}

func (a *atif) step(s atifStep) error {
	if s.Copied {
		return nil
	}
	text, err := transcript.Text(s.Message)
	if err != nil {
		return err
	}
	if s.Source != "agent" {
		if a.Turns == 0 {
			a.prompt = append(a.prompt, rollout.Message{Role: s.Source, Content: text})
		} else {
			a.AddPrompt(s.Source, text)
		}
		return nil
	}
	a.EndTurn()
	a.AddReasoning(s.Reasoning)
	a.AddReply(text)
	for _, c := range s.Calls {
		var compact bytes.Buffer
		if json.Compact(&compact, c.Arguments) == nil {
			c.Arguments = compact.Bytes()
		}
		a.AddCall(c.ID, c.Name, jsontext.TextOrJSON(c.Arguments))
	}
	if s.Observation == nil {
		return nil
	}
	for i, r := range s.Observation.Results {
		content, err := transcript.Text(r.Content)
		if err != nil {
			return err
		}
		switch {
		case r.Call != "":
			a.AddResult(r.Call, content)
		case i < len(s.Calls):
			a.AddResult(s.Calls[i].ID, content)
		default:
			a.AddPrompt("user", content)
		}
	}
	return nil
}

func (a *atif) answer() string { return transcript.LastAnswer(a.Messages) }
