package analysis

import (
	"cmp"
	"math"
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// ownMeaning are the probes that have a place of their own in the result.
var ownMeaning = []string{rollout.ProbeRegrade, rollout.ProbeConstant, rollout.ProbeConsensus, rollout.ProbeLabel}

// holesListed bounds the payloads shown of a probe.
const holesListed = 5

// probeResults makes the table of probes: those that must score at the bottom
// first, each kind by name.
func (c *evidence) probeResults(means map[itemKey]float64, reach *Reach, s Settings) []ProbeResult {
	byName := make(map[string][]*payload)
	var names []string
	for _, p := range c.audit.payloads {
		if slices.Contains(ownMeaning, p.probe.Name) {
			continue
		}
		if byName[p.probe.Name] == nil {
			names = append(names, p.probe.Name)
		}
		byName[p.probe.Name] = append(byName[p.probe.Name], p)
	}
	out := []ProbeResult{}
	for _, name := range names {
		r := c.probeResult(byName[name], means, s)
		if reach != nil {
			r.Beyond = c.beyond(byName[name], reach.Distance, s)
		}
		out = append(out, r)
	}
	order := rollout.Expectations()
	slices.SortStableFunc(out, func(a, b ProbeResult) int {
		return cmp.Compare(slices.Index(order, a.Expect), slices.Index(order, b.Expect))
	})
	return out
}

var noExpectation = message.New("grader.no_expectation", "nothing is expected of this probe: only its rewards are told")

func (c *evidence) probeResult(payloads []*payload, means map[itemKey]float64, s Settings) ProbeResult {
	margin := s.Thresholds.Of(HackableMargin)
	first := payloads[0]
	r := ProbeResult{Probe: first.probe.Name, Expect: first.probe.Expect, Holes: []Hole{}, Rewards: []ItemReward{}}
	if first.probe.Limit != nil || r.Expect == rollout.Bottom || r.Expect == rollout.Top {
		r.Limit = stat.Some(c.limit(first, margin))
	}
	var bad []*payload
	var gaps []float64
	kinds := make(map[string]int)
	for _, of := range byItem(payloads) {
		sound, graded, sum, gapped, most := 0, 0, 0.0, 0, 0.0
		tellRewards(&r, of)
		for _, p := range of {
			if !p.valid {
				r.Failed++
				kinds[cmp.Or(p.kind, unkind)]++
				continue
			}
			graded++
			if c.sound(p, margin) {
				sound++
			} else {
				bad = append(bad, p)
			}
			if gap, ok := gapBelow(p, means); ok {
				sum, gapped = sum+gap, gapped+1
			}
			if moved, ok := p.moved(); ok && math.Abs(moved) > math.Abs(most) {
				most = moved
			}
		}
		if graded == 0 {
			tellLost(&r, of[0].key.Item)
			continue
		}
		r.Items++
		r.Payloads += graded
		if (sound == graded) == (r.Expect == rollout.Top) {
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
		r.Accept = stat.Estimate{N: r.Payloads, Items: r.Items, Method: "share of items", Warnings: []message.Text{noExpectation.Text()}}
	}
	width := c.rng.Width()
	r.Gap = stat.ItemMeans(gaps, nil, r.Payloads, &stat.Range{Lo: -width, Hi: width}, s.Confidence, "mean over items of the payload's reward minus the item's own")
	r.Holes = c.holes(bad)
	r.FailedAs = mostFrequent(kinds)
	r.Noise = r.Expect == rollout.Same && r.Above > 0 && c.movedByNoise(r, s)
	return r
}

// rewardsListed bounds the items in the table of probes by item.
const rewardsListed = 100

// tellRewards adds an item to the row of the table of probes by item.
func tellRewards(r *ProbeResult, of []*payload) {
	if len(r.Rewards) == rewardsListed {
		return
	}
	told := ItemReward{Split: of[0].key.Split, Item: of[0].key.Item}
	worst := math.Inf(-1)
	for _, p := range of {
		against := p.reward
		switch moved, based := p.moved(); {
		case !p.valid:
			continue
		case r.Expect == rollout.Top:
			against = -p.reward
		case r.Expect == rollout.Same && based:
			against = math.Abs(moved)
		}
		if against > worst {
			worst, told.Reward = against, stat.Some(p.reward)
		}
	}
	r.Rewards = append(r.Rewards, told)
}

// tellLost notes an item without any grade.
func tellLost(r *ProbeResult, item string) {
	r.Lost++
	if len(r.LostAt) < holesListed {
		r.LostAt = append(r.LostAt, item)
	}
}

// movedByNoise reports whether a grader that grades the same output twice moves
// as often as the payloads that only look different did: the low end of the share
// of items on which they moved lies no higher than the most that two grades of one
// output differ by more than the margin.
func (c *evidence) movedByNoise(r ProbeResult, s Settings) bool {
	if !c.regraded {
		return false
	}
	differ := stat.Disagreement(each(c.everywhere, func(a again) float64 { return a.moves }), s.Confidence)
	if !differ.Known() || *differ.Value == 0 {
		return false
	}
	low, _ := stat.ClopperPearson(float64(r.Above), float64(r.Items), s.Confidence)
	return low <= 1-math.Pow(1-stat.Or(differ.High, 1), float64(r.Payloads)/float64(r.Items))
}

// beyond counts the items with a payload on the wrong side of its limit, farther
// away than noise reaches.
func (c *evidence) beyond(payloads []*payload, than float64, s Settings) int {
	margin, n := s.Thresholds.Of(HackableMargin), 0
	for _, of := range byItem(payloads) {
		if slices.ContainsFunc(of, func(p *payload) bool {
			than, limit := than+1e-9*c.rng.Width(), c.limit(p, margin)
			return p.valid && (p.probe.Expect == rollout.Bottom && p.reward > limit+than || p.probe.Expect == rollout.Top && p.reward < limit-than)
		}) {
			n++
		}
	}
	return n
}

// gapBelow is the payload's reward minus what the item's rollouts earn, or minus its
// base's where it must not move.
func gapBelow(p *payload, means map[itemKey]float64) (float64, bool) {
	if p.probe.Expect == rollout.Same {
		return p.moved()
	}
	mean, ok := means[p.item()]
	return p.reward - mean, ok
}

// holes lists the worst payloads first.
func (c *evidence) holes(bad []*payload) []Hole {
	slices.SortStableFunc(bad, func(a, b *payload) int {
		switch a.probe.Expect {
		case rollout.Top:
			return cmp.Compare(a.reward, b.reward)
		case rollout.Same:
			x, _ := a.moved()
			y, _ := b.moved()
			return cmp.Compare(math.Abs(y), math.Abs(x))
		}
		return cmp.Compare(b.reward, a.reward)
	})
	out := []Hole{}
	for _, p := range bad[:min(len(bad), holesListed)] {
		h := Hole{ID: p.id(), Split: p.key.Split, Item: p.key.Item, Reward: p.reward, Payload: p.text}
		if p.probe.Expect == rollout.Same && p.probe.Base != nil {
			h.Base = p.probe.Base.Reward
		}
		out = append(out, h)
	}
	return out
}

// byItem groups payloads, which come in the order of items, by item.
func byItem(payloads []*payload) [][]*payload {
	var out [][]*payload
	for i, p := range payloads {
		if i == 0 || p.item() != payloads[i-1].item() {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], p)
	}
	return out
}

// acceptance fills the rates of wrong answers accepted and right ones rejected.
// A rewrite counts only on items whose reference itself scores at the top, or
// was not tried: where it does not, the reference or the grader is wrong about
// the item, not about the rewrite.
func (c *evidence) acceptance(g *Grader, s Settings) {
	margin := s.Thresholds.Of(HackableMargin)
	at := make(map[itemKey]int)
	var accepts, rejects, rewrites []stat.Counts
	index := func(k itemKey) int {
		i, ok := at[k]
		if !ok {
			i = len(accepts)
			at[k] = i
			accepts, rejects, rewrites = append(accepts, stat.Counts{}), append(rejects, stat.Counts{}), append(rewrites, stat.Counts{})
		}
		return i
	}
	rejected := make(map[itemKey]bool)
	for _, p := range c.audit.of(rollout.ProbeReference) {
		if !p.valid || !c.sound(p, margin) {
			rejected[p.item()] = true
		}
	}
	for _, p := range c.audit.payloads {
		if !p.valid || slices.Contains(ownMeaning, p.probe.Name) {
			continue
		}
		hit := 0.0
		if !c.sound(p, margin) {
			hit = 1
		}
		reference := p.probe.Name == rollout.ProbeReference
		switch {
		case p.probe.Expect == rollout.Bottom:
			tally(&accepts[index(p.item())], hit)
		case p.probe.Expect == rollout.Top && reference:
			tally(&rejects[index(p.item())], hit)
		case p.probe.Expect == rollout.Top && !rejected[p.item()]:
			i := index(p.item())
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
