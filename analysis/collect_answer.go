package analysis

import (
	"cmp"
	"hash/maphash"
	"math"
	"strings"
	"unicode/utf8"

	"gonogo/sampler/rollout"
)

// headLength bounds what is kept of an answer that earned the top.
const headLength = 80

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
