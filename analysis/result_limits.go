package analysis

import "gonogo/analysis/stat"

// LongRollouts describes the valid rollouts far above the median: a training step waits for its
// longest ones.
type LongRollouts struct {
	Times float64 `json:"times"` // limit in multiples of the median
	Calls float64 `json:"calls"` // a rollout with more tool calls is long
	Turns float64 `json:"turns"` // and so is one with more turns
	N     int     `json:"n"`     // long rollouts

	Share stat.Estimate `json:"share"` // of rollouts whose course is known

	// The rewards of long rollouts and of the others: within the items that have both kinds, else
	// between items. Null if one kind does not occur.
	Earn  *Contrast `json:"earn"`
	Items []string  `json:"items"` // some with a long rollout, most first
}

// Contrast is the mean reward of rollouts of one kind compared with the others.
type Contrast struct {
	These      stat.Estimate `json:"these"`
	Others     stat.Estimate `json:"others"`
	Difference stat.Estimate `json:"difference"` // these - others
}

// WhatIf is what the recorded rollouts would have earned under tighter limits. It is computed
// without new samples: a rollout that the limit would have cut off counts at the bottom of the
// reward range, and the others do not change. A model that knows the limit, or is trained under it,
// may do better.
type WhatIf struct {
	Quantity  string   `json:"quantity"`   // tool_calls or output_tokens of a whole rollout
	Limit     *float64 `json:"limit"`      // in force when the rollouts were made; null if unknown
	GroupSize int      `json:"group_size"` // for Informative: the trainer's, or the samples per item if these are fewer
	N         int      `json:"n"`          // rollouts that record the quantity
	Items     int      `json:"items"`
	Caps      []Cap    `json:"caps"` // from the tightest to one that cuts no rollout
}

// Cap is one limit.
type Cap struct {
	At          float64       `json:"at"`          // the most a rollout may take
	Cut         stat.Estimate `json:"cut"`         // share of rollouts that take more
	Reward      stat.Estimate `json:"reward"`      // mean over items
	Change      stat.Estimate `json:"change"`      // of the mean reward, item by item
	Informative stat.Estimate `json:"informative"` // share of groups that teach
}

// CapTokens is the quantity of a WhatIf about the tokens that the model writes, including
// reasoning; CostCalls is the one about calls.
const CapTokens = "output_tokens"

// The largest costs of a limit that count as next to nothing: shares of the reward range, and of
// what the rollouts earn above its bottom.
const (
	littleOfRange  = 0.01
	littleOfEarned = 0.05
)

// Tightest returns the tightest limit that costs almost nothing: at most 1 % of the reward range
// and 5 % of the mean reward. ok is false if the rollouts earn nothing.
func (w *WhatIf) Tightest(r stat.Range) (Cap, bool) {
	if len(w.Caps) == 0 {
		return Cap{}, false
	}
	earned := stat.ValueOr(w.Caps[len(w.Caps)-1].Reward.Value, r.Lo) - r.Lo
	for _, c := range w.Caps {
		if earned > 0 && c.Change.Value != nil &&
			*c.Change.Value >= -min(littleOfRange*r.Width(), littleOfEarned*earned) {
			return c, true
		}
	}
	return Cap{}, false
}

// WhatIfOf returns the effect of tighter limits on a quantity; nil if it is unknown.
func (sr *SplitResult) WhatIfOf(quantity string) *WhatIf {
	for i := range sr.WhatIf {
		if sr.WhatIf[i].Quantity == quantity && len(sr.WhatIf[i].Caps) > 0 {
			return &sr.WhatIf[i]
		}
	}
	return nil
}

// LongShare is the share of long rollouts; nil if it is unknown.
func (u *ToolUse) LongShare() *stat.Estimate {
	if u.Long == nil {
		return nil
	}
	return &u.Long.Share
}
