package stat

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// bfgs takes the same steps as optimize.BFGS, to the last bit, without allocating at each of them:
// thousands of searches in two or three dimensions spend most of their time there. It keeps its
// memory from one search to the next.
type bfgs struct {
	x, gradient, s, y, by []float64
	inverse               blas64.Symmetric
	first                 bool
}

// InitDirection implements optimize.NextDirectioner.
func (b *bfgs) InitDirection(loc *optimize.Location, dir []float64) (step float64) {
	n := len(loc.X)
	if len(b.s) != n {
		b.s, b.y, b.by = make([]float64, n), make([]float64, n), make([]float64, n)
		b.inverse = blas64.Symmetric{N: n, Stride: n, Data: make([]float64, n*n), Uplo: blas.Upper}
	}
	b.first = true
	b.keep(loc)
	floats.ScaleTo(dir, -1, loc.Gradient)
	return 1 / blas64.Nrm2(vector(dir))
}

// NextDirection implements optimize.NextDirectioner.
func (b *bfgs) NextDirection(loc *optimize.Location, dir []float64) (step float64) {
	floats.SubTo(b.s, loc.X, b.x)
	floats.SubTo(b.y, loc.Gradient, b.gradient)
	sy := floats.Dot(b.s, b.y)
	if b.first { // Nocedal & Wright 2006, Numerical Optimization, eq. 6.20
		clear(b.inverse.Data)
		scale := sy / floats.Dot(b.y, b.y)
		for i := range b.s {
			b.inverse.Data[i*b.inverse.Stride+i] = scale
		}
		b.first = false
	}
	if math.Abs(sy) != 0 {
		curvature := b.curvature()
		blas64.Symv(1, b.inverse, vector(b.y), 0, vector(b.by))
		blas64.Syr((1+curvature/sy)/sy, vector(b.s), b.inverse)
		blas64.Syr2(-1/sy, vector(b.by), vector(b.s), b.inverse)
	}
	b.keep(loc)
	blas64.Symv(1, b.inverse, vector(loc.Gradient), 0, vector(dir))
	floats.Scale(-1, dir)
	return 1
}

// curvature returns yᵀ B⁻¹ y, summed in the order of mat.Inner.
func (b *bfgs) curvature() (sum float64) {
	n := len(b.y)
	for i, y := range b.y {
		if y == 0 {
			continue
		}
		row := b.inverse.Data[i*n : (i+1)*n]
		sum += y * floats.Dot(row[i:], b.y[i:])
		if i != n-1 {
			sum += y * floats.Dot(row[i+1:], b.y[i+1:])
		}
	}
	return sum
}

func (b *bfgs) keep(loc *optimize.Location) {
	b.x = append(b.x[:0], loc.X...)
	b.gradient = append(b.gradient[:0], loc.Gradient...)
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
