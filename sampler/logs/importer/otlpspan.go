package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// otlpRole is what a span does for a rollout.
type otlpRole int

const (
	otlpOther otlpRole = iota
	otlpModel
	otlpTool
	otlpJudge // evaluates: what is below it is the grader's
)

// role tells a call of the model, a tool and an evaluator apart.
func (s *otlpSpan) role() otlpRole {
	a := s.Attributes
	switch strings.ToUpper(a.text("openinference.span.kind", "mlflow.spanType", "langfuse.observation.type")) {
	case "LLM", "CHAT_MODEL", "GENERATION":
		return otlpModel
	case "TOOL":
		return otlpTool
	case "EVALUATOR", "GUARDRAIL":
		return otlpJudge
	}
	switch a.text("gen_ai.operation.name") {
	case "chat", "generate_content", "text_completion":
		return otlpModel
	case "execute_tool":
		return otlpTool
	case "evaluate", "evaluation":
		return otlpJudge
	}
	switch {
	case a["evaluator_name"] != nil: // pydantic-evals
		return otlpJudge
	case a.text("traceloop.span.kind") == "tool":
		return otlpTool
	}
	return otlpOther
}

// otlpNode is what is kept of a span until its rollout is complete.
type otlpNode struct {
	id, parent  string
	role        otlpRole
	start, end  int64
	key, item   string          // the item that its attributes name, and by which
	row         json.RawMessage // the attributes of a span that names an item, or of a root
	input       otlpCount
	output      otlpCount
	cached      otlpCount
	reasoning   otlpCount
	model       string
	agent       string
	finish      string
	failed      bool
	cause       string
	call        *rollout.Call
	reward      *float64           // the attribute, which counts for a rollout's own span alone
	rated       *float64           // the attribute score, in the same way
	scores      map[string]float64 // of events, cases and evaluators
	graded      []string           // names of scores, in order
	words       []string           // names of those that are words
	asked, said string             // input and output of a span that may be a rollout's
	within      bool               // below another call of the model
	adopted     bool               // it stands for a parent that is not in the trace
}

// otlpCount is a number of tokens, if the span has one.
type otlpCount struct {
	n     int64
	known bool
}

func (c *otlpCount) set(n *int64) {
	if n != nil && *n >= 0 {
		c.n, c.known = *n, true
	}
}

// node returns what is kept of the span; by is Options.Item.
func (s *otlpSpan) node(by string) *otlpNode {
	a := s.Attributes
	n := &otlpNode{
		id: s.ID, parent: s.Parent, role: s.role(), start: int64(s.Start), end: int64(s.End), failed: s.failed(),
		agent: a.text("gen_ai.agent.name"),
	}
	if n.role != otlpJudge {
		n.key, n.item = itemOf(a, by)
	}
	if n.failed {
		n.cause = s.cause()
	}
	switch n.role {
	case otlpModel:
		n.model = a.text("gen_ai.request.model", "llm.model_name", "gen_ai.response.model", "mlflow.llm.model",
			"langfuse.observation.model.name")
		n.finish = finishOf(a)
		n.input.set(a.count("gen_ai.usage.input_tokens", "llm.token_count.prompt", "gen_ai.usage.prompt_tokens"))
		n.output.set(a.count("gen_ai.usage.output_tokens", "llm.token_count.completion",
			"gen_ai.usage.completion_tokens"))
		n.cached.set(a.count("gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read"))
		n.reasoning.set(a.count("gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens",
			"llm.token_count.completion_details.reasoning"))
		if !n.input.known && !n.output.known {
			u := a.usage()
			n.input.set(u.Input)
			n.output.set(u.Output)
			n.cached.set(u.Cached)
			n.reasoning.set(u.Reasoning)
		}
	case otlpTool:
		n.call = s.call()
	}
	if n.item != "" || n.parent == "" {
		n.row, _ = json.Marshal(a.withMetadata())
		n.said, n.asked = cmp.Or(a.text("output"), a.returned()), cmp.Or(a.text("inputs"), a.text(otlpInputs...))
	}
	for _, e := range s.Events {
		if name := evaluationName(e.Name, e.Attributes); name != "" {
			n.evaluated(name, e.Attributes)
		}
	}
	switch n.role {
	case otlpOther:
		for _, key := range []string{"scores", "assertions"} { // of a case of pydantic-evals
			n.caseScores(a.structured(key))
		}
		own := otlpAttributes(a.withMetadata())
		n.reward, n.rated = own.number("reward", "metadata.reward"), own.number("score", "metadata.score")
	case otlpJudge:
		n.score(cmp.Or(a.text("evaluator_name"), s.Name), a.number("score", "gen_ai.evaluation.score.value"))
	}
	return n
}

// itemOf returns the item that attributes name, and by which key; "" if there is none. by is Options.Item.
func itemOf(a otlpAttributes, by string) (key, item string) {
	row, keys := a.withMetadata(), otlpItemKeys
	if by != "" && by != ItemPrompt && by != itemKept {
		keys = []string{by}
	}
	for _, key := range keys {
		for _, path := range []string{key, "metadata." + key} {
			if id := idText(row[path]); id != "" {
				return path, id
			}
		}
	}
	return "", ""
}

// withMetadata returns the attributes with the members of the object metadata, which OpenInference
// encodes as text, and the metadata of Langfuse and LangSmith in the same way.
func (a otlpAttributes) withMetadata() map[string]json.RawMessage {
	meta, all := a.structured("metadata"), maps.Clone(a)
	for attribute, value := range a {
		if key, ok := metadataKey(attribute); ok {
			all[key] = value
		}
	}
	_ = rollout.Members(meta, func(key string, value []byte) error {
		all["metadata."+key] = bytes.Clone(value)
		return nil
	})
	return all
}

// finishOf returns why the model's reply ended.
func finishOf(a otlpAttributes) string {
	var reasons []string
	if jsontext.Unmarshal(a.structured("gen_ai.response.finish_reasons"), &reasons) == nil && len(reasons) > 0 {
		if reasons[0] == "tool_call" { // in OpenLLMetry
			return "tool_calls"
		}
		return reasons[0]
	}
	return cmp.Or(a.text("llm.finish_reason"), jsontext.TextOrJSON(firstChoice(a.reply(), "finish_reason")))
}

// call returns the tool call that a span describes.
func (s *otlpSpan) call() *rollout.Call {
	a := s.Attributes
	c := &rollout.Call{
		ID: a.text("gen_ai.tool.call.id", "tool.id", "tool_call.id"),
		Name: cmp.Or(a.text("gen_ai.tool.name", "tool.name", "traceloop.entity.name"),
			strings.TrimPrefix(s.Name, "execute_tool ")),
		Arguments: cmp.Or(a.text("gen_ai.tool.call.arguments", "traceloop.entity.input"), a.text(otlpInputs...)),
		Output:    cmp.Or(a.text("gen_ai.tool.call.result", "traceloop.entity.output"), a.returned()),
	}
	c.OutputBytes = len(c.Output)
	c.Status = rollout.CallOK
	if s.failed() {
		c.Status, c.Error = rollout.CallError, s.cause()
	}
	return c
}

// otlpEvaluation is the name of an event that holds a score.
const otlpEvaluation = "gen_ai.evaluation.result"

// evaluationName returns the name of the score that an event holds; "" for any other event.
func evaluationName(event string, a otlpAttributes) string {
	if event != otlpEvaluation && a.text("event.name") != otlpEvaluation {
		return ""
	}
	return cmp.Or(a.text("gen_ai.evaluation.name"), "score")
}

// scoreOf returns the score of an evaluation: its value or, without one, pass or fail as 1 or 0.
func scoreOf(a otlpAttributes) *float64 {
	if v := a.number("gen_ai.evaluation.score.value"); v != nil {
		return v
	}
	for i, labels := range [][]string{
		{"fail", "failed", "incorrect", "false", "no"}, {"pass", "passed", "correct", "true", "yes"},
	} {
		if slices.Contains(labels, strings.ToLower(a.text("gen_ai.evaluation.score.label"))) {
			v := float64(i)
			return &v
		}
	}
	return nil
}

// score keeps a score; the last of several with one name counts.
func (n *otlpNode) score(name string, v *float64) {
	if v == nil {
		return
	}
	if n.scores == nil {
		n.scores = make(map[string]float64)
	}
	if _, seen := n.scores[name]; !seen {
		n.graded = append(n.graded, name)
	}
	n.scores[name] = *v
}

// evaluated keeps the score of an evaluation, and whether it is a word.
func (n *otlpNode) evaluated(name string, a otlpAttributes) {
	if n.score(name, scoreOf(a)); a.number("gen_ai.evaluation.score.value") == nil && slices.Contains(n.graded, name) {
		n.words = append(n.words, name)
	}
}

// caseScores keeps the scores of a case: objects with a value, by name.
func (n *otlpNode) caseScores(object json.RawMessage) {
	_ = rollout.Members(object, func(name string, value []byte) error {
		if v, err := number(name, member(value, "value")); err == nil {
			n.score(name, v)
		}
		return nil
	})
}
