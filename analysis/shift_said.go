package analysis

import (
	"slices"
	"strings"

	"gonogo/analysis/message"
)

// features are what texts and rollouts are compared by, beside names: those of
// tools and of fields stay as they are.
var features = []string{
	"characters", "words", "lines", "share of digits", "letters per word", "share of distinct words", "share of capitals", "share of punctuation",
	"share of CJK characters", "tool calls", "turns", "input tokens", "output tokens", "reward",
}

// Feature says what a comparison is about; "" for that of all features.
func (p *ShiftPair) Feature(l message.Language) string { return p.feature(l, p.About) }

func (p *ShiftPair) feature(l message.Language, name string) string {
	tool, called := strings.CutPrefix(name, "share of calls to ")
	switch {
	case p.On == OnFields:
		return name
	case called:
		return l.Say("share of calls to %s", tool)
	case slices.Contains(features, name):
		return l.Text(name)
	}
	return name
}

// Telling says what tells the splits apart: "words: median 51 in eval, 33 in
// train".
func (p *ShiftPair) Telling(l message.Language) []string {
	var list []string
	for _, top := range p.Top {
		if name, by, ok := strings.Cut(top, ": "); ok {
			top = l.Say("%s: %s", p.feature(l, name), l.Again(by))
		}
		list = append(list, top)
	}
	return list
}
