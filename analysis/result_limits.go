package analysis

import "gonogo/analysis/stat"

// LongRollouts are the valid rollouts far beyond the median: a training step waits for
// its longest ones.
type LongRollouts struct {
	Times float64 `json:"times"` // how many medians a rollout may take
	Calls float64 `json:"calls"` // a rollout with more tool calls is long
	Turns float64 `json:"turns"` // and so is one with more turns
	N     int     `json:"n"`     // long rollouts

	Share stat.Estimate `json:"share"` // of rollouts whose course is known

	// What long rollouts earn, and the others: within the items that have both kinds,
	// else between items. Null without any of one kind.
	Earn  *Contrast `json:"earn"`
	Items []string  `json:"items"` // a few with a long rollout, most first
}

// Contrast is the mean reward of rollouts of one kind against the others.
type Contrast struct {
	These      stat.Estimate `json:"these"`
	Others     stat.Estimate `json:"others"`
	Difference stat.Estimate `json:"difference"` // these - others
}

// WhatIf is what the recorded rollouts would have earned under tighter limits. Nothing
// was sampled for it: a rollout that a limit would have cut off counts at the bottom of
// the reward range, and the others as they are. A model that is told of a limit, or
// trained under it, may do better.
type WhatIf struct {
	Quantity  string   `json:"quantity"`   // tool_calls or output_tokens of a whole rollout
	Limit     *float64 `json:"limit"`      // in force when the rollouts were made; null where none is known
	GroupSize int      `json:"group_size"` // of Informative: the trainer's, or as many samples as items have
	N         int      `json:"n"`          // rollouts that tell the quantity
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

// CapTokens is the quantity of a WhatIf about the tokens that the model writes,
// reasoning included; that about calls is CostCalls.
const CapTokens = "output_tokens"

// LittleReward is the share of the reward range that a limit may cost and still count
// as one that costs next to nothing.
const LittleReward = 0.01

// Tightest returns the tightest limit whose mean reward is at most LittleReward of the
// range below that of the rollouts as they are; false where the list is empty.
func (w *WhatIf) Tightest(r stat.Range) (Cap, bool) {
	for _, c := range w.Caps {
		if c.Change.Value != nil && *c.Change.Value >= -LittleReward*r.Width() {
			return c, true
		}
	}
	return Cap{}, false
}
