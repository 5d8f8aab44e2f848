package grader

import (
	"encoding/json"
	"errors"
	"maps"

	"gonogo/sampler"
)

// message is one message of a judge's input. Its content is a template, or
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
	if present(in.Content) && json.Unmarshal(in.Content, &text) == nil {
		t, err := ParseTemplate(text)
		m.text = &t
		return m, err
	}
	var raw []map[string]json.RawMessage
	if json.Unmarshal(in.Content, &raw) != nil {
		raw = make([]map[string]json.RawMessage, 1) // a single block stands for a list of one
		if json.Unmarshal(in.Content, &raw[0]) != nil {
			raw = nil
		}
	}
	if len(raw) == 0 {
		return message{}, errors.New("content is neither a text nor a list of blocks")
	}
	for _, fields := range raw {
		b := block{fields: fields}
		if present(fields["text"]) && json.Unmarshal(fields["text"], &text) == nil {
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

// messages renders the judge's input.
func (g *judged) messages(out sampler.Output) (json.RawMessage, error) {
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
		blocks[i] = maps.Clone(b.fields)
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
func (g *judged) templates() []Template {
	var all []Template
	for _, m := range g.input {
		if m.text != nil {
			all = append(all, *m.text)
		}
		for _, b := range m.blocks {
			if b.text != nil {
				all = append(all, *b.text)
			}
		}
	}
	return all
}
