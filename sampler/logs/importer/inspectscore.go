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

// inspectScores chooses the one of several scores that is the reward.
type inspectScores struct {
	wanted        string   // by --score
	chosen        string   // the same, or the first one that grades
	all           []string // that were seen, in order
	means         []string // of the chosen scorer, as the logs have it
	informational []string // scorers of the log that is being read that do not grade
}

// score is one value of one scorer.
type score struct {
	scorer string
	name   string   // the scorer's, with the key of a value that has keys
	value  *float64 // nil when it is none that a number stands for
	text   string   // as the log has it
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
	if at, cause := s.failure(rollout.GraderFailed); at != "" {
		r.failures++
		rec.Outcome, rec.Error = at, transcript.FirstLine(cause)
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

// inspectScoresOf lists the scores of a sample in the order of the log; only is that of logs
// that hold one. A value with keys is a score for each, called NAME.KEY.
func inspectScoresOf(text, only json.RawMessage) (all []score, err error) {
	if isNone(text) {
		if isNone(only) {
			return nil, nil
		}
		text = slices.Concat([]byte(`{"score":`), only, []byte("}"))
	}
	err = rollout.Members(text, func(name string, one []byte) error {
		var v struct {
			Value json.RawMessage `json:"value"`
		}
		if err := jsontext.Unmarshal(one, &v); err != nil {
			return fmt.Errorf("score %q: %w", name, err)
		}
		if len(v.Value) == 0 || v.Value[0] != '{' {
			all = append(all, score{name, name, inspectValue(v.Value), transcript.FirstLine(string(v.Value))})
			return nil
		}
		return rollout.Members(v.Value, func(key string, part []byte) error {
			all = append(all, score{name, name + "." + key, inspectValue(part), transcript.FirstLine(string(part))})
			return nil
		})
	})
	return all, err
}

// choose returns the reward, or the reason that there is none.
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
	at := slices.IndexFunc(scores, func(s score) bool { return s.name == c.chosen })
	switch {
	case at < 0 && c.wanted != "" && slices.ContainsFunc(scores, func(s score) bool { return s.scorer == c.wanted }):
		return nil, "", fmt.Errorf("score %q has several values: choose one by --score: %s", c.wanted,
			strings.Join(c.all, ", "))
	case at < 0:
		return nil, fmt.Sprintf("it has no score %q", c.chosen), nil
	case scores[at].value == nil:
		return nil, scores[at].none(), nil
	}
	return scores[at].value, "", nil
}

// first chooses the first scorer that grades. Which of several values of one scorer
// is the reward is not for us to say. It chooses none if all values are words.
func (c *inspectScores) first(scores []score) error {
	at := slices.IndexFunc(scores,
		func(s score) bool { return s.grades() && !slices.Contains(c.informational, s.scorer) })
	if at < 0 {
		at = slices.IndexFunc(scores, score.grades)
	}
	if at < 0 {
		return nil
	}
	first := scores[at]
	if slices.ContainsFunc(scores, func(s score) bool { return s.scorer == first.scorer && s.name != first.name }) {
		return fmt.Errorf("score %q has several values: choose one by --score: %s", first.scorer,
			strings.Join(c.all, ", "))
	}
	c.chosen = first.name
	return nil
}

// none says why a score is not a grade. A word is left out: it is one cause, whatever the
// word.
func (s score) none() string {
	if s.grades() || !strings.HasPrefix(s.text, `"`) {
		return fmt.Sprintf("score %s is %s", s.name, s.text)
	}
	return fmt.Sprintf("score %s is a word, not a number: --score selects another", s.name)
}

// grades reports whether a score is a number, or one that is missing.
func (s score) grades() bool {
	return s.value != nil || s.text == "" || s.text == "null"
}

// survey looks through the logs for the scorer that grades, where they name several or
// none: in one sample a scorer of numbers may have failed, and another have a number by
// chance. The choice is the first of the scorers with metrics, in the order of the log,
// among those whose values are words least often.
func (c *inspectScores) survey(ctx context.Context, logs []*inspectLog) error {
	if c.wanted != "" || !severalScorers(logs) {
		return nil
	}
	var found scorers
	for _, log := range logs {
		informational := log.header.informational()
		for _, s := range log.header.Eval.Scorers {
			if !slices.Contains(informational, s.Name) {
				found.of(s.Name).metrics = true
			}
		}
		err := log.samples(ctx, func(where string, text []byte) error {
			var s struct {
				Scores json.RawMessage `json:"scores"`
				Score  json.RawMessage `json:"score"`
			}
			err := decodeInto(text, &s)
			scores, broken := inspectScoresOf(s.Scores, s.Score)
			if err != nil || broken != nil {
				return nil // as is said when the sample is read
			}
			for _, one := range scores {
				t := found.of(one.scorer)
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

// severalScorers reports whether the scorer that grades is not plain from the logs'
// headers.
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

// scorers counts what scorers gave, in the order in which they were met.
type scorers []*scorerValues

type scorerValues struct {
	scorer        string
	names         []string // of its scores
	metrics       bool     // the log has metrics of it
	values, words int      // all of them, and those that are words
}

func (t *scorers) of(scorer string) *scorerValues {
	i := slices.IndexFunc(*t, func(s *scorerValues) bool { return s.scorer == scorer })
	if i < 0 {
		i = len(*t)
		*t = append(*t, &scorerValues{scorer: scorer})
	}
	return (*t)[i]
}

// best returns the scorer that grades; nil if all give words alone.
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

// logged says what mean the logs have of the score, where they name one.
func (c *inspectScores) logged() string {
	if len(c.means) == 0 {
		return ""
	}
	return ", which Inspect counts (" + strings.Join(c.means, ", ") + ")"
}

// note says what was chosen.
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

// inspectValue turns a score's value into a number as Inspect's value_to_float
// does (scorer/_metric.py), but for texts that it does not know, which are none
// to us and zeros there. NaN, which was read as null, means unscored.
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
