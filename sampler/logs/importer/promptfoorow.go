package importer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// promptfooFailed is the failureReason of an error. 1 is a failed assertion, for which error is set
// too.
const promptfooFailed = 2

func (r *promptfooReader) row(f File, look *promptfooLook, row *promptfooRow) error {
	sample, _ := slices.BinarySearch(look.tests[row.key()], *row.TestIdx)
	id := fmt.Sprintf("p%d-%s", *row.PromptIdx, row.varsHash())
	if len(r.checks[row.asked()]) > 1 {
		id += "-" + row.check()
	}
	if len(r.providers) > 1 {
		id = jsontext.TextOrJSON(row.Provider.ID) + "/" + id
	}
	fields := map[string]json.RawMessage{"vars": row.Vars}
	r.sink.tellExactly("provider_label", row.Provider.Label)
	if err := sendItem(r.sink, f, rollout.Item{ID: id, Split: r.split}, row.prompt(),
		fields); err != nil {
		return err
	}
	rec := &rollout.Record{Item: id, Turns: 1}
	row.fill(rec)
	if row.Response.Cached {
		r.count("response[|s] came from promptfoo's cache: [it is not a new sample, and differs|they are not new " +
			"samples, and differ] only by grader noise")
	}
	if err := r.grade(rec, row); err != nil {
		return err
	}
	return r.record(rec, sample)
}

// prompt returns the text that was sent, which may be a chat written as JSON.
func (row *promptfooRow) prompt() []rollout.Message {
	text := jsontext.TextOrJSON(row.Prompt.Raw)
	if len(text) > 0 && text[0] == '[' {
		if talk, err := transcript.Messages(json.RawMessage(text), "user"); err == nil && len(talk) > 0 &&
			talk[0].Role != "" {
			return talk
		}
	}
	return []rollout.Message{{Role: "user", Content: text}}
}

func (row *promptfooRow) fill(rec *rollout.Record) {
	res := row.Response
	answer := rollout.Message{
		Role: "assistant", Content: jsontext.TextOrJSON(res.Output),
		ToolCalls: callList(res.Output),
	}
	if len(answer.ToolCalls) == 0 {
		answer.ToolCalls = rawCalls(res.Raw)
	}
	if len(res.Output) > 0 || len(answer.ToolCalls) > 0 {
		rec.Messages, rec.Answer = []rollout.Message{answer}, answer.Content
		rec.Calls, _ = transcript.CallsOf(rec.Messages, transcript.UnreportedStatus)
	}
	if finished(rec, jsontext.TextOrJSON(res.Finish)); string(res.Refuse) == "true" {
		rec.Finish = rollout.FinishRefusal
	}
	if u := res.Usage; u.Total != nil && *u.Total > 0 && !res.Cached {
		rec.Usage = rollout.Usage{Input: u.Input, Output: u.Output, Reasoning: u.Details.Reasoning}
	}
	if g := row.Grading; g != nil && g.Judge.Total != nil && *g.Judge.Total > 0 {
		rec.Judge = rollout.Usage{Input: g.Judge.Input, Output: g.Judge.Output}
	}
	if row.LatencyMS != nil {
		s := *row.LatencyMS / 1000
		rec.Elapsed = seconds(&s)
	}
}

// callList reads tool calls from a value that may be a list of them.
func callList(text json.RawMessage) (calls []rollout.ToolCall) {
	var all []json.RawMessage
	if len(text) == 0 || text[0] != '[' || jsontext.Unmarshal(text, &all) != nil {
		return nil
	}
	for _, call := range all {
		if c := transcript.ToolCall(call); c.Name != "" {
			calls = append(calls, c)
		}
	}
	return calls
}

// rawCalls looks for tool calls where OpenAI-compatible providers put them.
func rawCalls(raw json.RawMessage) []rollout.ToolCall {
	if len(raw) > 0 && raw[0] == '"' {
		raw = json.RawMessage(jsontext.TextOrJSON(raw))
	}
	var r struct {
		ToolCalls json.RawMessage `json:"tool_calls"`
		Choices   []struct {
			Message struct {
				ToolCalls json.RawMessage `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
	}
	if len(raw) == 0 || jsontext.Unmarshal(raw, &r) != nil {
		return nil
	}
	if len(r.Choices) > 0 {
		return callList(r.Choices[0].Message.ToolCalls)
	}
	return callList(r.ToolCalls)
}

// grade sets outcome, reward and parts.
func (r *promptfooReader) grade(rec *rollout.Record, row *promptfooRow) error {
	reward, err := r.reward("score", row.Score)
	if err != nil {
		return err
	}
	r.offer(slices.Collect(maps.Keys(row.Named))...)
	if r.wanted != "" {
		reward = row.Named[r.wanted]
	}
	judged := ""
	if row.Grading != nil {
		judged, _ = row.Grading.failure(r.wanted)
	}
	boundary, cause := row.failure(rollout.ModelAPI)
	switch {
	case row.FailureReason != nil && *row.FailureReason == promptfooFailed:
		boundary := rollout.ModelAPI
		if !isNone(row.Response.Output) {
			boundary = rollout.GraderFailed
		}
		r.failed(rec, boundary, jsontext.TextOrJSON(row.Error))
	case row.FailureReason == nil && !isNone(row.Error):
		return fmt.Errorf(
			"failureReason is missing, so it is not known whether %q is a failure or a failed assertion",
			transcript.FirstLine(jsontext.TextOrJSON(row.Error)))
	case boundary != "":
		r.failed(rec, boundary, cause)
	case judged != "":
		r.failed(rec, rollout.GraderFailed, judged)
	case row.Grading != nil && string(row.Grading.Reason) == `"No assertions"`:
		r.ungraded(rec, "the test has no assertions: its score of 1 is not a grade")
	case reward == nil:
		r.ungraded(rec, "score is missing, null or NaN")
	default:
		rec.Outcome, rec.Reward, rec.Parts = rollout.Graded, reward, parts(row.Named, r.wanted)
	}
	return nil
}
