package analysis

import (
	"maps"

	"gonogo/analysis/message"
)

// Words are what is said of one fact, in English, for someone who has never trained
// a model. Names in braces are filled in: {value}, {low}, {high}, {want}, {split},
// {percent}, {lowpercent}, {highpercent}, {needs}, and what the gate gives.
type Words struct {
	Why             string // it matters; shared by all answers
	Pass            string
	Fail, Unknown   string
	FailRemedy      string
	UnknownRemedy   string
	Caution         string // of a failing advisory finding
	CautionRemedy   string
	CautionUnknown  string
	CautionUnknownR string
	Unmeasured      string // of an unknown answer without any estimate; "": more rollouts are missing
	UnmeasuredR     string
}

// said are the messages of a Words, and the label of what they are about.
type said struct {
	label                                                              message.Def
	why                                                                message.Def
	pass, fail, unknown, caution, cautionUnknown, unmeasured           message.Def
	failRemedy, unknownRemedy, cautionRemedy, cautionUnknownR, without message.Def
}

// Wording is a title and what to do, as messages: NewWording makes one.
type Wording struct{ title, remedy message.Def }

// NewWording makes the messages of a wording of its own known: one that stands for
// those of the fact's words.
func NewWording(id, title, remedy string) Wording {
	return Wording{message.New(id, title), message.New(id+".remedy", remedy)}
}

var (
	skippedTitle = message.New("gate.skipped", "not checked: {reason}")
	unmeasured   = NewWording("gate.unmeasured", "not known: too few valid rollouts to estimate it",
		"Sample at least two rollouts of each item, or fix what made rollouts fail.")
)

// known makes the messages of a fact's words known.
func (w Words) known(id string) said {
	def := func(slot, text string) message.Def {
		if text == "" {
			return message.Def{}
		}
		return message.New(id+"."+slot, text)
	}
	s := said{
		why: def("why", w.Why), pass: def("pass", w.Pass), fail: def("fail", w.Fail), unknown: def("unknown", w.Unknown),
		caution: def("caution", w.Caution), cautionUnknown: def("caution_unknown", w.CautionUnknown),
		failRemedy: def("fail.remedy", w.FailRemedy), unknownRemedy: def("unknown.remedy", w.UnknownRemedy),
		cautionRemedy: def("caution.remedy", w.CautionRemedy), cautionUnknownR: def("caution_unknown.remedy", w.CautionUnknownR),
		unmeasured: unmeasured.title, without: unmeasured.remedy,
	}
	if w.Unmeasured != "" {
		s.unmeasured, s.without = def("unmeasured", w.Unmeasured), def("unmeasured.remedy", w.UnmeasuredR)
	}
	return s
}

// of returns what is said of a finding, to be filled in.
func (s said) of(f *Finding) Wording {
	switch {
	case f.Status == Skipped:
		return Wording{title: skippedTitle}
	case f.Status == Unknown && f.Value == nil && (f.Low == nil || f.High == nil):
		return Wording{s.unmeasured, s.without}
	case f.Status == Pass:
		return Wording{title: s.pass}
	case f.Status == Fail && f.Severity == Advisory:
		return Wording{s.caution, s.cautionRemedy}
	case f.Status == Fail:
		return Wording{s.fail, s.failRemedy}
	case f.Severity == Advisory:
		return Wording{s.cautionUnknown, s.cautionUnknownR}
	}
	return Wording{s.unknown, s.unknownRemedy}
}

// say fills the texts of a finding with its own numbers and the gate's.
func (f *Finding) say(words said, instead *Wording, vars message.Args) {
	known := message.Known
	if f.Unit == message.UnitShare {
		known = message.KnownShare
	}
	args := message.Args{
		"value": known(f.Value), "low": known(f.Low), "high": known(f.High), "want": message.Nested(f.Want),
		"split": message.Name(string(f.Split)), "percent": message.KnownShare(f.Value), "lowpercent": message.KnownShare(f.Low), "highpercent": message.KnownShare(f.High),
		"needs": message.Nested(needs(f)),
	}
	maps.Copy(args, Commands)
	maps.Copy(args, vars)
	w := words.of(f)
	if instead != nil {
		w = *instead
	}
	f.Title, f.Why, f.Remedy = w.title.With(args), words.why.With(args), w.remedy.With(args)
}

// Commands are what texts ask for, by the names that they have in all of them.
var Commands = message.Args{
	"audit":      message.Command("gonogo", "audit", message.Run),
	"audit_more": message.Command("gonogo", "audit", message.Run, "--items", "40"),
	"audit_with": message.Command("gonogo", "audit", message.Run, "--grader", "FILE"),
	"audit_next": message.Command("gonogo", "audit", message.NextRun),
	"label":      message.Command("gonogo", "audit", message.Run, "--labels", "FILE"),
	"grade":      message.Command("gonogo", "grade", message.Run, "-o", message.NextRun),
	"burst":      message.Command("gonogo", "burst", message.Run),
	"run":        message.Command("gonogo", "run", "-o", message.Run),
	"run_next":   message.Command("gonogo", "run", "-o", message.NextRun),
}

var (
	needsData    = message.New("gate.needs", "About {items} with {samples} each would settle it.")
	needsMore    = message.New("gate.needs.more", "More data would settle it.")
	needsUnknown = message.New("gate.needs.unknown", "The estimate sits on the threshold or too little is known: more data alone may not settle it.")
)

// needs says how much more data would settle a finding.
func needs(f *Finding) message.Text {
	switch {
	case f.Needs != nil && f.Settleable:
		return needsData.With(message.Args{"items": message.Count(f.Needs.Items, "item"), "samples": message.Count(f.Needs.Samples, "sample")})
	case f.Settleable:
		return needsMore.Text()
	}
	return needsUnknown.Text()
}

// What a threshold asks for.
var (
	wantAtLeast = message.New("want.at_least", "≥ {limit}")
	wantAtMost  = message.New("want.at_most", "≤ {limit}")
	WantAbove   = message.New("want.above", "> {limit}")
	WantBelow   = message.New("want.below", "< {limit}")
	WantNone    = message.New("want.none", "0")
	WantP       = message.New("want.p", "p ≥ {limit}")
)

// WantAtLeast words a threshold that a value must reach.
func WantAtLeast(limit float64) message.Text { return wantAtLeast.With(Limit(limit)) }

// WantAtMost words a threshold that a value must not exceed.
func WantAtMost(limit float64) message.Text { return wantAtMost.With(Limit(limit)) }

// Limit is a threshold among the arguments of a message.
func Limit(limit float64) message.Args { return message.Args{"limit": message.Number(limit)} }
