package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// buildHours reads what the tool evaluations of OpenAI's build-hours write (openai/build-hours,
// 20-agent-rft/utils_shared/tracing_storing.py): one line per item; each repeat has its own
// directory.
var buildHours = Format{
	Name:   "build-hours",
	Scored: true,
	Doc:    "results.jsonl of the tool evaluations in openai/build-hours, with sample_index, trace and metrics",
	Files:  []string{"results.jsonl"},
	From: Origin{
		Item:   "`sample_index`",
		Sample: "the order of the files: a repeat is another evalrun directory",
		Reward: "of `metrics` the one that `--score` names, else `reward`, else the first; a number or its `reward`",
		Failures: "`error`, a `tool_error` or `runtime_error` in the trace, `metrics` of `{\"reward\": -1}`, a true " +
			"flag in `metadata.errors`",
	},
	Read: readBuildHours, keys: []string{"sample_index", "metrics"},
}

type buildHoursRow struct {
	Index   json.RawMessage   `json:"sample_index"`
	Input   json.RawMessage   `json:"input_item"`
	Trace   []buildHoursEvent `json:"trace"`
	Final   string            `json:"final_message_text"`
	Metrics json.RawMessage   `json:"metrics"`
	Seconds *float64          `json:"duration_seconds"`
	Usage   *buildHoursUsage  `json:"usage_cumulative"`
	marked

	messages []rollout.Message
	calls    []rollout.Call
	turns    int
}

// prepare builds the conversation.
func (r *buildHoursRow) prepare() { r.messages, r.calls, r.turns = buildHoursTrace(r.Trace) }

type buildHoursUsage struct {
	Input     *int64 `json:"input_tokens"`
	Output    *int64 `json:"output_tokens"`
	Reasoning *int64 `json:"reasoning_tokens"`
}

// gradedResponse is a response of OpenAI's graders/run, with the fields that are needed here.
type gradedResponse struct {
	Reward json.RawMessage            `json:"reward"`
	Parts  map[string]json.RawMessage `json:"sub_rewards"`
	marked
}

// mark records the failure marks of a response.
func (r *gradedResponse) mark(key string, value []byte) { r.marks.Reply(key, value) }

func readBuildHours(ctx context.Context, in *intake) error {
	b := buildHoursReader{intake: in}
	if err := eachRowOf(ctx, in, b.line); err != nil {
		return err
	}
	in.sink.note("item = sample_index; the files number no repeats, so sample = the position of the file among the "+
		"imported files; split = %s", b.split)
	if b.several {
		in.sink.note("there are several graders, and the reward is %s; --score NAME selects another", b.wanted)
	}
	if b.usage {
		in.sink.note(
			"input_tokens count the prompt again in every turn, as the log does: what was billed, not what is new")
	}
	b.noteMissing()
	return nil
}

type buildHoursReader struct {
	*intake
	usage bool
}

func (b *buildHoursReader) line(f File, line int, row *buildHoursRow) error {
	id, err := wholeID("sample_index", row.Index)
	if err != nil {
		return err
	}
	if err := b.only(line, "sample_index "+id); err != nil {
		return err
	}
	if err := b.item(f, line, id, row.Input); err != nil {
		return err
	}
	rec := &rollout.Record{Item: id, Answer: row.Final}
	rec.Messages, rec.Calls, rec.Turns = row.messages, row.calls, row.turns
	rec.Elapsed = seconds(row.Seconds)
	if row.Usage != nil {
		rec.Usage, b.usage = rollout.Usage{
			Input: row.Usage.Input, Output: row.Usage.Output,
			Reasoning: row.Usage.Reasoning,
		}, true
	}
	if err := b.grade(rec, row); err != nil {
		return err
	}
	return b.record(rec, 0)
}

// grade reads the metrics. A rollout that ended in an exception has no reward, whatever its metrics
// say.
func (b *buildHoursReader) grade(rec *rollout.Record, row *buildHoursRow) error {
	var names []string
	var values map[string]json.RawMessage
	if !isNone(row.Metrics) {
		var err error
		if names, values, err = valuesByKey(row.Metrics); err != nil {
			return fmt.Errorf("metrics: %w", err)
		}
		b.choose(names, "reward")
	}
	if o, cause := traceFailure(row.Trace); o != "" || len(row.marks) > 0 {
		if boundary, why := row.failure(rollout.ModelAPI); boundary != "" {
			o, cause = cmp.Or(o, boundary), why
		}
		fail(rec, o, cause)
		return nil
	}
	switch {
	case len(names) == 1 && names[0] == "reward" && isMinusOne(values["reward"]):
		fail(rec, rollout.GraderFailed, "the reward is -1, which this log uses for a failed rollout")
		return nil
	case len(names) == 0 && rec.Answer == "":
		fail(rec, rollout.NoAnswer, "no final message and no metrics")
		return nil
	}
	for _, name := range names {
		value, parts, why, err := metric(values[name])
		if err != nil {
			return fmt.Errorf("metrics.%s: %w", name, err)
		}
		if name == b.wanted {
			grade(rec, value, why)
		} else {
			setParts(rec, name, value)
		}
		for _, part := range slices.Sorted(maps.Keys(parts)) {
			setParts(rec, part, parts[part])
		}
	}
	if rec.Outcome == "" {
		fail(rec, rollout.GraderFailed, "metrics hold no "+b.wanted)
	}
	return nil
}

func isMinusOne(v json.RawMessage) bool {
	n, err := number("", v)
	return err == nil && n != nil && *n == -1
}

// metric reads a number or a graders/run response. An error flag in the response distinguishes a
// failed grader from one that scores 0.
func metric(v json.RawMessage) (value *float64, parts map[string]*float64, why string, err error) {
	if len(v) == 0 || v[0] != '{' {
		value, err = number("it", v)
		return value, nil, "the metric is missing, null or NaN", err
	}
	r, err := decodeRow[gradedResponse](v)
	if err != nil {
		return nil, nil, "", err
	}
	if f, failed := r.marks.First(); failed {
		return nil, nil, "the grader reports " + f.Cause, nil
	}
	if value, err = number("reward", r.Reward); err != nil {
		return nil, nil, "", err
	}
	parts = make(map[string]*float64, len(r.Parts))
	for name, part := range r.Parts {
		if parts[name], err = number("sub_rewards."+name, part); err != nil {
			return nil, nil, "", err
		}
	}
	return value, parts, "the grader's reward is missing, null or NaN", nil
}

// buildHoursEvent is an entry of the trace.
type buildHoursEvent struct {
	Event     string          `json:"event"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	CallID    string          `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Error     json.RawMessage `json:"error"`
	Text      string          `json:"text"`
	Summary   json.RawMessage `json:"summary"`
}

// traceFailure returns the boundary that failed according to the trace: any exception ends the
// rollout instead of reaching the model.
func traceFailure(trace []buildHoursEvent) (o rollout.Outcome, cause string) {
	for _, e := range trace {
		switch e.Event {
		case "tool_error":
			o, cause = rollout.ToolFailed, strings.TrimSpace(e.Name+": "+jsontext.TextOrJSON(e.Error))
		case "runtime_error":
			if o == "" {
				o, cause = rollout.ModelAPI, jsontext.TextOrJSON(e.Error)
			}
		}
	}
	return o, cause
}

// buildHoursTrace builds the conversation from a trace.
func buildHoursTrace(trace []buildHoursEvent) ([]rollout.Message, []rollout.Call, int) {
	var t transcript.Builder
	for _, e := range trace {
		switch e.Event {
		case "tool_call":
			t.AddCall(e.CallID, e.Name, jsontext.TextOrJSON(e.Arguments))
		case "tool_result":
			t.AddResult(e.CallID, jsontext.TextOrJSON(e.Output))
		case "tool_error":
			t.FailCall(e.Name, jsontext.TextOrJSON(e.Error))
		case "reasoning_summary":
			t.AddReasoning(transcript.Summary(e.Summary))
		case "preamble_message", "final_message":
			t.AddReply(e.Text)
		}
	}
	return t.Messages, t.Calls, t.Turns
}
