package analysis

import (
	"maps"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Bound is what a threshold is compared with: a value and its interval.
type Bound struct {
	Value, Low, High *float64
}

// BoundOf returns the value of an estimate with its interval.
func BoundOf(e stat.Estimate) Bound { return Bound{e.Value, e.Low, e.High} }

// Observed is a share of what happened, without an interval.
func Observed(x float64) Bound { return Bound{Value: &x, Low: &x, High: &x} }

// AtLeast passes when the whole interval is at or above want, fails when all
// of it is below, and is unknown otherwise.
func (b Bound) AtLeast(want float64) Status {
	switch {
	case b.Low != nil && *b.Low >= want:
		return Pass
	case b.High != nil && *b.High < want:
		return Fail
	}
	return Unknown
}

// AtMost passes when the whole interval is at or below want, fails when all of
// it is above, and is unknown otherwise.
func (b Bound) AtMost(want float64) Status {
	switch {
	case b.High != nil && *b.High <= want:
		return Pass
	case b.Low != nil && *b.Low > want:
		return Fail
	}
	return Unknown
}

// Judgement is one finding in the making: a gate fills it in, and Finding makes the
// finding of it, worded by the gate's Words.
type Judgement struct {
	Gate     string        // the gate's or part's name
	Split    rollout.Split // "" when it concerns the whole run
	Severity Severity
	Unit     string         // of the value: reward, share, items, calls, tokens, seconds
	Want     message.Text   // the threshold in words, such as WantAtMost; its argument limit is the finding's Threshold
	Args     message.Args   // what the Words name beyond what every finding has
	Items    []string       // to look at
	Rows     []message.Text // what is listed instead of the items
	Needs    *Needs         // of an unknown answer: how many items and samples would settle it
	Settles  bool           // of an unknown answer: whether more data would settle it
	Instead  *Wording       // in the place of the title and remedy that the answer has
}

// Finding is the judgement with an answer and what it was compared by. It panics where
// no gate has made the name known.
func (j Judgement) Finding(status Status, b Bound) Finding {
	f := Finding{Gate: j.Gate, Split: j.Split, Severity: j.Severity, Fact: Fact{
		ID: j.Gate, Status: status, Value: b.Value, Low: b.Low, High: b.High, Want: wantIn(j.Unit, j.Want), Threshold: j.Want.Args["limit"].Number, Unit: j.Unit, Items: j.Items, Rows: j.Rows,
	}}
	if f.Items == nil {
		f.Items = []string{}
	}
	if status == Unknown {
		f.Needs, f.Settleable = j.Needs, j.Settles
	}
	f.say(wordsOf(j.Gate), j.Instead, j.Args)
	return f
}

// wantIn is a threshold in the unit of what is compared with it: shares are in per cent.
func wantIn(unit string, want message.Text) message.Text {
	if unit != message.UnitShare {
		return want
	}
	args := maps.Clone(want.Args)
	for _, name := range []string{"limit", "fail"} {
		if a, ok := args[name]; ok && a.Number != nil {
			a.Unit = unit
			args[name] = a
		}
	}
	return message.Text{ID: want.ID, Args: args}
}

// Skip says that a gate had nothing to judge, and why. A command among the arguments
// of why is one that would give it something.
func Skip(gate string, split rollout.Split, severity Severity, why message.Text) Finding {
	f := Finding{Gate: gate, Split: split, Severity: severity, Fact: Fact{ID: gate, Status: Skipped, Items: []string{}}}
	for _, a := range why.Args {
		if a.Command != nil {
			f.Command = a.Command
		}
	}
	f.say(wordsOf(gate), nil, message.Args{"reason": message.Nested(why)})
	return f
}

func wordsOf(gate string) said {
	w, known := words[gate]
	if !known {
		panic("analysis: no gate is called " + gate)
	}
	return w
}
