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
	err = s.Elements(func(value []byte) error {
		m, err := usualMessage(value)
		list = append(list, m)
		return err
	})
	if err == nil && list == nil {
		err = errUnusual // encoding/json makes an empty list
	}
	return list, err
}

func usualMessage(v []byte) (m Message, err error) {
	s := jsontext.Scanner{Source: v}
	err = s.Members(func(key, value []byte) error {
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
			return usualToolCalls(value, &m)
		}
		return errUnusual
	})
	return m, err
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
