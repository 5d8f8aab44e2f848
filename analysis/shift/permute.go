package shift

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// shuffles holds the rows in the role of the smaller sample: the actual ones, and those in each of
// B random permutations of the labels.
type shuffles struct {
	n, small int
	real     []int32
	sets     [][]int32 // ascending
}

func newShuffles(nA, nB int, opt Options) *shuffles {
	s := &shuffles{n: nA + nB, small: min(nA, nB)}
	first := 0
	if nB < nA {
		first = nA
	}
	for i := range s.small {
		s.real = append(s.real, int32(first+i))
	}
	count := max(opt.Permutations, opt.Others, opt.Refits)
	s.sets = make([][]int32, count)
	parallel(count, func(b int) {
		s.sets[b] = draw(s.n, s.small, opt.rand(streamPermutation+uint64(b)))
	})
	return s
}

// draw returns k of n rows in ascending order.
func draw(n, k int, rng *rand.Rand) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	for i := range k {
		j := i + rng.IntN(n-i)
		all[i], all[j] = all[j], all[i]
	}
	drawn := make([]bool, n)
	for _, i := range all[:k] {
		drawn[i] = true
	}
	out := make([]int32, 0, k)
	for i, yes := range drawn {
		if yes {
			out = append(out, int32(i))
		}
	}
	return out
}

// parallel calls work(0), …, work(n-1) on one goroutine per processor, and returns when all are
// done.
func parallel(n int, work func(i int)) { inParallel(n, func(_, i int) { work(i) }) }

// inParallel is parallel for work that also receives the number of its goroutine, from 0.
func inParallel(n int, work func(worker, i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(w, i)
			}
		})
	}
	wg.Wait()
}

// ranked returns the numbers below n in the order of compare.
func ranked(n int, compare func(a, b int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
}

// pValue returns (b+1)/(B+1), where b is the number of the B permuted statistics that are at least
// the observed one, up to float noise (Phipson & Smyth 2010, SAGMB 9:39).
func pValue(observed float64, permuted []float64) float64 {
	scale := math.Abs(observed)
	for _, x := range permuted {
		scale = max(scale, math.Abs(x))
	}
	slack := 1e-10 * scale
	count := 1
	for _, x := range permuted {
		if x >= observed-slack {
			count++
		}
	}
	return float64(count) / float64(len(permuted)+1)
}
