package rollout

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"gonogo/sampler/jsontext"
)

// Item is one data point of a split.
type Item struct {
	ID       string          `json:"id"`
	Split    Split           `json:"split"`
	Category string          `json:"category,omitempty"`
	Family   string          `json:"family,omitempty"`
	File     string          `json:"file,omitempty"` // base name of the data file
	Line     int             `json:"line,omitempty"` // 1-based number of the line in File
	Row      json.RawMessage `json:"row,omitempty"`  // the whole data row, verbatim: what tools and grader receive

	Messages []Message       `json:"-"` // decoded from Row
	Tools    json.RawMessage `json:"-"` // Row's "tools" in chat form, without members that are null; nil if absent
}

// UnmarshalJSON reads an item and decodes its messages and tools from the row. The id may be a
// string or, in files written by others, a whole number.
func (it *Item) UnmarshalJSON(b []byte) error {
	type plain Item
	p := struct {
		ID json.RawMessage `json:"id"`
		*plain
	}{plain: (*plain)(it)}
	*it = Item{}
	if err := jsontext.Unmarshal(b, &p); err != nil {
		return err
	}
	if len(p.ID) > 0 {
		id, _, err := readID(p.ID)
		if err != nil {
			return err
		}
		it.ID = id
	}
	return it.Decode()
}

// Decode fills Messages and Tools from Row. An empty Row leaves both empty.
func (it *Item) Decode() error {
	if len(it.Row) == 0 || it.decodeUsual() {
		return nil
	}
	var row struct {
		Messages json.RawMessage `json:"messages"`
		Tools    json.RawMessage `json:"tools"`
	}
	err := jsontext.Unmarshal(it.Row, &row)
	if list := listInText(row.Messages); list != nil {
		row.Messages = list
	}
	var messages []Message
	if err == nil && len(row.Messages) > 0 {
		err = jsontext.Unmarshal(row.Messages, &messages)
	}
	if err != nil {
		return fmt.Errorf("decode row of item %q: %w", it.ID, err)
	}
	it.Messages, it.Tools = messages, toolsIn(row.Tools)
	return nil
}

// decodeUsual decodes a row of the usual form, and reports whether it has that form.
func (it *Item) decodeUsual() bool {
	var messages []Message
	var tools json.RawMessage
	s := jsontext.Scanner{Source: it.Row}
	s.Enter = func(key []byte) (walked bool, err error) {
		if walked = string(jsontext.Key(key)) == "messages"; walked {
			messages, err = scanMessages(&s, 1)
		}
		return walked, err
	}
	err := s.Members(func(key, value []byte) error {
		if string(jsontext.Key(key)) == "tools" {
			tools = value[:len(value):len(value)] // shares the memory of the row
		}
		return nil
	})
	if err == nil {
		it.Messages, it.Tools = messages, toolsIn(tools)
	}
	return err == nil
}

// OffersTools reports whether the row offers the model any tool.
func (it *Item) OffersTools() bool {
	t := bytes.TrimSpace(it.Tools)
	return len(t) > 0 && (t[0] != '[' || len(bytes.TrimSpace(t[1:len(t)-1])) > 0)
}

// Message is one message of a conversation, in the form that chat data sets use.
type Message struct {
	Role       string          `json:"role"`
	Content    string          `json:"-"` // the text; the joined text parts of a content array
	Parts      json.RawMessage `json:"-"` // the content array verbatim, if content was not a string
	Refusal    string          `json:"refusal,omitempty"`
	Reasoning  string          `json:"reasoning,omitempty"` // the summary or text that the server returned
	ToolCalls  []ToolCall      `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	Name       string          `json:"name,omitempty"`
}

// ToolCall is one function call that a model asked for.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // JSON text as the model wrote it
}

type toolCallJSON struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// MarshalJSON writes the call as chat data sets nest it.
func (c ToolCall) MarshalJSON() ([]byte, error) { return c.appendTo(nil), nil }

// UnmarshalJSON reads a call; arguments may be a JSON string or, as some
// servers send them, an object.
func (c *ToolCall) UnmarshalJSON(b []byte) error {
	var j toolCallJSON
	if err := jsontext.Unmarshal(b, &j); err != nil {
		return err
	}
	*c = ToolCall{ID: j.ID, Name: j.Function.Name, Arguments: jsontext.TextOrJSON(j.Function.Arguments)}
	return nil
}

type messagePlain Message

type messageJSON struct {
	messagePlain
	Content json.RawMessage `json:"content"`
}

// MarshalJSON writes content as a string, or as the array it was read from.
func (m Message) MarshalJSON() ([]byte, error) {
	var w encoder
	w.message(&m)
	return w.b, w.err
}

// UnmarshalJSON reads content as a string, null or an array of parts.
func (m *Message) UnmarshalJSON(b []byte) error {
	var j messageJSON
	if err := jsontext.Unmarshal(b, &j); err != nil {
		return err
	}
	*m = Message(j.messagePlain)
	content := bytes.TrimSpace(j.Content)
	if len(content) == 0 || content[0] != '[' {
		m.Content = jsontext.TextOrJSON(content)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := jsontext.Unmarshal(content, &parts); err != nil {
		return fmt.Errorf("message content: %w", err)
	}
	texts := make([]string, 0, len(parts))
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	m.Content, m.Parts = strings.Join(texts, "\n"), bytes.Clone(content)
	return nil
}
