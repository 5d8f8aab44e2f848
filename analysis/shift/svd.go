package shift

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Sizes of the randomized decomposition.
const (
	oversample = 8    // directions in addition to the wanted ones
	rounds     = 4    // power iterations
	least      = 1e-9 // singular values below this share of the largest are noise
)

// reduction is a truncated singular value decomposition of a bag of words.
type reduction struct {
	scores [][]float64 // by component, then row: U·Σ
	words  [][]float64 // by component, then column: V
}

// reduce finds the k leading components by randomized subspace iteration (Halko, Martinsson & Tropp
// 2011, SIAM Rev. 53:217, algorithm 4.4). It returns fewer if the rank is lower.
func reduce(b *bag, k int, rng *rand.Rand) reduction {
	n, cols := len(b.rows), len(b.word)
	size := min(k+oversample, n, cols)
	if size == 0 {
		return reduction{}
	}
	basis := make([][]float64, size)
	for c := range basis {
		basis[c] = make([]float64, cols)
		for j := range basis[c] {
			basis[c][j] = rng.NormFloat64()
		}
	}
	var left [][]float64
	for range rounds {
		left = orthonormal(b.times(basis))
		basis = orthonormal(b.transposed(left))
	}
	left = orthonormal(b.times(basis))
	return decompose(left, b.transposed(left), k)
}

// decompose turns a basis Q of the rows and Z = XᵀQ into components, by the eigenvectors of ZᵀZ.
func decompose(left, right [][]float64, k int) reduction {
	size := len(left)
	gram := mat.NewSymDense(max(1, size), nil)
	for i := range left {
		for j := i; j < size; j++ {
			gram.SetSym(i, j, floats.Dot(right[i], right[j]))
		}
	}
	var eigen mat.EigenSym
	var r reduction
	if size == 0 || !eigen.Factorize(gram, true) {
		return r
	}
	values := eigen.Values(nil) // ascending
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for c := size - 1; c >= 0 && len(r.scores) < k; c-- {
		if values[c] <= least*least*values[size-1] {
			break
		}
		sigma := math.Sqrt(values[c])
		u, v := make([]float64, len(left[0])), make([]float64, len(right[0]))
		for i := range left {
			w := vectors.At(i, c)
			floats.AddScaled(u, w*sigma, left[i])
			floats.AddScaled(v, w/sigma, right[i])
		}
		r.scores, r.words = append(r.scores, u), append(r.words, v)
	}
	return r
}

// times returns X·B by column.
func (b *bag) times(basis [][]float64) [][]float64 {
	across := transpose(basis, len(b.word))
	out := make([][]float64, len(b.rows))
	parallel(len(b.rows), func(i int) {
		out[i] = make([]float64, len(basis))
		for j, col := range b.rows[i].cols {
			floats.AddScaled(out[i], b.rows[i].vals[j], across[col])
		}
	})
	return transpose(out, len(basis))
}

// transposed returns Xᵀ·B by column.
func (b *bag) transposed(basis [][]float64) [][]float64 {
	across := transpose(basis, len(b.rows))
	out, flat := make([][]float64, len(b.word)), make([]float64, len(b.word)*len(basis))
	for col := range out {
		out[col] = flat[col*len(basis):][:len(basis)]
	}
	for i, row := range b.rows {
		for j, col := range row.cols {
			floats.AddScaled(out[col], row.vals[j], across[i])
		}
	}
	return transpose(out, len(basis))
}

// transpose returns the transpose of columns, each of which has n values.
func transpose(columns [][]float64, n int) [][]float64 {
	out, flat := make([][]float64, n), make([]float64, n*len(columns))
	for i := range out {
		out[i] = flat[i*len(columns):][:len(columns)]
		for c, column := range columns {
			out[i][c] = column[i]
		}
	}
	return out
}

// orthonormal makes columns orthonormal by modified Gram–Schmidt, twice (Björck 1994), and drops
// columns that depend on earlier ones.
func orthonormal(columns [][]float64) [][]float64 {
	out := columns[:0]
	for _, v := range columns {
		before := math.Sqrt(floats.Dot(v, v))
		for range 2 {
			for _, q := range out {
				floats.AddScaled(v, -floats.Dot(q, v), q)
			}
		}
		length := math.Sqrt(floats.Dot(v, v))
		if length <= 1e-10*before || length == 0 {
			continue
		}
		for i := range v {
			v[i] /= length
		}
		out = append(out, v)
	}
	return out
}
