package analysis

import (
	"math"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

var (
	modelNames = map[string]message.Def{
		BetaBinomial: message.New("beyond.beta_binomial", "beta-binomial"),
		ZeroInflated: message.New("beyond.zero_inflated", "zero-inflated"),
		Dirichlet:    message.New("beyond.dirichlet", "Dirichlet-multinomial"),
	}
	informativeShare = message.New("beyond.informative_share", "the share of informative groups")
)

// modelWords names a model in a sentence.
func modelWords(model string) message.Arg { return message.Said(modelNames[model].Text()) }

func quantityWords(quantity string) message.Arg {
	if quantity == InformativeGroups {
		return message.Said(informativeShare.Text())
	}
	return message.Name("pass@k")
}

// Fits returns what the models say of a quantity beyond the samples, in their
// order; of the informative share net of grader noise where that is known, as
// Signal.Teaches is.
func (sr *SplitResult) Fits(quantity string) []Extrapolated {
	list := sr.Extrapolated
	if quantity == BestOfK {
		list = sr.Beyond.BestOf
	}
	var out []Extrapolated
	for _, x := range list {
		if x.Quantity != quantity || x.Value == nil {
			continue
		}
		e := sr.shown(quantity, stat.Estimate{Value: x.Value, Low: x.Low, High: x.High})
		x.Value, x.Low, x.High = e.Value, e.Low, e.High
		out = append(out, x)
	}
	return out
}

// shown is an estimate of a quantity as reports show it.
func (sr *SplitResult) shown(quantity string, e stat.Estimate) stat.Estimate {
	if quantity == InformativeGroups {
		return sr.net(e)
	}
	return e
}

// ExtrapolatedAt returns what Fits says at k; nil when nothing is extrapolated
// there.
func (sr *SplitResult) ExtrapolatedAt(quantity string, k int) []Extrapolated {
	var out []Extrapolated
	for _, x := range sr.Fits(quantity) {
		if x.K == k {
			out = append(out, x)
		}
	}
	return out
}

// fittedSignal says beside a bracket what the models put at the group size; it
// decides nothing. It is empty where nothing is extrapolated.
func fittedSignal(sr *SplitResult, g int) message.Text {
	fits := sr.ExtrapolatedAt(InformativeGroups, g)
	if len(fits) == 0 {
		return message.Text{}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range fits {
		low, high = math.Min(low, *x.Value), math.Max(high, *x.Value)
	}
	if message.Percent(low) == message.Percent(high) {
		return fittedAt.With(message.Args{"share": message.Share(low)})
	}
	return fittedBetween.With(message.Args{"low": message.Share(low), "high": message.Share(high)})
}

var (
	fittedAt      = message.New("signal.informative.fitted_at", " (models fitted to the items put it at {share}; they decide nothing)")
	fittedBetween = message.New("signal.informative.fitted", " (models fitted to the items put it at {low} to {high}; they decide nothing)")
)
