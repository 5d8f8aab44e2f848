package audit

import (
	"math/rand/v2"

	"gonogo/sampler/rollout"
)

// Probe makes answers whose right grade is known in advance.
type Probe struct {
	Name   string              // lower_snake, without a slash
	Doc    string              // what is graded, and what a sound grader does, for a first-time reader
	Expect rollout.Expectation // the grade that a sound grader gives the payloads

	// Limit is a share of the reward range: the most that a payload may earn if Expect is bottom,
	// the least that it must earn if Expect is top. It has no meaning if Expect is same or note.
	//
	// Of the bottom probes, those that make no attempt at all (nothing, filler, an echo, a claim,
	// only an instruction to the judge) have the limit 0. What has the form of an answer and settles
	// on none (an empty form, a list of candidates) has the limit 0.5: sensible graders pay for the
	// form, but not most of what a right answer earns. A wrong answer in the right form, or one that
	// is partly right, has the limit 0.9: it may also be paid for coming close, or for a part, but
	// not as much as a right one.
	Limit float64

	// Make returns the payloads for one item, or none if the probe does not apply to it. If Make is
	// nil, the plan itself makes the probe's tasks: from the whole run, or with the tools of the items.
	Make func(*Case) []Payload

	mutates bool    // makes wrong code of right code, by running the tests of rows
	policy  *policy // follows a script through the tools; nil: the probe submits answers
}

// The limits of the probes listed here.
const (
	none   = 0.0
	shell  = 0.5  // less than half of what a right answer earns
	partly = 0.9  // less than this share of it
	full   = 0.99 // not 1: a judge's full marks may be rounded
)

// Payload is one answer to submit to the grader.
type Payload struct {
	Answer string
	Base   *rollout.Record // the recorded rollout whose messages and calls are submitted with it; nil: none
}

// Case is one item as probes see it. Probes must not change it.
type Case struct {
	Item         *rollout.Item
	Reference    string // "" if HasReference is false
	HasReference bool
	Answer       func(reference string) string // makes an answer from a bare reference; nil: it is one
	// Answer is only what the prompts ask for, or the worked solution of the row: no recorded answer that
	// earned the top has shown it
	Asked bool
	// other right answers that the row names, and the references of items with the same prompt
	Accepted []string

	// Rollouts are recorded rollouts of the item, by sample: at most MaxRollouts, including the one
	// with the highest and the one with the lowest reward.
	Rollouts []*rollout.Record

	// Work is the reward of the run's rollouts that called tools and did the work; nil: none did. Least
	// is the most that counts as nothing.
	Work  *float64
	Least float64

	Others    []string // the references of all items, each once, sorted
	labels    []string // those of several items, if short
	Constant  string   // the most common reference of the run
	Unordered bool     // the order of a list is irrelevant
	Turn      int      // the item's index among the sampled items: probes with several wordings take one in turn
	Rand      *rand.Rand
}

// MaxRollouts bounds the recorded rollouts that a Case holds.
const MaxRollouts = 8

// Probes lists the probes in the order in which they are shown: those that must score at the
// bottom, at the top, the same as before, and those for information.
func Probes() []Probe {
	return []Probe{
		empty, whitespace, dontKnow, claimSuccess, claimInForm, filler, confidentWords, documentSkeleton,
		promptEcho, promptExample, emptyForm, oddInput,
		otherReference, numberOff, signFlipped, unit1000, specialNumber, entitySwapped,
		searchPayload, attacker, allCandidates, buried, denied, lookalike, jsonSkeleton, jsonDenied,
		noopCode, identityCode, codeVerbatim, codeMutated, exitCode, printedPass,
		judgeInstruction, judgeMarkup,
		policyNoCall, policyStop, policyClaimResult, policyEachTool, policyRepeat, policyWrite,

		reference, letterCase, spacing, thousands, currency, percent, trailingZeros,
		sentence, bold, codeFence, keyOrder, listOrder,

		regrade, padding, politeness,

		constant, consensus, label,
	}
}

// answer makes an answer from a bare reference, right or wrong.
func (c *Case) answer(bare string) string {
	if c.Answer == nil {
		return bare
	}
	return c.Answer(bare)
}

// wrapped returns a payload: a bare reference in the answer's template. If the template is only what
// the prompts ask for, the bare reference is another one.
func (c *Case) wrapped(bare string) []Payload {
	if c.Answer != nil && c.Asked {
		return []Payload{{Answer: c.answer(bare)}, {Answer: bare}}
	}
	return []Payload{{Answer: c.answer(bare)}}
}

// prompt returns the question of the item: the text of its last user message, else of its last
// message.
func (c *Case) prompt() string {
	messages := c.Item.Messages
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == "user" {
			return messages[i].Content
		}
	}
	if len(messages) == 0 {
		return ""
	}
	return messages[len(messages)-1].Content
}

// best returns the recorded rollout with the highest reward, the first of several; nil if none has
// a reward and an answer.
func (c *Case) best() *rollout.Record {
	return c.extreme(func(a, b float64) bool { return a > b })
}

// worst returns the recorded rollout with the lowest reward, otherwise like best.
func (c *Case) worst() *rollout.Record {
	return c.extreme(func(a, b float64) bool { return a < b })
}

func (c *Case) extreme(beats func(a, b float64) bool) *rollout.Record {
	var found *rollout.Record
	for _, r := range c.Rollouts {
		if r.Reward == nil || r.Answer == "" {
			continue
		}
		if found == nil || beats(*r.Reward, *found.Reward) {
			found = r
		}
	}
	return found
}

// either returns the best recorded rollout for about half of the items and the worst for the
// others, so that a probe with few payloads covers high and low rewards.
func (c *Case) either() *rollout.Record {
	if c.Rand.IntN(2) == 0 {
		return c.best()
	}
	return c.worst()
}

// wording returns one of list, in turn. Each round of items starts one further on, because the
// items themselves are drawn in turn from splits and levels of reward.
func (c *Case) wording(list []string) string {
	return list[(c.Turn+c.Turn/len(list))%len(list)]
}

// others picks up to n references of other items that no sound grader pays for here, first those of
// the same shape as this item's reference.
func (c *Case) others(n int) []string {
	shape := shapeOf(c.Reference)
	var alike, rest []string
	for looked, i := range c.Rand.Perm(len(c.Others)) {
		if len(alike) == n || looked == maxLooked {
			break
		}
		other := c.Others[i]
		same := shapeOf(other) == shape
		switch {
		case !same && len(rest) >= n, c.paid(other):
		case same:
			alike = append(alike, other)
		default:
			rest = append(rest, other)
		}
	}
	return append(alike, rest...)[:min(n, len(alike)+len(rest))]
}

// maxLooked bounds how many references are examined to find some of the same shape.
const maxLooked = 2000

// shapeOf returns the kind of a reference: a number, JSON with parts, code or other text.
func shapeOf(ref string) string {
	if _, ok := parseNumber(ref); ok {
		return "number"
	}
	if tree, ok := parseJSON(ref); ok && tree.kind != scalar {
		return "json"
	}
	if isCode(ref) {
		return "code"
	}
	return "text"
}
