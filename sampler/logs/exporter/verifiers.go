package exporter

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// verifiers writes traces.jsonl as verifiers writes it from version 1 of its layout on
// (PrimeIntellect-ai/verifiers 0.4, verifiers/v1/episode.py, trace.py, graph.py): an episode with one
// trace per line.
var verifiers = Format{
	Name: "verifiers",
	Doc: "traces of verifiers 0.4 (layout v1), a directory with traces.jsonl: an episode with one trace for each " +
		"rollout, in the order in which they ended; the reward is its only reward, sub-scores are metrics",
	Files: []File{{"traces.jsonl", writeTraces}},
	Loses: func(r *Run) []string {
		return r.lost(
			loss{r.unscored, floorNote},
			loss{r.failed, "rollout[|s] without a grade [has|have] ok: false, an error and no rewards: verifiers " +
				"leaves [it|them] out of its means"},
			loss{r.timed, "rollout[ records|s record] how long [its|their] tool calls took" + onlyStamped},
			loss{r.regraded, "rollout[ has|s have] additional or earlier grades" + onlyStamped},
			loss{r.judged, "rollout[ records|s record] what [its|their] judge used" + onlyStamped},
			loss{r.extra, "rollout[ has|s have] extra keys" + onlyStamped},
			loss{r.pictured, pictureNote},
		)
	},
}

// writeTraces writes the episodes in the order in which the rollouts ended. The format has no
// numbers for repeats: readers count them, and our own importer uses the stamp.
func writeTraces(ctx context.Context, w io.Writer, r *Run) error {
	to := json.NewEncoder(w)
	return r.each(ctx, func(rec *rollout.Record) error { return to.Encode(r.episode(rec)) })
}

func (r *Run) episode(rec *rollout.Record) pairs {
	ok, failures := !rec.Outcome.Missing(), traceErrors(rec)
	id := fmt.Sprintf("episode_%s_%d_%s_%s", r.manifest.ID, rec.Sample, rec.Split, rec.Item)
	task, stop := r.traceTask(rec.Item), stopCondition(rec)
	return pairs{
		{"id", id},
		{"env", pairs{{"id", r.name()}}},
		{"task", task},
		{"run", pairs{{"type", "eval"}, {"id", r.manifest.ID}, {"name", r.name()}}},
		{"ok", ok},
		{"is_timeout", false},
		{"errors", failures[:0]}, // those of the trace
		{"traces", []pairs{{
			{"version", 1},
			{"id", id},
			{"verifiers", pairs{{"version", "0.4.0"}}},
			{"task", task},
			{"agent", pairs{{"config", pairs{{"model", r.model()}}}, {"name", "agent"}, {"trainable", true}}},
			{"tools", r.traceTools(rec.Item)},
			{"nodes", r.nodes(rec)},
			{"calls", r.modelCalls(rec)},
			{"rewards", r.traceRewards(rec)},
			{"metrics", numbers(rec.Parts)},
			{"info", pairs{{"gonogo", r.stampOf(rec, traceHolds)}}},
			{"is_completed", true},
			{"ok", ok},
			{"stop_condition", stop},
			{"is_timeout", stop == agentTimeout},
			{"errors", failures},
			{"timing", traceTiming(rec)},
		}}},
	}
}

// taskKeys are the keys of verifiers' TaskData (verifiers/v1/task.py), which no key of an item's row
// may use.
var taskKeys = []string{
	"idx", "id", "name", "description", "prompt", "system_prompt", "image", "workdir", "agent_user", "skills",
	"network_allow", "network_block", "artifacts", "artifact_max_bytes", "timeout", "resources", "messages", "tools",
}

// traceTask returns the task of an item: its prompt, and the other fields of its row, such as a
// reference answer. A task that was imported from verifiers is as it was there.
func (r *Run) traceTask(item string) pairs {
	data := pairs{{"idx", r.number[item]}, {"id", item}}
	if it := r.items[item]; it != nil {
		if len(it.Messages) > 0 {
			data = append(data, pair{"prompt", traceMessages(it.Messages)})
		}
		var row map[string]json.RawMessage
		if jsontext.Unmarshal(it.Row, &row) == nil {
			if theirs := taskData(row["task"]); theirs != nil {
				return pairs{{"type", "Task"}, {"data", theirs}, {"key", item}}
			}
			for _, key := range slices.Sorted(maps.Keys(row)) {
				if !slices.Contains(taskKeys, key) {
					data = append(data, pair{key, row[key]})
				}
			}
		}
	}
	return pairs{{"type", "Task"}, {"data", data}, {"key", item}}
}

// taskData returns a row's task if it is the data of a task of verifiers, which has an index and a
// prompt.
func taskData(task json.RawMessage) json.RawMessage {
	var data map[string]json.RawMessage
	if jsontext.Unmarshal(task, &data) != nil || data["idx"] == nil || data["prompt"] == nil {
		return nil
	}
	return task
}

// traceTools returns the tools that the item offers, in the flat form of verifiers.
func (r *Run) traceTools(item string) []pairs {
	list := []pairs{}
	it := r.items[item]
	if it == nil {
		return list
	}
	var tools []struct {
		Function struct {
			Name        string                     `json:"name"`
			Description string                     `json:"description"`
			Parameters  map[string]json.RawMessage `json:"parameters"`
		} `json:"function"`
	}
	if jsontext.Unmarshal(it.Tools, &tools) != nil {
		return list
	}
	for _, t := range tools {
		if f := t.Function; f.Name != "" {
			if f.Parameters == nil {
				f.Parameters = map[string]json.RawMessage{}
			}
			list = append(list, pairs{
				{"type", "function"}, {"name", f.Name}, {"description", f.Description}, {"parameters", f.Parameters},
			})
		}
	}
	return list
}

// nodes returns the conversation as a graph with one path.
func (r *Run) nodes(rec *rollout.Record) []pairs {
	prompt := r.prompt(rec)
	began := 0.0
	if !rec.Started.IsZero() {
		began = float64(rec.Started.UnixMicro()) / 1e6
	}
	nodes := []pairs{}
	for i, m := range traceMessages(slices.Concat(prompt, conversation(rec))) {
		node := pairs{}
		if i > 0 {
			node = append(node, pair{"parent", i - 1})
		}
		sampled := i >= len(prompt) && m[0].value == "assistant"
		nodes = append(nodes, append(node, pair{"message", m}, pair{"sampled", sampled}, pair{"timestamp", began}))
	}
	return nodes
}

// modelCalls returns one call that stands for all: the record has the tokens of the rollout, not
// those of each call.
func (r *Run) modelCalls(rec *rollout.Record) []pairs {
	talk := conversation(rec)
	last := -1
	for i := range talk {
		if talk[i].Role == "assistant" {
			last = i
		}
	}
	p := pairs{{"model", r.model()}}
	if last >= 0 {
		p = append(p, pair{"node", len(r.prompt(rec)) + last})
	}
	switch rec.Finish {
	case rollout.FinishStop, rollout.FinishLength:
		p = append(p, pair{"finish_reason", string(rec.Finish)})
	}
	if u := rec.Usage; u.Input != nil && u.Output != nil {
		usage := pairs{{"prompt_tokens", *u.Input}, {"completion_tokens", *u.Output}}
		if u.Cached != nil { // prompt_tokens excludes them
			usage[0].value = max(*u.Input-*u.Cached, 0)
			usage = append(usage, pair{"cached_input_tokens", *u.Cached})
		}
		if u.Reasoning != nil {
			usage = append(usage, pair{"reasoning_tokens", *u.Reasoning})
		}
		p = append(p, pair{"usage", usage})
	}
	return []pairs{p}
}

// traceRewards returns the reward. A failure has none.
func (r *Run) traceRewards(rec *rollout.Record) pairs {
	score, scored := rec.Score(r.floor)
	if !scored {
		return pairs{}
	}
	return pairs{{r.scorer(), pairs{{"score", score}, {"weight", 1.0}}}}
}

// numbers returns the parts as an object that is never null.
func numbers(parts map[string]float64) map[string]float64 {
	if parts == nil {
		return map[string]float64{}
	}
	return parts
}

// agentTimeout is the stop condition of a trace whose agent ran out of time.
const agentTimeout = "agent_timeout"

// stopCondition returns the word of verifiers for how a trace ended. Trace.is_truncated knows the
// limits on turns and tokens by these words.
func stopCondition(rec *rollout.Record) string {
	switch rec.Outcome {
	case rollout.Graded, rollout.NoAnswer:
		return "agent_completed"
	case rollout.StepLimit:
		switch kind, _ := limitOf(rec.Error); {
		case kind == "time" || kind == "working":
			return agentTimeout
		case kind == "context" || strings.Contains(rec.Error, "max_input_tokens"):
			return "max_input_tokens"
		case strings.Contains(rec.Error, "max_output_tokens"):
			return "max_output_tokens"
		case kind == "token":
			return "max_total_tokens"
		}
		return "max_turns"
	}
	return strings.ToLower(strings.TrimSuffix(traceError(rec.Outcome), "Error")) + "_error"
}

// traceError returns the type of verifiers (verifiers/v1/errors.py) for a failure.
func traceError(o rollout.Outcome) string {
	switch o {
	case rollout.ToolFailed:
		return "ToolsetError"
	case rollout.GraderFailed:
		return "TaskError"
	}
	return "ProviderError"
}

func traceErrors(rec *rollout.Record) []pairs {
	if !rec.Outcome.Missing() {
		return []pairs{}
	}
	return []pairs{{{"type", traceError(rec.Outcome)}, {"message", cause(rec)}}}
}

// traceTiming returns when the rollout ran; a start that is unknown is 0.
func traceTiming(rec *rollout.Record) pairs {
	began := 0.0
	if !rec.Started.IsZero() {
		began = float64(rec.Started.UnixMicro()) / 1e6
	}
	return pairs{
		{"start", began},
		{"agent", pairs{{"start", began}, {"end", began + time.Duration(rec.Elapsed).Seconds()}}},
	}
}

// traceHolds reports whether a message is the same after the form of verifiers.
func traceHolds(m *rollout.Message) bool {
	return plain(m) && !slices.ContainsFunc(m.ToolCalls, func(c rollout.ToolCall) bool { return c.Name == "" })
}

// traceMessages writes chat messages.
func traceMessages(messages []rollout.Message) []pairs {
	out := make([]pairs, 0, len(messages))
	for _, m := range messages {
		role := chatRole(m.Role)
		p := pairs{{"role", role}, {"content", m.Content}}
		switch role {
		case "tool":
			p = append(p, pair{"tool_call_id", m.ToolCallID})
			if m.Name != "" {
				p = append(p, pair{"name", m.Name})
			}
		case "assistant":
			if m.Reasoning != "" {
				p = append(p, pair{"reasoning_content", m.Reasoning})
			}
			var calls []pairs
			for _, c := range m.ToolCalls {
				calls = append(calls, pairs{{"id", c.ID}, {"name", c.Name}, {"arguments", c.Arguments}})
			}
			if len(calls) > 0 {
				p = append(p, pair{"tool_calls", calls})
			}
		}
		out = append(out, p)
	}
	return out
}
