package collect

import (
	"cmp"
	"hash/fnv"
	"hash/maphash"
	"maps"
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/markup"
	"gonogo/sampler/wording"
)

// addAnswer stores what the answer's text shows: its length, its hashes, and the beginning of a
// long answer at the top of the range.
func (c *Collector) addAnswer(r *Row, rec *rollout.Record) {
	r.AnswerHash = c.AnswerHash(rec.Answer)
	r.Says = [2]uint32{uint32(c.AnswerHash(plainText(rec.Answer))), uint32(c.AnswerHash(lastNumber(rec.Answer)))}
	r.Length = int32(min(utf8.RuneCountInString(rec.Answer), math.MaxInt32))
	c.addTop(r, rec)
	if r.Head = r.Valid && len(rec.Answer) >= IdenticalText && c.AtTop(r.Reward); !r.Head {
		return
	}
	if first, known := c.first[r.AnswerHash]; !known {
		c.first[r.AnswerHash] = r.Of
	} else if first != r.Of && c.heads[r.AnswerHash] == "" {
		// clone, because a substring would keep the whole text in memory
		c.heads[r.AnswerHash] = strings.Clone(wording.ClipBytes(rec.Answer, analysis.ExcerptLength))
	}
}

// Done frees what only Add needs. Add must not be called after it.
func (c *Collector) Done() { c.first = nil }

// Head returns the beginning of a longer answer that earned the top on several items.
func (c *Collector) Head(answer uint64) string { return c.heads[answer] }

// Top is an answer near the top of the range.
type Top struct {
	Key    rollout.Key
	Answer string
	luck   uint64 // answers with the smallest are kept
}

const (
	topsKept  = 500
	topLength = 4000 // longest answer kept, in bytes
	nearTop   = 0.99 // share of the range that the audit's references must reach
)

// addTop keeps some answers at the top, at most one per item: those with the smallest hash, so that
// the selection does not depend on the order of the lines.
func (c *Collector) addTop(r *Row, rec *rollout.Record) {
	k := *r.Of
	was, kept := c.tops[k]
	if kept && was.Key == r.Key() {
		delete(c.tops, k) // a later attempt counts
		kept = false
	}
	if !r.Valid || rec.Answer == "" || len(rec.Answer) > topLength || r.Reward < c.Range.Lo+nearTop*c.Range.Width() ||
		kept && was.Key.Sample < r.Sample {
		return
	}
	h := fnv.New64a()
	h.Write([]byte(k.Split + "/" + rollout.Split(k.ID)))
	c.tops[k] = Top{Key: r.Key(), Answer: strings.Clone(rec.Answer), luck: h.Sum64()}
	if len(c.tops) >= 2*topsKept {
		for _, t := range c.Tops()[topsKept:] {
			delete(c.tops, ItemOf(t.Key))
		}
	}
}

// Tops returns the kept answers at the top.
func (c *Collector) Tops() []Top {
	tops := slices.Collect(maps.Values(c.tops))
	sort.Slice(tops, func(i, j int) bool {
		a, b := &tops[i], &tops[j]
		return cmp.Or(cmp.Compare(a.luck, b.luck), CompareKeys(a.Key, b.Key)) < 0
	})
	return tops
}

// HoldsReasoning reports whether the server left reasoning in the answer.
func (r *Row) HoldsReasoning() bool { return r != nil && r.Rare().Markup.Kind == markup.Reasoning }

// AnswerHash identifies an answer within one analysis; 0 if there is none.
func (c *Collector) AnswerHash(text string) uint64 {
	if text == "" {
		return 0
	}
	return maphash.String(c.hash, text) | 1
}

// RewardNoise is the share of the reward range up to which rewards differ only by rounding,
// including 32-bit rewards.
const RewardNoise = 1e-6

// AtTop reports whether a reward is the highest of the range, within float noise.
func (c *Collector) AtTop(reward float64) bool {
	return reward >= c.Range.Hi-RewardNoise*c.Range.Width()
}

// AtBottom reports whether a reward is the lowest of the range, within float noise.
func (c *Collector) AtBottom(reward float64) bool {
	return reward <= c.Range.Lo+RewardNoise*c.Range.Width()
}

func (c *Collector) addParts(r *Row, rec *rollout.Record) {
	if !r.Valid || len(rec.Parts) == 0 {
		return
	}
	for name := range rec.Parts {
		if _, ok := c.PartAt[name]; !ok {
			c.PartAt[name] = len(c.Parts)
			c.Parts = append(c.Parts, name)
		}
	}
	parts := make([]float64, len(c.Parts))
	r.addDetails().parts = parts
	for i, name := range c.Parts {
		v, ok := rec.Parts[name]
		if !ok {
			v = math.NaN()
		}
		parts[i] = v
	}
}

// Part returns a sub-score by index, NaN if there is none.
func (r *Row) Part(i int) float64 {
	parts := r.Parts()
	if i < 0 || i >= len(parts) {
		return math.NaN()
	}
	return parts[i]
}

// OtherError is the kind of a failure without a kind.
const OtherError = "other_error"

func (c *Collector) kindOf(rec *rollout.Record) string {
	kind := cmp.Or(rec.Kind, OtherError)
	if _, ok := c.kinds[kind]; !ok {
		c.kinds[kind] = kind
	}
	return c.kinds[kind]
}

// zero lowers a rollout that a detector marked to the bottom of the range, if the detector is
// configured to do so. Its reward is kept for the report, and its grades no longer count for noise.
func (c *Collector) zero(r *Row, rare *Rare) {
	if r.Valid && c.Audit.zero[r.Key()] {
		c.Zeroed[r.Key()] = r.Reward
		r.Reward, rare.Grades, r.Graded = c.Range.Lo, nil, false
	}
}

// GraderReward returns the reward that the grader gave.
func (c *Collector) GraderReward(r *Row) float64 {
	if reward, ok := c.Zeroed[r.Key()]; ok {
		return reward
	}
	return r.Reward
}

// plainText returns an answer without case, spacing and surrounding marks.
func plainText(answer string) string {
	return strings.Trim(strings.ToLower(strings.Join(strings.Fields(answer), " ")), " .*_`\"'")
}

var figure = regexp.MustCompile(`-?\d[\d,]*(\.\d+)?`)

// lastNumber returns the last number of an answer as written, without thousands separators; "" if
// there is none.
func lastNumber(answer string) string {
	end := answer[max(0, len(answer)-200):]
	if !strings.ContainsAny(end, "0123456789") {
		return "" // without a search
	}
	all := figure.FindAllString(end, -1)
	return strings.ReplaceAll(all[len(all)-1], ",", "")
}

// IdenticalText is the minimum length, in bytes, of an output whose repetition is meaningful: short
// answers are legitimately equal.
const IdenticalText = 24

// finishOf returns how a record's last reply ended. Older records do not store this; it is then
// taken from the error of a missing answer, as far as that says so.
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

// Unfinished reports whether a rollout counts although its answer is not finished.
func (r *Row) Unfinished() bool {
	return r.Valid && r.finish&^fromCache > 0 && r.Finish() != rollout.FinishStop
}

// markupOf returns the markup that the server left in the answer.
func (c *Collector) markupOf(rec *rollout.Record) (found markup.Token, err error) {
	found, some := markup.In(rec.Answer, 0)
	if some && c.Own != nil {
		own, err := c.Own(ItemKey{Split: rec.Split, ID: rec.Item})
		if err != nil {
			return found, err
		}
		found, _ = markup.In(rec.Answer, own)
	}
	return found, nil
}

// markedToken is a token of markup in the answers of a split.
type markedToken struct {
	split rollout.Split
	text  string
}

// markedAnswer is the part of an answer around its markup.
type markedAnswer struct {
	key  rollout.Key
	text string
}

// addMarked keeps, for each token, an answer of the first item by name that holds it.
func (c *Collector) addMarked(r *Row, rec *rollout.Record, found markup.Token) {
	const before, kept = 60, 280 // bytes
	k := markedToken{r.Of.Split, found.Text}
	was, some := c.markup[k]
	first := cmp.Or(cmp.Compare(r.Of.ID, was.key.Item), cmp.Compare(r.Sample, was.key.Sample)) <= 0
	if !r.Valid || found.Text == "" || some && !first {
		return
	}
	text := rec.Answer
	if at := strings.Index(text, found.Text); at > before {
		text = "…" + strings.ToValidUTF8(text[at-before:], "")
	}
	if c.markup == nil {
		c.markup = make(map[markedToken]markedAnswer)
	}
	c.markup[k] = markedAnswer{r.Key(), strings.Clone(wording.ClipBytes(text, kept))}
}

// Marked returns the part around a token of an answer of the split that holds it; "" if none does.
func (c *Collector) Marked(split rollout.Split, token string) string {
	return c.markup[markedToken{split, token}].text
}

// leakOf returns what a record says about leaks; nil if no canary was planted.
func leakOf(rec *rollout.Record) *LeakCheck {
	if !rec.Planted && len(rec.Leaks) == 0 {
		return nil
	}
	return &LeakCheck{rec.Leaks[:min(len(rec.Leaks), rollout.MaxLeaksListed)]}
}

// LeakCheck lists the canaries of other rollouts that a rollout found.
type LeakCheck struct{ Leaks []rollout.Leak }
