package importer

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
)

// promptfooGrade is a GradingResult of a row or of one of its assertions.
type promptfooGrade struct {
	Reason     json.RawMessage  `json:"reason"`
	Assertion  json.RawMessage  `json:"assertion"`
	Metadata   json.RawMessage  `json:"metadata"`
	Components []promptfooGrade `json:"componentResults"`
	Judge      struct {
		Total  *int64 `json:"total"`
		Input  *int64 `json:"prompt"`
		Output *int64 `json:"completion"`
	} `json:"tokensUsed"`
}

// failure reports whether a score of a row says nothing about the answer, and why: one of its
// assertions was not judged, which promptfoo counts as 0 with failureReason 1 (promptfoo#8986,
// #10481). It skips assertions that do not contribute to the score called wanted, or to the row's
// own score if wanted is "".
func (g *promptfooGrade) failure(wanted string) (cause string, failed bool) {
	var a struct {
		Type       string   `json:"type"`
		Metric     string   `json:"metric"`
		Weight     *float64 `json:"weight"`
		MetricOnly bool     `json:"metricOnly"`
	}
	var m struct {
		GraderError bool `json:"graderError"`
	}
	// scripts write these fields too, in any shape
	_, _ = jsontext.Unmarshal(g.Assertion, &a), jsontext.Unmarshal(g.Metadata, &m)
	if wanted == "" && (a.MetricOnly || a.Weight != nil && *a.Weight == 0) || wanted != "" && a.Metric != "" &&
		a.Metric != wanted {
		return "", false
	}
	for i := range g.Components {
		if cause, failed := g.Components[i].failure(wanted); failed {
			return cause, true
		}
	}
	reason := jsontext.TextOrJSON(g.Reason)
	if m.GraderError || strings.HasPrefix(reason, "Scoring function error:") || len(g.Components) == 0 &&
		promptfooCrashed(strings.TrimPrefix(a.Type, "not-"), reason) {
		return cmp.Or(transcript.FirstLine(reason), "the grader failed"), true
	}
	return "", false
}

// promptfooCrashed recognizes, by its reason, an assertion that was not judged but is not marked as
// such. graderFail (src/matchers/shared.ts) sets metadata.graderError, but a script that threw and,
// at least up to 0.123, a failed factuality or closed-QA judge are written as plain failures
// (src/assertions/javascript.ts, python.ts, ruby.ts, src/matchers/llmGrading.ts).
func promptfooCrashed(assertion, reason string) bool {
	scripts := []string{
		"Custom function threw error:", "Python code execution failed:",
		"Ruby code execution failed:", "Error running Python script:",
	}
	judges := []string{
		"API error:", "API call error:", "API response error:", "Could not perform remote grading:",
		"Could not extract JSON from ",
		"Invalid category value:", "Factuality checker output did not match expected format:",
		"Model grader produced a malformed response:", "Error parsing output:",
	}
	begins := func(with []string) bool {
		return slices.ContainsFunc(with, func(prefix string) bool { return strings.HasPrefix(reason, prefix) })
	}
	switch assertion {
	case "factuality", "model-graded-factuality", "model-graded-closedqa":
		return reason == "No output" || begins(judges)
	case "llm-rubric", "g-eval", "agent-rubric", "search-rubric", "answer-relevance", "context-faithfulness",
		"context-recall", "context-relevance", "conversation-relevance", "trajectory:goal-success":
		return begins(judges)
	}
	return begins(scripts)
}
