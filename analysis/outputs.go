package analysis

import (
	"maps"
	"math"
	"slices"

	"gonogo/analysis/stat"
)

// identicalText is the least text, in bytes, that an output must have for its
// repetition to mean something: short answers are equal by right.
const identicalText = 24

// identical is the share of items whose outputs (answer and calls) are all the
// same text, among items with at least two outputs long enough to tell. One
// seed for all samples, or a response cache, looks like that.
func (m *measure) identical() stat.Estimate {
	var equal []float64
	n := 0
	for _, it := range m.items {
		var hashes []uint64
		for _, r := range it.rows {
			if r.valid && r.outputHash != 0 {
				hashes = append(hashes, r.outputHash)
			}
		}
		if len(hashes) < 2 {
			continue
		}
		n += len(hashes)
		same := 1.0
		for _, h := range hashes[1:] {
			if h != hashes[0] {
				same = 0
			}
		}
		equal = append(equal, same)
	}
	unit := stat.Range{Lo: 0, Hi: 1}
	return stat.ItemMeans(equal, nil, n, &unit, m.s.Confidence, "share of items")
}

// grader measures what plain rollouts tell about the grader: how finely it
// tells outputs apart, over all splits.
func (c *collector) grader(s Settings) *Grader {
	counts := make(map[int64]int)
	eps := 1e-6 * s.RewardRange.Width()
	total, clipped := 0, 0
	for _, r := range c.rows {
		if r.valid {
			counts[int64(math.Round((r.reward-s.RewardRange.Lo)/eps))]++
			total++
			if r.clipped {
				clipped++
			}
		}
	}
	if total == 0 {
		return nil
	}
	res := &Resolution{Distinct: len(counts)}
	entropy := 0.0
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		p := float64(counts[value]) / float64(total)
		entropy -= p * math.Log2(p)
	}
	res.EntropyBits = stat.Some(math.Max(0, entropy))
	top := int64(math.Round(s.RewardRange.Width() / eps))
	res.ShareLow = stat.Some(float64(counts[0]) / float64(total))
	res.ShareHigh = stat.Some(float64(counts[top]) / float64(total))
	return &Grader{
		NoiseVar: c.noiseVar(s), Clipped: clipped, Resolution: res,
		Probes: []ProbeResult{}, SuspectReferences: []SuspectReference{}, TooGood: []TooGood{},
	}
}
