package sampler

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// RolloutSession is what belongs to one rollout alone: a container, a database or a
// server that is started before it and stopped after it, the session of gonogo.yaml. A
// nil *RolloutSession means no session.
type RolloutSession struct {
	ID      string // of this one start: no two share it, repeats and later calls included
	TraceID string // of the rollout
	Item    *rollout.Item
	Sample  int
	Attempt int

	// Values are what its start returned, by name; {{session.NAME}} in a tool's or a
	// grader's URL and headers stands for them.
	Values map[string]json.RawMessage

	// Found are the canaries found in its files: that of another rollout means that
	// the two shared a session.
	Found []string

	Try *endpoint.Try // that starts or stops it; nil outside a run

	secrets *sessionSecrets // that its values put into headers; nil where no record is written
}

// sessionVariable matches {{session.NAME}}.
var sessionVariable = regexp.MustCompile(`\{\{\s*session\.([A-Za-z0-9_.-]+)\s*\}\}`)

// SessionVariables lists the session variables in a text.
func SessionVariables(text string) []string {
	var names []string
	for _, m := range sessionVariable.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// Fill replaces the session variables in a text: strings as they are, other values
// as JSON. A dot separates nested names. id, trace_id and canary are defined unless
// the start returns others.
func (s *RolloutSession) Fill(text string) (string, error) {
	var missing string
	filled := sessionVariable.ReplaceAllStringFunc(text, func(variable string) string {
		name := sessionVariable.FindStringSubmatch(variable)[1]
		value, ok := s.value(name)
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
func (s *RolloutSession) Lacks(names []string) string {
	for _, name := range names {
		if _, ok := s.value(name); !ok {
			return name
		}
	}
	return ""
}

func (s *RolloutSession) value(name string) (string, bool) {
	if s == nil {
		return "", false
	}
	values, path := s.Values, strings.Split(name, ".")
	for i, at := range path {
		raw, ok := values[at]
		if !ok {
			break
		}
		if i == len(path)-1 {
			return jsontext.TextOrJSON(raw), string(raw) != "null"
		}
		if values = nil; jsontext.Unmarshal(raw, &values) != nil {
			break
		}
	}
	switch name {
	case "id":
		return s.ID, true
	case "trace_id":
		return s.TraceID, true
	case "canary":
		return rollout.Canary(s.TraceID), true
	}
	return "", false
}
