package stat

import "math"

// Explained returns, for each column of x in turn, the share of y's variance within items that it
// explains beyond the columns before it: sequential R² of the linear regression on item-demeaned
// numbers (type I sums of squares, Searle 1971, Linear Models, §6), and the share that all columns
// leave unexplained. y[i] holds item i's values and x[c][i] those of column c. Only linear effects
// count: a product of two columns is not fully explained. Shares are nil if y does not vary within
// items. Redundant columns explain 0.
func Explained(y [][]float64, x [][][]float64) (shares []*float64, rest *float64) {
	shares = make([]*float64, len(x))
	residual := demean(y)
	total := dot(residual, residual)
	if total <= 0 {
		return shares, nil
	}
	var basis [][]float64
	explained := 0.0
	for c := range x {
		column := demean(x[c])
		size := dot(column, column)
		for range 2 { // the second pass removes what rounding left
			for _, q := range basis {
				project(column, q)
			}
		}
		share := 0.0
		if norm := dot(column, column); norm > 1e-10*size && norm > 0 {
			for i := range column {
				column[i] /= math.Sqrt(norm)
			}
			basis = append(basis, column)
			d := dot(residual, column)
			share = d * d / total
			project(residual, column)
		}
		explained += share
		shares[c] = FiniteOrNil(min(1, share))
	}
	return shares, FiniteOrNil(max(0, 1-explained))
}

// demean concatenates all values, each relative to its item's mean.
func demean(items [][]float64) []float64 {
	var out []float64
	for _, item := range items {
		if len(item) == 0 {
			continue
		}
		mean, _ := moments(item)
		for _, v := range item {
			out = append(out, v-mean)
		}
	}
	return out
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// project removes from v its part along the unit vector q.
func project(v, q []float64) {
	d := dot(v, q)
	for i := range v {
		v[i] -= d * q[i]
	}
}
