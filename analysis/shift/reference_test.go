package shift

import (
	"math"
	"slices"
	"testing"

	"gonogo/analysis/message"

	"gonum.org/v1/gonum/floats"
)

// Two samples of one number; scipy 1.10.1 and numpy 1.24 made the expected
// numbers of this file, unless a formula stands beside them.
var (
	sampleA = []float64{0.11, 0.35, 0.42, 0.5, 0.77, 0.91, 1.3, 1.44, 2.2, 3.1, 3.3, 4.8}
	sampleB = []float64{0.4, 0.5, 0.9, 1.44, 1.5, 2.5, 2.9, 3.0, 3.6, 3.9, 4.1, 4.4, 5.0, 6.2, 7.5}
)

// lineup makes a comparison of two samples of one number.
func lineup(a, b []float64, opt Options) *comparison {
	rows := func(values []float64) (out []Row) {
		for i, x := range values {
			out = append(out, Row{ID: string(rune('a' + i)), Numbers: map[string]float64{"x": x}})
		}
		return out
	}
	return newComparison(Sample{"a", rows(a)}, Sample{"b", rows(b)}, opt.withDefaults())
}

// raw is the number itself as the only column, neither ranked nor scaled.
func (c *comparison) raw() triangle {
	return pairDistances([]column{{z: c.numbers[0].values, weight: 1}}, c.nA+c.nB)
}

func TestEnergyIsThatOfScipy(t *testing.T) {
	c := lineup(sampleA, sampleB, Options{})
	all := c.raw().permuted([][]int32{c.shuffled.real})[0]
	// scipy.stats.energy_distance(a, b)**2
	near(t, "E²", all.vStatistic(), 0.8796222222222224, 1e-12)
	// 2·cdist(a, b).mean() - cdist(a, a).sum()/(n(n-1)) - cdist(b, b).sum()/(m(m-1)), and over 2·cdist(a, b).mean()
	near(t, "unbiased", all.contrast(), 0.5815555555555556, 1e-12)
	near(t, "coefficient", all.coefficient(), 0.12522130245466292, 1e-12)
}

func TestEnergyIntervalIsTheJackknife(t *testing.T) {
	c := lineup(sampleA, sampleB, Options{})
	r, _ := c.result(Energy, message.Text{}, energyMethod, 2)
	r.pairs(c, c.raw(), 99, sums.coefficient, sums.vStatistic)
	// numpy, each row left out in turn: sqrt((n-1)/n·Σ(θ-mean)² of a's rows + the same of b's)
	near(t, "se", *r.Effect.SE, 0.15530465017136763, 1e-12)
}

func TestMMDIsTheFormula(t *testing.T) {
	c := lineup(sampleA, sampleB, Options{})
	d := c.raw()
	width := d.median()
	// numpy.sort(pdist(z))[n//2]
	near(t, "median distance", width, 1.99, 1e-12)
	d.each(func(x float64) float64 { return math.Exp(-x * x / (2 * width * width)) })
	all := d.permuted([][]int32{c.shuffled.real})[0]
	// numpy: (Kaa.sum()-n)/(n(n-1)) + (Kbb.sum()-m)/(m(m-1)) - 2·Kab.mean()
	near(t, "MMD²", -all.contrast(), 0.10812085312803643, 1e-12)
}

func TestPermutedSumsAreThoseOfABruteForce(t *testing.T) {
	rng := seeded(3)
	for _, sizes := range [][2]int{{9, 14}, {14, 9}, {2, 21}, {11, 12}, {70, 80}, {3, 126}, {16, 16}} {
		values := make([]float64, sizes[0]+sizes[1])
		for i := range values {
			values[i] = rng.NormFloat64()
		}
		c := lineup(values[:sizes[0]], values[sizes[0]:], Options{Permutations: 40, Others: 1, Refits: 1})
		d := c.raw()
		pooled := c.numbers[0].values
		for k, s := range d.permuted(c.shuffled.sets) {
			in := make([]bool, len(pooled))
			for _, i := range c.shuffled.sets[k] {
				in[i] = true
			}
			var small, large, between float64
			for i := range pooled {
				for j := range i {
					x := math.Abs(pooled[i] - pooled[j])
					switch {
					case in[i] && in[j]:
						small += x
					case !in[i] && !in[j]:
						large += x
					default:
						between += x
					}
				}
			}
			near(t, "small", s.small, small, 1e-12)
			near(t, "large", s.large, large, 1e-12)
			near(t, "between", s.between, between, 1e-12)
		}
	}
}

func TestKolmogorovIsThatOfScipy(t *testing.T) {
	c := lineup(sampleA, sampleB, Options{Others: 9999, Seed: 4})
	r := c.kolmogorov(c.numbers[0])
	// scipy.stats.ks_2samp(a, b, mode='exact'); its p is for values without
	// ties, of which there are two here
	near(t, "D", *r.Statistic, 0.4166666666666667, 1e-12)
	if *r.P < 0.12 || *r.P > 0.17 {
		t.Errorf("p = %g, scipy has 0.1508", *r.P)
	}
}

// table is a category with the given counts of each level on both sides.
func table(a, b []int, permutations int) *comparison {
	rows := func(counts []int) (out []Row) {
		for l, n := range counts {
			for range n {
				out = append(out, Row{ID: "x", Categories: map[string]string{"k": string(rune('p' + l))}})
			}
		}
		return out
	}
	return newComparison(Sample{"a", rows(a)}, Sample{"b", rows(b)}, Options{Permutations: permutations, Others: 1, Refits: 1, Seed: 4}.withDefaults())
}

func TestChiSquareIsThatOfScipy(t *testing.T) {
	c := table([]int{30, 25, 8, 2}, []int{12, 22, 15, 6}, 9999)
	r := c.chiSquare(c.categories[0], 9999)
	// scipy.stats.chi2_contingency(table, correction=False)
	near(t, "χ²", *r.Statistic, 11.281218319146165, 1e-12)
	if *r.P < 0.007 || *r.P > 0.014 {
		t.Errorf("p = %g, scipy has 0.0103", *r.P)
	}
	// √((χ²-3)/120), and √(λ/120) where scipy.stats.ncx2.cdf(χ², 3, λ) is .975 and .025
	near(t, "V", *r.Effect.Value, 0.26269783527762725, 1e-12)
	near(t, "low", *r.Effect.Low, 0.07510320703015083, 1e-9)
	near(t, "high", *r.Effect.High, 0.4633361315594656, 1e-9)
}

func TestStabilityIndexIsTheFormula(t *testing.T) {
	c := table([]int{30, 25, 8, 2}, []int{12, 22, 15, 6}, 1)
	r := c.stability(c.categories[0])
	// numpy: Σ (b-a)·ln(b/a) of shares with half a row added to each level
	near(t, "PSI", *r.Statistic, 0.3691345890979456, 1e-12)
	near(t, "expected", *r.Chance, 3*(1./65+1./55), 1e-12)
}

// Without shift the index is (bins-1)·(1/n+1/m) on average.
func TestStabilityIndexHasItsExpectation(t *testing.T) {
	rng := seeded(5)
	var sum float64
	const sets = 400
	for range sets {
		counts := [2][]int{make([]int, 5), make([]int, 5)}
		for side, n := range []int{150, 100} {
			for range n {
				counts[side][rng.IntN(5)]++
			}
		}
		c := table(counts[0], counts[1], 1)
		sum += *c.stability(c.categories[0]).Statistic
	}
	near(t, "mean PSI", sum/sets/(4*(1./150+1./100)), 1, 0.12)
}

func TestAUCIsMannWhitney(t *testing.T) {
	scores := append(slices.Clone(sampleA), sampleB...)
	y := make([]float64, len(scores))
	for i := len(sampleA); i < len(y); i++ {
		y[i] = 1
	}
	// scipy.stats.mannwhitneyu(b, a).statistic/(n·m)
	owner := make([]int, len(y))
	for i := range owner {
		owner[i] = i
	}
	auc, se := areaUnder(scores, y, owner, []int{0, len(y)})
	near(t, "AUC", auc, 0.7388888888888889, 1e-12)
	// numpy, from the 12×15 matrix of comparisons: √(var of row means/15 + var of column means/12)
	near(t, "se", se, 0.09866584359991064, 1e-12)

	// Every score said one, two or three times: rows weigh what they did.
	var repeated, labels []float64
	owner = owner[:0]
	for i, x := range scores {
		for range 1 + i%3 {
			repeated, labels, owner = append(repeated, x), append(labels, y[i]), append(owner, i)
		}
	}
	again, errAgain := areaUnder(repeated, labels, owner, []int{0, len(labels)})
	near(t, "AUC of repeated scores", again, auc, 1e-12)

	// Two folds, the second of the rows in another order and far above: only scores of one fold are compared.
	twice, labels2, owner2 := slices.Clone(scores), slices.Clone(y), make([]int, 2*len(y))
	for i := range y {
		twice, labels2 = append(twice, 1e6+scores[len(y)-1-i]), append(labels2, y[len(y)-1-i])
		owner2[i], owner2[len(y)+i] = i, 2*len(y)-1-i
	}
	both, _ := areaUnder(twice, labels2, owner2, []int{0, len(y), 2 * len(y)})
	near(t, "AUC of two folds", both, auc, 1e-12)
	near(t, "se of repeated scores", errAgain, se, 1e-12)
}

func TestLogisticIsThatOfScipy(t *testing.T) {
	x := [][]float64{{0.5, 1.1, -0.7, 0.2, -1.5, 0.9, -0.3, 1.8}, {-1.2, 0.3, 0.8, 0.1, -0.4, 1.7, -0.9, -0.2}}
	y := []float64{1, 1, 0, 0, 0, 1, 0, 1}
	root := math.Sqrt(ridge) // scaling takes the place of a penalty of 1
	for _, column := range x {
		floats.Scale(root, column)
	}
	fit := newRegression(x, y, []int{0, 3, 8}).fit(-1)
	fit[1], fit[2] = root*fit[1], root*fit[2]
	// scipy.optimize.minimize of Σ log(1+e^s) - y·s + |β|²/2, BFGS to 1e-12
	for i, want := range []float64{-0.35102212, 1.28159376, 0.07354226} {
		near(t, "weight", fit[i], want, 1e-6)
	}
}

func TestNormalScoresAreThoseOfScipy(t *testing.T) {
	got := normalScores([]float64{3, 1, 2, math.NaN(), 2, 9})
	// scipy.stats.norm.ppf(rankdata([3, 1, 2, 2, 9])/6)
	for i, want := range []float64{0.4307273, -0.96742157, -0.21042839, 0, -0.21042839, 0.96742157} {
		near(t, "score", got[i], want, 1e-7)
	}
}

func TestNoncentralIsThatOfScipy(t *testing.T) {
	// scipy.stats.ncx2.cdf(x, df, λ)
	for _, c := range []struct{ x, df, lambda, want float64 }{
		{5, 3, 2, 0.5934051800831555},
		{20, 5, 10, 0.7810703882850357},
		{0.5, 1, 4, 0.0946303754667265},
		{150, 9, 120, 0.8283006097347202},
		{2.3, 4, 0, 0.3192309458350355},
		{1000, 10, 950, 0.744264100046077},
	} {
		near(t, "P", noncentral(c.x, c.df, c.lambda), c.want, 1e-10)
	}
	// the λ at which scipy.stats.ncx2.sf(chi2.ppf(.95, df), df, λ) = .8
	for df, want := range map[float64]float64{1: 7.848860509326198, 3: 10.902563290133264, 9: 15.649797895188215} {
		near(t, "detected", detected(df), want, 1e-9)
	}
}

func TestHolmIsThatOfR(t *testing.T) {
	// R: p.adjust(c(.01, .04, .03, .005), "holm")
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		near(t, "p", Holm([]float64{0.01, 0.04, 0.03, 0.005})[i], want, 1e-12)
	}
	if got := Holm(nil); len(got) != 0 {
		t.Errorf("no p values gave %v", got)
	}
}

func TestAdjustTakesPrimaryTestsOnly(t *testing.T) {
	p := func(x float64) *float64 { return &x }
	results := []*Result{{Primary: true, P: p(0.02)}, {P: p(0.001)}, {Primary: true}, {Primary: true, P: p(0.01)}}
	Adjust(results)
	near(t, "first", *results[0].PHolm, 0.02, 1e-12)
	near(t, "last", *results[3].PHolm, 0.02, 1e-12)
	if results[1].PHolm != nil || results[2].PHolm != nil {
		t.Error("a test that describes, or has no p, was adjusted")
	}
}

// Whatever the random start, X·v = u·σ with orthonormal v and orthogonal u.
func TestReductionFindsTheLeadingComponents(t *testing.T) {
	rng := seeded(9)
	b := &bag{word: make([]string, 30)}
	for range 40 {
		row := sparse{}
		for c := range 30 {
			row.cols = append(row.cols, int32(c))
			row.vals = append(row.vals, rng.NormFloat64()/float64(1+c*c))
		}
		b.rows = append(b.rows, row)
	}
	r := reduce(b, 4, seeded(1))
	if len(r.scores) != 4 {
		t.Fatalf("%d components", len(r.scores))
	}
	for k, v := range r.words {
		near(t, "length of v", floats.Dot(v, v), 1, 1e-9)
		image := b.times([][]float64{v})[0] // X·v = σ·u
		for i := range image {
			near(t, "σu", image[i], r.scores[k][i], 1e-6)
		}
		for j := range k {
			near(t, "v·v", floats.Dot(v, r.words[j]), 0, 1e-9)
			near(t, "u·u", floats.Dot(r.scores[k], r.scores[j]), 0, 1e-9)
		}
	}
	if full := reduce(b, 40, seeded(1)); len(full.scores) != 30 {
		t.Errorf("a matrix of rank 30 has %d components", len(full.scores))
	}
}
