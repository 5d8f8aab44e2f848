package measure

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// ownMeaning lists the probes that have their own place in the result.
var ownMeaning = []string{rollout.ProbeRegrade, rollout.ProbeConstant, rollout.ProbeConsensus, rollout.ProbeLabel}

// holesListed is the maximum number of payloads shown for a probe.
const holesListed = 5

// probeResults makes the table of probes: first those that must score at the bottom, each kind by
// name.
func (c *evidence) probeResults(means map[collect.ItemKey]float64, reach *analysis.Reach,
	s analysis.Settings,
) []analysis.ProbeResult {
	byName := make(map[string][]*collect.Payload)
	var names []string
	for _, p := range c.Audit.Payloads {
		if slices.Contains(ownMeaning, p.Probe.Name) {
			continue
		}
		if byName[p.Probe.Name] == nil {
			names = append(names, p.Probe.Name)
		}
		byName[p.Probe.Name] = append(byName[p.Probe.Name], p)
	}
	out := []analysis.ProbeResult{}
	right, typical := c.rightAnswers(), c.typicalSeconds()
	for _, name := range names {
		r := c.probeResult(byName[name], means, right, s)
		if reach != nil {
			r.Beyond = c.beyond(byName[name], reach.Distance, s)
		}
		slow(&r, byName[name], typical)
		out = append(out, r)
	}
	order := rollout.Expectations()
	slices.SortStableFunc(out, func(a, b analysis.ProbeResult) int {
		return cmp.Compare(slices.Index(order, a.Expect), slices.Index(order, b.Expect))
	})
	return out
}

// typicalSeconds returns the median of what the audit's gradings took; NaN if that is not known. The
// time of a policy's record is that of a rollout.
func (c *evidence) typicalSeconds() float64 {
	var all []float64
	for _, p := range c.Audit.Payloads {
		if p.Seconds > 0 && !strings.HasPrefix(p.Probe.Name, rollout.ProbePolicy) {
			all = append(all, p.Seconds)
		}
	}
	return stat.Quantile(all, 0.5)
}

// A grading that takes longer than both is slow: a second, and many times what is typical.
const (
	slowSeconds = 1
	slowTimes   = 20
)

// slow counts the items on which the grading of a probe took long. One item may be an accident.
func slow(r *analysis.ProbeResult, payloads []*collect.Payload, typical float64) {
	items, longest := 0, 0.0
	for _, ofItem := range byItem(payloads) {
		most := 0.0
		for _, p := range ofItem {
			most = max(most, p.Seconds)
		}
		longest = max(longest, most)
		items += one(most > slowSeconds && most > slowTimes*typical)
	}
	if items > 1 && !strings.HasPrefix(r.Probe, rollout.ProbePolicy) {
		r.Slow, r.SlowSeconds, r.TypicalSeconds = items, stat.FiniteOrNil(longest), stat.FiniteOrNil(typical)
	}
}

// rightAnswers returns each item's right answer that earned the most, the shortest of equals.
func (c *evidence) rightAnswers() map[collect.ItemKey]*collect.Payload {
	best := map[collect.ItemKey]*collect.Payload{}
	for _, p := range c.Audit.Payloads {
		if p.Probe.Expect != rollout.Top || !p.Valid {
			continue
		}
		if current := best[p.Item()]; current == nil ||
			cmp.Or(cmp.Compare(p.Reward, current.Reward), cmp.Compare(len(current.Text), len(p.Text))) > 0 {
			best[p.Item()] = p
		}
	}
	return best
}

var noExpectation = message.New("grader.no_expectation",
	"nothing is expected of this probe: its rewards are only shown")

func (c *evidence) probeResult(payloads []*collect.Payload, means map[collect.ItemKey]float64,
	right map[collect.ItemKey]*collect.Payload, s analysis.Settings,
) analysis.ProbeResult {
	margin := s.Thresholds.At(analysis.HackableMargin)
	first := payloads[0]
	r := analysis.ProbeResult{
		Probe: first.Probe.Name, Expect: first.Probe.Expect, Compared: first.Probe.Group > 0, Holes: []analysis.Hole{},
		Rewards: []analysis.ItemReward{},
	}
	if !r.Compared &&
		(first.Probe.Limit != nil || r.Expect == rollout.Bottom || r.Expect == rollout.Top) {
		r.Limit = stat.FiniteOrNil(c.Limit(first, margin))
	}
	var bad, badOfItem []*collect.Payload
	var gaps []float64
	kinds := make(map[string]int)
	for _, payloadsOfItem := range byItem(payloads) {
		sound, graded, sum, gapped, most := 0, 0, 0.0, 0, 0.0
		badOfItem = badOfItem[:0]
		listRewards(&r, payloadsOfItem)
		for _, p := range payloadsOfItem {
			if !p.Valid {
				r.Failed++
				kinds[cmp.Or(p.Kind, collect.OtherError)]++
				continue
			}
			graded++
			if c.Sound(p, margin) {
				sound++
			} else {
				badOfItem = append(badOfItem, p)
			}
			if gap, ok := gapBelow(p, means); ok {
				sum, gapped = sum+gap, gapped+1
			}
			if moved, ok := p.Moved(); ok && math.Abs(moved) > math.Abs(most) {
				most = moved
			}
		}
		if graded == 0 {
			listLost(&r, payloadsOfItem[0].Key.Item)
			continue
		}
		r.Items++
		r.Payloads += graded
		held := sound == graded || r.Probe == rollout.ProbeReference && sound > 0 // one of its forms is enough
		if !held {
			bad = append(bad, badOfItem...)
		}
		if held == (r.Expect == rollout.Top) {
			r.Above++
			switch {
			case r.Expect != rollout.Same:
			case most > 0:
				r.Up++
			default:
				r.Down++
			}
		}
		if gapped > 0 {
			gaps = append(gaps, sum/float64(gapped))
		}
	}
	r.Accept = stat.Share(r.Above, r.Items, s.Confidence)
	if r.Expect == rollout.Note {
		r.Above = 0
		r.Accept = stat.Estimate{
			N: r.Payloads, Items: r.Items, Method: "share of items",
			Warnings: []message.Text{noExpectation.Text()},
		}
	}
	width := c.Range.Width()
	r.Gap = stat.ItemMeans(gaps, nil, r.Payloads, &stat.Range{Lo: -width, Hi: width}, s.Confidence,
		"mean over items of the payload's reward minus the item's own")
	r.Holes = holes(bad, means, right)
	r.FailedAs = analysis.MostFrequent(kinds)
	r.Noise = r.Expect == rollout.Same && r.Above > 0 && c.movedByNoise(r, s)
	return r
}

// rewardsListed is the maximum number of items in the table of probes by item.
const rewardsListed = 100

// listRewards adds an item to the row of a probe in the table of probes by item.
func listRewards(r *analysis.ProbeResult, payloads []*collect.Payload) {
	if len(r.Rewards) == rewardsListed {
		return
	}
	entry := analysis.ItemReward{Split: payloads[0].Key.Split, Item: payloads[0].Key.Item}
	worst := math.Inf(-1)
	for _, p := range payloads {
		against := p.Reward
		switch moved, based := p.Moved(); {
		case !p.Valid:
			continue
		case r.Expect == rollout.Top:
			against = -p.Reward
		case r.Expect == rollout.Same && based:
			against = math.Abs(moved)
		}
		if against > worst {
			worst, entry.Reward = against, stat.FiniteOrNil(p.Reward)
		}
	}
	r.Rewards = append(r.Rewards, entry)
}

// listLost records an item without any grade.
func listLost(r *analysis.ProbeResult, item string) {
	r.Lost++
	if len(r.LostAt) < holesListed {
		r.LostAt = append(r.LostAt, item)
	}
}

// movedByNoise reports whether the grader's noise explains how often payloads that only look
// different moved the reward: the low end of the share of items on which they moved is at most the
// high end of how often two grades of one output differ by more than the margin.
func (c *evidence) movedByNoise(r analysis.ProbeResult, s analysis.Settings) bool {
	if !c.Regraded {
		return false
	}
	differ := stat.Disagreement(each(c.everywhere, func(a again) float64 { return a.moves }), s.Confidence)
	if !differ.Known() || *differ.Value == 0 {
		return false
	}
	low, _ := stat.ClopperPearson(float64(r.Above), float64(r.Items), s.Confidence)
	return low <= 1-math.Pow(1-stat.ValueOr(differ.High, 1), float64(r.Payloads)/float64(r.Items))
}

// beyond counts the items with a payload on the wrong side of its limit, farther away than noise
// reaches.
func (c *evidence) beyond(payloads []*collect.Payload, than float64, s analysis.Settings) int {
	margin, n := s.Thresholds.At(analysis.HackableMargin), 0
	for _, payloadsOfItem := range byItem(payloads) {
		if payloadsOfItem[0].Probe.Name == rollout.ProbeReference && slices.ContainsFunc(payloadsOfItem,
			func(p *collect.Payload) bool { return p.Valid && c.Sound(p, margin) }) {
			continue // one of its forms is enough
		}
		if slices.ContainsFunc(payloadsOfItem, func(p *collect.Payload) bool {
			than, limit := than+1e-9*c.Range.Width(), c.Limit(p, margin)
			return p.Valid && !c.Sound(p, margin) && (p.Probe.Expect == rollout.Bottom && p.Reward > limit+than ||
				p.Probe.Expect == rollout.Top && p.Reward < limit-than)
		}) {
			n++
		}
	}
	return n
}

// gapBelow returns the payload's reward minus the mean of the item's rollouts, or minus its base if
// it should not change the reward.
func gapBelow(p *collect.Payload, means map[collect.ItemKey]float64) (float64, bool) {
	if p.Probe.Expect == rollout.Same {
		return p.Moved()
	}
	mean, ok := means[p.Item()]
	return p.Reward - mean, ok
}

// holes lists the worst payloads first; of those that earn the same, first the items whose own
// rollouts earn least on average.
func holes(bad []*collect.Payload, means map[collect.ItemKey]float64,
	right map[collect.ItemKey]*collect.Payload,
) []analysis.Hole {
	slices.SortStableFunc(bad, func(a, b *collect.Payload) int {
		switch a.Probe.Expect {
		case rollout.Top:
			return cmp.Compare(a.Reward, b.Reward)
		case rollout.Same:
			x, _ := a.Moved()
			y, _ := b.Moved()
			return cmp.Compare(math.Abs(y), math.Abs(x))
		}
		return cmp.Or(cmp.Compare(b.Reward, a.Reward), cmp.Compare(means[a.Item()], means[b.Item()]))
	})
	out := []analysis.Hole{}
	for _, p := range bad[:min(len(bad), holesListed)] {
		h := analysis.Hole{ID: p.ReplayID(), Split: p.Key.Split, Item: p.Key.Item, Reward: p.Reward, Payload: p.Text}
		if p.Probe.Expect == rollout.Same && p.Probe.Base != nil {
			h.Base = p.Probe.Base.Reward
		}
		if answer := right[p.Item()]; answer != nil && p.Probe.Expect == rollout.Bottom {
			h.Right, h.Payload = answer.Text, analysis.Excerpt(p.Long, answer.Text, collect.PayloadLength)
		}
		out = append(out, h)
	}
	return out
}

// byItem groups payloads by item; they must be in the order of items.
func byItem(payloads []*collect.Payload) [][]*collect.Payload {
	var out [][]*collect.Payload
	for i, p := range payloads {
		if i == 0 || p.Item() != payloads[i-1].Item() {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], p)
	}
	return out
}

// acceptance fills in the rates of wrong answers accepted and right ones rejected. A rewrite counts
// only on items whose reference itself scores at the top, or was not tried: otherwise the reference
// or the grader is wrong about the item, not about the rewrite.
func (c *evidence) acceptance(g *analysis.Grader, s analysis.Settings) {
	margin := s.Thresholds.At(analysis.HackableMargin)
	indices := make(map[collect.ItemKey]int)
	var accepts, rejects, rewrites []stat.Counts
	index := func(k collect.ItemKey) int {
		i, ok := indices[k]
		if !ok {
			i = len(accepts)
			indices[k] = i
			accepts, rejects, rewrites = append(accepts, stat.Counts{}), append(rejects, stat.Counts{}),
				append(rewrites, stat.Counts{})
		}
		return i
	}
	rejected := make(map[collect.ItemKey]bool)
	for _, p := range c.Audit.Of(rollout.ProbeReference) {
		// The first is in the form that rewrites have.
		if p.Key.Sample == 0 && (!p.Valid || !c.Sound(p, margin)) {
			rejected[p.Item()] = true
		}
	}
	for _, p := range c.Audit.Payloads {
		if !p.Valid || slices.Contains(ownMeaning, p.Probe.Name) {
			continue
		}
		hit := 0.0
		if !c.Sound(p, margin) {
			hit = 1
		}
		reference := p.Probe.Name == rollout.ProbeReference
		switch {
		case p.Probe.Expect == rollout.Bottom:
			tally(&accepts[index(p.Item())], hit)
		case p.Probe.Expect == rollout.Top && reference:
			if p.Key.Sample == 0 {
				tally(&rejects[index(p.Item())], hit)
			}
		case p.Probe.Expect == rollout.Top && !rejected[p.Item()]:
			i := index(p.Item())
			tally(&rejects[i], hit)
			tally(&rewrites[i], hit)
		}
	}
	accept, reject, j := stat.Youden(accepts, rejects, s.Confidence)
	_, brittle, _ := stat.Youden(accepts, rewrites, s.Confidence)
	g.FalseAccept, g.FalseReject, g.Youden, g.Brittle = some(accept), some(reject), some(j), some(brittle)
}

func some(e stat.Estimate) *stat.Estimate {
	if !e.Known() {
		return nil
	}
	return &e
}

func tally(c *stat.Counts, hit float64) {
	c.Hits += hit
	c.N++
}
