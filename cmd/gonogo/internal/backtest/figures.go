package main

import (
	"math/rand/v2"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

const (
	confidence = 0.95
	draws      = 2000 // of the bootstrap
	seed       = 20   // of the bootstrap
	fewest     = 20   // trainings in which a gate must have measured a value to be held against gains
)

// interval is a value and the ends of its interval at the confidence.
type interval struct{ value, low, high float64 }

// aucOf is the chance that a training that gained scores higher than one that did
// not, ties counted half, with the percentile interval of a bootstrap over
// trainings. It is not known where all gained, or none.
func aucOf(scores []float64, good []bool) (auc interval, ok bool) {
	all := make([]int, len(scores))
	for i := range all {
		all[i] = i
	}
	if auc.value, ok = auc1(scores, good, all); !ok {
		return auc, false
	}
	rng := rand.New(rand.NewPCG(seed, uint64(len(scores))))
	var drawn []float64
	for range draws {
		for i := range all {
			all[i] = rng.IntN(len(scores))
		}
		if a, ok := auc1(scores, good, all); ok {
			drawn = append(drawn, a)
		}
	}
	auc.low, auc.high = stat.Quantile(drawn, (1-confidence)/2), stat.Quantile(drawn, (1+confidence)/2)
	return auc, true
}

// auc1 is the AUC of some of the trainings.
func auc1(scores []float64, good []bool, of []int) (float64, bool) {
	above, pairs := 0.0, 0
	for _, i := range of {
		for _, j := range of {
			if !good[i] || good[j] {
				continue
			}
			pairs++
			switch {
			case scores[i] > scores[j]:
				above++
			case scores[i] == scores[j]:
				above += 0.5
			}
		}
	}
	if pairs == 0 {
		return 0, false
	}
	return above / float64(pairs), true
}

// orderAUC is the AUC of a score of trainings against whether they gained.
func orderAUC(all []*training, score func(*training) float64) (interval, bool) {
	scores, good := make([]float64, len(all)), make([]bool, len(all))
	for i, t := range all {
		scores[i], good[i] = score(t), t.outcome() == gained
	}
	return aucOf(scores, good)
}

// tally counts outcomes.
type tally [len(outcomes)]int

func (c tally) sum() int { return c[gained] + c[nothing] + c[lost] }

func tallyOf(all []*training, of func(*training) bool) (c tally) {
	for _, t := range all {
		if of(t) {
			c[t.outcome()]++
		}
	}
	return c
}

// ofVerdict counts the outcomes of the trainings with a verdict.
func ofVerdict(all []*training, v analysis.Verdict) tally {
	return tallyOf(all, func(t *training) bool { return t.result.Verdict == v })
}

// blocked is what a blocking gate did: in which trainings it failed or was open,
// and in which it alone made the verdict.
type blocked struct {
	gate                                  string
	failed, stoppedAlone, open, heldAlone tally
}

// blockedBy lists the blocking gates that failed or were open anywhere, in the order
// of the findings.
func blockedBy(all []*training) []blocked {
	var out []blocked
	for _, f := range all[0].result.Findings {
		if f.Severity != analysis.Blocking || slices.ContainsFunc(out, func(b blocked) bool { return b.gate == f.Gate }) {
			continue
		}
		has := func(status analysis.Status) func(*training) bool {
			return func(t *training) bool { return slices.Contains(t.blockers(status), f.Gate) }
		}
		out = append(out, blocked{
			gate:   f.Gate,
			failed: tallyOf(all, has(analysis.Fail)),
			stoppedAlone: tallyOf(all, func(t *training) bool {
				return has(analysis.Fail)(t) && len(t.blockers(analysis.Fail)) == 1
			}),
			open: tallyOf(all, has(analysis.Unknown)),
			heldAlone: tallyOf(all, func(t *training) bool {
				return has(analysis.Unknown)(t) && len(t.blockers(analysis.Unknown)) == 1 && t.blockers(analysis.Fail) == nil
			}),
		})
	}
	return slices.DeleteFunc(out, func(b blocked) bool { return b.failed.sum()+b.open.sum() == 0 })
}

// measure is what one gate measured, held against the gains.
type measure struct {
	fact  string
	split rollout.Split
	n     int
	auc   interval
	rho   stat.Estimate // Spearman's rank correlation with the gain
}

// measures lists all facts with a value in enough trainings and not the same in all,
// in the order of the gates.
func measures(all []*training) []measure {
	type key struct {
		fact  string
		split rollout.Split
	}
	values := make(map[key]map[*training]float64)
	var keys []key
	for _, t := range all {
		for _, f := range t.result.Findings {
			for _, fact := range f.Facts() {
				k := key{fact.ID, f.Split}
				if fact.Value == nil {
					continue
				}
				if values[k] == nil {
					values[k] = make(map[*training]float64)
					keys = append(keys, k)
				}
				values[k][t] = *fact.Value
			}
		}
	}
	var out []measure
	for _, k := range keys {
		var scores []float64
		var good []bool
		var pairs [][]stat.Pair
		for _, t := range all {
			if x, ok := values[k][t]; ok {
				scores, good = append(scores, x), append(good, t.outcome() == gained)
				pairs = append(pairs, []stat.Pair{{X: x, Y: t.Outcome.Gain}})
			}
		}
		if len(scores) < fewest || slices.Min(scores) == slices.Max(scores) {
			continue
		}
		m := measure{fact: k.fact, split: k.split, n: len(scores), rho: stat.Spearman(pairs, confidence)}
		var ok bool
		if m.auc, ok = aucOf(scores, good); ok && m.rho.Known() {
			out = append(out, m)
		}
	}
	return out
}
