package sampler

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"gonogo/sampler/internal/reported"
	"gonogo/sampler/rollout"
)

// thenGrading joins, in the error of a rollout that reached a limit, the limit and why the answer
// could not be graded.
const thenGrading = "; then grading failed: "

// OutputOf returns what a rollout passes to its grader, made from its record, so that a re-grade
// sees what the first grading saw. An imported record without a trace id gets the id of its place
// in a run of seed 0.
func OutputOf(it *rollout.Item, r *rollout.Record) Output {
	out := Output{
		Item: it, TraceID: r.TraceID, Text: r.Answer, Messages: r.Messages, Calls: r.Calls,
		FinishReason: "stop",
	}
	reward := reported.Of(r)
	out.Again = gradedBefore(r, reward)
	if out.Rewards, out.Parts = reward.Rewards, reward.Parts; reward.Error != "" {
		out.NoReward = &GradeError{Kind: reward.Kind, Err: errors.New(reward.Error)}
	}
	out.TraceID = cmp.Or(out.TraceID, TraceID(0, r.Split, r.Item, r.Sample, r.Attempt))
	if _, limited := limitOf(r); limited {
		out.FinishReason = "tool_calls"
	}
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if m := r.Messages[i]; m.Role == "assistant" {
			out.Reasoning = m.Reasoning
			break
		}
	}
	return out
}

// gradedBefore reports whether a record's output has had a grade, or lacks one for the reason that its
// agent reported.
func gradedBefore(r *rollout.Record, w reported.Reward) bool {
	if w.Error != "" && (len(r.Earlier) > 0 || r.Outcome == rollout.GraderFailed && r.Kind != rollout.KindUngraded) {
		return true
	}
	return r.Reward != nil || len(r.Grades) > 0 ||
		slices.ContainsFunc(r.Earlier, func(e rollout.Earlier) bool { return e.Reward != nil })
}

// limitOf reports whether a rollout ended at a limit, even if its grading failed afterwards, and
// what the record says about the limit; "" if it did not.
func limitOf(r *rollout.Record) (why string, limited bool) {
	switch r.Outcome {
	case rollout.StepLimit:
		return r.Error, true
	case rollout.GraderFailed:
		if why, _, limited = strings.Cut(r.Error, thenGrading); limited {
			return why, true
		}
	}
	return "", false
}
