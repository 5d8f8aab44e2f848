package measure

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
)

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
