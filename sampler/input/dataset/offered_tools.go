package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// OfferedTool is a tool offered to the model in addition to those of the rows.
type OfferedTool struct {
	Name string
	Chat json.RawMessage // the tool in the form that rows have
}

// AddTools adds tools to each item after those of its row. A row with a tool of the
// same name keeps its own. The rows do not change: tools and grader get them as
// they are.
func AddTools(items []rollout.Item, tools []OfferedTool) error {
	made := map[string]json.RawMessage{} // by what the row offers: mostly all rows offer the same
	for i := range items {
		it := &items[i]
		if done, ok := made[string(it.Tools)]; ok {
			it.Tools = done
			continue
		}
		var list []json.RawMessage
		if it.Tools != nil {
			if _, err := functions(it.Tools); err != nil {
				return fmt.Errorf("%s:%d: tools: %w", it.File, it.Line, err)
			}
			if err := jsontext.Unmarshal(it.Tools, &list); err != nil {
				return fmt.Errorf("%s:%d: tools: %w", it.File, it.Line, err)
			}
		}
		own := ToolNames(*it)
		rows := len(own)
		for _, t := range tools {
			if !slices.Contains(own, t.Name) {
				list, own = append(list, t.Chat), append(own, t.Name)
			}
		}
		if len(own) == rows {
			made[string(it.Tools)] = it.Tools
			continue
		}
		whole := append([]byte{'['}, bytes.Join(asBytes(list), []byte{','})...)
		whole = append(whole, ']')
		made[string(it.Tools)] = whole
		it.Tools = whole
	}
	return nil
}

func asBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, raw := range list {
		out[i] = raw
	}
	return out
}
