package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// inspectScores chooses which of several scores is the reward.
type inspectScores struct {
	wanted        string   // given by --score
	chosen        string   // wanted, or the first score that grades
	all           []string // names seen, in order
	means         []string // of the chosen scorer, as reported by the logs
	informational []string // scorers that do not grade, in the log being read
}

// score is one value of one scorer.
type score struct {
	scorer string
	name   string   // the scorer's name, with ".KEY" if its value has keys
	value  *float64 // nil if the value does not stand for a number
	text   string   // the value as written in the log
	edited bool
}

// grade sets outcome, reward and parts.
func (r *inspectReader) grade(rec *rollout.Record, s *inspectSample) error {
	if s.Error != nil {
		r.failures++
		if scores, err := inspectScoresOf(s.Scores, s.Score); err == nil && len(scores) > 0 {
			r.scoredErrors++
		}
		rec.Outcome, rec.Error = inspectBoundary(*s.Error), transcript.FirstLine(s.Error.Message)
		return nil
	}
	if boundary, cause := s.failure(rollout.GraderFailed); boundary != "" {
		if isNone(s.Invalid) {
			r.failures++
		} else {
			r.invalidated++
		}
		rec.Outcome, rec.Error = boundary, transcript.FirstLine(cause)
		return nil
	}
	scores, err := inspectScoresOf(s.Scores, s.Score)
	if err != nil {
		return err
	}
	reward, why, err := r.scores.choose(scores)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(scores, func(s score) bool { return s.edited }) {
		r.edited++
	}
	for _, other := range scores {
		if other.name != r.scores.chosen {
			setParts(rec, other.name, other.value)
		}
	}
	switch {
	case s.Limit != nil:
		r.limits++
		rec.Outcome, rec.Reward = rollout.StepLimit, reward
		rec.Error = transcript.FirstLine(fmt.Sprintf("%s limit of %s", s.Limit.Type,
			strings.TrimSuffix(jsontext.TextOrJSON(s.Limit.Limit), ".0")))
	case reward == nil:
		r.unscored++
		rec.Outcome, rec.Error, rec.Parts = rollout.GraderFailed, why, nil
	default:
		rec.Outcome, rec.Reward = rollout.Graded, reward
	}
	return nil
}

// inspectScoresOf lists the scores of a sample in the order of the log. only is the score of a log
// with a single score. A value with keys is one score per key, named NAME.KEY.
func inspectScoresOf(text, only json.RawMessage) (all []score, err error) {
	if isNone(text) {
		if isNone(only) {
			return nil, nil
		}
		text = slices.Concat([]byte(`{"score":`), only, []byte("}"))
	}
	err = rollout.Members(text, func(name string, one []byte) error {
		var v struct {
			Value   json.RawMessage   `json:"value"`
			History []json.RawMessage `json:"history"`
		}
		if err := jsontext.Unmarshal(one, &v); err != nil {
			return fmt.Errorf("score %q: %w", name, err)
		}
		if len(v.Value) == 0 || v.Value[0] != '{' {
			all = append(all, score{
				name, name, inspectValue(v.Value), transcript.FirstLine(string(v.Value)),
				len(v.History) > 0,
			})
			return nil
		}
		return rollout.Members(v.Value, func(key string, part []byte) error {
			all = append(all, score{
				name, name + "." + key, inspectValue(part), transcript.FirstLine(string(part)), len(v.History) > 0,
			})
			return nil
		})
	})
	return all, err
}

// choose returns the reward, or why there is none.
func (c *inspectScores) choose(scores []score) (reward *float64, why string, err error) {
	for _, s := range scores {
		if !slices.Contains(c.all, s.name) {
			c.all = append(c.all, s.name)
		}
	}
	if len(scores) == 0 {
		return nil, "it was not scored", nil
	}
	if c.chosen == "" {
		if err := c.first(scores); err != nil {
			return nil, "", err
		}
		if c.chosen == "" {
			return nil, scores[0].none(), nil
		}
	}
	index := slices.IndexFunc(scores, func(s score) bool { return s.name == c.chosen })
	switch {
	case index < 0 && c.wanted != "" && slices.ContainsFunc(scores, func(s score) bool { return s.scorer == c.wanted }):
		return nil, "", fmt.Errorf("score %q has several values: choose one by --score: %s", c.wanted,
			strings.Join(c.all, ", "))
	case index < 0:
		return nil, fmt.Sprintf("it has no score %q", c.chosen), nil
	case scores[index].value == nil:
		return nil, scores[index].none(), nil
	}
	return scores[index].value, "", nil
}

// first chooses the first scorer that grades, or none if all values are words. A scorer with
// several values is an error: the user must say which of them is the reward.
func (c *inspectScores) first(scores []score) error {
	index := slices.IndexFunc(scores,
		func(s score) bool { return s.grades() && !slices.Contains(c.informational, s.scorer) })
	if index < 0 {
		index = slices.IndexFunc(scores, score.grades)
	}
	if index < 0 {
		return nil
	}
	first := scores[index]
	if slices.ContainsFunc(scores, func(s score) bool { return s.scorer == first.scorer && s.name != first.name }) {
		return fmt.Errorf("score %q has several values: choose one by --score: %s", first.scorer,
			strings.Join(c.all, ", "))
	}
	c.chosen = first.name
	return nil
}

// none says why a score is not a grade. It leaves out the word itself, so that all words are one
// cause.
func (s score) none() string {
	if s.grades() || !strings.HasPrefix(s.text, `"`) {
		return fmt.Sprintf("score %s is %s", s.name, s.text)
	}
	return fmt.Sprintf("score %s is a word, not a number: --score selects another", s.name)
}

// grades reports whether a score is a number or missing.
func (s score) grades() bool {
	return s.value != nil || s.text == "" || s.text == "null"
}

// survey looks through the logs for the scorer that grades if they name several scorers or none.
// One sample is not enough: a scorer that gives numbers may have failed in it, and another may give
// a number by chance. It chooses the first scorer, in the order of the log, of those that have
// metrics and whose values are least often words.
func (c *inspectScores) survey(ctx context.Context, logs []*inspectLog) error {
	if c.wanted != "" || !severalScorers(logs) {
		return nil
	}
	var found scorers
	for _, log := range logs {
		informational := log.header.informational()
		for _, s := range log.header.Eval.Scorers {
			if !slices.Contains(informational, s.Name) {
				found.entry(s.Name).metrics = true
			}
		}
		err := eachSample(ctx, log, surveyed, func(_ string, _ []byte, scores []score) error {
			for _, one := range scores {
				t := found.entry(one.scorer)
				t.metrics = t.metrics || !slices.Contains(informational, one.scorer)
				if t.values++; !one.grades() {
					t.words++
				}
				if !slices.Contains(t.names, one.name) {
					t.names = append(t.names, one.name)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	best := found.best()
	switch {
	case best == nil:
	case len(best.names) > 1:
		return fmt.Errorf("score %q has several values: choose one by --score: %s", best.scorer,
			strings.Join(best.names, ", "))
	default:
		c.chosen = best.names[0]
	}
	return nil
}

// surveyed returns the scores of a sample; none if it is broken, which is reported when it is read.
func surveyed(text []byte) []score {
	var s struct {
		Scores json.RawMessage `json:"scores"`
		Score  json.RawMessage `json:"score"`
	}
	err := decodeInto(text, &s)
	scores, broken := inspectScoresOf(s.Scores, s.Score)
	if err != nil || broken != nil {
		return nil
	}
	return scores
}

// severalScorers reports whether the logs' headers leave open which scorer grades.
func severalScorers(logs []*inspectLog) bool {
	var names []string
	for _, log := range logs {
		informational := log.header.informational()
		grading := 0
		for _, s := range log.header.Eval.Scorers {
			if !slices.Contains(informational, s.Name) {
				grading++
				names = append(names, s.Name)
			}
		}
		if grading != 1 {
			return true
		}
	}
	return len(slices.Compact(names)) > 1
}

// scorers counts the values of each scorer, in the order of first appearance.
type scorers []*scorerValues

type scorerValues struct {
	scorer        string
	names         []string // of its scores
	metrics       bool     // the log has metrics of this scorer
	values, words int      // number of values; number of those that are words
}

func (t *scorers) entry(scorer string) *scorerValues {
	i := slices.IndexFunc(*t, func(s *scorerValues) bool { return s.scorer == scorer })
	if i < 0 {
		i = len(*t)
		*t = append(*t, &scorerValues{scorer: scorer})
	}
	return (*t)[i]
}

// best returns the scorer that grades; nil if all scorers give only words.
func (t scorers) best() (best *scorerValues) {
	for _, s := range t {
		switch {
		case s.words == s.values:
		case best == nil, s.metrics && !best.metrics, s.metrics == best.metrics &&
			s.words*best.values < best.words*s.values:
			best = s
		}
	}
	return best
}

// logged returns a phrase with the logs' own mean of the score; "" if they have none.
func (c *inspectScores) logged() string {
	if len(c.means) == 0 {
		return ""
	}
	return ", which Inspect counts (" + strings.Join(c.means, ", ") + ")"
}

// note notes what was chosen.
func (c *inspectScores) note(sink Sink) {
	others := slices.DeleteFunc(slices.Clone(c.all), func(name string) bool { return name == c.chosen })
	switch {
	case len(c.all) == 0:
		sink.note("no rollout was scored")
	case c.chosen == "":
		sink.note("no score is a number, so no rollout has a grade: %s (gonogo grade can supply rewards)",
			strings.Join(c.all, ", "))
	case len(others) == 0:
		sink.note("reward = score %s", c.chosen)
	case c.wanted != "":
		sink.note("reward = score %s, by --score; parts are %s", c.chosen, strings.Join(others, ", "))
	default:
		sink.note("reward = score %s, the first one that grades; parts are %s (--score selects another)", c.chosen,
			strings.Join(others, ", "))
	}
}

// inspectValue converts a score's value into a number as Inspect's value_to_float does
// (scorer/_metric.py), except for unknown texts: they are missing here and 0 there. NaN, which was
// read as null, means unscored.
func inspectValue(v json.RawMessage) *float64 {
	var f float64
	switch text := jsontext.TextOrJSON(v); strings.ToLower(text) {
	case "c", "yes", "true":
		f = 1
	case "p":
		f = 0.5
	case "i", "n", "no", "false":
		f = 0
	default:
		var err error
		if f, err = strconv.ParseFloat(text, 64); err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return nil
		}
	}
	return &f
}
