package table

import (
	"gonogo/analysis/collect"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// rolloutColumns returns the columns of rollouts.csv and rollouts.parquet except the sub-scores,
// which are inserted before partsBefore.
func rolloutColumns() []Column[collect.Counted] {
	type row = collect.Counted
	return []Column[row]{
		{"split", textCells, "train, eval or production", func(r row) any { return string(r.Split) }},
		{"item", textCells, "the item's id, in full", func(r row) any { return r.Item }},
		{"sample", countCells, "which rollout of the item, from 0", func(r row) any { return int64(r.Sample) }},
		{
			"step", countCells, "the training step of the policy that made it; 0 is the base model",
			func(r row) any { return int64(r.Step) },
		},
		{
			"attempt", countCells, "how often this rollout was repeated; only the last attempt has a row",
			func(r row) any { return int64(r.Attempt) },
		},
		{"source", textCells, "live or import", func(r row) any { return string(r.Source) }},
		{
			"outcome", textCells, "graded, no_answer, step_limit, model_api, prompt_too_long, tool or grader",
			func(r row) any { return string(r.Outcome) },
		},
		{"error_kind", textCells, "the kind of a failure", func(r row) any { return textOrNil(r.Kind) }},
		{
			"error", textCells, "the beginning of its cause",
			func(r row) any { return textOrNil(wording.Clip(r.Error, longestCause)) },
		},
		{
			"reward", numberCells, "the reward; empty if there is none: a failure is never a number",
			func(r row) any { return known(r.Reward) },
		},
		{"score", numberCells, "what counts in every mean: the reward, or the bottom of the range for no_answer, " +
			"step_limit and hacks that a detector zeroed; empty if missing", func(r row) any { return known(r.Score) }},
		{
			"zeroed", flagCells, "a detector put the score at the bottom of the range",
			func(r row) any { return r.Zeroed },
		},
		{
			"targeted", flagCells, "beyond the samples of every item: it counts only for the item's class",
			func(r row) any { return r.Targeted },
		},
		{
			"grades", countCells, "grades of this one output, the reward being the first; empty if there is at most one",
			func(r row) any {
				if len(r.Grades) < 2 {
					return nil
				}
				return int64(len(r.Grades))
			},
		},
		{
			"clipped", flagCells, "the judge's number was outside its range and was clipped",
			func(r row) any { return r.Clipped },
		},
		{"turns", countCells, "model replies", func(r row) any {
			if !observed(r) {
				return nil
			}
			return int64(r.Turns)
		}},
		{"tool_calls", countCells, "tool calls", calls()},
		{
			"tool_calls_refused", countCells, "of these, answered with an error that the model was shown",
			calls(rollout.CallError),
		},
		{
			"tool_calls_malformed", countCells, "of these, to an unknown tool or with malformed arguments",
			calls(rollout.CallMalformed),
		},
		{"tool_calls_failed", countCells, "of these, without an answer after all retries", calls(rollout.CallFailed)},
		{
			"input_tokens", countCells, "tokens that the model read; empty if the server did not report them",
			func(r row) any { return known(r.Usage.Input) },
		},
		{"output_tokens", countCells, "tokens that the model wrote", func(r row) any { return known(r.Usage.Output) }},
		{"reasoning_tokens", countCells, "of these, reasoning", func(r row) any { return known(r.Usage.Reasoning) }},
		{
			"cached_tokens", countCells, "of input_tokens, read from the server's cache",
			func(r row) any { return known(r.Usage.Cached) },
		},
		{"judge_calls", countCells, "requests to judge models; empty if there are none", func(r row) any {
			if r.JudgeCalls == 0 {
				return nil
			}
			return int64(r.JudgeCalls)
		}},
		{"judge_input_tokens", countCells, "tokens that they read", func(r row) any { return known(r.Judge.Input) }},
		{"judge_output_tokens", countCells, "tokens that they wrote", func(r row) any { return known(r.Judge.Output) }},
		{"retries", countCells, "requests made again, at any endpoint", func(r row) any { return int64(r.Retries) }},
		{
			"leaks", countCells, "places where it found data left by another rollout",
			func(r row) any { return int64(len(r.Leaks)) },
		},
		{
			"latency_s", numberCells, "wall time in seconds, grading included; empty if not known",
			func(r row) any { return seconds(r.Elapsed) },
		},
		{
			"answer_chars", countCells, "length of the answer in characters; empty if there is none",
			func(r row) any { return length(r.Answer) },
		},
		{"started_at", timeCells, "start time", func(r row) any { return moment(r.Started) }},
		{"trace_id", textCells, "the rollout's trace id", func(r row) any { return textOrNil(r.TraceID) }},
		{"category", textCells, "the item's category", func(r row) any { return textOrNil(r.Category) }},
		{"family", textCells, "the item's family", func(r row) any { return textOrNil(r.Family) }},
	}
}
