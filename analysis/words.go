package analysis

import (
	"maps"

	"gonogo/analysis/message"
)

// Words are the English texts of one fact, for readers who have never trained a model. Names in
// braces are filled in: {value}, {low}, {high}, {want}, {split}, {percent}, {lowpercent},
// {highpercent}, {needs}, and the arguments of the gate.
type Words struct {
	Why             string // why the gate matters; shared by all answers
	Pass            string
	Fail, Unknown   string
	FailRemedy      string
	UnknownRemedy   string
	Caution         string // of a failing advisory finding
	CautionRemedy   string
	CautionUnknown  string
	CautionUnknownR string
	Unmeasured      string // of an unknown answer without any estimate; "": a text about missing rollouts
	UnmeasuredR     string
}

// Wording is a title and a remedy, as messages; NewWording makes one.
type Wording struct{ title, remedy message.Def }

// NewWording registers the messages of a wording that replaces the fact's own words.
func NewWording(id, title, remedy string) Wording {
	return Wording{message.New(id, title), message.New(id+".remedy", remedy)}
}

var (
	skippedTitle = message.New("gate.skipped", "not checked: {reason}")
	unmeasured   = NewWording("gate.unmeasured", "not known: too few valid rollouts to estimate it",
		"Sample at least two rollouts of each item, or fix what made rollouts fail.")
)

// choose returns the words for a finding: the suffix of the message's id, the title and the remedy.
// The title may be empty if there is no estimate.
func (w Words) choose(f *Finding) (slot, title, remedy string) {
	switch {
	case f.Status == Unknown && f.Value == nil && (f.Low == nil || f.High == nil):
		return "unmeasured", w.Unmeasured, w.UnmeasuredR
	case f.Status == Pass:
		return "pass", w.Pass, ""
	case f.Status == Fail && f.Severity == Advisory:
		return "caution", w.Caution, w.CautionRemedy
	case f.Status == Fail:
		return "fail", w.Fail, w.FailRemedy
	case f.Severity == Advisory:
		return "caution_unknown", w.CautionUnknown, w.CautionUnknownR
	}
	return "unknown", w.Unknown, w.UnknownRemedy
}

// messages lists the label and the words of a gate: those of all its findings or, for a gate with
// parts, what it says if all of them pass.
func (g *Gate) messages() []message.Def {
	var list []message.Def
	add := func(slot, english string) {
		if english != "" {
			list = append(list, message.Def{ID: g.Name + "." + slot, English: english})
		}
	}
	add("label", g.Label)
	if len(g.Parts) > 0 {
		add("parts", g.Words.Pass)
		return list
	}
	add("why", g.Words.Why)
	for _, severity := range []Severity{Blocking, Advisory} {
		for _, fact := range []Fact{
			{Status: Pass},
			{Status: Fail},
			{Status: Unknown, Value: new(float64)},
			{Status: Unknown},
		} {
			slot, title, remedy := g.Words.choose(&Finding{Severity: severity, Fact: fact})
			add(slot, title)
			add(slot+".remedy", remedy)
		}
	}
	return list
}

// say returns words of the gate as a message; an empty one if there are no words.
func (g *Gate) say(slot, english string, args message.Args) message.Text {
	if english == "" {
		return message.Text{}
	}
	return message.New(g.Name+"."+slot, english).With(args)
}

// word fills in the texts of a finding from its numbers and the arguments of the check.
func (g *Gate) word(f *Finding) {
	known := message.Known
	if f.Unit == message.UnitShare {
		known = message.KnownShare
	}
	args := message.Args{
		"value": known(f.Value), "low": known(f.Low), "high": known(f.High), "want": message.Nested(f.Want),
		"split": message.Name(string(f.Split)), "percent": message.KnownShare(f.Value),
		"lowpercent": message.KnownShare(f.Low), "highpercent": message.KnownShare(f.High),
		"needs": message.Nested(needs(f)),
	}
	maps.Copy(args, Commands)
	maps.Copy(args, f.args)
	slot, title, remedy := g.Words.choose(f)
	instead := f.instead
	if instead == nil && title == "" && slot == "unmeasured" {
		instead = &unmeasured
	}
	switch {
	case f.Status == Skipped:
		f.Title = skippedTitle.With(args)
	case instead != nil:
		f.Title, f.Remedy = instead.title.With(args), instead.remedy.With(args)
	default:
		f.Title, f.Remedy = g.say(slot, title, args), g.say(slot+".remedy", remedy, args)
	}
	f.Why = g.say("why", g.Words.Why, args)
	f.args, f.instead = nil, nil
}

// Commands are the commands that texts ask for, by the names that all texts use.
var Commands = message.Args{
	"audit":      message.Command("gonogo", "audit", message.Run),
	"audit_more": message.Command("gonogo", "audit", message.Run, "--items", "40"),
	"audit_with": message.Command("gonogo", "audit", message.Run, "--grader", "FILE"),
	"audit_next": message.Command("gonogo", "audit", message.NextRun),
	"label":      message.Command("gonogo", "audit", message.Run, "--labels", "FILE"),
	"grade":      message.Command("gonogo", "grade", message.Run, "-o", message.NextRun),
	"grade_with": message.Command("gonogo", "grade", message.Run, "--grader", "FILE", "-o", message.NextRun),
	"burst":      message.Command("gonogo", "burst", message.Run),
	"pilot":      message.Command("gonogo", "pilot", message.Run, "--log", "LOG"),
	"run":        message.Command("gonogo", "run", "-o", message.Run),
	"run_next":   message.Command("gonogo", "run", "-o", message.NextRun),
}

var (
	needsData    = message.New("gate.needs", "About {items} with {samples} each would settle it.")
	needsMore    = message.New("gate.needs.more", "More data would settle it.")
	needsUnknown = message.New("gate.needs.unknown",
		"The estimate sits on the threshold or too little is known: more data alone may not settle it.")
)

// needs says how much more data would settle a finding.
func needs(f *Finding) message.Text {
	switch {
	case f.Needs != nil && f.Settleable:
		return needsData.With(message.Args{
			"items":   message.Count(f.Needs.Items, "item"),
			"samples": message.Count(f.Needs.Samples, "sample"),
		})
	case f.Settleable:
		return needsMore.Text()
	}
	return needsUnknown.Text()
}

// The conditions that thresholds impose.
var (
	wantAtLeast = message.New("want.at_least", "≥ {limit}")
	wantAtMost  = message.New("want.at_most", "≤ {limit}")
	WantAbove   = message.New("want.above", "> {limit}")
	WantBelow   = message.New("want.below", "< {limit}")
	WantNone    = message.New("want.none", "0")
	WantP       = message.New("want.p", "p ≥ {limit}")
)

// WantAtLeast returns the condition that a value must reach a limit.
func WantAtLeast(limit float64) message.Text { return wantAtLeast.With(Limit(limit)) }

// WantAtMost returns the condition that a value must not exceed a limit.
func WantAtMost(limit float64) message.Text { return wantAtMost.With(Limit(limit)) }

// Limit returns the arguments of a message with a limit.
func Limit(limit float64) message.Args { return message.Args{"limit": message.Number(limit)} }
