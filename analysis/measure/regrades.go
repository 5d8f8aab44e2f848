package measure

import (
	"cmp"
	"slices"
	"sort"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// regraded holds what one item shows about grader noise and about all noise.
type regraded struct {
	outputs []again
	dev     float64 // sum of squared deviations from the item mean
	free    float64 // its degrees of freedom, n-1
	noisy   float64 // rollouts with a grade, which may have noise
	rest    float64 // rollouts that count without a grade
	between bool    // some grade is neither at the bottom nor at the top
	rewards []float64
}

// again is one output that was graded twice or more.
type again struct {
	key    rollout.Key
	noise  float64 // the variance of its grades
	flips  float64 // share of pairs of grades that differ at all
	moves  float64 // share of pairs that differ by more than the margin
	grades []float64
	weight float64 // number of rollouts that it represents, relative to the others
	cell   int
}

// noNoise says why a figure about regrades is unknown.
var noNoise = message.New("grader.no_regrades",
	"no output was graded twice: at least 2 grades of one output are needed, and 2 items or more with such outputs")

// regrades collects the items with a valid reward.
func regrades(items []*collect.Item, c *evidence, margin float64) []regraded {
	var out []regraded
	var all, regraded [cells]float64
	for _, it := range items {
		if len(it.Rewards) > 0 {
			g := c.regradesOf(it, margin, &all)
			for _, a := range g.outputs {
				regraded[a.cell]++
			}
			out = append(out, g)
		}
	}
	weights := weightsOf(all, regraded)
	for _, g := range out {
		for i := range g.outputs {
			g.outputs[i].weight = weights[g.outputs[i].cell]
		}
	}
	return out
}

func (c *evidence) regradesOf(it *collect.Item, margin float64, all *[cells]float64) regraded {
	n := float64(len(it.Rewards))
	_, v := stat.MeanVariance(it.Rewards)
	g := regraded{dev: v * (n - 1), free: n - 1, rewards: it.Rewards}
	for _, y := range it.Rewards {
		g.between = g.between || !c.AtTop(y) && !c.AtBottom(y)
	}
	for _, r := range it.Rows {
		switch {
		case !r.Valid:
			continue
		case !r.Graded:
			g.rest++
			continue
		}
		g.noisy++
		cell := cellOf(it.Rewards, r.Reward, 1e-6*c.Range.Width())
		all[cell]++
		grades := r.Rare().Grades
		if len(grades) < 2 {
			continue
		}
		_, v := stat.MeanVariance(grades)
		g.outputs = append(g.outputs, again{
			key: r.Key(), noise: v, flips: apart(grades, 1e-6*c.Range.Width()),
			moves: apart(grades, (margin+1e-9)*c.Range.Width()), grades: grades, cell: cell,
		})
		g.between = g.between ||
			slices.ContainsFunc(grades, func(y float64) bool { return !c.AtTop(y) && !c.AtBottom(y) })
	}
	return g
}

// widest returns the outputs whose grades differ most, as examples of noise.
func widest(items []regraded) []analysis.Regraded {
	const most = 3
	var list []again
	for _, g := range items {
		list = append(list, slices.DeleteFunc(slices.Clone(g.outputs), func(a again) bool { return a.noise == 0 })...)
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Or(cmp.Compare(b.noise, a.noise), cmp.Compare(a.key.Split, b.key.Split),
			cmp.Compare(a.key.Item, b.key.Item), cmp.Compare(a.key.Sample, b.key.Sample)) < 0
	})
	var out []analysis.Regraded
	for _, a := range list[:min(most, len(list))] {
		out = append(out, analysis.Regraded{
			Split: a.key.Split, Item: a.key.Item, Sample: a.key.Sample,
			Grades: a.grades,
		})
	}
	return out
}

// cells is the number of classes of rollouts, by the share of their item's rollouts with the same
// reward.
const cells = 5

// cellOf returns a rollout's class. An audit that takes rewards of all heights in turn picks the
// one success of an item as often as its seven failures, and with it the rewards that noise made.
// Within a class all rollouts are equally likely to be picked, so the classes, weighted by their
// share of all rollouts, represent the rollouts however the audit picked them.
func cellOf(sorted []float64, reward, eps float64) int {
	from, _ := slices.BinarySearch(sorted, reward-eps)
	to, _ := slices.BinarySearch(sorted, reward+eps)
	switch share := float64(to-from) / float64(len(sorted)); {
	case share >= 1:
		return 4
	case share > 0.5:
		return 3
	case share > 0.25:
		return 2
	case share > 0.125:
		return 1
	}
	return 0
}

// weightsOf returns how many rollouts one regraded output of each class represents, 1 on average
// over the regraded outputs. A class without regrades is added to its nearest one, of two to the
// one where more rollouts of the item share a reward.
func weightsOf(all, regraded [cells]float64) (weights [cells]float64) {
	var represented [cells]float64
	total, again := 0.0, 0.0
	for c := range all {
		total, again = total+all[c], again+regraded[c]
		for _, to := range []int{c, c + 1, c - 1, c + 2, c - 2, c + 3, c - 3, c + 4, c - 4} {
			if to >= 0 && to < cells && regraded[to] > 0 {
				represented[to] += all[c]
				break
			}
		}
	}
	for c := range weights {
		if regraded[c] > 0 {
			weights[c] = represented[c] / total / (regraded[c] / again)
		}
	}
	return weights
}

// apart returns the share of pairs of grades, ascending, that differ by more than a distance.
func apart(grades []float64, than float64) float64 {
	far, pairs := 0.0, 0.0
	for i := range grades {
		for j := range i {
			if grades[i]-grades[j] > than {
				far++
			}
			pairs++
		}
	}
	return far / pairs
}
