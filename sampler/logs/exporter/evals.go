package exporter

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"gonogo/sampler/rollout"
)

// openAIEvals writes the output items of OpenAI Evals (openai-python,
// types/evals/runs/output_item_list_response.py), one per line.
var openAIEvals = Format{
	Name: "openai-evals",
	Doc: "output items of OpenAI Evals, one file of JSON lines: a run for each sample, the reward and the " +
		"sub-scores as results of graders, of the conversation the answer",
	Files: []File{{Write: writeOutputItems}},
	Loses: func(r *Run) []string {
		notes := r.lost(
			loss{r.calls, "rollout[|s] called tools: output items hold no calls" + onlyStamped},
			loss{r.unscored, floorNote},
			loss{r.failed, "rollout[|s] without a grade [has|have] an error and no result there"},
			loss{r.regraded, "rollout[ has|s have] additional or earlier grades" + onlyStamped},
			loss{r.judged, "rollout[ records|s record] what [its|their] judge used" + onlyStamped},
			loss{r.retried, "rollout[ records|s record] repeated requests" + onlyStamped},
			loss{r.extra, "rollout[ has|s have] extra keys" + onlyStamped},
			loss{r.pictured, "rollout[ has|s have] a prompt with pictures or other parts: sample.input holds its text, and " +
				"datasource_item all of it"},
		)
		notes = append(notes, "passed means a reward of 1 or more; latency is left out")
		if !r.numbers() {
			notes = append(notes, "datasource_item_id numbers the items in order; the item's own id is under the "+
				"key gonogo")
		}
		return notes
	},
}

func writeOutputItems(ctx context.Context, w io.Writer, r *Run) error {
	to, id := json.NewEncoder(w), r.itemNumber()
	return r.each(ctx, func(rec *rollout.Record) error { return to.Encode(r.outputItem(rec, id(rec.Item))) })
}

func (r *Run) outputItem(rec *rollout.Record, id int) pairs {
	began := r.started()
	if !rec.Started.IsZero() {
		began = rec.Started
	}
	return pairs{
		{"object", "eval.run.output_item"},
		{"id", r.outputID("outputitem", rec.Sample) + "_" + rec.Item},
		{"run_id", r.outputID("evalrun", rec.Sample)},
		{"eval_id", "eval_" + r.manifest.ID},
		{"created_at", began.Unix()},
		{"status", evalStatus(rec)},
		{"datasource_item_id", id},
		{"datasource_item", r.datasource(rec.Item)},
		{"results", r.evalResults(rec)},
		{"sample", r.evalSample(rec)},
		{"gonogo", r.evalStamp(rec)},
	}
}

// evalStamp returns the stamp of a record. An output item has the item's row, and of the
// conversation only the answer.
func (r *Run) evalStamp(rec *rollout.Record) stamp {
	s := r.stampOf(rec, func(*rollout.Message) bool { return false })
	s.Row, s.Bare = nil, false
	s.Record.Calls, s.Shown = shownCalls(rec.Calls, nil)
	s.Answer = nil
	return s
}

// outputID names the run of a sample: in this format each repeat is a run.
func (r *Run) outputID(kind string, sample int) string {
	return fmt.Sprintf("%s_%s_%d", kind, r.manifest.ID, sample)
}

func evalStatus(rec *rollout.Record) string {
	switch {
	case rec.Outcome.Missing():
		return "error"
	case passed(rec):
		return "pass"
	}
	return "fail"
}

func passed(rec *rollout.Record) bool { return rec.Reward != nil && *rec.Reward >= 1 }

func (r *Run) datasource(item string) any {
	if it := r.items[item]; it != nil && len(it.Row) > 0 {
		return it.Row
	}
	return pairs{}
}

func (r *Run) evalResults(rec *rollout.Record) []pairs {
	out := []pairs{}
	score, scored := rec.Score(r.floor)
	if !scored {
		return out
	}
	out = append(out, pairs{{"name", r.scorer()}, {"score", score}, {"passed", passed(rec)}})
	for _, name := range slices.Sorted(maps.Keys(rec.Parts)) {
		out = append(out, pairs{{"name", name}, {"score", rec.Parts[name]}, {"passed", rec.Parts[name] >= 1}})
	}
	return out
}

func (r *Run) evalSample(rec *rollout.Record) pairs {
	input, output := []pairs{}, []pairs{}
	for _, m := range r.prompt(rec) {
		input = append(input, pairs{{"role", m.Role}, {"content", m.Content}})
	}
	if rec.Answer != "" {
		output = append(output, pairs{{"role", "assistant"}, {"content", rec.Answer}})
	}
	finish := "stop"
	switch {
	case rec.Finish == rollout.FinishLength:
		finish = "length"
	case rec.Finish == rollout.FinishFilter:
		finish = "content_filter"
	case rec.Outcome != rollout.Graded:
		finish = string(rec.Outcome)
	}
	p := pairs{{"input", input}, {"output", output}, {"finish_reason", finish}, {"model", r.model()}}
	if u := rec.Usage; u.Input != nil && u.Output != nil {
		usage := pairs{
			{"total_tokens", *u.Input + *u.Output},
			{"prompt_tokens", *u.Input},
			{"completion_tokens", *u.Output},
		}
		if u.Cached != nil {
			usage = append(usage, pair{"cached_tokens", *u.Cached})
		}
		p = append(p, pair{"usage", usage})
	}
	if rec.Outcome.Missing() {
		return append(p, pair{"error", pairs{{"code", rec.Outcome}, {"message", cause(rec)}}})
	}
	return append(p, pair{"error", nil})
}
