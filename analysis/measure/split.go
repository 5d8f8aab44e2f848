package measure

import (
	"cmp"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"sort"
	"strconv"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Split measures the items of one split into its SplitResult.
type Split struct {
	s        analysis.Settings
	once     float64 // confidence for what is judged only once, whatever the number of looks; 0: that of s
	c        *evidence
	Items    []*collect.Item // every item with a record
	Measured []*collect.Item // the items with a valid reward
	Rewards  [][]float64     // of Measured
	Common   [][]float64     // sorted rewards of the items that every curve uses
	Samples  int             // samples that every item of Common has
	dropped  int             // measured items that Common leaves out
	inFile   *int
	planned  *int // rollouts planned by the run
	logged   int  // rollouts planned by the run behind an import; 0 if unknown
	wanted   int  // items planned; 0 if unknown
	budget   *int
	greedy   bool // the run asked for temperature 0
}

// commonShare is the share of measured items that a curve must keep if items differ in samples: a
// longer curve over fewer items would change the mix of items.
const commonShare = 0.8

func (m *Split) plan(manifest *rollout.Manifest, split rollout.Split) {
	if manifest == nil {
		return
	}
	t, err := strconv.ParseFloat(manifest.Binding["model.temperature"], 64)
	m.greedy = err == nil && t == 0
	for _, d := range manifest.Data {
		if d.Split == split && d.Rows > 0 {
			rows := d.Rows
			m.inFile = &rows
		}
	}
	if p := manifest.Planned; p != nil && len(p.Rollouts) > 0 {
		m.logged = p.Rollouts[split]
	} else if p != nil {
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

func (m *Split) split() *analysis.SplitResult {
	m.prepare()
	sr := &analysis.SplitResult{
		Items:       m.counts(),
		Samples:     m.Spread(),
		Missing:     m.Missing(),
		MissingBy:   m.missingBy(),
		OwnFailures: m.ownFailures(),
		Failures:    m.failures(),
		Ends:        m.ends(),
		Reward:      m.reward(),
		Variance:    m.variance(),
		Classes:     m.Classes(),
		Tools:       m.toolUse(),
		Tokens:      m.tokens(),
		Latency:     m.latency(),
		Turns:       m.turns(),
		TurnsP95:    m.turnsP95(),
		Identical:   m.identical(),
		Pooled:      m.pooled(),
		Served:      m.served(),
		Copies:      m.copies(),
		Against:     m.against(),
		BestOf:      []analysis.AtK{}, WorstOf: []analysis.AtK{}, PassAt: []analysis.AtK{}, PassAll: []analysis.AtK{},
		Signal: []analysis.Signal{}, Extrapolated: []analysis.Extrapolated{},
	}
	m.curves(sr)
	sr.WhatIf = m.whatIf(sr)
	return sr
}

// NewSplit measures items of one split that c has collected.
func NewSplit(s analysis.Settings, c *collect.Collector, items []*collect.Item) *Split {
	m := &Split{s: s, c: &evidence{Collector: c}, Items: items}
	m.prepare()
	return m
}

func (m *Split) prepare() {
	for _, it := range m.Items {
		if len(it.Rewards) > 0 {
			m.Measured = append(m.Measured, it)
			m.Rewards = append(m.Rewards, it.Rewards)
		}
	}
	m.Samples = SamplesInCommon(m.Rewards)
	for _, it := range m.Measured {
		if len(it.Rewards) >= m.Samples {
			m.Common = append(m.Common, it.Rewards)
		}
	}
	m.dropped = len(m.Measured) - len(m.Common)
}

// CommonSamples returns the largest number of samples that at least 80 % of the items have, given
// the samples of each item; 0 without items.
func CommonSamples(counts []int) int {
	if len(counts) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(counts))
	return sorted[len(sorted)-int(math.Ceil(commonShare*float64(len(sorted))))]
}

// SamplesInCommon is CommonSamples for the rewards of items.
func SamplesInCommon(items [][]float64) int {
	counts := make([]int, len(items))
	for i, ys := range items {
		counts[i] = len(ys)
	}
	return CommonSamples(counts)
}

func (m *Split) counts() analysis.ItemCounts {
	c := analysis.ItemCounts{
		InFile: m.inFile, Sampled: len(m.Items), Measured: len(m.Measured), Lost: []string{},
		NotRun: max(0, m.wanted-len(m.Items)),
	}
	for _, it := range m.Items {
		if len(it.Rewards) == 0 {
			c.Lost = append(c.Lost, it.ID)
		}
	}
	return c
}

// Spread returns the spread of valid rollouts per measured item.
func (m *Split) Spread() analysis.Spread { return SpreadOf(m.Rewards) }

// SpreadOf returns the spread of the number of rewards per item.
func SpreadOf(rewards [][]float64) analysis.Spread {
	if len(rewards) == 0 {
		return analysis.Spread{}
	}
	counts := make([]float64, len(rewards))
	for i, ys := range rewards {
		counts[i] = float64(len(ys))
	}
	return analysis.Spread{
		Min:    int(slices.Min(counts)),
		Median: stat.Quantile(counts, 0.5),
		Max:    int(slices.Max(counts)),
	}
}

// records calls f for every rollout of the split, in a fixed order.
func (m *Split) records(f func(*collect.Row)) {
	for _, it := range m.Items {
		for _, r := range it.Rows {
			f(r)
		}
	}
}

// Missing counts the rollouts without a valid reward.
func (m *Split) Missing() analysis.Missing {
	var out analysis.Missing
	total := 0
	m.records(func(r *collect.Row) {
		total++
		out.Repeated += r.Repeats()     // only failed rollouts are repeated
		if r.Valid && r.Retries() > 0 { // retries of lost rollouts were in vain
			out.Retries += r.Retries()
			out.Retried++
		}
		switch {
		case r.Valid:
		case r.Outcome() == rollout.ModelAPI:
			out.ModelAPI++
		case r.Outcome() == rollout.PromptTooLong:
			out.PromptTooLong++
		case r.Outcome() == rollout.ToolFailed:
			out.Tool++
		default:
			out.Grader++
		}
	})
	out.Absent = max(0, m.logged-total)
	if all := total + out.Absent; all > 0 {
		out.Share = stat.FiniteOrNil(float64(out.Total()+out.Absent) / float64(all))
	}
	if m.planned != nil {
		notRun := max(0, *m.planned-total)
		out.NotRun = &notRun
	}
	return out
}

func (m *Split) ownFailures() analysis.OwnFailures {
	var out analysis.OwnFailures
	m.records(func(r *collect.Row) {
		switch r.Outcome() {
		case rollout.NoAnswer:
			out.NoAnswer++
		case rollout.StepLimit:
			out.StepLimit++
		}
	})
	return out
}

// Limits on the listed causes.
const (
	causesListed     = 12
	causeItemsListed = 5
)

func (m *Split) failures() []analysis.FailureCause {
	type cause struct {
		outcome rollout.Outcome
		text    string
	}
	index := make(map[cause]int)
	list := []analysis.FailureCause{}
	m.records(func(r *collect.Row) {
		if r.Outcome() == rollout.Graded {
			return
		}
		why := r.Rare().Cause
		key := cause{r.Outcome(), numberless(why)}
		i, ok := index[key]
		if !ok {
			i = len(list)
			index[key] = i
			list = append(list, analysis.FailureCause{Outcome: r.Outcome(), Error: why, Items: []string{}})
		}
		list[i].Count++
		list[i].Items = oneMore(list[i].Items, r.Of.ID, causeItemsListed)
	})
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Error, b.Error)) < 0
	})
	return list[:min(len(list), causesListed)]
}

// numberless returns a text without its long numbers and ids, which would turn one cause into as
// many as there are rollouts. Shorter numbers, such as a status, stay.
func numberless(s string) string { return longNumber.ReplaceAllString(s, "…") }

var longNumber = regexp.MustCompile(`[0-9a-fA-F]*[0-9]{6}[0-9a-fA-F]*|[0-9a-fA-F]{16,}`)

func (m *Split) reward() analysis.Reward {
	r, conf := &m.s.RewardRange, m.s.Confidence
	out := analysis.Reward{
		Estimate:  stat.Mean(m.Rewards, r, conf),
		Pooled:    stat.Pooled(m.Rewards, r, conf),
		Bounds:    m.bounds(),
		Histogram: m.histogram(),
	}
	out.Mean = out.Value
	if families := m.families(); families != nil {
		e := stat.FamilyMean(m.Rewards, families, r, conf)
		out.Family = &e
	}
	return out
}

// families returns each measured item's family, or nil if none has one. An item without a family is
// its own family.
func (m *Split) families() []string {
	families := make([]string, len(m.Measured))
	some := false
	for i, it := range m.Measured {
		families[i] = "family " + it.Labels.Family
		if it.Labels.Family == "" {
			families[i] = "item " + it.ID
		} else {
			some = true
		}
	}
	if !some {
		return nil
	}
	return families
}

// bounds returns the means over items if every missing rollout had earned the bottom of the range,
// and the top.
func (m *Split) bounds() analysis.Bounds {
	if len(m.Items) == 0 {
		return analysis.Bounds{}
	}
	var low, high float64
	for _, it := range m.Items {
		sum := 0.0
		for _, y := range it.Rewards {
			sum += y
		}
		n, miss := float64(len(it.Rows)), float64(len(it.Rows)-len(it.Rewards))
		low += (sum + miss*m.s.RewardRange.Lo) / n
		high += (sum + miss*m.s.RewardRange.Hi) / n
	}
	k := float64(len(m.Items))
	return analysis.Bounds{Low: stat.FiniteOrNil(low / k), High: stat.FiniteOrNil(high / k)}
}

// histogramBins is the number of bins of the reward histogram.
const histogramBins = 20

func (m *Split) histogram() analysis.Histogram {
	h := analysis.Histogram{Edges: []float64{}, Counts: []int{}}
	if len(m.Measured) == 0 {
		return h
	}
	lo, width := m.s.RewardRange.Lo, m.s.RewardRange.Width()/histogramBins
	for i := 0; i <= histogramBins; i++ {
		h.Edges = append(h.Edges, lo+float64(i)*width)
	}
	h.Edges[histogramBins] = m.s.RewardRange.Hi
	h.Counts = make([]int, histogramBins)
	h.Values, h.ValueCounts = m.valueCounts()
	for _, ys := range m.Rewards {
		for _, y := range ys {
			// The small addend keeps 0.30000000000000004/0.05 in the bin that begins at 0.3.
			bin := int((y-lo)/width + 1e-9)
			h.Counts[min(bin, histogramBins-1)]++
		}
	}
	return h
}

// mostValues is the number of different rewards up to which a histogram lists them.
const mostValues = 12

// valueCounts returns the different rewards and how often each was given; nil if there are too many. As in
// Resolution, rewards are equal if they differ by less than a millionth of the range.
func (m *Split) valueCounts() (values []float64, counts []int) {
	eps := 1e-6 * m.s.RewardRange.Width()
	for _, ys := range m.Rewards {
		for _, y := range ys {
			i, _ := slices.BinarySearch(values, y-eps)
			switch {
			case i < len(values) && values[i] <= y+eps:
				counts[i]++
			case len(values) == mostValues:
				return nil, nil
			default:
				values, counts = slices.Insert(values, i, y), slices.Insert(counts, i, 1)
			}
		}
	}
	return values, counts
}

// distinguished returns the rewards of the items. If all of them are equal to the trainer, they
// become one value: a share of differences that it ignores would mean nothing.
func (m *Split) distinguished() [][]float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, ys := range m.Rewards {
		low, high = min(low, ys[0]), max(high, ys[len(ys)-1])
	}
	if len(m.Rewards) == 0 || !m.same(low, high) {
		return m.Rewards
	}
	equal := make([][]float64, len(m.Rewards))
	for i, ys := range m.Rewards {
		equal[i] = slices.Repeat([]float64{low}, len(ys))
	}
	return equal
}

func (m *Split) variance() analysis.Variance {
	within, between := stat.ANOVA(m.Rewards)
	src := rand.NewPCG(m.s.Seed, 0x1cc)
	v := analysis.Variance{
		Within:  within,
		Between: between,
		ICC:     stat.ICC(m.distinguished(), m.s.Confidence, m.s.Boot, src),
	}
	once := m.s
	once.Confidence = cmp.Or(m.once, m.s.Confidence)
	splitWithin(&v, regrades(m.Measured, m.c, m.s.Thresholds.At(analysis.HackableMargin)), m.c.everywhere, once)
	return v
}
