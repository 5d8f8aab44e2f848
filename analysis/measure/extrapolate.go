package measure

import (
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// Limits of the extrapolation.
const (
	dirichletValues = 8   // more distinct rewards are not modelled
	farthestK       = 256 // curves reach at least this k
	groupReach      = 4   // and this multiple of the group size
	extrapolateSeed = 0xbe70d
)

// Why there is no model, and how far the models differ.
var (
	oneRollout = message.New("beyond.one_rollout",
		"no model reaches beyond the samples: at least 2 valid rollouts per item are needed")
	manyValues = message.New("beyond.many_values", "the rewards take more than {values}: beyond {samples} per "+
		"item no model is fitted to them, only the bounds of the informative share hold")
	equalRewards = message.New("beyond.equal_rewards",
		"all rewards are equal: there is nothing to fit, and more rollouts may look different")
	allFail    = message.New("beyond.all_fail", "all rollouts fail: pass@k beyond {samples} cannot be fitted")
	allPass    = message.New("beyond.all_pass", "all rollouts pass: pass@k beyond {samples} cannot be fitted")
	fewToFit   = message.New("beyond.few_to_fit", "too few rollouts to fit a model of {quantity}")
	itemsAlike = message.New("beyond.items_alike",
		"items differ too little to extrapolate {quantity}: only the mean is meaningful")
	fitsAgree = message.New("beyond.fits_agree",
		"{quantity} at {k} is {value} by the {model} fit, and the {other} one agrees")
	fitsDiffer = message.New("beyond.fits_differ", "{quantity} at {k} is {value} by the {model} fit and "+
		"{other_value} by the {other} one, which lets some items never do better than their worst: samples cannot "+
		"tell such items from ones that hardly ever do, and the gap of {gap|point} is uncertainty of the model that "+
		"no interval shows")
	fitMisleads = message.New("beyond.fit_misleads", "the {model} fit does not describe these items, and nothing "+
		"is extrapolated from it: it puts {quantity} at {value} for {samples}, and {measured} was measured ({low} "+
		"to {high})")
)

// extrapolate fits the models beyond the samples and fills in their estimates: pass@k if a pass
// threshold is set, and best of k and the informative share if rewards take at most 8 values. It
// adds a note for a model that cannot be fitted, and for one that misses the measured values; the
// bracket of the informative share does not need a model.
func (m *Split) extrapolate(sr *analysis.SplitResult) {
	sr.Beyond = analysis.Extrapolation{
		Fits: []analysis.ModelFit{}, BestOf: []analysis.Extrapolated{},
		Notes: []message.Text{},
	}
	if len(m.Measured) == 0 {
		return
	}
	e := extrapolation{m: m, sr: sr}
	if m.Samples < 2 {
		e.note(oneRollout, nil)
		return
	}
	values := m.values()
	switch {
	case len(values) > dirichletValues:
		e.note(manyValues, message.Args{
			"values":  message.Count(dirichletValues, "value"),
			"samples": message.Count(m.Samples, "sample"),
		})
	case len(values) == 1:
		e.note(equalRewards, nil)
	default:
		e.rewards(values)
	}
	if m.s.PassThreshold != nil {
		e.passes(*m.s.PassThreshold)
	}
	for _, draw := range e.draws { // once every quantity has been compared with its measured value
		draw()
	}
}

// extrapolation collects the models' estimates for one split.
type extrapolation struct {
	m     *Split
	sr    *analysis.SplitResult
	known []*fitted // the fits made so far
	draws []func()
}

// fitted is one model of some counts and its refits on resampled items.
type fitted struct {
	model   string
	counts  [][]int
	fit     stat.Chances
	refits  []stat.Chances
	misfit  bool  // it misses the measured value of some quantity
	indices []int // its indices in Beyond.Fits
}

func (e *extrapolation) note(def message.Def, args message.Args) {
	e.sr.Beyond.Notes = append(e.sr.Beyond.Notes, def.With(args))
}

func (e *extrapolation) rewards(values []float64) {
	counts := e.m.outcomeCounts(values)
	plain := analysis.Dirichlet
	if len(values) == 2 {
		plain = analysis.BetaBinomial
	}
	fits := e.fit(analysis.InformativeGroups, counts, values, plain)
	if measured, _ := e.sr.SignalAt(e.m.Samples); measured != nil {
		e.check(analysis.InformativeGroups, measured.Estimate, fits, stat.Chances.Informative)
	}
	e.draws = append(e.draws, func() {
		ks := e.m.farKs()
		e.sr.Extrapolated = append(e.sr.Extrapolated,
			e.curve(analysis.InformativeGroups, fits, ks,
				func(c stat.Chances, k int) float64 { return c.Informative(k) })...)
		e.sr.Beyond.BestOf = append(e.sr.Beyond.BestOf,
			e.curve(analysis.BestOfK, fits, ks, func(c stat.Chances, k int) float64 { return c.BestOf(k, values) })...)
		e.gap(analysis.InformativeGroups)
	})
}

func (e *extrapolation) passes(threshold float64) {
	successes, n := make([]int, len(e.m.Measured)), make([]int, len(e.m.Measured))
	hits, total := 0, 0
	for i, ys := range e.m.Rewards {
		n[i] = len(ys)
		for _, y := range ys {
			if y >= threshold {
				successes[i]++
			}
		}
		hits, total = hits+successes[i], total+n[i]
	}
	switch hits {
	case 0:
		e.note(allFail, message.Args{"samples": message.Count(e.m.Samples, "sample")})
		return
	case total:
		e.note(allPass, message.Args{"samples": message.Count(e.m.Samples, "sample")})
		return
	}
	fits := e.fit(analysis.PassAtK, stat.Trials(successes, n), []float64{0, 1}, analysis.BetaBinomial)
	if p := e.sr.PassAt; len(p) > 0 {
		e.check(analysis.PassAtK, p[len(p)-1].Estimate, fits, stat.Chances.PassAt)
	}
	e.draws = append(e.draws, func() {
		e.sr.Extrapolated = append(e.sr.Extrapolated,
			e.curve(analysis.PassAtK, fits, e.m.farKs(), func(c stat.Chances, k int) float64 { return c.PassAt(k) })...)
		e.gap(analysis.PassAtK)
	})
}

// fit fits both models and reports them. It returns those that predict something beyond the
// samples. If the plain model, or a model without a point mass, finds the items alike, nothing is
// extrapolated from it. A model with a point mass and otherwise alike items is returned: its two
// shares are meaningful.
func (e *extrapolation) fit(quantity string, counts [][]int, outcomes []float64, plain string) []*fitted {
	var usable []*fitted
	for _, model := range []string{plain, analysis.ZeroInflated} {
		f, ok := e.fitOnce(counts, model)
		if !ok {
			e.note(fewToFit, message.Args{"quantity": quantityWords(quantity)})
			return nil
		}
		alike := f.fit.Alike()
		f.indices = append(f.indices, len(e.sr.Beyond.Fits))
		e.sr.Beyond.Fits = append(e.sr.Beyond.Fits,
			modelFit(quantity, f, outcomes, len(e.m.Measured), CountAll(e.m.Rewards)))
		if alike && (model == plain || f.fit.Zero == 0) {
			e.note(itemsAlike, message.Args{"quantity": quantityWords(quantity)})
			return nil
		}
		usable = append(usable, f)
	}
	return usable
}

// fitOnce fits a model unless it was already fitted to the same counts.
func (e *extrapolation) fitOnce(counts [][]int, model string) (*fitted, bool) {
	for _, f := range e.known {
		if f.model == model && slices.EqualFunc(f.counts, counts, slices.Equal[[]int]) {
			return f, true
		}
	}
	inflated := model == analysis.ZeroInflated
	fit, ok := stat.FitChances(counts, inflated)
	if !ok {
		return nil, false
	}
	f := &fitted{model: model, counts: counts, fit: fit}
	f.refits = stat.Refits(counts, fit, inflated, e.m.s.Boot, e.m.s.Seed^extrapolateSeed)
	e.known = append(e.known, f)
	return f, true
}

func modelFit(quantity string, f *fitted, outcomes []float64, items, n int) analysis.ModelFit {
	out := analysis.ModelFit{
		Quantity: quantity, Model: f.model, Outcomes: outcomes, Alpha: f.fit.Alpha, Zero: f.fit.Zero,
		Alike: f.fit.Alike(), LogLikelihood: f.fit.LogLikelihood, Items: items, N: n, Refits: len(f.refits),
	}
	for v := range outcomes {
		out.Share = append(out.Share, f.fit.Share(v))
	}
	return out
}

// farKs lists the k to extrapolate to, ascending: the powers of two above the samples up to at
// least 256 and four groups, and the group size. Both models cover all of them: showing only one
// would hide, beyond 8 times the samples, how little the samples can tell.
func (m *Split) farKs() []int {
	g, n := m.s.GroupSize, m.Samples
	var ks []int
	for k := 2; k < 2*max(farthestK, groupReach*g, n+1); k *= 2 {
		if k > n {
			ks = append(ks, k)
		}
	}
	if g > n {
		ks = append(ks, g)
	}
	slices.Sort(ks)
	return slices.Compact(ks)
}

func (e *extrapolation) curve(quantity string, fits []*fitted, ks []int,
	f func(stat.Chances, int) float64,
) []analysis.Extrapolated {
	var out []analysis.Extrapolated
	for _, fit := range fits {
		if fit.misfit {
			for _, i := range fit.indices {
				e.sr.Beyond.Fits[i].Misfit = true
			}
			continue
		}
		for _, k := range ks {
			value := f(fit.fit, k)
			x := analysis.Extrapolated{Quantity: quantity, K: k, Model: fit.model, Value: stat.FiniteOrNil(value)}
			estimate := func(c stat.Chances) float64 { return f(c, k) }
			if low, high, ok := stat.Percentiles(value, fit.refits, estimate, e.m.s.Confidence); ok {
				x.Low, x.High = stat.FiniteOrNil(low), stat.FiniteOrNil(high)
			}
			out = append(out, x)
		}
	}
	return out
}

// gap notes how far the two models differ at the largest k.
func (e *extrapolation) gap(quantity string) {
	var last []analysis.Extrapolated
	for _, x := range e.sr.Fits(quantity) {
		if len(last) == 0 || x.K >= last[0].K {
			if len(last) > 0 && x.K > last[0].K {
				last = nil
			}
			last = append(last, x)
		}
	}
	if len(last) != 2 {
		return
	}
	a, b := last[0], last[1]
	apart := math.Abs(*a.Value - *b.Value)
	args := message.Args{
		"quantity": quantityWords(quantity), "k": message.Int(a.K), "value": message.KnownShare(a.Value),
		"model":       modelWords(a.Model),
		"other_value": message.KnownShare(b.Value), "other": modelWords(b.Model), "gap": message.Number(100 * apart),
	}
	if apart < 0.005 {
		e.note(fitsAgree, args)
		return
	}
	e.note(fitsDiffer, args)
}

// check marks, and adds a note on, the models that miss the value measured at all samples. Such a
// model does not describe these items, and even less beyond the samples, so nothing is extrapolated
// from it for any quantity.
func (e *extrapolation) check(quantity string, measured stat.Estimate, fits []*fitted,
	f func(stat.Chances, int) float64,
) {
	for _, fit := range fits {
		predicted := f(fit.fit, e.m.Samples)
		if measured.Low == nil || measured.High == nil || predicted >= *measured.Low && predicted <= *measured.High {
			continue
		}
		fit.misfit = true
		shown, measured := e.sr.Shown(quantity, stat.Estimate{Value: &predicted}), e.sr.Shown(quantity, measured)
		e.note(fitMisleads, message.Args{
			"model": modelWords(fit.model), "quantity": quantityWords(quantity),
			"value": message.KnownShare(shown.Value), "samples": message.Count(e.m.Samples, "sample"),
			"measured": message.KnownShare(measured.Value), "low": message.KnownShare(measured.Low),
			"high": message.KnownShare(measured.High),
		})
	}
}

// values lists the distinct rewards, ascending, up to float noise. It stops once there are more
// than dirichletValues.
func (m *Split) values() []float64 {
	var all []float64
	for _, ys := range m.Rewards {
		for _, y := range ys {
			if index, found := m.valueAt(all, y); !found {
				if len(all) > dirichletValues {
					return all
				}
				all = slices.Insert(all, index, y)
			}
		}
	}
	return all
}

// valueAt finds the index of y among ascending values, up to float noise.
func (m *Split) valueAt(values []float64, y float64) (index int, found bool) {
	for i, v := range values {
		if m.same(v, y) {
			return i, true
		}
		if y < v {
			return i, false
		}
	}
	return len(values), false
}

// outcomeCounts counts, for each measured item, how often it earned each value.
func (m *Split) outcomeCounts(values []float64) [][]int {
	counts := make([][]int, len(m.Rewards))
	for i, ys := range m.Rewards {
		counts[i] = make([]int, len(values))
		for _, y := range ys {
			index, _ := m.valueAt(values, y)
			counts[i][min(index, len(values)-1)]++
		}
	}
	return counts
}

var (
	modelNames = map[string]message.Def{
		analysis.BetaBinomial: message.New("beyond.beta_binomial", "beta-binomial"),
		analysis.ZeroInflated: message.New("beyond.zero_inflated", "zero-inflated"),
		analysis.Dirichlet:    message.New("beyond.dirichlet", "Dirichlet-multinomial"),
	}
	informativeShare = message.New("beyond.informative_share", "the share of informative groups")
)

// modelWords names a model in a sentence.
func modelWords(model string) message.Arg { return message.Nested(modelNames[model].Text()) }

func quantityWords(quantity string) message.Arg {
	if quantity == analysis.InformativeGroups {
		return message.Nested(informativeShare.Text())
	}
	return message.Name("pass@k")
}
