package measure

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// coreZero is the distance from 0 within which the core counts as not reached at all.
const coreZero = 1e-6

// layered is one rollout whose reward is made of parts.
type layered struct {
	reward float64
	parts  []float64 // in the order of the layers
}

// coreOf returns the part that the configuration declares to be the task itself, else the first that the
// formula makes a gate; "" if there is none.
func coreOf(info *rollout.GraderInfo, s analysis.Settings) string {
	switch {
	case info == nil || s.Core != "":
		return s.Core
	case info.Core == "" && len(info.Gates) > 0:
		return info.Gates[0]
	}
	return info.Core
}

// layers analyzes a reward made of parts. The core comes first (see coreOf). The others follow in the order of the
// formula. It is nil if rollouts have fewer than two parts; rollouts that lack a part are left out.
func (c *evidence) layers(items []*collect.Item, info *rollout.GraderInfo, s analysis.Settings) *analysis.Layers {
	if len(c.Parts) < 2 {
		return nil
	}
	l := &analysis.Layers{Parts: []analysis.Layer{}, Moving: []string{}, Items: []string{}, Core: coreOf(info, s)}
	var order, gates []string
	if info != nil {
		l.Formula, gates, order = info.Formula, info.Gates, info.Parts
	}
	names := layerNames(l.Core, order, c.Parts)
	if !slices.Contains(c.Parts, l.Core) {
		l.Core = "" // no rollout records it
	}
	rows, keys := c.layeredRows(items, names)
	for i, name := range names {
		l.Parts = append(l.Parts, analysis.Layer{
			Name: name, Gate: slices.Contains(gates, name),
			Mean: stat.Mean(column(rows, i), nil, s.Confidence),
		})
	}
	var columns [][][]float64
	for i := range names {
		columns = append(columns, column(rows, i))
	}
	shares, rest := stat.Explained(column(rows, -1), columns)
	for i := range l.Parts {
		l.Parts[i].Share = shares[i]
	}
	l.Rest = rest
	c.atZero(l, rows, keys, s)
	return l
}

// layerNames lists the core first, then the formula's order, then parts that the formula does not
// name, by name.
func layerNames(core string, order, seen []string) []string {
	var names []string
	for _, name := range slices.Concat([]string{core}, order, slices.Sorted(slices.Values(seen))) {
		if slices.Contains(seen, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// layeredRows collects the rollouts that have every part, by item. They are sorted, because no sum
// may depend on the order of lines.
func (c *evidence) layeredRows(items []*collect.Item, names []string) (rows [][]layered, keys []collect.ItemKey) {
	for _, it := range items {
		var rollouts []layered
		for _, r := range it.Rows {
			if !r.Valid || r.Parts() == nil {
				continue
			}
			parts := make([]float64, len(names))
			missing := false
			for i, name := range names {
				parts[i] = r.Part(c.PartAt[name])
				missing = missing || math.IsNaN(parts[i])
			}
			if !missing {
				rollouts = append(rollouts, layered{c.GraderReward(r), parts})
			}
		}
		if len(rollouts) == 0 {
			continue
		}
		sort.Slice(rollouts, func(i, j int) bool {
			a, b := &rollouts[i], &rollouts[j]
			return cmp.Or(cmp.Compare(a.reward, b.reward), slices.Compare(a.parts, b.parts)) < 0
		})
		rows, keys = append(rows, rollouts), append(keys, it.Key())
	}
	return rows, keys
}

// column returns one part of all rollouts by item; -1 is the reward.
func column(rows [][]layered, part int) [][]float64 {
	out := make([][]float64, len(rows))
	for i, rollouts := range rows {
		for _, r := range rollouts {
			v := r.reward
			if part >= 0 {
				v = r.parts[part]
			}
			out[i] = append(out[i], v)
		}
	}
	return out
}

var noCoreAtZero = message.New("grader.no_core", "no core is known, or no rollout has it at zero")

// atZero measures what rollouts earn whose core is at zero, so that the task itself was not done at
// all.
func (c *evidence) atZero(l *analysis.Layers, rows [][]layered, keys []collect.ItemKey, s analysis.Settings) {
	need := []message.Text{noCoreAtZero.Text()}
	l.AtZero = stat.Estimate{Method: "mean reward of rollouts with the core at zero", Warnings: need}
	l.Bought = stat.Estimate{Method: "share of rollouts with the core at zero", Warnings: need}
	if l.Core == "" {
		return
	}
	margin := s.Thresholds.At(analysis.HackableMargin)
	var bought, earned, counts []float64
	var zero []layered
	var keysAtZero []collect.ItemKey
	for i, rollouts := range rows {
		var b, e, n float64
		for _, r := range rollouts {
			if math.Abs(r.parts[0]) > coreZero {
				continue
			}
			share := (r.reward - c.Range.Lo) / c.Range.Width()
			if share > margin+1e-9 {
				b++
			}
			e, n = e+share, n+1
			zero = append(zero, r)
		}
		if n > 0 {
			bought, earned = append(bought, b), append(earned, e)
			counts, keysAtZero = append(counts, n), append(keysAtZero, keys[i])
		}
	}
	l.ZeroN, l.ZeroItems = len(zero), len(keysAtZero)
	if len(zero) == 0 {
		return
	}
	l.AtZero = stat.RatioOfSums(earned, counts, len(zero), s.Confidence)
	l.Bought = stat.RatioOfSums(bought, counts, len(zero), s.Confidence)
	l.Moving = moving(l, zero, margin*c.Range.Width())
	l.Items = mostOf(keysAtZero, earned, counts, bought)
}

// mostOf lists the items with something bought, by the mean reward of their rollouts with the core
// at zero, highest first.
func mostOf(keys []collect.ItemKey, earned, counts, bought []float64) []string {
	var order []int
	for i := range keys {
		if bought[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(earned[b]/counts[b], earned[a]/counts[a]) })
	ids := []string{}
	for _, i := range order[:min(len(order), analysis.MaxItemsListed)] {
		ids = append(ids, keys[i].ID)
	}
	return ids
}

// movesAtLeast is the share of the total variance that a part must explain to count as moving the
// reward.
const movesAtLeast = 0.02

// moving names the parts by which the reward changes while the core is at zero, the strongest
// first: forward selection by the share of the remaining variance that each explains, as long as
// its whole span moves the reward by more than the margin.
func moving(l *analysis.Layers, zero []layered, margin float64) []string {
	out := []string{}
	y := make([]float64, len(zero))
	for i, r := range zero {
		y[i] = r.reward
	}
	_, total := stat.MeanVariance(y)
	for range l.Parts {
		best, effect, gain, slope := -1, 0.0, 0.0, 0.0
		for p := 1; p < len(l.Parts); p++ {
			if slices.Contains(out, l.Parts[p].Name) {
				continue
			}
			b, span, r2 := slopeOn(zero, y, p)
			if r2 > gain {
				best, effect, gain, slope = p, math.Abs(b)*span, r2, b
			}
		}
		_, remaining := stat.MeanVariance(y)
		if best < 0 || effect <= margin || gain*remaining < movesAtLeast*total {
			break
		}
		out = append(out, l.Parts[best].Name)
		for i, r := range zero {
			y[i] -= slope * r.parts[best]
		}
	}
	return out
}

// slopeOn returns the least-squares slope of y on a part, the part's span, and the share of y's
// variance that it explains.
func slopeOn(rows []layered, y []float64, part int) (slope, span, r2 float64) {
	x := make([]float64, len(rows))
	for i, r := range rows {
		x[i] = r.parts[part]
	}
	mx, vx := stat.MeanVariance(x)
	my, vy := stat.MeanVariance(y)
	if vx <= 1e-12 || vy <= 1e-12 {
		return 0, 0, 0
	}
	cov := 0.0
	for i := range x {
		cov += (x[i] - mx) * (y[i] - my)
	}
	cov /= float64(len(x) - 1)
	return cov / vx, slices.Max(x) - slices.Min(x), cov * cov / (vx * vy)
}
