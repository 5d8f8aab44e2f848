package shift

import (
	"cmp"
	"math"
	"slices"
)

// placements returns for each score with y = 1 the share of those with y = 0
// that it is above, and for each with y = 0 the share of those with y = 1 that it
// is below; ties count half, and every score by its weight.
func placements(scores, y, weight []float64) []float64 {
	order := make([]int, len(scores))
	var total [2]float64
	for i := range order {
		order[i] = i
		total[int(y[i])] += weight[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	out := make([]float64, len(scores))
	var below [2]float64
	for from := 0; from < len(order); {
		to := from
		var tied [2]float64
		for ; to < len(order) && scores[order[to]] == scores[order[from]]; to++ {
			tied[int(y[order[to]])] += weight[order[to]]
		}
		for _, i := range order[from:to] {
			other := 1 - int(y[i])
			out[i] = (below[other] + tied[other]/2) / total[other]
			if y[i] == 0 {
				out[i] = 1 - out[i]
			}
		}
		below[0], below[1] = below[0]+tied[0], below[1]+tied[1]
		from = to
	}
	return out
}

// areaUnder returns the AUC of scores, the chance that one with y = 1 lies above
// one with y = 0 of the same fold, and its standard error by the variance of each row's own
// placement (DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837). owner names
// the row of each score, in ascending order from 0: rows weigh the same, whatever
// the number of their scores, and the error is one over rows (Obuchowski 1997,
// Biometrics 53:567, here with rows all of one label). fold, from 0, is by row:
// scores by different regressions do not compare, for one that has seen fewer
// rows of a label scores all rows lower, and those of that label are then with it
// (Airola et al. 2011, Comput. Stat. Data Anal. 55:1828).
func areaUnder(scores, y []float64, owner, fold []int) (auc, se float64) {
	rows := owner[len(owner)-1] + 1
	weight, count := make([]float64, len(scores)), make([]float64, rows)
	for _, o := range owner {
		count[o]++
	}
	for i, o := range owner {
		weight[i] = 1 / count[o]
	}
	of, label := make([]float64, rows), make([]float64, rows)
	for f := range slices.Max(fold) + 1 {
		var in []int
		var s, l, w []float64
		for i, o := range owner {
			if fold[o] == f {
				in, s, l, w = append(in, o), append(s, scores[i]), append(l, y[i]), append(w, weight[i])
			}
		}
		for k, p := range placements(s, l, w) {
			of[in[k]] += p * w[k]
			label[in[k]] = l[k]
		}
	}
	var ones, zeros []float64
	for o, p := range of {
		if label[o] == 1 {
			ones = append(ones, p)
		} else {
			zeros = append(zeros, p)
		}
	}
	return mean(ones), math.Sqrt(spread(ones)/float64(len(ones)) + spread(zeros)/float64(len(zeros)))
}
