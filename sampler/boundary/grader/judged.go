package grader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/internal/failure"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// judged asks a judge model about an output. It renders the templates of its input and requests a
// structured answer; the kinds that embed it interpret the answer.
type judged struct {
	judge  sampler.Judge
	prompt sampler.Prompt // without messages
	input  []message
	tools  string
	part   string // the name within a multi grader; "" outside
}

// rawJudged holds the keys that all such graders share in a job.
type rawJudged struct {
	Model    string     `json:"model"`
	Input    []rawInput `json:"input"`
	Sampling struct {
		Seed        *int64   `json:"seed"`
		TopP        *float64 `json:"top_p"`
		Temperature *float64 `json:"temperature"`
		MaxTokens   *int     `json:"max_completions_tokens"` // spelled like this in the wire contract
		Respelt     *int     `json:"max_completion_tokens"`
		Effort      string   `json:"reasoning_effort"`
	} `json:"sampling_params"`
}

func newJudged(c rawJudged, env Env) (judged, error) {
	switch {
	case c.Model == "":
		return judged{}, errors.New("model is missing")
	case len(c.Input) == 0:
		return judged{}, errors.New("input is missing")
	case env.Judge == nil:
		return judged{}, errors.New("no judge endpoint is configured")
	}
	g := judged{judge: env.Judge, tools: env.SampleTools, part: env.part}
	for i, in := range c.Input {
		m, err := parseMessage(in)
		if err != nil {
			return judged{}, fmt.Errorf("input %d: %w", i+1, err)
		}
		g.input = append(g.input, m)
	}
	s := c.Sampling
	if s.MaxTokens == nil {
		s.MaxTokens = s.Respelt
	}
	g.prompt = sampler.Prompt{
		Model: c.Model, Seed: s.Seed, Temperature: s.Temperature, TopP: s.TopP,
		MaxTokens: s.MaxTokens, ReasoningEffort: s.Effort,
	}
	return g, nil
}

// stepsSchema returns the schema of an answer with reasoning steps before its result, as the hosted
// service requests it.
func stepsSchema(result string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` +
		`"steps":{"type":"array","description":"A sequence of steps outlining the reasoning process.","items":{"type":"object","properties":{` +
		`"description":{"type":"string","description":"Detailed description of the reasoning in this step."},` +
		`"conclusion":{"type":"string","description":"The conclusion of the reasoning in this step."}},` +
		`"required":["description","conclusion"],"additionalProperties":false}},` +
		`"result":` + result + `},` +
		`"required":["steps","result"],"additionalProperties":false}`)
}

// ask shows the output to the judge once and decodes the structured answer into answer. A refusal,
// an answer that was cut off and one that cannot be decoded are errors, each of its own kind; wants
// names the requested value in messages. The Grade has no reward, but the judge's usage, also when
// there is an error.
func (g *judged) ask(ctx context.Context, out sampler.Output, wants string,
	answer any,
) (grade sampler.Grade, text string, err error) {
	messages, err := g.messages(out)
	if err != nil {
		return sampler.Grade{}, "", err
	}
	p := g.prompt
	p.Messages, p.RequestID = messages, g.requestID(out)
	r := out.Request
	r.Endpoint, r.Name = endpoint.Judge, p.RequestID
	var c sampler.Completion
	_, err = out.Caller.Do(ctx, r, func(ctx context.Context, t *endpoint.Try) (err error) {
		p.Try = t
		c, err = g.judge.Complete(ctx, p)
		t.Used(c.Usage)
		if err == nil || worked(err) {
			grade = total(grade, sampler.Grade{Usage: c.Usage, JudgeCalls: 1})
		}
		return err
	})
	switch {
	case err != nil:
	case c.Refusal != "":
		err = failed(sampler.KindRefusal, "the judge refused: %s", endpoint.Brief(c.Refusal))
	case c.CutOff == "content_filter":
		err = failed(sampler.KindRefusal, "the judge's answer was cut off: %s", c.CutOff)
	case c.CutOff != "":
		err = failed(sampler.KindCutOff, "the judge's answer was cut off: %s", endpoint.Brief(c.CutOff))
	case judgeFailure(c.Text) != "":
		err = failed(sampler.KindReported, "the judge reports an error: %s", endpoint.Brief(judgeFailure(c.Text)))
	case jsontext.Unmarshal([]byte(c.Text), answer) != nil:
		err = lacks(wants, c.Text)
	}
	return grade, c.Text, err
}

// judgeFailure returns the failure that a judge reports in its answer; "" if none.
func judgeFailure(text string) string {
	var reply map[string]json.RawMessage
	if jsontext.Unmarshal([]byte(text), &reply) != nil {
		return ""
	}
	f, _ := markOf(reply, (*failure.Marks).Row)
	return f.Text()
}

// lacks returns the error of an answer without the requested value.
func lacks(wants, text string) error {
	return failed(sampler.KindParse, "the judge's answer has no %s as \"result\": %s", wants, endpoint.Brief(text))
}

// failed returns a grading error of a kind.
func failed(kind, format string, args ...any) error {
	return &sampler.GradeError{Kind: kind, Err: fmt.Errorf(format, args...)}
}

// requestID returns the unique id of the request: the rollout's trace id, the part of a multi
// grader, and the number of the regrade of this output.
func (g *judged) requestID(out sampler.Output) string {
	id := out.TraceID + "/judge"
	if g.part != "" {
		id += "/" + g.part
	}
	if out.Regrade > 0 {
		id += "/" + strconv.Itoa(out.Regrade)
	}
	return id
}

// worked reports whether the judge may have worked on a failed request, so that its usage counts:
// the answer could not be read or was lost. An error status means that there was no answer.
func worked(err error) bool {
	f, ok := endpoint.AsFailure(err)
	if !ok || f.Status == 0 {
		return !endpoint.Unreachable(err)
	}
	return f.Status < 300
}

// CheckItem reports a field that the input reads and the row does not have.
func (g *judged) CheckItem(it *rollout.Item) error { return checkItem(it, g.templates()...) }

// Reads lists the keys of sample that the input reads.
func (g *judged) Reads() []string { return reads(g.templates()...) }
