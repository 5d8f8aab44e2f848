package stat

import (
	"encoding/binary"
	"math"
)

// observed holds items by their outcomes; items with equal counts share a cell.
type observed struct {
	outcomes, most int     // number of outcomes; largest number of rollouts of an item
	cells          [][]int // distinct counts of outcomes
	rollouts       []int   // of an item of each cell
	item           []int32 // the cell of each item
}

func observe(counts [][]int) *observed {
	o := &observed{}
	index := make(map[string]int32)
	var key []byte
	for _, c := range counts {
		n := 0
		key = key[:0]
		for _, x := range c {
			if x < 0 {
				panic("stat: a count is negative")
			}
			n += x
			key = binary.AppendUvarint(key, uint64(x))
		}
		if n == 0 {
			continue
		}
		if o.outcomes != 0 && len(c) != o.outcomes {
			panic("stat: every item needs a count for each outcome")
		}
		o.outcomes = len(c)
		cell, ok := index[string(key)]
		if !ok {
			cell = int32(len(o.cells))
			index[string(key)] = cell
			o.cells, o.rollouts = append(o.cells, c), append(o.rollouts, n)
		}
		o.item = append(o.item, cell)
		o.most = max(o.most, n)
	}
	return o
}

// weights returns the number of items in each cell.
func (o *observed) weights() []float64 {
	w := make([]float64, len(o.cells))
	for _, cell := range o.item {
		w[cell]++
	}
	return w
}

// tally holds everything that the likelihood depends on. Items whose rollouts all gave outcome 0
// are counted separately, because a point mass may account for them.
type tally struct {
	items  float64
	tails  [][]float64 // by outcome and t: items with more than t rollouts of that outcome
	trials []float64   // by t: items with more than t rollouts

	zeros                  []float64   // by n-1: items with n rollouts, all of outcome 0
	otherTails             [][]float64 // tails and trials without those items
	otherTrials            []float64
	others                 float64
	zeroTails              []float64 // scratch: those items, as far as the point mass does not account for them
	slopes, weightedTrials []float64 // scratch
	rest                   []float64 // scratch
}

func (o *observed) tally(weights []float64) *tally {
	t := &tally{
		tails: grid(o.outcomes, o.most), otherTails: grid(o.outcomes, o.most),
		trials: make([]float64, o.most), otherTrials: make([]float64, o.most),
		zeros: make([]float64, o.most), zeroTails: make([]float64, o.most), slopes: make([]float64, o.outcomes),
		weightedTrials: make([]float64, o.most), rest: make([]float64, o.most),
	}
	for i, w := range weights {
		if w == 0 {
			continue
		}
		n := o.rollouts[i]
		t.items += w
		if o.cells[i][0] == n {
			t.zeros[n-1] += w
			continue
		}
		t.others += w
		t.otherTrials[n-1] += w
		for v, x := range o.cells[i] {
			if x > 0 {
				t.otherTails[v][x-1] += w
			}
		}
	}
	suffixSums(t.otherTrials)
	for _, tail := range t.otherTails {
		suffixSums(tail)
	}
	zeros := append([]float64(nil), t.zeros...)
	suffixSums(zeros)
	for v := range t.tails {
		copy(t.tails[v], t.otherTails[v])
	}
	for k := range zeros {
		t.trials[k] = t.otherTrials[k] + zeros[k]
		t.tails[0][k] += zeros[k]
	}
	return t
}

func grid(rows, columns int) [][]float64 {
	flat := make([]float64, rows*columns)
	g := make([][]float64, rows)
	for i := range g {
		g[i] = flat[i*columns : (i+1)*columns : (i+1)*columns]
	}
	return g
}

// suffixSums replaces each x[t] by the sum from t on.
func suffixSums(x []float64) {
	for t := len(x) - 2; t >= 0; t-- {
		x[t] += x[t+1]
	}
}

// single returns the outcome of all rollouts, and -1 if they differ.
func (t *tally) single() int {
	found := -1
	for v, tail := range t.tails {
		if len(tail) == 0 || tail[0] == 0 {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = v
	}
	return found
}

// likelihood returns the log-likelihood of the sequences of outcomes and its slopes in each α and
// in the point mass. It sums logs of α+t, which stays accurate where differences of log-gammas lose
// their digits. The slopes are valid until the next call.
func (t *tally) likelihood(c Chances, inflated bool) (value float64, slopes []float64, slopeZero float64) {
	tails, trials := t.tails, t.trials
	first := tails[0]
	if inflated {
		value, slopeZero = t.pointMass(c)
		tails, trials, first = t.otherTails, t.weightedTrials, t.zeroTails
	}
	slopes = t.slopes
	whole := c.precision()
	var common float64
	for k := range trials {
		if trials[k] == 0 {
			break
		}
		common -= trials[k] / (whole + float64(k))
	}
	for v, a := range c.Alpha {
		slopes[v] = common
		tail := tails[v]
		if v == 0 {
			tail = first
		}
		for k, w := range tail {
			if w == 0 {
				break
			}
			slopes[v] += w / (a + float64(k))
		}
	}
	if inflated {
		trials = t.otherTrials
	}
	for k := range trials {
		if trials[k] == 0 {
			break
		}
		value -= trials[k] * math.Log(whole+float64(k))
	}
	for v, a := range c.Alpha {
		for k, w := range tails[v] {
			if w == 0 {
				break
			}
			value += w * math.Log(a+float64(k))
		}
	}
	return value, slopes, slopeZero
}

// pointMass returns the mixture's contribution to the log-likelihood: log(π + (1-π)·P(n zeros)) for
// items with only zeros, log(1-π) for the others. For the slopes, it weights the former by the
// probability that they do not belong to the point mass: zeroTails and weightedTrials.
func (t *tally) pointMass(c Chances) (value, slope float64) {
	copy(t.zeroTails, t.otherTails[0])
	copy(t.weightedTrials, t.otherTrials)
	whole, chance := c.precision(), 1.0
	rest := t.rest
	clear(rest)
	for k := range t.zeros {
		chance *= (c.Alpha[0] + float64(k)) / (whole + float64(k))
		if t.zeros[k] == 0 {
			continue
		}
		mix := c.Zero + (1-c.Zero)*chance
		value += t.zeros[k] * math.Log(mix)
		slope += t.zeros[k] * (1 - chance) / mix
		rest[k] = t.zeros[k] * (1 - c.Zero) * chance / mix
	}
	suffixSums(rest)
	for k := range rest {
		t.zeroTails[k] += rest[k]
		t.weightedTrials[k] += rest[k]
	}
	if t.others > 0 {
		value += t.others * math.Log1p(-c.Zero)
		slope -= t.others / (1 - c.Zero)
	}
	return value, slope
}
