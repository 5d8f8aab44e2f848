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

// RolloutSession is what belongs to one rollout alone, the session of gonogo.yaml: a container, a
// database or a server that is started before the rollout and stopped after it. A nil
// *RolloutSession means no session.
type RolloutSession struct {
	ID      string // names this one start: unique, also among retries and later calls
	TraceID string // of the rollout
	Item    *rollout.Item
	Sample  int
	Attempt int

	// Values holds what the start returned, by name; {{session.NAME}} in the URL and headers of a
	// tool or a grader stands for one of them.
	Values map[string]json.RawMessage

	// Found lists the canaries found in the session's files. A canary of another rollout means that
	// the two shared a session.
	Found []string

	Try *endpoint.Try // the try that starts or stops it; nil outside a run

	secrets *sessionSecrets // secrets among Values that headers carry; nil if no record is written
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

// Fill replaces the session variables in a text, strings as they are, other values as JSON. A dot
// separates nested names. id, trace_id and canary are defined even if the start does not return
// them.
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

// Lacks returns the first of names that the session has no value for, or "".
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
	for i, key := range path {
		raw, ok := values[key]
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
