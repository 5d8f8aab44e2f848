package importer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// atifLog reads trajectories alone, without the trials of Harbor around them.
var atifLog = Format{
	Name: "atif",
	Doc: "a trajectory in Harbor's ATIF without its trial (trajectory.json, with schema_version and steps), for gonogo " +
		"grade: it holds no reward",
	Files: []string{"trajectory.json", "*.trajectory.json"},
	From: Origin{
		Item: "a hash of the messages before the agent's first", Sample: "the order of the files",
		Reward:   "none; of Harbor's trials, import `result.json`, which has it",
		Failures: "all are `grader`",
	},
	Read: readATIF, sniff: func(f File) error {
		head, err := readHead(f)
		if err == nil && !bytes.HasPrefix(head.keys["schema_version"], []byte(`"ATIF-`)) {
			err = fmt.Errorf("%w: the object it begins with has no \"schema_version\" ATIF", ErrUnrecognized)
		}
		return err
	},
}

func readATIF(ctx context.Context, in *intake) error {
	in.file()
	err := eachFile(ctx, in.files, func(f File) (*atif, error) {
		talk := new(atif)
		return talk, talk.read(f)
	}, func(f File, talk *atif) error {
		if err := in.setModel(f, cmp.Or(talk.agent.Model, talk.agent.Name)); err != nil {
			return err
		}
		if len(talk.prompt) == 0 {
			return lineError(f, 1, "no step of the user or the system precedes the agent's first, but they identify the item")
		}
		id := fmt.Sprintf("%016x", rollout.PromptOf(talk.prompt, nil).Sum)
		err := sendItem(in.sink, f, rollout.Item{ID: id, Split: in.split}, talk.prompt,
			map[string]json.RawMessage{"tools": offered(talk.agent.Tools)})
		if err != nil {
			return err
		}
		rec := &rollout.Record{
			Item: id, Messages: talk.Messages, Calls: talk.Calls, Turns: talk.Turns, Answer: talk.answer(),
			Usage: rollout.Usage{
				Input: positive(talk.total.Input), Output: positive(talk.total.Output), Cached: positive(talk.total.Cached),
			},
		}
		in.ungraded(rec, "an ATIF trajectory holds no reward")
		return in.record(rec, in.again(id))
	})
	if err != nil {
		return err
	}
	in.sink.note("item = a hash of the prompt, sample = the order of the files, split = %s; trajectories hold no reward: "+
		"result.json of Harbor's trials has it", in.split)
	return nil
}

// atif is a conversation in Harbor's Agent Trajectory Interchange Format, versions 1.0 to 1.8.
type atif struct {
	transcript.Builder
	prompt []rollout.Message // messages before the agent's first step
	agent  struct {
		Name  string          `json:"name"`
		Model string          `json:"model_name"`
		Tools json.RawMessage `json:"tool_definitions"`
	}
	total atifTotal
}

// atifTotal counts the tokens of a trajectory.
type atifTotal struct {
	Input  *int64 `json:"total_prompt_tokens"`
	Output *int64 `json:"total_completion_tokens"`
	Cached *int64 `json:"total_cached_tokens"`
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
			Agent json.RawMessage `json:"agent"`
			Steps []atifStep      `json:"steps"`
			Next  string          `json:"continued_trajectory_ref"`
			Total atifTotal       `json:"final_metrics"` // of the trajectory so far
		}
		if err := readObject(f, &part); err != nil {
			return err
		}
		a.total = part.Total
		if !isNone(part.Agent) && jsontext.Unmarshal(part.Agent, &a.agent) != nil {
			return lineError(f, 1, "\"agent\" is not an object")
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
