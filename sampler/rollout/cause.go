package rollout

import "strings"

// NoCause reports whether a field that names an error means that there was none: tables
// and logs then have an empty cell, None, null, NaN, 0, False and the like.
func NoCause(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "", "none", "null", "nil", "nan", "<na>", "n/a", "0", "0.0", "false", "[]", "{}":
		return true
	}
	return false
}

// Boundary finds, from the words of an error, which boundary failed: the model's, unless a
// word refers to a tool or to grading.
func Boundary(text string) Outcome {
	text = strings.ToLower(text)
	for _, b := range []struct {
		is    Outcome
		words []string
	}{
		{GraderFailed, []string{"rubric", "judge", "grader", "scorer", "scoring", "rewarderror", "reward function"}},
		{ToolFailed, []string{"toolerror", "toolcall", "tool_error", "tool call", "sandbox", "tunnel", "mcp"}},
	} {
		for _, word := range b.words {
			if strings.Contains(text, word) {
				return b.is
			}
		}
	}
	return ModelAPI
}
