package pilot

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	gonum "gonum.org/v1/gonum/stat"

	"gonogo/analysis/stat"
)

// Matching says how the groups of the log match items of the base run.
type Matching struct {
	Groups    int      `json:"groups"`
	Matched   int      `json:"matched"`
	Items     int      `json:"items"` // items of the base run that are shown
	Unmatched int      `json:"unmatched"`
	Several   int      `json:"several"` // groups that match several items
	Named     []string `json:"named"`   // at most two of those that do not match one item
}

func (j *judgement) matching() Matching {
	m := Matching{Groups: len(j.Groups), Named: []string{}}
	items := make(map[string]bool)
	for i := range j.Groups {
		g := &j.Groups[i]
		_, ok := j.base[g.Item]
		switch {
		case ok:
			m.Matched++
			items[g.Item] = true
			continue
		case g.Several:
			m.Several++
		default:
			m.Unmatched++
		}
		if len(m.Named) < 2 && !slices.Contains(m.Named, g.Name) {
			m.Named = append(m.Named, g.Name)
		}
	}
	m.Items = len(items)
	return m
}

// Shown says how many groups the log holds, and of how many of them the base run expects different
// rewards.
type Shown struct {
	Groups      int      `json:"groups"`
	Informative *float64 `json:"base_informative"` // expected share at the trainer's group size, from the base run
	// Equal and Expected count the groups of equal reward in the log and as the base run predicts
	// them, over the items that match.
	Equal    float64 `json:"equal"`
	Expected float64 `json:"expected_equal"`
	compared int     // groups of Equal and Expected
}

func (j *judgement) counted() Shown {
	s := j.dropped(j.Groups)
	s.Groups = len(j.Groups)
	s.Informative = j.baseInformative(j.Groups)
	if s.Informative == nil {
		var all []Group
		for _, it := range j.Train {
			all = append(all, Group{Item: it.ID})
		}
		s.Informative = j.baseInformative(all)
	}
	return s
}

// informative returns the probability that a group of the trainer's size differs, from the rewards of
// one item: of at most as many as there are. ok is false for fewer than two.
func (j *judgement) informative(sorted []float64, g int) (float64, bool) {
	g = min(g, len(sorted))
	if g < 2 {
		return 0, false
	}
	return stat.Informative(sorted, g, j.Tolerance), true
}

// baseInformative returns the mean over groups of what their items promised in the base run.
func (j *judgement) baseInformative(groups []Group) *float64 {
	sum, n := 0.0, 0
	for i := range groups {
		if p, ok := j.informative(j.base[groups[i].Item], max(j.groupSize, 2)); ok {
			sum += p
			n++
		}
	}
	if n == 0 {
		return nil
	}
	mean := sum / float64(n)
	return &mean
}

// leastExpected is the number of groups of equal reward that must be expected before their absence
// says something, keptShare the share of them below which they are missing, and keptErrors how many
// standard errors the share in the log must be below that in the base run: z of two proportions.
// Where equal groups are rare, dropping them hardly changes the mean.
const (
	leastExpected = 8
	keptShare     = 0.25
	keptErrors    = 3
)

// missing reports whether the log lacks groups of equal reward that the base run predicts.
func (s Shown) missing() bool {
	n := float64(s.compared)
	if s.Expected < leastExpected || s.Equal >= keptShare*s.Expected {
		return false
	}
	both := (s.Expected + s.Equal) / (2 * n)
	return (s.Expected-s.Equal)/n > keptErrors*math.Sqrt(2*both*(1-both)/n)
}

// dropped counts the groups of equal reward in the log, and those that the base run predicts for the
// same items. Log and base run are compared at one number of rollouts an item. Only the first ten
// steps count: learning changes the share later.
func (j *judgement) dropped(groups []Group) Shown {
	var s Shown
	for i := range groups {
		g := &groups[i]
		base := j.base[g.Item]
		size := min(len(base), len(g.Rewards))
		if j.elapsed(g.Step) > window || size < 2 {
			continue
		}
		expected, _ := j.informative(base, size)
		found, _ := j.informative(slices.Sorted(slices.Values(g.Rewards)), size)
		s.Expected += 1 - expected
		s.Equal += 1 - found
		s.compared++
	}
	return s
}

// The bands of base means that are compared between items that were shown and items that were not.
var bands = []float64{0, 0.25, 0.75, 1} // as shares of the range: at lo, up to 1/4, 3/4, below hi, at hi

const (
	leastHidden  = 10   // items shown, and not shown, under which a choice cannot be seen
	chosenDraws  = 1999 // permutations
	chosenP      = 0.01
	chosenSeed   = 41
	bandsOfMeans = 5
)

// chosen reports whether the items that were shown differ in their base means from those that were
// not: χ² over five bands of the mean, by permutation, at p < 0.01. Items that a curriculum or curate
// chose by these very rewards regress to their true mean in training, which is no learning.
func (j *judgement) chosen() bool {
	shown := make(map[string]bool)
	for i := range j.Groups {
		shown[j.Groups[i].Item] = true
	}
	var in, out []int // bands
	for _, it := range j.Train {
		ys, ok := j.base[it.ID]
		if !ok {
			continue
		}
		mean, _ := stat.MeanVariance(ys)
		if shown[it.ID] {
			in = append(in, j.band(mean))
		} else {
			out = append(out, j.band(mean))
		}
	}
	return min(len(in), len(out)) >= leastHidden && unlike(in, out, rand.New(rand.NewPCG(chosenSeed, 0))) < chosenP
}

func (j *judgement) band(mean float64) int {
	share := (mean - j.Range.Lo) / j.Range.Width()
	switch {
	case share <= bands[0]+rounding:
		return 0
	case share <= bands[1]:
		return 1
	case share <= bands[2]:
		return 2
	case share < bands[3]-rounding:
		return 3
	}
	return 4
}

// unlike returns the permutation p-value of χ² between the bands of two sets.
func unlike(in, out []int, random *rand.Rand) float64 {
	all := slices.Concat(in, out)
	total := counts(all)
	statistic := func() float64 {
		sum := 0.0
		for b, seen := range counts(all[:len(in)]) {
			if total[b] > 0 {
				expected := float64(total[b]*len(in)) / float64(len(all))
				diff := float64(seen) - expected
				sum += diff*diff/expected + diff*diff/(float64(total[b])-expected)
			}
		}
		return sum
	}
	observed, more := statistic(), 0
	for range chosenDraws {
		random.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		if statistic() >= observed*(1-rounding) {
			more++
		}
	}
	return float64(more+1) / float64(chosenDraws+1)
}

func counts(bandOf []int) (n [bandsOfMeans]int) {
	for _, b := range bandOf {
		n[b]++
	}
	return n
}

// mismatched reports whether the first items of the log cannot be those of the base run: where items
// differ in the base run, means of the same items correlate as their reliabilities allow, and these
// correlate by less than half of that and three standard errors (of Fisher's z) below. The steps that show
// the first 30 items count, and no more than ten: training changes the order later.
func (j *judgement) mismatched() bool {
	logged := make(map[string][]float64)
	for i := range j.Groups {
		g := &j.Groups[i]
		begins := i > 0 && g.Step != j.Groups[i-1].Step
		if j.elapsed(g.Step) > window || begins && len(logged) >= firstItems {
			break
		}
		if len(j.base[g.Item]) > 0 {
			logged[g.Item] = append(logged[g.Item], g.Rewards...)
		}
	}
	var base, now [][]float64
	var a, b []float64
	for _, item := range slices.Sorted(maps.Keys(logged)) {
		if len(logged[item]) == 0 {
			continue
		}
		base, now = append(base, j.base[item]), append(now, logged[item])
		x, _ := stat.MeanVariance(j.base[item])
		y, _ := stat.MeanVariance(logged[item])
		a, b = append(a, x), append(b, y)
	}
	if len(a) < leastItems {
		return false
	}
	expected := math.Sqrt(reliability(base, a) * reliability(now, b))
	r := gonum.Correlation(a, b, nil)
	if expected < leastReliable || math.IsNaN(r) || r >= expected/2 {
		return false
	}
	const near = 0.99 // Fisher's z is infinite at 1
	return math.Atanh(min(expected, near))-math.Atanh(r) > 3/math.Sqrt(float64(len(a)-3))
}

// firstItems is the number of items whose order is compared.
const firstItems = 30

// leastReliable is the expected correlation under which items hardly differ, so that their order says
// nothing.
const leastReliable = 0.3

// reliability returns the share of the variance of item means that is not of sampling; 0 if nothing
// shows.
func reliability(items [][]float64, means []float64) float64 {
	_, total := stat.MeanVariance(means)
	sampling := 0.0
	for _, ys := range items {
		if len(ys) < 2 {
			return 0
		}
		_, v := stat.MeanVariance(ys)
		sampling += v / float64(len(ys)) / float64(len(items))
	}
	if total <= 0 {
		return 0
	}
	return max(0, 1-sampling/total)
}

// windowOf describes the rollouts of groups.
func (j *judgement) windowOf(groups []Group) Window {
	var w Window
	var tokens, cut, calls, failed, counted, callsCounted, cutCounted, informative, known float64
	for i := range groups {
		g := &groups[i]
		n := float64(g.rollouts())
		if g.Measured.Tokens {
			tokens, counted = tokens+float64(g.Tokens), counted+n
		}
		if g.Measured.Cut {
			cut, cutCounted = cut+float64(g.Cut), cutCounted+n
		}
		if g.Measured.Calls {
			calls, failed, callsCounted = calls+float64(g.Calls), failed+float64(g.FailedCalls), callsCounted+n
		}
		if p, ok := j.informative(slices.Sorted(slices.Values(g.Rewards)), max(j.groupSize, 2)); ok {
			informative, known = informative+p, known+1
		}
	}
	w.Informative, w.BaseInformative = ratio(informative, known), j.baseInformative(groups)
	w.Tokens, w.Cut = ratio(tokens, counted), ratio(cut, cutCounted)
	w.Calls, w.FailedCalls = ratio(calls, callsCounted), ratio(failed, calls)
	return w
}

func ratio(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	return stat.FiniteOrNil(a / b)
}
