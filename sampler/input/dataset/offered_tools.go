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
	Chat json.RawMessage // the tool in the form used in rows
}

// AddTools adds tools to each item after those of its row. A row that has a tool with the same name
// keeps its own. The rows themselves do not change: tools and grader receive them unchanged.
func AddTools(items []rollout.Item, tools []OfferedTool) error {
	made := map[string]json.RawMessage{} // by the row's tools: usually all rows offer the same
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
		names := ToolNames(*it)
		rows := len(names)
		for _, t := range tools {
			if !slices.Contains(names, t.Name) {
				list, names = append(list, t.Chat), append(names, t.Name)
			}
		}
		if len(names) == rows {
			made[string(it.Tools)] = it.Tools
			continue
		}
		all := append([]byte{'['}, bytes.Join(asBytes(list), []byte{','})...)
		all = append(all, ']')
		made[string(it.Tools)] = all
		it.Tools = all
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
