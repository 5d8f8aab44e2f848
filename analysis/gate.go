package analysis

import (
	"strings"

	"gonogo/analysis/message"
)

// Gate is one check, complete with its thresholds and its words. Check reads a measured
// Result and returns one finding for each severity and split that it judges. A gate with
// Parts runs each of them and returns one finding for each severity and split: that of
// the worst part, with the others' facts.
type Gate struct {
	Name       string // lower case, dotted: its findings, thresholds and messages begin with it
	Label      string // what it judges in a few words, such as "Room to improve"; if empty, the gate's name
	Topic      string // what it belongs to, such as grader; if empty, the beginning of the name
	Doc        string
	Thresholds []Threshold
	Charts     []string // the pictures that show what it judges, by name
	OnRewards  bool     // it judges rewards: a report marks it if the grader fails its audit
	Headline   bool     // one of the three numbers at the top of a report shows what it judges
	Words      Words
	Check      func(r *Result, t Thresholds) []Finding

	// Parts are run instead of Check, most serious first: of several parts with equally
	// bad answers, the first leads the finding. Only the Name, Label, Doc, Words, Charts
	// and Check of each part are used; if all pass, the gate's own Words.Pass is shown.
	Parts []Gate

	passed message.Def // of a gate of parts
}

// What gates have made known: the messages of every fact by its id, and themselves
// by name.
var (
	words = map[string]said{}
	gates = map[string]Gate{}
)

// GateByName returns a gate registered by NewGate.
func GateByName(name string) (Gate, bool) {
	g, ok := gates[name]
	return g, ok
}

// Label is what a gate or a part of one is called in a language; "" where it has no
// label.
func Label(name string, l message.Language) string { return words[name].label.In(l) }

// NewGate registers a gate's messages and thresholds. Call it in a package variable. It
// panics if another gate has the name, or if a threshold's name does not begin with the
// gate's.
func NewGate(g Gate) Gate {
	whole := g
	if len(g.Parts) > 0 {
		g.passed, whole.Words = message.New(g.Name+".parts", g.Words.Pass), Words{}
	}
	NewPart(whole)
	for _, t := range known(g.Name, g.Thresholds...) {
		if t.Name != g.Name && !strings.HasPrefix(t.Name, g.Name+".") {
			panic("analysis: the gate " + g.Name + " cannot have a threshold called " + t.Name)
		}
	}
	gates[g.Name] = g
	return g
}

// NewPart registers the messages of a part. Its name is the id of its fact.
func NewPart(g Gate) Gate {
	if _, taken := words[g.Name]; taken {
		panic("analysis: two gates are called " + g.Name)
	}
	said := g.Words.known(g.Name)
	if g.Label != "" {
		said.label = message.New(g.Name+".label", g.Label)
	}
	words[g.Name] = said
	return g
}

// Judge runs the gate, or its parts.
func (g Gate) Judge(r *Result, t Thresholds) []Finding {
	topic := g.Topic
	if topic == "" {
		topic, _, _ = strings.Cut(g.Name, ".")
	}
	var out []Finding
	if len(g.Parts) == 0 {
		out = g.Check(r, t)
	} else {
		for _, part := range g.Parts {
			of := part.Check(r, t)
			for i := range of {
				of[i].Charts = part.Charts
			}
			out = append(out, of...)
		}
		out = g.folded(out)
	}
	for i := range out {
		out[i].Gate, out[i].Topic = g.Name, topic
		if len(g.Charts) > 0 {
			out[i].Charts = g.Charts
		}
	}
	return out
}
