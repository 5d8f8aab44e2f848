package analysis

import (
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// bound is what a threshold is compared with: a value and its interval.
type bound struct {
	value, low, high *float64
}

func boundOf(e stat.Estimate) bound { return bound{e.Value, e.Low, e.High} }

// observed is a share of what happened, without an interval.
func observed(x float64) bound { return bound{value: &x, low: &x, high: &x} }

// atLeast passes when the whole interval is at or above want, fails when all
// of it is below, and is unknown otherwise.
func (b bound) atLeast(want float64) Status {
	switch {
	case b.low != nil && *b.low >= want:
		return Pass
	case b.high != nil && *b.high < want:
		return Fail
	}
	return Unknown
}

// atMost passes when the whole interval is at or below want, fails when all of
// it is above, and is unknown otherwise.
func (b bound) atMost(want float64) Status {
	switch {
	case b.high != nil && *b.high <= want:
		return Pass
	case b.low != nil && *b.low > want:
		return Fail
	}
	return Unknown
}

// judgement is one finding in the making.
type judgement struct {
	gate     string
	split    rollout.Split
	severity Severity
	unit     string
	want     message.Text
	vars     message.Args // further arguments of the messages
	items    []string
	rows     []message.Text // what is listed instead of the items
	needs    *Needs
	settles  bool
	said     *wording // instead of the fact's own title and remedy
}

// finding fills the texts with the numbers.
func (j judgement) finding(status Status, b bound) Finding {
	f := Finding{Gate: j.gate, Split: j.split, Severity: j.severity, Fact: Fact{
		ID: j.gate, Status: status, Value: b.value, Low: b.low, High: b.high, Want: j.want, Threshold: j.want.Args["limit"].Number, Unit: j.unit, Items: j.items, Rows: j.rows,
	}}
	if f.Items == nil {
		f.Items = []string{}
	}
	if status == Unknown {
		f.Needs, f.Settleable = j.needs, j.settles
	}
	f.say(words[j.gate], j.said, j.vars)
	return f
}

// skipped says that a gate had nothing to judge, and why. Where a command would give it
// something, set the Finding's Command.
func skipped(gate string, split rollout.Split, severity Severity, why message.Text) Finding {
	f := Finding{Gate: gate, Split: split, Severity: severity, Fact: Fact{ID: gate, Status: Skipped, Items: []string{}}}
	f.say(words[gate], nil, message.Args{"reason": message.Said(why)})
	return f
}
