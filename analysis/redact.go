package analysis

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// WithoutTexts returns a copy of r without what models, tools, graders and data
// wrote: answers, payloads, references and errors are replaced by their lengths.
// Names stay: of items, tools, parts, probes, endpoints and models.
func (r *Result) WithoutTexts() (*Result, error) {
	var b bytes.Buffer
	if err := r.Encode(&b); err != nil {
		return nil, err
	}
	bare, err := Decode(&b)
	if err != nil {
		return nil, err
	}
	for _, s := range bare.Splits {
		for i := range s.Failures {
			untold(&s.Failures[i].Error)
		}
	}
	if bare.Grader != nil {
		bare.Grader.withoutTexts()
	}
	if bare.Burst != nil {
		bare.Burst.withoutTexts()
	}
	for i := range bare.Findings {
		bare.Findings[i].withoutTexts()
	}
	for i := range bare.NotJudged {
		bare.NotJudged[i].Why = bare.NotJudged[i].Why.WithoutForeign(unsaid)
	}
	for i := range bare.Problems {
		untold(&bare.Problems[i].Message)
	}
	if bare.Shift != nil {
		for i := range bare.Shift.Pairs {
			for j, top := range bare.Shift.Pairs[i].Top {
				bare.Shift.Pairs[i].Top[j] = top.WithoutForeign(unsaid)
			}
		}
	}
	return bare, nil
}

func (f *Finding) withoutTexts() {
	for _, x := range append([]*Fact{&f.Fact}, pointers(f.Others)...) {
		x.Title, x.Remedy = x.Title.WithoutForeign(unsaid), x.Remedy.WithoutForeign(unsaid)
		for i := range x.Rows {
			x.Rows[i] = x.Rows[i].WithoutForeign(unsaid)
		}
	}
}

func pointers(facts []Fact) []*Fact {
	out := make([]*Fact, len(facts))
	for i := range facts {
		out[i] = &facts[i]
	}
	return out
}

func (g *Grader) withoutTexts() {
	untold(&g.GuessableAnswer)
	for i := range g.Failures {
		untold(&g.Failures[i].Example)
	}
	for i := range g.Probes {
		for j := range g.Probes[i].Holes {
			untold(&g.Probes[i].Holes[j].Payload)
		}
	}
	for i := range g.SuspectReferences {
		untold(&g.SuspectReferences[i].Answer)
		untold(&g.SuspectReferences[i].Reference)
	}
	for i := range g.TooGood {
		g.TooGood[i].Note = g.TooGood[i].Note.WithoutForeign(unsaid)
	}
}

func (b *Burst) withoutTexts() {
	if b.FirstFailure != nil {
		untold(&b.FirstFailure.Error)
	}
	for i := range b.Endpoints {
		for j := range b.Endpoints[i].Errors {
			untold(&b.Endpoints[i].Errors[j].Example)
		}
	}
}

// untold puts a text's length in its place.
func untold(s *string) {
	*s = unsaid(*s)
}

// unsaid is the length of a text in its place.
func unsaid(s string) string {
	if s == "" {
		return ""
	}
	return "[" + strconv.Itoa(utf8.RuneCountInString(s)) + " characters]"
}
