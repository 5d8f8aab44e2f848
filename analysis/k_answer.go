package analysis

import (
	"cmp"
	"hash/maphash"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"gonogo/sampler/rollout"
)

// addAnswer keeps what the answer's text tells: its length, whether it is
// that of another rollout, and how a long one at the top of the range begins.
func (c *collector) addAnswer(r *row, rec *rollout.Record) {
	r.answerHash = c.answerHash(rec.Answer)
	r.says = [2]uint64{c.answerHash(plainText(rec.Answer)), c.answerHash(lastNumber(rec.Answer))}
	r.length = int32(min(utf8.RuneCountInString(rec.Answer), math.MaxInt32))
	if r.valid && len(rec.Answer) >= identicalText && c.atTop(r.reward) {
		r.head = strings.Clone(clip(rec.Answer, headLength)) // a part would hold the whole in memory
	}
}

// answerHash tells answers apart within one analysis; 0 when there is none.
func (c *collector) answerHash(text string) uint64 {
	if text == "" {
		return 0
	}
	return maphash.String(c.hash, text) | 1
}

func (c *collector) atTop(reward float64) bool { return reward >= c.rng.Hi-1e-6*c.rng.Width() }

func (c *collector) atBottom(reward float64) bool { return reward <= c.rng.Lo+1e-6*c.rng.Width() }

func (c *collector) addParts(r *row, rec *rollout.Record) {
	if !r.valid || len(rec.Parts) == 0 {
		return
	}
	for name := range rec.Parts {
		if _, ok := c.partAt[name]; !ok {
			c.partAt[name] = len(c.parts)
			c.parts = append(c.parts, name)
		}
	}
	r.parts = make([]float64, len(c.parts))
	for i, name := range c.parts {
		v, ok := rec.Parts[name]
		if !ok {
			v = math.NaN()
		}
		r.parts[i] = v
	}
}

// part returns a sub-score by index, NaN where there is none.
func (r *row) part(i int) float64 {
	if i < 0 || i >= len(r.parts) {
		return math.NaN()
	}
	return r.parts[i]
}

// unkind is the kind of a failure that names none.
const unkind = "other_error"

func (c *collector) kindOf(rec *rollout.Record) string {
	kind := cmp.Or(rec.Kind, unkind)
	if _, ok := c.kinds[kind]; !ok {
		c.kinds[kind] = kind
	}
	return c.kinds[kind]
}

// zero takes a rollout that a detector marked to the bottom of the range, where
// the detector is set to do so. What it had is kept for the report, and its
// grades say nothing about noise any more.
func (c *collector) zero(r *row) {
	if r.valid && c.audit.zero[r.key] {
		c.zeroed[r.key] = r.reward
		r.reward, r.grades, r.graded = c.rng.Lo, nil, false
	}
}

// given is the reward that the grader itself gave.
func (c *collector) given(r *row) float64 {
	if had, ok := c.zeroed[r.key]; ok {
		return had
	}
	return r.reward
}

// plainText is an answer without case, spacing and the marks around it.
func plainText(answer string) string {
	return strings.Trim(strings.ToLower(strings.Join(strings.Fields(answer), " ")), " .*_`\"'")
}

var figure = regexp.MustCompile(`-?\d[\d,]*(\.\d+)?`)

// lastNumber is the last number of an answer as it is written, without signs
// that part thousands; "" when there is none.
func lastNumber(answer string) string {
	all := figure.FindAllString(answer[max(0, len(answer)-200):], -1)
	if len(all) == 0 {
		return ""
	}
	return strings.ReplaceAll(all[len(all)-1], ",", "")
}

// identicalText is the least text, in bytes, that an output must have for its
// repetition to mean something: short answers are equal by right.
const identicalText = 24

// finishOf is how a record's last reply ended. Records from before that was told
// say it in the cause of having no answer, as far as that is known.
func finishOf(rec *rollout.Record) rollout.Finish {
	if rec.Finish != "" || rec.Outcome != rollout.NoAnswer {
		return rec.Finish
	}
	cause := strings.ToLower(rec.Error)
	for _, c := range []struct {
		words  string
		finish rollout.Finish
	}{
		{"content_filter", rollout.FinishFilter},
		{"cut off", rollout.FinishLength},
		{"length", rollout.FinishLength},
		{"max_tokens", rollout.FinishLength},
		{"max_output_tokens", rollout.FinishLength},
		{"refus", rollout.FinishRefusal},
		{"empty", rollout.FinishEmpty},
		{"neither a message nor", rollout.FinishEmpty},
	} {
		if strings.Contains(cause, c.words) {
			return c.finish
		}
	}
	return ""
}

// unfinished reports whether a rollout counts without a finished answer.
func (r *row) unfinished() bool {
	return r.valid && r.finish != "" && r.finish != rollout.FinishStop
}

// addMarkup keeps what the server left in the answer.
func (c *collector) addMarkup(r *row, rec *rollout.Record) {
	if rec.Answer == "" {
		return
	}
	if _, some := rollout.MarkupIn(rec.Answer, nil); some {
		r.markup, _ = rollout.MarkupIn(rec.Answer, c.asked[rollout.Key{Split: rec.Split, Item: rec.Item}])
	}
}

// leakOf is what a record tells of leaks; nil where no canary stood anywhere.
func leakOf(rec *rollout.Record) *met {
	if !rec.Planted && len(rec.Leaks) == 0 {
		return nil
	}
	return &met{rec.Leaks[:min(len(rec.Leaks), rollout.LeaksListed)]}
}

// met is what a rollout met of others.
type met struct{ leaks []rollout.Leak }
