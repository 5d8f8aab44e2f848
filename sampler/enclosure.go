package sampler

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"gonogo/sampler/rollout"
)

// Enclosure is what belongs to one rollout alone: a container, a database or a
// server that is started before it and stopped after it. The configuration calls it
// a session. A nil *Enclosure is none.
type Enclosure struct {
	ID      string // of this one start: no two share it, repeats and later calls included
	TraceID string // of the rollout
	Item    *rollout.Item
	Sample  int
	Attempt int

	// Values are what its start returned, by name; {{session.NAME}} in a tool's or a
	// grader's URL and headers stands for them.
	Values map[string]json.RawMessage

	// Found are the canaries found in its place: that of another rollout means that
	// the two shared it.
	Found []string
}

// session variables in a text.
var enclosureVariable = regexp.MustCompile(`\{\{\s*session\.([A-Za-z0-9_.-]+)\s*\}\}`)

// EnclosureNames lists the session variables in a text.
func EnclosureNames(text string) []string {
	var names []string
	for _, m := range enclosureVariable.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// Fill replaces the session variables in a text: strings as they are, other values
// as JSON. A dot separates nested names. id, trace_id and canary are defined unless
// the start returns others.
func (e *Enclosure) Fill(text string) (string, error) {
	var missing string
	filled := enclosureVariable.ReplaceAllStringFunc(text, func(variable string) string {
		name := enclosureVariable.FindStringSubmatch(variable)[1]
		value, ok := e.value(name)
		if !ok {
			missing = cmp.Or(missing, name)
		}
		return value
	})
	if missing != "" {
		return "", fmt.Errorf("the session has no %q", missing)
	}
	return filled, nil
}

// Lacks returns the first of the names that the session has no value for, or "".
func (e *Enclosure) Lacks(names []string) string {
	for _, name := range names {
		if _, ok := e.value(name); !ok {
			return name
		}
	}
	return ""
}

func (e *Enclosure) value(name string) (string, bool) {
	if e == nil {
		return "", false
	}
	values, path := e.Values, strings.Split(name, ".")
	for i, at := range path {
		raw, ok := values[at]
		if !ok {
			break
		}
		if i == len(path)-1 {
			return textOf(raw), string(raw) != "null"
		}
		if values = nil; json.Unmarshal(raw, &values) != nil {
			break
		}
	}
	switch name {
	case "id":
		return e.ID, true
	case "trace_id":
		return e.TraceID, true
	case "canary":
		return rollout.Canary(e.TraceID), true
	}
	return "", false
}
