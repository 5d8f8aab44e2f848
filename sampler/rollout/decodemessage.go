package rollout

import (
	"errors"

	"gonogo/sampler/jsontext"
)

// errUnusual says that encoding/json must read a value.
var errUnusual = errors.New("not as it is usually written")

// readMessages reads a conversation: the usual form, strings under our own names, directly, and
// anything else with encoding/json.
func readMessages(v []byte) (list []Message, err error) {
	if list, err = usualMessages(v); err == nil {
		return list, nil
	}
	list = nil
	return list, readJSON("messages", "a list of messages", v, &list)
}

func usualMessages(v []byte) (list []Message, err error) {
	s := jsontext.Scanner{Source: v}
	s.Space()
	if list, err = scanMessages(&s, 0); err == nil {
		err = s.End()
	}
	return list, err
}

// scanMessages reads the usual form of a list of messages, which begins at s.At and is nested in depth
// others, while it scans it. An empty list is unusual: encoding/json makes one that is not nil.
func scanMessages(s *jsontext.Scanner, depth int) (list []Message, err error) {
	begins := func(c byte) bool { return s.At < len(s.Source) && s.Source[s.At] == c }
	if !begins('[') {
		return nil, errUnusual
	}
	var m Message
	visit := func(key, value []byte) error { return m.usual(key, value) }
	s.At++
	for more := true; more; {
		if s.Space(); !begins('{') {
			return nil, errUnusual
		}
		m = Message{}
		if err = s.Object(depth+2, visit); err == nil {
			list = append(list, m)
			more, err = s.Comma(']')
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// usual reads a member of a message.
func (m *Message) usual(key, value []byte) error {
	switch string(jsontext.Key(key)) {
	case "role":
		return usualText(value, &m.Role)
	case "content":
		if jsontext.IsNull(value) {
			m.Content = ""
			return nil
		}
		return usualText(value, &m.Content)
	case "refusal":
		return usualText(value, &m.Refusal)
	case "reasoning":
		return usualText(value, &m.Reasoning)
	case "tool_call_id":
		return usualText(value, &m.ToolCallID)
	case "name":
		return usualText(value, &m.Name)
	case "tool_calls":
		return usualToolCalls(value, m)
	}
	return errUnusual
}

func usualToolCalls(v []byte, m *Message) error {
	m.ToolCalls = nil
	s := jsontext.Scanner{Source: v}
	err := s.Elements(func(value []byte) error {
		var c ToolCall
		var kind string
		call := jsontext.Scanner{Source: value}
		err := call.Members(func(key, value []byte) error {
			switch string(jsontext.Key(key)) {
			case "id":
				return usualText(value, &c.ID)
			case "type":
				return usualText(value, &kind)
			case "function":
				return usualFunction(value, &c)
			}
			return errUnusual
		})
		m.ToolCalls = append(m.ToolCalls, c)
		return err
	})
	if m.ToolCalls == nil {
		return errUnusual // encoding/json makes an empty list
	}
	return err
}

func usualFunction(v []byte, c *ToolCall) error {
	s := jsontext.Scanner{Source: v}
	return s.Members(func(key, value []byte) error {
		switch string(jsontext.Key(key)) {
		case "name":
			return usualText(value, &c.Name)
		case "arguments":
			c.Arguments = jsontext.TextOrJSON(value)
			return nil
		}
		return errUnusual
	})
}

func usualText(v []byte, to *string) error {
	if v[0] != '"' {
		return errUnusual
	}
	*to = jsontext.Text(v)
	return nil
}
