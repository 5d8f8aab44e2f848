package importer

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"time"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// knownTask declares that the next rollout is of a task in which a simulated user talks to the
// model. The user opens differently in every trial, so the task serves as the prompt. It reports
// whether the item was already passed on.
func knownTask(sink Sink, split rollout.Split, id string, task json.RawMessage) (bool, error) {
	known, err := sink.known(split, id, []rollout.Message{{Role: "user", Content: id + "\n" + string(task)}})
	return known, ended(err)
}

// sendItem passes on an item with the messages that its rollout begins with and other fields of its
// row; empty fields are left out. It is called for each rollout: identity compares the messages and
// passes each item on once.
func sendItem(sink Sink, f File, it rollout.Item, messages []rollout.Message, fields map[string]json.RawMessage) error {
	if known, err := sink.known(it.Split, it.ID, messages); known || err != nil {
		return ended(err)
	}
	return sendKnown(sink, f, it, messages, fields)
}

// sendKnown is sendItem for the first rollout of an item.
func sendKnown(sink Sink, f File, it rollout.Item, messages []rollout.Message, fields map[string]json.RawMessage) error {
	row := make(map[string]json.RawMessage, len(fields)+1)
	for key, value := range fields {
		if !isNone(value) && string(value) != "{}" {
			row[key] = value
		}
	}
	if len(messages) > 0 {
		text, err := json.Marshal(messages)
		if err != nil {
			return err
		}
		row["messages"] = text
	}
	it.File = filepath.Base(f.Name)
	if len(row) > 0 {
		var err error
		if it.Row, err = marshalRow(row); err != nil {
			return fmt.Errorf("item %q: %w", it.ID, err)
		}
	}
	if err := it.Decode(); err != nil {
		return err
	}
	return ended(sink.item(it))
}

// offered returns the tools that a log says its rollouts were offered, in Chat Completions form:
// the first nonempty list; nil if there is none.
func offered(lists ...json.RawMessage) json.RawMessage {
	for _, tools := range lists {
		if chat := chatTools(tools); chat != nil {
			return chat
		}
	}
	return nil
}

func chatTools(tools json.RawMessage) json.RawMessage {
	var text string
	if jsontext.Unmarshal(tools, &text) == nil { // a list written as a string
		tools = json.RawMessage(text)
	}
	var list []map[string]json.RawMessage
	if jsontext.Unmarshal(tools, &list) != nil || len(list) == 0 {
		return nil
	}
	for i, tool := range list {
		if tool["name"] == nil {
			continue
		}
		delete(tool, "type")
		function, err := json.Marshal(tool)
		if err != nil {
			return nil
		}
		list[i] = map[string]json.RawMessage{"type": json.RawMessage(`"function"`), "function": function}
	}
	out, err := json.Marshal(list)
	if err != nil {
		return nil
	}
	return out
}

// ended marks an error of the sink.
func ended(err error) error {
	if err != nil {
		return sinkError{err}
	}
	return nil
}

// seconds converts a duration in seconds; missing and impossible durations are 0, which means
// unknown.
func seconds(s *float64) rollout.Seconds {
	const century = 100 * 365 * 24 * 3600
	if s == nil || math.IsNaN(*s) || *s < 0 || *s > century {
		return 0
	}
	return rollout.Seconds(*s * float64(time.Second))
}

// marshalRow is json.Marshal.
func marshalRow(row map[string]json.RawMessage) (json.RawMessage, error) {
	text := []byte("{")
	for i, key := range slices.Sorted(maps.Keys(row)) {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(jsontext.AppendPageSafe(text, key), ':')
		value := row[key]
		if value == nil {
			value = json.RawMessage("null")
		}
		var err error
		if text, err = jsontext.AppendCompact(slices.Grow(text, len(value)+1), value); err != nil {
			return nil, err
		}
	}
	return append(text, '}'), nil
}
