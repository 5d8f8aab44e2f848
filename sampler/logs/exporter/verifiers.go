package exporter

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"time"

	"gonogo/sampler/rollout"
)

// verifiers writes the files of `vf-eval --save-results` (PrimeIntellect-ai/verifiers,
// verifiers/legacy/utils/save_utils.py): results.jsonl, one rollout per line, and metadata.json.
var verifiers = Format{
	Name: "verifiers",
	Doc: "results of verifiers, a directory with results.jsonl and metadata.json: a line for each rollout, in the " +
		"order in which they ended",
	Files: []File{
		{"results.jsonl", writeVerifiersResults},
		{"metadata.json", writeVerifiersMetadata},
	},
	Loses: func(r *Run) []string {
		notes := r.lost(
			loss{r.unscored, "rollout[|s] without an answer [has|have] reward 0 there, which verifiers writes for " +
				"what was never scored"},
			loss{r.failed, "rollout[|s] without a grade [has|have] reward 0 and an error there: verifiers has no " +
				"missing reward"},
			loss{r.timed, "rollout[ records|s record] how long [its|their] tool calls took, which is left out"},
			loss{r.regraded, "rollout[ has|s have] additional or earlier grades: only the reward is kept"},
			loss{r.judged, "rollout[ records|s record] what [its|their] judge used, which is left out"},
			loss{r.extra, "rollout[ has|s have] extra keys, which are left out"},
		)
		if !r.numbers() {
			notes = append(notes, "example_id numbers the items in order, because it must be a whole number; the "+
				"item's own id is under the key gonogo")
		}
		return notes
	},
}

// writeVerifiersResults writes the lines in the order in which the rollouts ended. The format has
// no numbers for repeats: readers count them, and our own importer uses the stamp.
func writeVerifiersResults(ctx context.Context, w io.Writer, r *Run) error {
	to, id := json.NewEncoder(w), r.itemNumber()
	return r.each(ctx, func(rec *rollout.Record) error {
		return to.Encode(r.verifiersRow(rec, id(rec.Item)))
	})
}

// rowKeys are the keys of a row that no metric may use.
var rowKeys = []string{
	"example_id", "prompt", "completion", "reward", "metrics", "timing", "is_completed", "is_truncated",
	"stop_condition",
	"tool_defs", "error", "token_usage", "info", "answer", "task", "gonogo",
}

func (r *Run) verifiersRow(rec *rollout.Record, id int) pairs {
	reward := 0.0
	if rec.Reward != nil {
		reward = *rec.Reward
	}
	seconds, began := time.Duration(rec.Elapsed).Seconds(), 0.0
	if !rec.Started.IsZero() {
		began = float64(rec.Started.UnixMicro()) / 1e6
	}
	p := pairs{
		{"example_id", id},
		{"prompt", verifiersMessages(r.prompt(rec))},
		{"completion", verifiersMessages(conversation(rec))},
		{"reward", reward},
		{"metrics", numbers(rec.Parts)},
		{"timing", pairs{{"start_time", began}, {"generation", span(seconds)}, {"total", seconds}}},
		{"is_completed", !rec.Outcome.Missing()},
		{"is_truncated", rec.Outcome == rollout.StepLimit || rec.Finish == rollout.FinishLength},
		{"stop_condition", stopCondition(rec)},
		{"tool_defs", nil},
		{"error", verifiersError(rec)},
		{"gonogo", stampOf(rec)},
	}
	if rec.Usage.Input != nil && rec.Usage.Output != nil {
		p = append(p,
			pair{
				"token_usage",
				pairs{{"input_tokens", float64(*rec.Usage.Input)}, {"output_tokens", float64(*rec.Usage.Output)}},
			})
	}
	for _, name := range slices.Sorted(maps.Keys(rec.Parts)) {
		if !slices.Contains(rowKeys, name) {
			p = append(p, pair{name, rec.Parts[name]})
		}
	}
	return p
}

// numbers returns the parts as an object that is never null.
func numbers(parts map[string]float64) map[string]float64 {
	if parts == nil {
		return map[string]float64{}
	}
	return parts
}

func span(seconds float64) pairs { return pairs{{"duration", seconds}} }

func stopCondition(rec *rollout.Record) any {
	switch {
	case rec.Outcome.Missing():
		return "has_error"
	case rec.Outcome == rollout.StepLimit:
		return "max_turns_reached"
	}
	return "no_tools_called"
}

func verifiersError(rec *rollout.Record) any {
	if !rec.Outcome.Missing() {
		return nil
	}
	kind := map[rollout.Outcome]string{
		rollout.ModelAPI: "ModelError", rollout.PromptTooLong: "OverlongPromptError",
		rollout.ToolFailed: "ToolError", rollout.GraderFailed: "InfraError",
	}[rec.Outcome]
	text := cause(rec)
	return pairs{
		{"error", kind},
		{"message", text},
		{"error_chain_repr", kind},
		{"error_chain_str", kind + ": " + text},
	}
}

// verifiersMessages writes chat messages in which each call is a string of JSON, as the format
// requires.
func verifiersMessages(messages []rollout.Message) []pairs {
	out := make([]pairs, 0, len(messages))
	for _, m := range messages {
		p := pairs{{"role", m.Role}, {"content", m.Content}}
		if len(m.Parts) > 0 {
			p[1].value = m.Parts
		}
		if m.Reasoning != "" {
			p = append(p, pair{"reasoning_content", m.Reasoning})
		}
		if m.ToolCallID != "" {
			p = append(p, pair{"tool_call_id", m.ToolCallID})
		}
		if m.Name != "" {
			p = append(p, pair{"name", m.Name})
		}
		if len(m.ToolCalls) > 0 {
			p = append(p, pair{"tool_calls", verifiersCalls(m.ToolCalls)})
		}
		out = append(out, p)
	}
	return out
}

// callText is a call as a string of JSON.
type callText rollout.ToolCall

// MarshalText encodes the call.
func (c callText) MarshalText() ([]byte, error) {
	return json.Marshal(pairs{{"id", c.ID}, {"name", c.Name}, {"arguments", c.Arguments}})
}

func verifiersCalls(calls []rollout.ToolCall) []callText {
	out := make([]callText, len(calls))
	for i, c := range calls {
		out[i] = callText(c)
	}
	return out
}

func writeVerifiersMetadata(_ context.Context, w io.Writer, r *Run) error {
	means := pairs{}
	for _, name := range r.parts {
		means = append(means, pair{name, r.tally[name].value()})
	}
	took := 0.0
	if !r.manifest.Ended.IsZero() {
		took = r.manifest.Ended.Sub(r.started()).Seconds()
	}
	to := json.NewEncoder(w)
	to.SetIndent("", "  ")
	return to.Encode(pairs{
		{"env_id", r.name()},
		{"model", r.model()},
		{"base_url", ""},
		{"num_examples", len(r.ids)},
		{"rollouts_per_example", r.samples},
		{"sampling_args", pairs{}},
		{"date", r.started().Format(time.DateTime)},
		{"time", took},
		{"avg_reward", r.rewards.value()},
		{"avg_metrics", means},
		{"avg_error", float64(r.failed) / float64(max(r.rollouts, 1))},
		{"version_info", pairs{{"gonogo", r.manifest.ToolVersion}}},
		{"tools", nil},
	})
}
