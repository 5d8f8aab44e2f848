package shift

import (
	"cmp"
	"math"
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	energyMethod = "energy coefficient, unbiased (Székely & Rizzo 2013); jackknife interval over rows; p by permutation"
	mmdMethod    = "MMD², unbiased, Gaussian kernel at the median distance (Gretton 2012); jackknife interval over " +
		"rows; p by permutation"
	mostItems = 10 // maximum number of rows and explanations listed
	alpha     = 0.05
)

// distances runs the two tests on all pairs of rows.
//
// Energy: the statistic is nm/(n+m)·(2·E|X-Y| - E|X-X'| - E|Y-Y'|) (Székely & Rizzo
// 2004, InterStat 5), its effect the coefficient between 0 and 1. MMD: statistic
// and effect are the unbiased MMD² (Gretton et al. 2012, JMLR 13:723, eq. 3).
func (c *comparison) distances() (energy, mmd Result) {
	energy, _ = c.result(Energy, message.Text{}, energyMethod, 2)
	mmd, ok := c.result(MMD, message.Text{}, mmdMethod, 2)
	switch {
	case !ok:
		return energy, mmd
	case len(c.columns) == 0:
		energy.equal(c)
		mmd.equal(c)
		return energy, mmd
	}
	t := pairDistances(c.columns, c.nA+c.nB)
	telling := energy.pairs(c, t, c.opt.Permutations, sums.coefficient, func(s sums) float64 {
		return s.nSmall * s.nLarge / (s.nSmall + s.nLarge) * s.vStatistic()
	})
	energy.Top, energy.Items = c.leading(), c.farthestOfB(telling)

	width := t.median()
	t.each(func(d float64) float64 { return math.Exp(-d * d / (2 * width * width)) })
	unbiased := func(s sums) float64 { return -s.contrast() }
	mmd.pairs(c, t, c.opt.Others, unbiased, unbiased)
	mmd.Top, mmd.Items = energy.Top, energy.Items
	return energy, mmd
}

// pairs fills in a test whose statistic and effect are functions of the sums over pairs. It returns
// the result of jackknife.
func (r *Result) pairs(c *comparison, t triangle, permutations int, effect, statistic func(sums) float64) []float64 {
	sets := append([][]int32{c.shuffled.real}, c.shuffled.sets[:permutations]...)
	all := t.permuted(sets)
	statistics, effects := make([]float64, len(all)), make([]float64, len(all))
	for i, s := range all {
		statistics[i], effects[i] = statistic(s), effect(s)
	}
	r.Statistic = stat.FiniteOrNil(statistics[0])
	r.P = stat.FiniteOrNil(pValue(statistics[0], statistics[1:]))
	r.Effect.Value = stat.FiniteOrNil(effects[0])
	r.Chance = stat.FiniteOrNil(mean(effects[1:]))
	r.Missed = stat.FiniteOrNil(missedByPairs(effects[1:]))
	telling := t.jackknife(c, all[0], effect, &r.Effect)
	r.warnSmall(c, permutations)
	return telling
}

// jackknife sets the interval by leaving out one row at a time, on each side (Arvesen 1969, Ann.
// Math. Stat. 40:2076). Without much shift the statistic is degenerate and the interval wider than
// necessary. It returns, for each row, how much larger the mean over pairs with the other sample is
// than over pairs with its own: for distances, a large value marks a row that is typical of its
// sample.
func (t triangle) jackknife(c *comparison, all sums, effect func(sums) float64, e *stat.Estimate) (telling []float64) {
	own, other := t.sides(c.nA)
	smallIsA := c.nA <= c.nB
	telling = make([]float64, len(t))
	var deletedA, deletedB []float64
	for i := range t {
		inA := i < c.nA
		s := all
		s.between -= other[i]
		nOwn, nOther := s.nSmall, s.nLarge
		if inA == smallIsA {
			s.small -= own[i]
			s.nSmall--
		} else {
			s.large -= own[i]
			s.nLarge--
			nOwn, nOther = nOther, nOwn
		}
		telling[i] = other[i]/nOther - own[i]/(nOwn-1)
		if min(s.nSmall, s.nLarge) < 2 {
			continue
		}
		if inA {
			deletedA = append(deletedA, effect(s))
		} else {
			deletedB = append(deletedB, effect(s))
		}
	}
	if len(deletedA) < 2 || len(deletedB) < 2 {
		e.Warnings = append(e.Warnings, fewForInterval.Text())
		return telling
	}
	variance := jackknifeVariance(deletedA) + jackknifeVariance(deletedB)
	df := float64(min(c.nA, c.nB) - 1)
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile((1+c.opt.Confidence)/2) * math.Sqrt(variance)
	if !(half > 0) {
		e.Warnings = append(e.Warnings, sidesAlike.Text())
		half = c.unseen()
	} else {
		e.SE = stat.FiniteOrNil(math.Sqrt(variance))
	}
	e.Low, e.High = stat.FiniteOrNil(max(min(0, *e.Value), *e.Value-half)), stat.FiniteOrNil(max(*e.Value, min(1, *e.Value+half)))
	return telling
}

// sides returns for every row the sums over its own sample and over the other.
func (t triangle) sides(nA int) (own, other []float64) {
	own, other = make([]float64, len(t)), make([]float64, len(t))
	for i, row := range t {
		for k, x := range row {
			j := i + 1 + k
			if (i < nA) == (j < nA) {
				own[i] += x
				own[j] += x
			} else {
				other[i] += x
				other[j] += x
			}
		}
	}
	return own, other
}

func jackknifeVariance(deleted []float64) float64 {
	n := float64(len(deleted))
	return spread(deleted) * (n - 1) * (n - 1) / n
}

// unseen is the largest share of rows that may differ from all the observed ones.
func (c *comparison) unseen() float64 {
	_, high := stat.ClopperPearson(0, float64(min(c.nA, c.nB)), c.opt.Confidence)
	return high
}

// farthestOfB lists the rows of b with the largest values.
func (c *comparison) farthestOfB(values []float64) []string {
	order := make([]int, 0, c.nB)
	for i := c.nA; i < len(values); i++ {
		if values[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(values[y], values[x]) })
	ids := []string{}
	for _, i := range order[:min(mostItems, len(order))] {
		ids = append(ids, c.rows[i].ID)
	}
	return ids
}

// refuse adds the reason why there is no answer.
func (r *Result) refuse(reason message.Text) { r.Effect.Warnings = append(r.Effect.Warnings, reason) }

// equal fills in the answer if no feature differs between any two rows.
func (r *Result) equal(c *comparison) {
	r.Statistic, r.P, r.Chance = stat.FiniteOrNil(0), stat.FiniteOrNil(1), stat.FiniteOrNil(0)
	r.Effect.Value, r.Effect.Low, r.Effect.High = stat.FiniteOrNil(0), stat.FiniteOrNil(0), stat.FiniteOrNil(c.unseen())
	r.refuse(rowsAlike.Text())
}

// warnSmall warns if there are too few labellings for any significant result.
func (r *Result) warnSmall(c *comparison, permutations int) {
	if least := max(1/float64(permutations+1), 1/choose(c.nA+c.nB, c.nA)); least >= alpha {
		r.refuse(fewForP.With(message.Args{"least": message.Number(least)}))
	}
}

// choose returns the binomial coefficient, or a number above 1e6.
func choose(n, k int) float64 {
	out := 1.0
	for i := 1; i <= min(k, n-k) && out < 1e6; i++ {
		out *= float64(n-min(k, n-k)+i) / float64(i)
	}
	return out
}
