package grader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

var scoreModel = Kind{
	Name: "score_model",
	Doc:  "Asks a judge model for steps and a number, which is clipped to the range.",
	New:  newScoreModel,
}

// ScoreModel has a judge model give the reward.
type ScoreModel struct {
	judge  sampler.Judge
	prompt sampler.Prompt // without messages
	input  []message
	low    float64
	high   float64
	tools  string
}

// message is one message of the judge's input. Its content is a template, or
// blocks of which the texts are templates.
type message struct {
	role   string
	text   *Template
	blocks []block
}

// block is one part of a content array: its fields, and the template of its
// text when it has one.
type block struct {
	fields map[string]json.RawMessage
	text   *Template
}

func newScoreModel(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		Model    string      `json:"model"`
		Input    []rawInput  `json:"input"`
		Range    *[2]float64 `json:"range"`
		Sampling struct {
			Seed        *int64   `json:"seed"`
			TopP        *float64 `json:"top_p"`
			Temperature *float64 `json:"temperature"`
			MaxTokens   *int     `json:"max_completions_tokens"` // so spelt in the wire contract
			Respelt     *int     `json:"max_completion_tokens"`
			Effort      string   `json:"reasoning_effort"`
		} `json:"sampling_params"`
	}
	if err := decode(raw, &c); err != nil {
		return nil, err
	}
	switch {
	case c.Model == "":
		return nil, errors.New("model is missing")
	case len(c.Input) == 0:
		return nil, errors.New("input is missing")
	case env.Judge == nil:
		return nil, errors.New("no judge endpoint is configured")
	}
	g := &ScoreModel{judge: env.Judge, low: 0, high: 1, tools: env.SampleTools}
	if c.Range != nil {
		g.low, g.high = c.Range[0], c.Range[1]
	}
	if g.low >= g.high {
		return nil, fmt.Errorf("range [%v, %v] is empty", g.low, g.high)
	}
	for i, in := range c.Input {
		m, err := parseMessage(in)
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", i+1, err)
		}
		g.input = append(g.input, m)
	}
	s := c.Sampling
	if s.MaxTokens == nil {
		s.MaxTokens = s.Respelt
	}
	g.prompt = sampler.Prompt{
		Model: c.Model, SchemaName: "float_score_classification", Schema: scoreSchema(g.low, g.high),
		Seed: s.Seed, Temperature: s.Temperature, TopP: s.TopP, MaxTokens: s.MaxTokens, ReasoningEffort: s.Effort,
	}
	return g, nil
}

// scoreSchema is the structured answer that the hosted service asks of a judge:
// the steps stand before the result, so that they lead to it.
func scoreSchema(low, high float64) json.RawMessage {
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	return json.RawMessage(`{"type":"object","properties":{` +
		`"steps":{"type":"array","description":"A sequence of steps outlining the reasoning process.","items":{"type":"object","properties":{` +
		`"description":{"type":"string","description":"Detailed description of the reasoning in this step."},` +
		`"conclusion":{"type":"string","description":"The conclusion of the reasoning in this step."}},` +
		`"required":["description","conclusion"],"additionalProperties":false}},` +
		`"result":{"type":"number","description":"The float score assigned from the evaluation. This should be in inclusive range ` +
		number(low) + ` to ` + number(high) + `."}},` +
		`"required":["steps","result"],"additionalProperties":false}`)
}

// rawInput is one message as the job writes it.
type rawInput struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func parseMessage(in rawInput) (message, error) {
	if in.Role == "" {
		return message{}, errors.New("role is missing")
	}
	m := message{role: in.Role}
	var text string
	if json.Unmarshal(in.Content, &text) == nil {
		t, err := ParseTemplate(text)
		m.text = &t
		return m, err
	}
	var raw []map[string]json.RawMessage
	if json.Unmarshal(in.Content, &raw) != nil {
		raw = make([]map[string]json.RawMessage, 1) // a single block stands for a list of one
		if json.Unmarshal(in.Content, &raw[0]) != nil || raw[0] == nil {
			return message{}, errors.New("content is neither a text nor a list of blocks")
		}
	}
	for _, fields := range raw {
		b := block{fields: fields}
		if json.Unmarshal(fields["text"], &text) == nil {
			t, err := ParseTemplate(text)
			if err != nil {
				return message{}, err
			}
			b.text = &t
		}
		m.blocks = append(m.blocks, b)
	}
	return m, nil
}

// Grade asks the judge once. A refusal, an answer cut off and one that holds no
// number are errors, so the grade is missing; the hosted service would give 0
// for an answer without a number. The Grade beside an error still tells what
// the judge used.
func (g *ScoreModel) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	p := g.prompt
	p.RequestID = out.TraceID + "/judge"
	var err error
	if p.Messages, err = g.messages(out); err != nil {
		return sampler.Grade{}, fmt.Errorf("score_model: %w", err)
	}
	c, err := g.judge.Complete(ctx, p)
	grade := sampler.Grade{Usage: c.Usage, JudgeCalls: 1}
	switch {
	case err != nil && !worked(err):
		return sampler.Grade{}, err
	case err != nil:
		return grade, err
	case c.Refusal != "":
		return grade, fmt.Errorf("the judge refused: %s", sampler.Brief(c.Refusal))
	case c.CutOff != "":
		return grade, fmt.Errorf("the judge's answer was cut off: %s", sampler.Brief(c.CutOff))
	}
	var answer struct {
		Result *float64 `json:"result"`
	}
	if json.Unmarshal([]byte(c.Text), &answer) != nil || answer.Result == nil {
		return grade, fmt.Errorf("the judge's answer holds no number as \"result\": %s", sampler.Brief(c.Text))
	}
	grade.Reward = math.Min(math.Max(*answer.Result, g.low), g.high)
	grade.Clipped = grade.Reward != *answer.Result
	return grade, nil
}

// worked reports whether a judge may have worked on a request that failed: its
// answer could not be read, or got lost. Behind any other status there is none.
func worked(err error) bool {
	f, ok := sampler.AsFailure(err)
	if !ok || f.Status == 0 {
		return !sampler.Unreachable(err)
	}
	return f.Status < 300
}

// messages renders the judge's input.
func (g *ScoreModel) messages(out sampler.Output) (json.RawMessage, error) {
	s := NewSample(out, g.tools)
	b := []byte{'['}
	for i, m := range g.input {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"role":`...)
		b = sampler.AppendQuoted(b, m.role)
		b = append(b, `,"content":`...)
		content, err := m.content(out.Item.Row, s)
		if err != nil {
			return nil, err
		}
		b = append(append(b, content...), '}')
	}
	return append(b, ']'), nil
}

func (m message) content(row json.RawMessage, s *Sample) ([]byte, error) {
	if m.text != nil {
		text, _, err := m.text.Render(row, s)
		return sampler.AppendQuoted(nil, text), err
	}
	blocks := make([]map[string]json.RawMessage, len(m.blocks))
	for i, b := range m.blocks {
		blocks[i] = make(map[string]json.RawMessage, len(b.fields))
		for k, v := range b.fields {
			blocks[i][k] = v
		}
		if b.text != nil {
			text, _, err := b.text.Render(row, s)
			if err != nil {
				return nil, err
			}
			blocks[i]["text"] = sampler.AppendQuoted(nil, text)
		}
	}
	return json.Marshal(blocks)
}

// templates lists all templates of the input.
func (g *ScoreModel) templates() []*Template {
	var all []*Template
	for _, m := range g.input {
		if m.text != nil {
			all = append(all, m.text)
		}
		for _, b := range m.blocks {
			if b.text != nil {
				all = append(all, b.text)
			}
		}
	}
	return all
}

// CheckItem reports a field that the input reads and the row does not have.
func (g *ScoreModel) CheckItem(it *rollout.Item) error {
	for _, t := range g.templates() {
		if err := t.CheckItem(it); err != nil {
			return err
		}
	}
	return nil
}

// Reads lists the keys of sample that the input reads.
func (g *ScoreModel) Reads() []string {
	var lists [][]string
	for _, t := range g.templates() {
		lists = append(lists, t.Reads())
	}
	return union(lists...)
}

// Range returns the bounds that rewards are clipped to.
func (g *ScoreModel) Range() (low, high float64) { return g.low, g.high }
