package history

import (
	"math"
	"math/rand/v2"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// What a night is compared with, and how certain its answer must be.
const (
	// PooledNights is the largest number of good nights with which a night is compared, the newest ones.
	PooledNights = 7
	// NightConfidence is the confidence of a night's interval: without a change, its upper end
	// is below 0 in at most 4 % of months of 30 nights.
	NightConfidence = 1 - 2*0.04/30
	// trendP is the largest p-value of a change with which a night regresses by the trend. It
	// is strict because the search is repeated every night.
	trendP = 0.02
	// DefaultDetect is the fall, as a share of the reward range, that a night must be able to
	// show in 80 % of cases.
	DefaultDetect = 0.15
)

// pool returns the good nights with which n is compared, the newest first: those comparable with
// it, back to the last accepted one.
func pool(earlier []Night, n *Night) []*Night {
	var nights []*Night
	for i := len(earlier) - 1; i >= 0 && len(nights) < PooledNights; i-- {
		if old := &earlier[i]; old.Good && len(old.Items) > 0 && Comparable(old, n) {
			nights = append(nights, old)
			if old.Accepted {
				break
			}
		}
	}
	return nights
}

// Fall replaces the answer of c by a comparison of the night's mean reward with the pooled good
// nights before it, item by item, each by its mean over their rollouts. The reward fell, it rose,
// there is no sign of a fall although one of detect would have been seen in 80 % of cases, or the
// answer is cannot_tell. detect is a share of the reward range.
//
// The interval is that of the paired differences by item at NightConfidence, so that few months
// without a change show a fall; with fewer than 20 items the sign flips must agree. The answer of
// c is kept if it rests on something other than the mean reward (more hacks or failures, too much
// lost, or nothing to compare), or if the night or the earlier ones have no items to compare.
func (n *Night) Fall(earlier []Night, c *compare.Comparison, detect float64) {
	nights := pool(earlier, n)
	if c.Answer == compare.NotBetter || c.Unfair() || len(n.Items) == 0 || len(nights) == 0 {
		return
	}
	base, current, rollouts := paired(n, nights)
	deltas := make([]float64, len(current))
	for i := range current {
		deltas[i] = current[i] - base[i]
	}
	width := n.RewardRange[1] - n.RewardRange[0]
	e := stat.PairedMean(deltas, nil, rollouts, &stat.Range{Lo: -width, Hi: width}, NightConfidence)
	if !e.Known() || e.Low == nil || e.High == nil {
		return
	}
	sure := e.Items >= analysis.FewItems ||
		*stat.SignFlip(deltas, 9999, rand.NewPCG(n.Seed, 0xfa11)) <= 1-NightConfidence
	seen := max(0, -*e.Low) // the smallest fall that would have been seen
	if e.SE != nil {
		seen = stat.MDE(*e.SE, NightConfidence)
	}
	if math.Pow(2, 1-float64(e.Items)) > 1-NightConfidence { // the sign flips of so few items cannot agree
		seen = width
	}
	a, sentence := compare.NoFall, noFall
	switch {
	case sure && *e.High < -c.Tolerance:
		a, sentence = compare.Regressed, fell
	case sure && *e.Low > c.Tolerance:
		a, sentence = compare.Improved, rose
	case seen > detect*width, *e.High < -c.Tolerance:
		a, sentence = compare.CannotTell, tooWeak
	}
	old, _ := stat.MeanVariance(base)
	now, _ := stat.MeanVariance(current)
	c.AnsweredBy(a, sentence.With(message.Args{
		"split": message.Name(string(n.Split)), "base": message.Number(old), "new": message.Number(now),
		"change": message.Nested(message.ChangeWithin(*e.Value, e.Low, e.High)),
		"nights": message.Count(len(nights), "good night"), "items": message.Count(e.Items, "item"),
		"seen": message.Number(seen), "detect": message.Setting(detect * width),
	}))
}

// paired returns the means of the items that n shares with the nights, and the number of rollouts
// behind them.
func paired(n *Night, nights []*Night) (base, current []float64, rollouts int) {
	type sum struct {
		rewards float64
		n       int
	}
	sums := make(map[itemID]sum)
	for _, old := range nights {
		for _, it := range old.Items {
			id := itemID{it.ID, it.Digest}
			s := sums[id]
			sums[id] = sum{s.rewards + it.Mean*float64(it.N), s.n + it.N}
		}
	}
	for _, it := range n.Items {
		if s := sums[itemID{it.ID, it.Digest}]; s.n > 0 {
			base, current = append(base, s.rewards/float64(s.n)), append(current, it.Mean)
			rollouts += s.n + it.N
		}
	}
	return base, current, rollouts
}

var (
	fell = message.New("night.fell_in_mean",
		"On {split} the mean reward fell from {base} to {new} ({change}) against {nights} before it, over {items}.")
	rose = message.New("night.rose", "On {split} the mean reward rose from {base} to {new} ({change}) against "+
		"{nights} before it, over {items}.")
	noFall = message.New("night.no_fall", "On {split} there is no sign of a fall: the mean reward is {new}, "+
		"{change} against {nights} before it, over {items}. A fall of {seen} would have been seen with 80 % "+
		"probability.")
	tooWeak = message.New("night.too_weak", "On {split} only a fall of {seen} would have been seen with 80 % "+
		"probability, and --detect is {detect}: sample more items, or more rollouts of each. The mean reward is "+
		"{new}, {change} against {nights} before it, over {items}.")
)
