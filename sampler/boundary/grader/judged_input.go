package grader

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/jsontext"
)

// message is one message of a judge's input. Its content is a template, or blocks in which every
// text is a template.
type message struct {
	role   string
	text   *Template
	blocks []block
}

// block is an element of a content array, or any value within it. Every text in it is a template,
// including the address of an image. One field is set, by type of the value.
type block struct {
	text   *Template
	fields map[string]block
	list   []block
	value  json.RawMessage // a number, a boolean or null
}

// parseBlock reads a block and everything in it.
func parseBlock(raw json.RawMessage) (b block, err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return block{}, errors.New("a block is empty")
	}
	switch raw[0] {
	case '"':
		t, err := ParseTemplate(jsontext.TextOrJSON(raw))
		return block{text: &t}, err
	case '{':
		var fields map[string]json.RawMessage
		if err := jsontext.Unmarshal(raw, &fields); err != nil {
			return block{}, err
		}
		b.fields = make(map[string]block, len(fields))
		for name, field := range fields {
			if b.fields[name], err = parseBlock(field); err != nil {
				return block{}, err
			}
		}
	case '[':
		var list []json.RawMessage
		if err := jsontext.Unmarshal(raw, &list); err != nil {
			return block{}, err
		}
		b.list = make([]block, len(list))
		for i, element := range list {
			if b.list[i], err = parseBlock(element); err != nil {
				return block{}, err
			}
		}
	default:
		b.value = raw
	}
	return b, nil
}

// render fills in the templates. The result can be marshaled.
func (b block) render(row json.RawMessage, s *Sample) (any, error) {
	switch {
	case b.text != nil:
		text, _, err := b.text.Render(row, s)
		return json.RawMessage(jsontext.AppendQuoted(nil, text)), err
	case b.fields != nil:
		out := make(map[string]any, len(b.fields))
		for name, field := range b.fields {
			v, err := field.render(row, s)
			if err != nil {
				return nil, err
			}
			out[name] = v
		}
		return out, nil
	case b.list != nil:
		out := make([]any, len(b.list))
		for i, element := range b.list {
			v, err := element.render(row, s)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	}
	return b.value, nil
}

// templates lists all templates of the block, in the order of its sorted keys.
func (b block) templates() []Template {
	var all []Template
	if b.text != nil {
		all = append(all, *b.text)
	}
	for _, name := range slices.Sorted(maps.Keys(b.fields)) {
		all = append(all, b.fields[name].templates()...)
	}
	for _, element := range b.list {
		all = append(all, element.templates()...)
	}
	return all
}

// blockTypes lists the content types of Chat Completions and Responses.
var blockTypes = []string{
	"text", "input_text", "output_text", "image_url", "input_image", "input_audio", "file",
	"input_file",
}

// rawInput is one message as written in the job.
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
	if present(in.Content) && jsontext.Unmarshal(in.Content, &text) == nil {
		t, err := ParseTemplate(text)
		m.text = &t
		return m, err
	}
	raw := bytes.TrimSpace(in.Content)
	var list []map[string]json.RawMessage
	if len(raw) > 0 && raw[0] == '{' {
		raw = slices.Concat([]byte{'['}, raw, []byte{']'}) // a single block means a list of one
	}
	if jsontext.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return message{}, errors.New("content is neither a text nor a list of blocks")
	}
	for _, b := range list {
		if kind := jsontext.TextOrJSON(b["type"]); !slices.Contains(blockTypes, kind) {
			return message{}, fmt.Errorf("content has a block of type %q: a judge reads %s", kind,
				strings.Join(blockTypes, ", "))
		}
	}
	all, err := parseBlock(raw)
	m.blocks = all.list
	return m, err
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
		b = jsontext.AppendQuoted(b, m.role)
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
		return jsontext.AppendQuoted(nil, text), err
	}
	blocks, err := block{list: m.blocks}.render(row, s)
	if err != nil {
		return nil, err
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
		all = append(all, block{list: m.blocks}.templates()...)
	}
	return all
}
