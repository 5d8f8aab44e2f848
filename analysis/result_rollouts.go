package analysis

import (
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/markup"
)

// FinishStats counts how the last replies of a split's rollouts ended, except rollouts lost to a
// failed endpoint.
type FinishStats struct {
	Rollouts int `json:"rollouts"`
	Known    int `json:"known"` // rollouts whose ending is known
	Stop     int `json:"stop"`
	Length   int `json:"length"` // cut off by a token limit
	// rollouts of Length whose conversation outgrew the context of the model's server
	Outgrown int `json:"outgrown,omitempty"`
	// rollouts of Length whose requests set no limit: the server's context or its default ended
	// them
	NoLimit int `json:"no_limit,omitempty"`
	Refusal int `json:"refusal"`
	Filter  int `json:"filter"` // withheld or cut off by a content filter
	Empty   int `json:"empty"`
	Blanked int `json:"blanked,omitempty"` // in which the model or the grader read ********** in the place of a secret

	// Shares of rollouts with their intervals: without an answer; and, if the run also records
	// ordinary endings, cut off and refused (or filtered).
	NoAnswer *stat.Estimate `json:"no_answer,omitempty"`
	CutOff   *stat.Estimate `json:"cut_off,omitempty"`
	Refused  *stat.Estimate `json:"refused,omitempty"`

	Unfinished *float64 `json:"unfinished"` // share of rollouts that did not end by stop; null if unknown
	Items      []string `json:"items"`      // a few with such a rollout

	// FinishedTokens is the 99th percentile of the output tokens of a finished rollout;
	// null if none is recorded.
	FinishedTokens *float64 `json:"finished_tokens_p99"`
	// the estimates without unfinished rollouts, if there are any
	Without *FinishedOnly `json:"without,omitempty"`

	Answers     int                 `json:"answers"`      // rollouts with the text of an answer
	Markup      map[markup.Kind]int `json:"markup"`       // answers with text that the server should have parsed
	MarkupText  string              `json:"markup_text"`  // the token that reveals most of them; "" if there is none
	MarkupItems []string            `json:"markup_items"` // a few with such an answer
	// the part of such an answer around the token, of the first item by name
	MarkupAnswer string `json:"markup_answer,omitempty"`
}

// FinishedOnly holds the estimates over the finished rollouts alone.
type FinishedOnly struct {
	Reward stat.Estimate `json:"reward"`
	Signal []Signal      `json:"signal"` // at the group size
	Lift   stat.Estimate `json:"lift"`
}

// RewardByCost relates the reward to one cost of the rollouts, such as tokens.
type RewardByCost struct {
	Quantity string      `json:"quantity"` // tool_calls, tokens or latency_s
	Bins     []RewardBin `json:"bins"`     // the smallest first; a rollout counts in one
	Items    int         `json:"items"`
	N        int         `json:"n"` // rollouts whose quantity is known

	// Within is the correlation relative to the item's means, Pooled the one over all rollouts:
	// long rollouts may belong to hard items, so the two may differ in sign. For tokens and latency
	// the logarithm is used.
	Within stat.Estimate `json:"within"`
	Pooled stat.Estimate `json:"pooled"`
	P      *float64      `json:"p"` // of no correlation within items

	Limit *RewardAtLimit `json:"limit,omitempty"` // of tool calls, if some rollouts reach it and others do not
}

// RewardAtLimit compares the rollouts that reach a limit with those below it: a line through all of
// them would turn a cliff at the limit into a slope.
type RewardAtLimit struct {
	At      float64       `json:"at"`
	Reached stat.Estimate `json:"reached"` // mean reward at the limit, over the items compared
	Below   stat.Estimate `json:"below"`   // the same for the others
	// reached - below: within items that have both kinds, else between items
	Difference stat.Estimate `json:"difference"`
	Within     stat.Estimate `json:"within"` // correlation within items of the rollouts below the limit
}

// Cliff reports whether the limit itself cuts rollouts off: those that reach it earn less than the
// others of their items, by the whole interval, and below the limit the reward does not clearly
// fall with the quantity.
func (k *RewardAtLimit) Cliff() bool {
	below := func(e stat.Estimate) bool { return e.High != nil && *e.High < 0 }
	return k != nil && below(k.Difference) && !below(k.Within)
}

// LimitOf returns the comparison at the limit of a quantity; nil if it is unknown.
func (sr *SplitResult) LimitOf(quantity string) *RewardAtLimit {
	for i := range sr.Against {
		if sr.Against[i].Quantity == quantity {
			return sr.Against[i].Limit
		}
	}
	return nil
}

// RewardBin holds the rollouts whose quantity is between two values.
type RewardBin struct {
	From   float64       `json:"from"` // the smallest
	To     float64       `json:"to"`   // the largest
	Middle float64       `json:"middle"`
	Reward stat.Estimate `json:"reward"` // mean over the items that have such a rollout
}

// The quantities that the reward is compared with.
const (
	CostCalls   = "tool_calls"
	CostTokens  = "tokens" // into and out of the model
	CostLatency = "latency_s"
)

// MissingBy tests whether the rollouts lost to the model endpoint and the tools are missing at
// random: whether failures depend on the item, and whether they correlate with the reward. If they
// do, the remaining rollouts are a biased sample.
type MissingBy struct {
	Lost   int             `json:"lost"`   // attempts lost to the model endpoint or a tool, including repeated ones
	Most   int             `json:"most"`   // the fewest items that account for at least 80 % of them
	Share  *float64        `json:"share"`  // of them that these items account for
	Items  []string        `json:"items"`  // these items, most failures first; 20 at most
	Item   PermutationTest `json:"item"`   // failures by item: chi-square
	Reward PermutationTest `json:"reward"` // an item's share of failed attempts and its mean reward: rank correlation
}

// PermutationTest is a test by random permutations; its numbers are null if there is nothing to
// distinguish.
type PermutationTest struct {
	N         int      `json:"n"` // items
	Statistic *float64 `json:"statistic"`
	P         *float64 `json:"p"`
	Method    string   `json:"method"`
}

// Looks describes the looks of a run whose sampling ends once the verdict is decided. Confidence
// holds for all looks together; the result's own Confidence, that of its intervals, is for the
// current look.
type Looks struct {
	Rule       string         `json:"rule"`
	Confidence float64        `json:"confidence"`
	At         []int          `json:"at"`    // samples per item at each look planned
	Made       int            `json:"made"`  // looks made
	Ended      rollout.Ending `json:"ended"` // "" while sampling goes on
}

// Leaks counts rollouts that found something another rollout had left behind, by the canaries in
// their records. It is present if any rollout's canary was put in a place that is searched.
type Leaks struct {
	// rollouts that can show a leak: their own canary was in such a place, or they found another's
	Rollouts int           `json:"rollouts"`
	Leaking  int           `json:"leaking"`  // of these, rollouts that found another's canary
	Share    stat.Estimate `json:"share"`    // of these
	Items    []string      `json:"items"`    // a few of the leaking ones'
	Examples []LeakExample `json:"examples"` // a few of their leaks
}

// LeakExample is one canary of another rollout that a rollout found.
type LeakExample struct {
	RolloutName
	At     string       `json:"at"` // where: tool NAME, agent, model or session
	Canary string       `json:"canary"`
	Of     *RolloutName `json:"of"` // the rollout that it belongs to; null if it is none of this run's
}

// RolloutName names one attempt at a rollout.
type RolloutName struct {
	Split   rollout.Split `json:"split"`
	Item    string        `json:"item"`
	Sample  int           `json:"sample"`
	Attempt int           `json:"attempt"`
}
