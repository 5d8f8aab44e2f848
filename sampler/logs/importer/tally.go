package importer

import (
	"math"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/rollout"
)

// tally sets outcomes and counts what an import reports.
type tally struct {
	order  []string
	counts map[string]int
}

// unnamedCalls counts rollouts whose calls are known only by their number.
const unnamedCalls = "row[|s] [gives|give] only the number of tool calls: these calls have no names, and figures by " +
	"tool and on repeated or parallel calls mean nothing"

func newTally() *tally { return &tally{counts: make(map[string]int)} }

// count counts one occurrence of what, which has the form of Sink.noteCount.
func (t *tally) count(what string) {
	if t.counts[what] == 0 {
		t.order = append(t.order, what)
	}
	t.counts[what]++
}

// failed makes a record a failure, which never has a reward.
func (t *tally) failed(rec *rollout.Record, boundary rollout.Outcome, cause string) {
	rec.Outcome, rec.Error, rec.Reward, rec.Parts = boundary, transcript.FirstLine(cause), nil, nil
	if rec.Error == "" {
		rec.Error = "an error without a text"
	}
	t.count("rollout[|s] ended in an error: [it is a failure|they are failures] (model_api, tool or grader), not [a " +
		"zero|zeros]")
}

// ungraded marks a record as not graded, which is never a zero.
func (t *tally) ungraded(rec *rollout.Record, why string) {
	rec.Outcome, rec.Error, rec.Reward, rec.Parts = rollout.GraderFailed, transcript.FirstLine(why), nil, nil
	t.count("rollout[|s] [has|have] no grade: [it is a missing grade|they are missing grades] (grader), not [a " +
		"zero|zeros]")
}

// limited sets that a record hit a limit; its grade, if it has one, counts.
func (t *tally) limited(rec *rollout.Record, reward *float64, limit string) {
	rec.Outcome, rec.Error, rec.Reward = rollout.StepLimit, transcript.FirstLine(limit), reward
	t.count("rollout[|s] hit a limit (step_limit); if [it was|they were] graded, the grade counts")
}

func (t *tally) note(sink Sink) {
	for _, what := range t.order {
		sink.noteCount(t.counts[what], what)
	}
}

// parts returns the metrics that have a value, except for the reward.
func parts(metrics map[string]*float64, reward string) map[string]float64 {
	var out map[string]float64
	for name, value := range metrics {
		if value == nil || math.IsNaN(*value) || name == reward {
			continue
		}
		if out == nil {
			out = make(map[string]float64, len(metrics))
		}
		out[name] = *value
	}
	return out
}
