package collect

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// audit is the content of probes.jsonl, with only the parts of its texts that are shown.
type audit struct {
	Records  int
	Regrades map[rollout.Key][]float64 // the recorded reward first
	Stale    int                       // regrades whose first grade is not the recorded reward
	Payloads []*Payload
	Marks    map[string][]mark // by detector
	zero     map[rollout.Key]bool
}

// Payload is one record of the audit that is neither a regrade nor a
// detector's mark.
type Payload struct {
	Probe  rollout.ProbeInfo
	Key    rollout.Key
	Reward float64
	Valid  bool
	Text   string // its beginning
	Long   string // more of it, if it deserves nothing: the part that is paid for may come late
	Hash   uint64
	Parted bool   // the reward is made of several parts
	Kind   string // of a failed grading
	Cause  string

	Seconds float64            // that the grading took; 0 if unknown
	Parts   map[string]float64 // of a payload that must score at the top
}

// ReplayID returns the payload's name for gonogo audit --replay.
func (p *Payload) ReplayID() string {
	return fmt.Sprintf("%s/%s/%s/%d", p.Probe.Name, p.Key.Split, p.Key.ItemName(), p.Key.Sample)
}

// mark is a detector's answer about one rollout.
type mark struct {
	Key    rollout.Key
	Marked bool
	Zeroes bool // the detector lowers the rollouts that it marks to the bottom
	Failed bool // the detector failed
}

// PayloadLength is the maximum length of a payload's displayed text; longPayload is the length that
// is searched for the part to display.
const (
	PayloadLength = 300
	longPayload   = 4000
)

// AddProbe adds one record of probes.jsonl. Call it before adding the rollouts, which regrades and
// marks change.
func (c *Collector) AddProbe(rec *rollout.Record) error {
	if rec.Probe == nil {
		return nil
	}
	a := &c.Audit
	if a.Regrades == nil {
		a.Regrades, a.Marks, a.zero = make(map[rollout.Key][]float64), make(map[string][]mark),
			make(map[rollout.Key]bool)
	}
	a.Records++
	base := rec.Key()
	if rec.Probe.Base != nil {
		base.Sample = rec.Probe.Base.Sample
	}
	if name, ok := strings.CutPrefix(rec.Probe.Name, rollout.ProbeDetector); ok {
		c.addMark(name, base, rec)
		return nil
	}
	if rec.Probe.Name == rollout.ProbeSearchTry || rec.Probe.Name == rollout.ProbeAttackTry {
		return nil
	}
	if rec.Probe.Name == rollout.ProbeRegrade && rec.Outcome == rollout.Graded {
		a.Regrades[base] = slices.Clone(rec.Grades)
		return nil
	}
	p := &Payload{
		Probe: *rec.Probe, Key: rec.Key(),
		Text: strings.Clone(wording.ClipBytes(rec.Answer, PayloadLength)), Hash: c.AnswerHash(rec.Answer),
		Parted: len(rec.Parts) > 1, Seconds: time.Duration(rec.Elapsed).Seconds(),
	}
	if rec.Probe.Expect == rollout.Bottom {
		p.Long = strings.Clone(wording.ClipBytes(rec.Answer, longPayload))
	}
	if rec.Probe.Expect == rollout.Top {
		p.Parts = rec.Parts
	}
	switch {
	case rec.Outcome == rollout.GraderFailed:
		p.Kind, p.Cause = c.kindOf(rec), errorOf(rec)
	case rec.Reward != nil && !rec.Outcome.Missing():
		reward, err := c.inRange(rec, *rec.Reward)
		if err != nil {
			return err
		}
		p.Reward, p.Valid = reward, true
	}
	a.Payloads = append(a.Payloads, p)
	return nil
}

func (c *Collector) addMark(name string, base rollout.Key, rec *rollout.Record) {
	m := mark{Key: base, Failed: rec.Outcome.Missing() || rec.Reward == nil}
	m.Marked = !m.Failed && *rec.Reward >= 0.5
	m.Zeroes = m.Marked && rec.Probe.Zero
	c.Audit.Marks[name] = append(c.Audit.Marks[name], m)
	if m.Zeroes {
		c.Audit.zero[base] = true
	}
}

// gradesOf returns the grades of a rollout's output: those of the audit, which include the recorded
// ones, else the record's own. Grades whose first one is not the recorded reward come from another
// grader.
func (a *audit) gradesOf(r *Row, own []float64, noise float64) []float64 {
	again, ok := a.Regrades[r.Key()]
	switch {
	case !ok || len(again) < len(own):
		return own
	case len(again) > 0 && math.Abs(again[0]-r.Reward) > noise:
		a.Stale++
		return own
	}
	return again
}

// Settle sorts payloads and marks by item, independent of the order in which they were graded.
func (a *audit) Settle() {
	slices.SortFunc(a.Payloads, func(x, y *Payload) int {
		return cmp.Or(cmp.Compare(x.Probe.Name, y.Probe.Name), CompareKeys(x.Key, y.Key))
	})
	for _, marks := range a.Marks {
		sort.Slice(marks, func(i, j int) bool { return CompareKeys(marks[i].Key, marks[j].Key) < 0 })
	}
}

// CompareKeys orders rollouts by split, item and sample.
func CompareKeys(a, b rollout.Key) int {
	order := rollout.Splits()
	return cmp.Or(
		cmp.Compare(slices.Index(order, a.Split), slices.Index(order, b.Split)),
		CompareIDs(a.Item, b.Item), cmp.Compare(a.Step, b.Step), cmp.Compare(a.Sample, b.Sample))
}

// Of returns the payloads of one probe.
func (a *audit) Of(name string) []*Payload {
	var out []*Payload
	for _, p := range a.Payloads {
		if p.Probe.Name == name {
			out = append(out, p)
		}
	}
	return out
}

// Sound reports whether the grader treated a payload as a sound grader would. All rollouts must
// have been added.
//
// A payload that must score at the bottom may earn its limit, as a share of what a right answer earns
// on its item, plus the margin. Above that, a wrong answer is a hole if it is paid like a right one, or
// more than the margin above the mean of the item's own rollouts.
//
// A worthless answer, with a limit of at most half, is a hole if it is paid like a right one, or if the
// model would gain by it: its wording earns more than the margin above the items' own rollouts, with the
// low end of the interval over items, and so does the payload on its item. Where the grader pays
// separate parts, one in the form of an answer must also reach half of what a right one earns. Without
// rollouts, a worthless answer may earn a quarter of it, and half in the form of an answer, unless the
// grader's scale is graded: then it pays for any likeness. Text without form is also a hole if every
// such text earns a third of the range.
//
// A payload that must score at the top must reach its limit, or come within the margin of the top if
// it has none, or lack only a bonus. A payload that must not change the reward may differ from its base by
// the margin.
//
// A grader that compares the outputs of an item has no rewards of its own for right and wrong. Among the
// item's rollouts, what must score at the bottom is a hole if the model would gain by it, and what must
// score at the top must earn what they do on average, less the margin.
func (c *Collector) Sound(p *Payload, margin float64) bool {
	width, noise := c.Range.Width(), 1e-9*c.Range.Width()
	own := c.earned()[p.Item()].own
	switch compared := p.Probe.Group > 0 && own != nil; {
	case compared && p.Probe.Expect == rollout.Bottom:
		return p.Reward <= *own+margin*width+noise || !c.pays(margin).gains[p.wording()]
	case compared && p.Probe.Expect == rollout.Top:
		return p.Reward >= *own-margin*width-noise
	}
	switch p.Probe.Expect {
	case rollout.Bottom:
		step, right, limit := margin*width+noise, c.rightReward(p), stat.ValueOr(p.Probe.Limit, 0)
		share := func(of float64) float64 { return c.Range.Lo + of*(right-c.Range.Lo) }
		switch {
		case p.Probe.Name == rollout.ProbeSearch && own == nil && c.pays(margin).graded:
			return p.Reward < right-step
		case p.Probe.Name == rollout.ProbeSearch:
			return p.Reward <= c.baseline(p)+step || !c.pays(margin).gains[p.wording()]
		case p.Reward >= right-step && p.Reward > c.Range.Lo+step:
			return false
		case limit > worthless:
			return p.Reward <= share(limit)+step || own != nil && p.Reward <= *own+step
		case limit == 0 && c.pays(margin).anything && strings.TrimSpace(p.Text) != "":
			return false
		case own == nil:
			return p.Reward < share(max(limit, aQuarter))-noise || c.pays(margin).graded
		case p.Parted && limit > 0 && p.Reward < share(limit)-noise:
			return true
		}
		return p.Reward <= *own+step || !c.pays(margin).gains[p.wording()]
	case rollout.Top:
		return p.Reward >= c.Limit(p, margin)-noise || c.lacksOnlyBonus(p)
	case rollout.Same:
		moved, ok := p.Moved()
		return !ok || math.Abs(moved) <= margin*width+noise
	}
	return true
}

// lacksOnlyBonus reports whether a payload did the task as well as recorded rollouts did: the core of its
// reward is at the best of theirs and at its top, and it earns over half of the range and at least what
// the lowest of them earned. What the other parts add is a bonus.
func (c *Collector) lacksOnlyBonus(p *Payload) bool {
	core, ok := p.Parts[c.Core]
	at, recorded := c.PartAt[c.Core]
	if !ok || !recorded || core < solvedCore || p.Reward <= (c.Range.Lo+c.Range.Hi)/2 {
		return false
	}
	if c.solved == nil {
		c.solved = &solved{least: math.Inf(1)}
		for r := range c.Rows() {
			part := r.Part(at)
			if !r.Valid || math.IsNaN(part) || part < c.solved.core-1e-9 {
				continue
			}
			if part > c.solved.core+1e-9 {
				*c.solved = solved{core: part, least: math.Inf(1)}
			}
			c.solved.least = math.Min(c.solved.least, r.Reward)
		}
	}
	return c.solved.core > 0 && core >= c.solved.core-1e-9 && p.Reward >= c.solved.least-1e-9*c.Range.Width()
}

// solvedCore is the least core of a right answer; cores are rewards of graders between 0 and 1.
const solvedCore = 0.99

// solved holds the best core of the recorded rewards, and the least reward of the rollouts with it.
type solved struct{ core, least float64 }

// rightReward returns what a right answer earns on the payload's item: what its reference earned, if that
// is at least half of the range, else the top.
func (c *Collector) rightReward(p *Payload) float64 {
	if reference := c.earned()[p.Item()].reference; reference != nil && *reference >= (c.Range.Lo+c.Range.Hi)/2 {
		return *reference
	}
	return c.Range.Hi
}

// worthless is the largest limit of probes that state no single answer.
const worthless = 0.5

// payments say what the grader pays for worthless payloads.
type payments struct {
	gains    map[wordingKey]bool // it earns more than the items' own rollouts
	graded   bool                // the scale has many steps
	anything bool                // any text without form earns much more than the worst
}

// wordingKey identifies one of a probe's payloads for each item.
type wordingKey struct {
	probe  string
	sample int
}

func (p *Payload) wording() wordingKey { return wordingKey{p.Probe.Name, p.Key.Sample} }

// pays compares the worthless payloads with the items' own rollouts and with each other.
func (c *Collector) pays(margin float64) payments {
	if c.paid != nil {
		return *c.paid
	}
	found := payments{gains: map[wordingKey]bool{}}
	gaps := map[wordingKey][]float64{} // one for each item
	between := map[int64]bool{}
	width := c.Range.Width()
	least, leastText, texts := math.Inf(1), math.Inf(1), 0
	for _, p := range c.Audit.Payloads {
		if !p.Valid || p.Probe.Expect != rollout.Bottom ||
			stat.ValueOr(p.Probe.Limit, 0) > worthless && p.Probe.Group == 0 {
			continue
		}
		if p.Probe.Name == rollout.ProbeSearch {
			gaps[p.wording()] = append(gaps[p.wording()], p.Reward-c.baseline(p))
			continue
		}
		if share := (p.Reward - c.Range.Lo) / width; share > scaleStep && share < 1-scaleStep {
			between[int64(math.Round(share/scaleStep))] = true
		}
		if least = math.Min(least, p.Reward); stat.ValueOr(p.Probe.Limit, 0) == 0 && strings.TrimSpace(p.Text) != "" {
			leastText = math.Min(leastText, p.Reward)
			texts++
		}
		if own := c.earned()[p.Item()].own; own != nil {
			gaps[p.wording()] = append(gaps[p.wording()], p.Reward-*own)
		}
	}
	for wording, ofItems := range gaps {
		slices.Sort(ofItems) // their order must not matter
		gain := stat.ItemMeans(ofItems, nil, len(ofItems), nil, gainConfidence, "")
		if len(ofItems) > 1 && gain.Low == nil {
			gain.Low = gain.Value // the same on each item: Student's interval has no width
		}
		found.gains[wording] = gain.Low != nil && *gain.Low > (margin+1e-9)*width
	}
	found.graded = len(between) >= gradedSteps
	found.anything = texts >= someTexts && leastText-max(least, min(0, c.Range.Hi)) > aThird*width
	c.paid = &found
	return found
}

const (
	gainConfidence = 0.95
	// rewards that differ by less than this share of the range are one step of the grader's scale
	scaleStep   = 0.01
	gradedSteps = 6 // steps between the ends, of worthless answers, of a scale that is graded
	aThird      = 1.0 / 3
	aQuarter    = 0.25
	someTexts   = 10 // texts that can show that any text is paid
)

// baseline returns what the text of a search must exceed on an item: the mean of its rollouts, else half
// of what a right answer earns.
func (c *Collector) baseline(p *Payload) float64 {
	if own := c.earned()[p.Item()].own; own != nil {
		return *own
	}
	return c.Range.Lo + worthless*(c.rightReward(p)-c.Range.Lo)
}

// earned holds the mean reward of an item's own rollouts and the reward of its reference in the
// audit; nil if unknown.
type earned struct{ own, reference *float64 }

func (c *Collector) earned() map[ItemKey]earned {
	if c.earns != nil {
		return c.earns
	}
	c.earns = make(map[ItemKey]earned)
	for _, split := range rollout.Splits() {
		for _, it := range c.Items(split, nil) {
			if len(it.Rewards) > 0 {
				mean, _ := stat.MeanVariance(it.Rewards)
				c.earns[it.Key()] = earned{own: &mean}
			}
		}
	}
	for _, p := range c.Audit.Of(rollout.ProbeReference) {
		if e := c.earns[p.Item()]; p.Valid && (e.reference == nil || *e.reference < p.Reward) {
			e.reference = &p.Reward
			c.earns[p.Item()] = e
		}
	}
	return c.earns
}

// Limit returns the payload's limit as a reward, if a right answer earns the top.
func (c *Collector) Limit(p *Payload, margin float64) float64 {
	otherwise := 0.0
	if p.Probe.Expect == rollout.Top {
		otherwise = 1 - margin
	}
	return c.Range.Lo + stat.ValueOr(p.Probe.Limit, otherwise)*c.Range.Width()
}

// Moved returns the difference between a payload's reward and that of the rollout that it was made
// from.
func (p *Payload) Moved() (float64, bool) {
	if p.Probe.Base == nil || p.Probe.Base.Reward == nil {
		return 0, false
	}
	return p.Reward - *p.Probe.Base.Reward, true
}

// ItemKey identifies an item of a run. Rollouts of different policies are separate: a trainer
// compares those of one step.
type ItemKey struct {
	Split rollout.Split
	ID    string
	Step  int
}

// ItemOf returns the item of a rollout.
func ItemOf(k rollout.Key) ItemKey { return ItemKey{k.Split, k.Item, k.Step} }

// WithoutStep identifies the item in the data, which is the same for all policies.
func (k ItemKey) WithoutStep() ItemKey { return ItemKey{Split: k.Split, ID: k.ID} }

// Shown returns the item's name in runs with rollouts of several policies.
func (k ItemKey) Shown() string { return rollout.Key{Item: k.ID, Step: k.Step}.ItemAtStep() }

// Item returns the item that the payload was made for.
func (p *Payload) Item() ItemKey { return ItemOf(p.Key) }
