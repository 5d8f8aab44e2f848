package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonogo/sampler/input/spelling"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// function is one entry of a row's tools.
type function struct {
	name       string
	nested     bool            // chat form: {"type":"function","function":{"name":…}}
	parameters json.RawMessage // nil if it has none
}

// functions decodes a row's tools, in chat form or in the flat form of the Responses API.
func functions(raw json.RawMessage) ([]function, error) {
	type body struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	}
	var list []struct {
		body
		Function *body `json:"function"`
	}
	if err := jsontext.Unmarshal(raw, &list); err != nil {
		return nil, errors.New("it must be a list of {\"type\":\"function\",\"function\":{…}}")
	}
	tools := make([]function, len(list))
	for i, t := range list {
		tools[i] = function{t.Name, false, t.Parameters}
		if t.Function != nil {
			tools[i] = function{t.Function.Name, true, t.Function.Parameters}
		}
		if tools[i].name == "" {
			return nil, fmt.Errorf("tools[%d] has no name", i)
		}
	}
	return tools, nil
}

// ToolNames returns the names of the tools that the item offers the model, in the order of its row;
// nil if the row has no tools or they cannot be read.
func ToolNames(item rollout.Item) []string {
	if item.Tools == nil {
		return nil
	}
	tools, err := functions(item.Tools)
	if err != nil {
		return nil
	}
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.name
	}
	return names
}

// CheckTools compares the tools in the rows with those that the job serves. A tool that the job
// does not serve could never be called: the error names it with file:line and the nearest served
// name, once per tool. Parameters that are not the JSON Schema of an object are an error too. A
// served tool that no row offers is a Problem that does not block.
func CheckTools(items []rollout.Item, served []string) ([]rollout.Problem, error) {
	type stranger struct {
		first *rollout.Item
		rows  int
	}
	offered, strangers := map[string]bool{}, map[string]*stranger{}
	var order []string
	var errs []error
	schemas := schemaChecker{}
	type checked struct {
		names []string
		err   error
	}
	seen := map[string]checked{} // by the row's tools: usually all rows offer the same
	for i := range items {
		it := &items[i]
		row, known := seen[string(it.Tools)]
		if !known {
			row.names = ToolNames(*it)
			if it.Tools != nil {
				var tools []function
				if tools, row.err = functions(it.Tools); row.err == nil {
					row.err = schemas.check(tools)
				}
			}
			seen[string(it.Tools)] = row
		}
		if row.err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: tools: %w", it.File, it.Line, row.err))
		}
		for _, name := range row.names {
			offered[name] = true
			if slices.Contains(served, name) {
				continue
			}
			if strangers[name] == nil {
				strangers[name] = &stranger{first: it}
				order = append(order, name)
			}
			strangers[name].rows++
		}
		if len(errs) >= maxErrors {
			break
		}
	}
	for _, name := range order {
		s := strangers[name]
		errs = append(errs, fmt.Errorf("%s:%d: tool %q is not served by the job%s (in %d of %d rows)",
			s.first.File, s.first.Line, name, hint(name, served), s.rows, len(items)))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	var unused []rollout.Problem
	for _, name := range served {
		if !offered[name] && len(items) > 0 {
			unused = append(unused, rollout.Problem{
				Split: items[0].Split, File: items[0].File, Rule: "unused_tool",
				Message: fmt.Sprintf("the job serves %q, but no row offers it: the model will never call it", name),
			})
		}
	}
	return unused, nil
}

func hint(name string, served []string) string {
	if near, ok := spelling.Suggest(name, served); ok {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	if len(served) == 0 {
		return ", which serves none"
	}
	return ", which serves " + strings.Join(served, ", ")
}
