package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// Encode writes the result as result.json: indented, with a final
// newline, the same bytes for the same result.
func (r *Result) Encode(w io.Writer) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// Decode reads a result.json. A file of another schema is refused: keys may have been
// renamed since. So is an incomplete one, or one whose exit code does not match its
// verdict: a GO that was never given would go unnoticed.
func Decode(rd io.Reader) (*Result, error) {
	var r Result
	err := json.NewDecoder(rd).Decode(&r)
	// its keys may hold something else, which is an error then
	if r.Schema != Schema && (err == nil || r.Schema != "") {
		return nil, fmt.Errorf("the result has schema %q and this version reads %q: run gonogo analyze again",
			r.Schema, Schema)
	}
	if err != nil {
		return nil, fmt.Errorf("decode result: %w: run gonogo analyze again", err)
	}
	switch r.Verdict {
	case Go, NoGo, Undecided:
	default:
		return nil, fmt.Errorf("the result has the verdict %q, not %s, %s or %s: run gonogo analyze again", r.Verdict,
			Go, NoGo, Undecided)
	}
	if r.ExitCode != r.Verdict.ExitCode() {
		return nil, fmt.Errorf("the result has the verdict %s and the exit code %d, which contradict each other: "+
			"run gonogo analyze again", r.Verdict, r.ExitCode)
	}
	for split, s := range r.Splits {
		if s == nil {
			return nil, fmt.Errorf("the result says nothing about split %q: run gonogo analyze again", split)
		}
	}
	return &r, nil
}

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
			untold(&g.Probes[i].Holes[j].Right)
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
