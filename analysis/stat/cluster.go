package stat

import "math"

// Pooled estimates the mean reward of a rollout, Σy/N, in which items weigh
// by their number of rollouts. Its standard error is clustered by item with
// the CR1 correction m/(m-1) (Liang & Zeger 1986, Biometrika 73:13; Cameron &
// Miller 2015, J. Human Resources 50:317). The interval follows ItemMeans,
// and FixedSE is √(Σ n_i s_i²)/N.
func Pooled(items [][]float64, r *Range, conf float64) Estimate {
	checkConf(conf)
	const method = "mean of all rollouts, CR1 clustered by item (Liang & Zeger 1986)"
	s := summarize(items)
	m := len(s.ns)
	if m == 0 {
		return unknown(0, 0, method, noRewards.Text())
	}
	mean, n := s.pooledMean(), float64(s.total)
	var squares, weights float64
	for i, v := range s.means {
		u := float64(s.ns[i]) * (v - mean)
		squares += u * u
		weights += float64(s.ns[i]) * float64(s.ns[i])
	}
	within := s.errors()
	for i := range within {
		w := float64(s.ns[i]) / n * float64(m)
		within[i] *= w * w
	}
	sp := spread{mean: mean, clusters: m, equal: n * n / weights, n: s.total, r: r, conf: conf}
	if m > 1 {
		sp.se = math.Sqrt(squares*float64(m)/float64(m-1)) / n
	}
	return sp.estimate(m, fixedSE(within), method)
}

// pooledMean returns Σy/N, exactly the common value when all means agree.
func (s summary) pooledMean() float64 {
	var sum float64
	for i, v := range s.means {
		sum += float64(s.ns[i]) * (v - s.means[0])
	}
	return s.means[0] + sum/float64(s.total)
}

// FamilyMean is Mean with its standard error clustered by family (one source document, repository
// or patient behind several items), CR1 over F families: se² = F/(F-1)·Σ_f(Σ_{i in f} (ȳ_i-ȳ))²/m²
// and F-1 degrees of freedom (Liang & Zeger 1986). family[i] belongs to items[i]; an item without a
// family ("") is its own family. It panics if the two differ in length.
func FamilyMean(items [][]float64, family []string, r *Range, conf float64) Estimate {
	checkConf(conf)
	if len(family) != len(items) {
		panic("stat: as many families as items are needed")
	}
	const method = "mean of item means, clustered by family (Liang & Zeger 1986)"
	s := summarize(items)
	m := len(s.means)
	if m == 0 {
		return unknown(0, 0, method, noFamilies.Text())
	}
	mean, _ := moments(s.means)
	sums, sizes := s.families(family, mean)
	var squares, weights float64
	for f, u := range sums {
		squares += u * u
		weights += sizes[f] * sizes[f]
	}
	count := len(sums)
	sp := spread{mean: mean, clusters: count, equal: float64(m) * float64(m) / weights, n: s.total, r: r, conf: conf}
	if count > 1 {
		sp.se = math.Sqrt(squares*float64(count)/float64(count-1)) / float64(m)
	}
	return sp.estimate(m, fixedSE(s.errors()), method)
}

// families sums deviations from the mean and counts items by family, in order
// of first appearance.
func (s summary) families(family []string, mean float64) (sums, sizes []float64) {
	seen := make(map[string]int)
	for i, v := range s.means {
		name := family[s.index[i]]
		f, ok := seen[name]
		if !ok || name == "" {
			f = len(sums)
			seen[name] = f
			sums, sizes = append(sums, 0), append(sizes, 0)
		}
		sums[f] += v - mean
		sizes[f]++
	}
	return sums, sizes
}

// RatioOfSums estimates a share Σnum/Σden, such as the share of tool calls
// that failed, where num[i] of den[i] belong to row i and rows are
// independent (one row an item). n is the number of rollouts behind them. The
// standard error is that of the linearised ratio, CR1 over the rows with
// den > 0 (Cochran 1977, Sampling Techniques, §6), and the interval
// Korn–Graubard's on [0, 1]. It panics when num and den differ in length.
func RatioOfSums(num, den []float64, n int, conf float64) Estimate {
	checkConf(conf)
	if len(num) != len(den) {
		panic("stat: as many numerators as denominators are needed")
	}
	const method = "ratio of sums, linearised and clustered by item (Cochran 1977)"
	var top, bottom, weights float64
	rows := 0
	for i, d := range den {
		if d > 0 {
			rows++
		}
		top, bottom, weights = top+num[i], bottom+d, weights+d*d
	}
	if rows == 0 {
		return unknown(0, n, method, nothingCounted.With(ofItems(len(den))))
	}
	share := top / bottom
	if unit.holds(share) {
		share = min(max(share, 0), 1) // equal sums may differ by float noise
	}
	var squares float64
	for i, d := range den {
		u := num[i] - share*d
		squares += u * u
	}
	sp := spread{mean: share, clusters: rows, equal: bottom * bottom / weights, n: n, r: &unit, conf: conf}
	if rows > 1 {
		sp.se = math.Sqrt(squares*float64(rows)/float64(rows-1)) / bottom
	}
	return sp.estimate(rows, nil, method)
}
