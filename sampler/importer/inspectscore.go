package importer

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonogo/sampler/rollout"
)

// inspectScores chooses the one of several scores that is the reward.
type inspectScores struct {
	wanted string   // by --score
	chosen string   // the same, or the first one that was seen
	all    []string // that were seen, in order
}

func newInspectScores(wanted string) *inspectScores {
	return &inspectScores{wanted: wanted, chosen: wanted}
}

// score is one value of one scorer.
type score struct {
	scorer string
	name   string   // the scorer's, with the key of a value that has keys
	value  *float64 // nil when it is none that a number stands for
	text   string   // as the log has it
}

// grade sets outcome, reward and parts.
func (r *inspectReader) grade(rec *rollout.Record, s inspectSample) error {
	if s.Error != nil {
		r.failures++
		rec.Outcome, rec.Error = inspectBoundary(*s.Error), firstLine(s.Error.Message)
		return nil
	}
	scores, err := s.scores()
	if err != nil {
		return err
	}
	reward, why, err := r.scores.choose(scores)
	if err != nil {
		return err
	}
	for _, other := range scores {
		if other.value != nil && other.name != r.scores.chosen {
			if rec.Parts == nil {
				rec.Parts = make(map[string]float64)
			}
			rec.Parts[other.name] = *other.value
		}
	}
	switch {
	case s.Limit != nil:
		r.limits++
		rec.Outcome, rec.Reward = rollout.StepLimit, reward
		rec.Error = firstLine(fmt.Sprintf("%s limit of %s", s.Limit.Type, rollout.TextOrJSON(s.Limit.Limit)))
	case reward == nil:
		r.ungraded++
		rec.Outcome, rec.Error, rec.Parts = rollout.GraderFailed, why, nil
	default:
		rec.Outcome, rec.Reward = rollout.Graded, reward
	}
	return nil
}

// scores lists the scores in the order of the log. A value with keys is a score
// for each, called NAME.KEY.
func (s *inspectSample) scores() (all []score, err error) {
	text := s.Scores
	if isNone(text) {
		if isNone(s.Score) {
			return nil, nil
		}
		text = slices.Concat([]byte(`{"score":`), s.Score, []byte("}"))
	}
	err = rollout.Members(text, func(name string, one []byte) error {
		var v struct {
			Value json.RawMessage `json:"value"`
		}
		if err := json.Unmarshal(one, &v); err != nil {
			return fmt.Errorf("score %q: %w", name, err)
		}
		if len(v.Value) == 0 || v.Value[0] != '{' {
			all = append(all, score{name, name, inspectValue(v.Value), firstLine(string(v.Value))})
			return nil
		}
		return rollout.Members(v.Value, func(key string, part []byte) error {
			all = append(all, score{name, name + "." + key, inspectValue(part), firstLine(string(part))})
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
	}
	at := slices.IndexFunc(scores, func(s score) bool { return s.name == c.chosen })
	switch {
	case at < 0 && c.wanted != "" && slices.ContainsFunc(scores, func(s score) bool { return s.scorer == c.wanted }):
		return nil, "", fmt.Errorf("score %q has several values: choose one by --score: %s", c.wanted, strings.Join(c.all, ", "))
	case at < 0:
		return nil, fmt.Sprintf("it has no score %q", c.chosen), nil
	case scores[at].value == nil:
		return nil, fmt.Sprintf("score %s is %s", c.chosen, scores[at].text), nil
	}
	return scores[at].value, "", nil
}

// first chooses the first scorer. Which of several values of one scorer is the
// reward is not for us to say.
func (c *inspectScores) first(scores []score) error {
	if len(scores) > 1 && scores[1].scorer == scores[0].scorer {
		return fmt.Errorf("score %q has several values: choose one by --score: %s", scores[0].scorer, strings.Join(c.all, ", "))
	}
	c.chosen = scores[0].name
	return nil
}

// note says what was chosen.
func (c *inspectScores) note(sink Sink) {
	others := slices.DeleteFunc(slices.Clone(c.all), func(name string) bool { return name == c.chosen })
	switch {
	case c.chosen == "":
		sink.note("no rollout was scored")
	case len(others) == 0:
		sink.note("reward = score %s", c.chosen)
	case c.wanted != "":
		sink.note("reward = score %s, by --score; parts are %s", c.chosen, strings.Join(others, ", "))
	default:
		sink.note("reward = score %s, the first one; parts are %s (--score takes another)", c.chosen, strings.Join(others, ", "))
	}
}

// inspectValue turns a score's value into a number as Inspect's value_to_float
// does (scorer/_metric.py), but for texts that it does not know, which are none
// to us and zeros there. NaN, which was read as null, means unscored.
func inspectValue(v json.RawMessage) *float64 {
	var f float64
	switch text := rollout.TextOrJSON(v); strings.ToLower(text) {
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
