package analysis

import (
	"strings"

	"gonogo/analysis/message"
)

// Gate is one check, complete with its thresholds and its words. Check reads a measured Result and
// returns one finding for each severity and split that it judges. A gate with Parts runs each part
// and returns one finding for each severity and split: the finding of the worst part, with the
// facts of the others.
type Gate struct {
	// lower case, dotted; its findings, thresholds and messages begin with it
	Name string `json:"name"`
	// what it judges in a few words, such as "Room to improve"; if empty, the gate's name
	Label      string      `json:"label,omitempty"`
	Topic      string      `json:"-"` // the subject, such as grader; if empty, the first part of the name
	Doc        string      `json:"doc,omitempty"`
	Thresholds []Threshold `json:"-"`
	Charts     []string    `json:"-"` // the names of the pictures that show what it judges
	// it judges rewards: a report marks it if the grader fails its audit
	OnRewards bool `json:"on_rewards,omitempty"`
	// what a NO-GO because of it claims: NothingToLearn; "" is Repair
	Claim string `json:"claim,omitempty"`
	// one of the three numbers at the top of a report shows what it judges
	Headline bool  `json:"headline,omitempty"`
	Words    Words `json:"-"`
	// from Judgement or Skip; the gate adds the rest
	Check func(r *Result, t Thresholds) []Finding `json:"-"`

	// Parts are run instead of Check, most serious first: of several parts with equally
	// bad answers, the first leads the finding. Only the Name, Label, Doc, Words, Charts
	// and Check of each part are used; if all pass, the gate's own Words.Pass is shown.
	Parts []*Gate `json:"parts,omitempty"`
}

// Judge runs the gate, or its parts.
func (g *Gate) Judge(r *Result, t Thresholds) []Finding {
	topic := g.Topic
	if topic == "" {
		topic, _, _ = strings.Cut(g.Name, ".")
	}
	out := g.facts(r, t)
	if len(g.Parts) > 0 {
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

// facts returns the findings of the check, or of the parts, with their texts.
func (g *Gate) facts(r *Result, t Thresholds) []Finding {
	var out []Finding
	for _, part := range g.Parts {
		out = append(out, part.facts(r, t)...)
	}
	if len(g.Parts) > 0 {
		return out
	}
	out = g.Check(r, t)
	for i := range out {
		out[i].ID, out[i].Charts = g.Name, g.Charts
		g.word(&out[i])
	}
	return out
}

// LabelIn returns the label in a language; "" if the gate has none.
func (g *Gate) LabelIn(l message.Language) string { return l.Text(g.Name+".label", g.Label) }
