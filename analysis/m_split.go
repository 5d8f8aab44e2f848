package analysis

import (
	"cmp"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// measure takes one split's items and makes its SplitResult.
type measure struct {
	s        Settings
	once     float64 // confidence of what is judged once, at however many looks the rollouts were; 0: that of s
	c        *evidence
	items    []*item     // every item with a record
	measured []*item     // those with a valid reward
	rewards  [][]float64 // of measured
	common   [][]float64 // sorted rewards of the items that every curve uses
	n        int         // samples that every item of common has
	dropped  int         // measured items that common leaves out
	inFile   *int
	planned  *int // rollouts that sampling set out to make
	wanted   int  // items that it set out to sample; 0 when that is not known
	budget   *int
}

// commonShare is the share of measured items that a curve must keep when
// items differ in samples: a longer curve over fewer items would change the
// item mix.
const commonShare = 0.8

func (m *measure) plan(manifest *rollout.Manifest, split rollout.Split) {
	if manifest == nil {
		return
	}
	for _, d := range manifest.Data {
		if d.Split == split && d.Rows > 0 {
			rows := d.Rows
			m.inFile = &rows
		}
	}
	if p := manifest.Planned; p != nil {
		total := p.Items[split] * p.Samples[split]
		m.planned = &total
		if total > 0 {
			m.wanted = p.Items[split]
		}
		if p.MaxCalls > 0 {
			budget := p.MaxCalls
			m.budget = &budget
		}
	}
}

func (m *measure) split() *SplitResult {
	m.prepare()
	sr := &SplitResult{
		Items:       m.counts(),
		Samples:     m.spread(),
		Missing:     m.missing(),
		MissingBy:   m.missingBy(),
		OwnFailures: m.ownFailures(),
		Failures:    m.failures(),
		Ends:        m.ends(),
		Reward:      m.reward(),
		Variance:    m.variance(),
		Classes:     m.classes(),
		Tools:       m.toolUse(),
		Tokens:      m.tokens(),
		Latency:     m.latency(),
		Turns:       m.turns(),
		Identical:   m.identical(),
		Against:     m.against(),
		BestOf:      []AtK{}, WorstOf: []AtK{}, PassAt: []AtK{}, PassAll: []AtK{},
		Signal: []Signal{}, Extrapolated: []Extrapolated{},
	}
	m.curves(sr)
	return sr
}

// newSplit measures items of one split that c has collected.
func newSplit(s Settings, c *collector, items []*item) *measure {
	m := &measure{s: s, c: &evidence{collector: c}, items: items}
	m.prepare()
	return m
}

func (m *measure) prepare() {
	for _, it := range m.items {
		if len(it.rewards) > 0 {
			m.measured = append(m.measured, it)
			m.rewards = append(m.rewards, it.rewards)
		}
	}
	m.n = commonSamples(m.measured)
	for _, it := range m.measured {
		if len(it.rewards) >= m.n {
			m.common = append(m.common, it.rewards)
		}
	}
	m.dropped = len(m.measured) - len(m.common)
}

// CommonSamples is the most samples that at least 80 % of the items have, by the
// samples of each item; 0 of no item.
func CommonSamples(counts []int) int {
	if len(counts) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(counts))
	return sorted[len(sorted)-int(math.Ceil(commonShare*float64(len(sorted))))]
}

func commonSamples(items []*item) int {
	counts := make([]int, len(items))
	for i, it := range items {
		counts[i] = len(it.rewards)
	}
	return CommonSamples(counts)
}

func (m *measure) counts() ItemCounts {
	c := ItemCounts{InFile: m.inFile, Sampled: len(m.items), Measured: len(m.measured), Lost: []string{}, NotRun: max(0, m.wanted-len(m.items))}
	for _, it := range m.items {
		if len(it.rewards) == 0 {
			c.Lost = append(c.Lost, it.id)
		}
	}
	return c
}

func (m *measure) spread() Spread { return SpreadOf(m.rewards) }

// SpreadOf counts the rewards of measured items.
func SpreadOf(rewards [][]float64) Spread {
	if len(rewards) == 0 {
		return Spread{}
	}
	counts := make([]float64, len(rewards))
	for i, ys := range rewards {
		counts[i] = float64(len(ys))
	}
	return Spread{
		Min:    int(slices.Min(counts)),
		Median: stat.Quantile(counts, 0.5),
		Max:    int(slices.Max(counts)),
	}
}

// records calls f for every rollout of the split, in a fixed order.
func (m *measure) records(f func(*row)) {
	for _, it := range m.items {
		for _, r := range it.rows {
			f(r)
		}
	}
}

func (m *measure) missing() Missing {
	var out Missing
	total := 0
	m.records(func(r *row) {
		total++
		out.Repeated += r.repeats // only a failed rollout is made again
		if r.retries > 0 {
			out.Retries += r.retries
			out.Retried++
		}
		switch {
		case r.valid:
		case r.outcome == rollout.ModelAPI:
			out.ModelAPI++
		case r.outcome == rollout.ToolFailed:
			out.Tool++
		default:
			out.Grader++
		}
	})
	if total > 0 {
		out.Share = stat.Some(float64(out.Total()) / float64(total))
	}
	if m.planned != nil {
		left := max(0, *m.planned-total)
		out.NotRun = &left
	}
	return out
}

func (m *measure) ownFailures() OwnFailures {
	var out OwnFailures
	m.records(func(r *row) {
		switch r.outcome {
		case rollout.NoAnswer:
			out.NoAnswer++
		case rollout.StepLimit:
			out.StepLimit++
		}
	})
	return out
}

// Limits on what is listed of causes.
const (
	causesListed     = 12
	causeItemsListed = 5
)

func (m *measure) failures() []FailureCause {
	type cause struct {
		outcome rollout.Outcome
		text    string
	}
	index := make(map[cause]int)
	list := []FailureCause{}
	m.records(func(r *row) {
		if r.outcome == rollout.Graded {
			return
		}
		key := cause{r.outcome, numberless(r.cause)}
		i, ok := index[key]
		if !ok {
			i = len(list)
			index[key] = i
			list = append(list, FailureCause{Outcome: r.outcome, Error: r.cause, Items: []string{}})
		}
		list[i].Count++
		if id := r.key.Item; len(list[i].Items) < causeItemsListed && !slices.Contains(list[i].Items, id) {
			list[i].Items = append(list[i].Items, id)
		}
	})
	slices.SortFunc(list, func(a, b FailureCause) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Error, b.Error))
	})
	return list[:min(len(list), causesListed)]
}

// numberless is a text without its long numbers and ids, which would make of one
// cause as many as there are rollouts. Shorter numbers, such as a status, stay.
func numberless(s string) string { return longNumber.ReplaceAllString(s, "…") }

var longNumber = regexp.MustCompile(`[0-9a-fA-F]*[0-9]{6}[0-9a-fA-F]*|[0-9a-fA-F]{16,}`)

func (m *measure) reward() Reward {
	r, conf := &m.s.RewardRange, m.s.Confidence
	out := Reward{
		Estimate:  stat.Mean(m.rewards, r, conf),
		Pooled:    stat.Pooled(m.rewards, r, conf),
		Bounds:    m.bounds(),
		Histogram: m.histogram(),
	}
	out.Mean = out.Value
	if families := m.families(); families != nil {
		e := stat.FamilyMean(m.rewards, families, r, conf)
		out.Family = &e
	}
	return out
}

// families returns each measured item's family, or nil when none has one. An
// item without a family is one of its own.
func (m *measure) families() []string {
	families := make([]string, len(m.measured))
	some := false
	for i, it := range m.measured {
		families[i] = "family " + it.labels.family
		if it.labels.family == "" {
			families[i] = "item " + it.id
		} else {
			some = true
		}
	}
	if !some {
		return nil
	}
	return families
}

// bounds is the mean over items if every missing rollout had scored the bottom
// of the range, and the top.
func (m *measure) bounds() Bounds {
	if len(m.items) == 0 {
		return Bounds{}
	}
	var low, high float64
	for _, it := range m.items {
		sum := 0.0
		for _, y := range it.rewards {
			sum += y
		}
		n, miss := float64(len(it.rows)), float64(len(it.rows)-len(it.rewards))
		low += (sum + miss*m.s.RewardRange.Lo) / n
		high += (sum + miss*m.s.RewardRange.Hi) / n
	}
	k := float64(len(m.items))
	return Bounds{Low: stat.Some(low / k), High: stat.Some(high / k)}
}

// histogramBins is the number of bins of the reward histogram.
const histogramBins = 20

func (m *measure) histogram() Histogram {
	h := Histogram{Edges: []float64{}, Counts: []int{}}
	if len(m.measured) == 0 {
		return h
	}
	lo, width := m.s.RewardRange.Lo, m.s.RewardRange.Width()/histogramBins
	for i := 0; i <= histogramBins; i++ {
		h.Edges = append(h.Edges, lo+float64(i)*width)
	}
	h.Edges[histogramBins] = m.s.RewardRange.Hi
	h.Counts = make([]int, histogramBins)
	for _, ys := range m.rewards {
		for _, y := range ys {
			// The guard keeps 0.30000000000000004/0.05 in the bin that 0.3 opens.
			bin := int((y-lo)/width + 1e-9)
			h.Counts[min(bin, histogramBins-1)]++
		}
	}
	return h
}

func (m *measure) variance() Variance {
	within, between := stat.ANOVA(m.rewards)
	src := rand.NewPCG(m.s.Seed, 0x1cc)
	v := Variance{
		Within:  within,
		Between: between,
		ICC:     stat.ICC(m.rewards, m.s.Confidence, m.s.Boot, src),
	}
	once := m.s
	once.Confidence = cmp.Or(m.once, m.s.Confidence)
	splitWithin(&v, regrades(m.measured, m.c, m.s.Thresholds.Of(HackableMargin)), m.c.everywhere, once)
	return v
}
