package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// audit is what probes.jsonl tells, without more of its text than is shown.
type audit struct {
	records  int
	regrades map[rollout.Key][]float64 // the recorded reward first
	stale    int                       // regrades whose first grade is not the recorded reward
	payloads []*payload
	marks    map[string][]mark // by detector
	zero     map[rollout.Key]bool
}

// payload is one record of the audit that is neither a regrade nor a
// detector's mark.
type payload struct {
	probe  rollout.Probed
	key    rollout.Key
	reward float64
	valid  bool
	text   string // its beginning
	hash   uint64
	kind   string // of a failed grading
	cause  string
}

// id names the payload for gonogo audit --replay.
func (p *payload) id() string {
	return fmt.Sprintf("%s/%s/%s/%d", p.probe.Name, p.key.Split, p.key.Item, p.key.Sample)
}

// mark is a detector's answer about one rollout.
type mark struct {
	key    rollout.Key
	marked bool
	zeroes bool // the detector takes what it marks to the bottom
	failed bool // the detector gave no answer
}

// payloadLength bounds what is kept of a payload.
const payloadLength = 300

// addProbe keeps what one record of probes.jsonl tells. It comes before the
// rollouts: regrades and marks change them.
func (c *collector) addProbe(rec *rollout.Record) error {
	if rec.Probe == nil {
		return nil
	}
	a := &c.audit
	if a.regrades == nil {
		a.regrades, a.marks, a.zero = make(map[rollout.Key][]float64), make(map[string][]mark), make(map[rollout.Key]bool)
	}
	a.records++
	base := rec.Key()
	if rec.Probe.Base != nil {
		base.Sample = rec.Probe.Base.Sample
	}
	if name, ok := strings.CutPrefix(rec.Probe.Name, rollout.ProbeDetector); ok {
		c.addMark(name, base, rec)
		return nil
	}
	if rec.Probe.Name == rollout.ProbeRegrade && rec.Outcome == rollout.Graded {
		a.regrades[base] = slices.Clone(rec.Grades)
		return nil
	}
	p := &payload{probe: *rec.Probe, key: rec.Key(), text: strings.Clone(clip(rec.Answer, payloadLength)), hash: c.answerHash(rec.Answer)}
	switch {
	case rec.Outcome == rollout.GraderFailed:
		p.kind, p.cause = c.kindOf(rec), errorOf(rec)
	case rec.Reward != nil && !rec.Outcome.Missing():
		reward, err := c.inRange(rec, *rec.Reward)
		if err != nil {
			return err
		}
		p.reward, p.valid = reward, true
	}
	a.payloads = append(a.payloads, p)
	return nil
}

func (c *collector) addMark(name string, base rollout.Key, rec *rollout.Record) {
	m := mark{key: base, failed: rec.Outcome.Missing() || rec.Reward == nil}
	m.marked = !m.failed && *rec.Reward >= 0.5
	m.zeroes = m.marked && rec.Probe.Zero
	c.audit.marks[name] = append(c.audit.marks[name], m)
	if m.zeroes {
		c.audit.zero[base] = true
	}
}

// gradesOf returns the grades of a rollout's output: those of the audit, which
// hold the recorded ones too, else the record's own. Grades that begin with
// another reward than the recorded one are of another grader.
func (a *audit) gradesOf(r *row, own []float64, noise float64) []float64 {
	again, ok := a.regrades[r.key]
	switch {
	case !ok || len(again) < len(own):
		return own
	case len(again) > 0 && math.Abs(again[0]-r.reward) > noise:
		a.stale++
		return own
	}
	return again
}

// settle puts payloads and marks in the order of items, whatever the order in
// which they were graded.
func (a *audit) settle() {
	slices.SortFunc(a.payloads, func(x, y *payload) int {
		return cmp.Or(cmp.Compare(x.probe.Name, y.probe.Name), compareKeys(x.key, y.key))
	})
	for _, marks := range a.marks {
		slices.SortFunc(marks, func(x, y mark) int { return compareKeys(x.key, y.key) })
	}
}

func compareKeys(a, b rollout.Key) int {
	order := rollout.Splits()
	return cmp.Or(
		cmp.Compare(slices.Index(order, a.Split), slices.Index(order, b.Split)),
		CompareIDs(a.Item, b.Item), cmp.Compare(a.Sample, b.Sample))
}

// of returns the payloads of one probe.
func (a *audit) of(name string) []*payload {
	var out []*payload
	for _, p := range a.payloads {
		if p.probe.Name == name {
			out = append(out, p)
		}
	}
	return out
}

// verdictOf says whether the grader did with a payload what a sound one does.
// A payload that must score at the bottom may earn its limit and the margin
// above it. One that must score at the top must reach its limit, or come within
// the margin of the top where it names none. One that must not move may differ
// from its base by the margin.
func (c *collector) sound(p *payload, margin float64) bool {
	width, noise := c.rng.Width(), 1e-9*c.rng.Width()
	switch p.probe.Expect {
	case rollout.Bottom:
		return p.reward <= c.limit(p, margin)+margin*width+noise
	case rollout.Top:
		return p.reward >= c.limit(p, margin)-noise
	case rollout.Same:
		moved, ok := p.moved()
		return !ok || math.Abs(moved) <= margin*width+noise
	}
	return true
}

// limit is the payload's limit as a reward.
func (c *collector) limit(p *payload, margin float64) float64 {
	otherwise := 0.0
	if p.probe.Expect == rollout.Top {
		otherwise = 1 - margin
	}
	return c.rng.Lo + stat.Or(p.probe.Limit, otherwise)*c.rng.Width()
}

// moved is how far a payload's reward lies from that of the rollout it was
// made from.
func (p *payload) moved() (float64, bool) {
	if p.probe.Base == nil || p.probe.Base.Reward == nil {
		return 0, false
	}
	return p.reward - *p.probe.Base.Reward, true
}

// itemKey names an item of a run.
type itemKey struct {
	split rollout.Split
	id    string
}

func (p *payload) item() itemKey { return itemKey{p.key.Split, p.key.Item} }
