package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// Encode writes the result as result.json: indented, with a final newline, and with the English
// words of its messages if it records its gates. The same result gives the same bytes.
func (r *Result) Encode(w io.Writer) error {
	if len(r.Gates) > 0 {
		worded := *r
		worded.English = r.words()
		r = &worded
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// Decode reads a result.json. It refuses a file of another schema, since keys may have been
// renamed, an incomplete file, and one whose exit code does not match its verdict, which could turn
// a failed run into a GO.
func Decode(rd io.Reader) (*Result, error) {
	var r Result
	err := json.NewDecoder(rd).Decode(&r)
	// a key of another schema may hold another type, which is a decoding error
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
	if r.Gates.unnamed() {
		return nil, errors.New("the result lists a gate without a name: run gonogo analyze again")
	}
	r.addWords()
	return &r, nil
}

// WithoutTexts returns a copy of r in which the lengths of texts replace what models, tools,
// graders and data wrote: answers, payloads, references and errors. It keeps the names of items,
// tools, parts, probes, endpoints and models.
func (r *Result) WithoutTexts() (*Result, error) {
	var b bytes.Buffer
	if err := r.Encode(&b); err != nil {
		return nil, err
	}
	masked, err := Decode(&b)
	if err != nil {
		return nil, err
	}
	for _, s := range masked.Splits {
		for i := range s.Failures {
			maskText(&s.Failures[i].Error)
		}
	}
	if masked.Grader != nil {
		masked.Grader.withoutTexts()
	}
	if masked.Burst != nil {
		masked.Burst.withoutTexts()
	}
	for i := range masked.Findings {
		masked.Findings[i].withoutTexts()
	}
	for i := range masked.NotJudged {
		masked.NotJudged[i].Why = masked.NotJudged[i].Why.WithoutForeign(textLength)
	}
	for i := range masked.Problems {
		maskText(&masked.Problems[i].Message)
	}
	if masked.Shift != nil {
		for i := range masked.Shift.Pairs {
			for j, top := range masked.Shift.Pairs[i].Top {
				masked.Shift.Pairs[i].Top[j] = top.WithoutForeign(textLength)
			}
		}
	}
	return masked, nil
}

func (f *Finding) withoutTexts() {
	for _, x := range append([]*Fact{&f.Fact}, pointers(f.Others)...) {
		x.Title, x.Remedy = x.Title.WithoutForeign(textLength), x.Remedy.WithoutForeign(textLength)
		for i := range x.Rows {
			x.Rows[i] = x.Rows[i].WithoutForeign(textLength)
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
	maskText(&g.GuessableAnswer)
	for i := range g.Failures {
		maskText(&g.Failures[i].Example)
	}
	for i := range g.Probes {
		for j := range g.Probes[i].Holes {
			maskText(&g.Probes[i].Holes[j].Payload)
			maskText(&g.Probes[i].Holes[j].Right)
		}
	}
	for i := range g.SuspectReferences {
		maskText(&g.SuspectReferences[i].Answer)
		maskText(&g.SuspectReferences[i].Reference)
	}
	for i := range g.TooGood {
		g.TooGood[i].Note = g.TooGood[i].Note.WithoutForeign(textLength)
	}
}

func (b *Burst) withoutTexts() {
	if b.FirstFailure != nil {
		maskText(&b.FirstFailure.Error)
	}
	for i := range b.Endpoints {
		for j := range b.Endpoints[i].Errors {
			maskText(&b.Endpoints[i].Errors[j].Example)
		}
	}
}

// maskText replaces a text by its length.
func maskText(s *string) {
	*s = textLength(*s)
}

// textLength describes the length of a text, such as "[12 characters]"; "" for an empty text.
func textLength(s string) string {
	if s == "" {
		return ""
	}
	return "[" + strconv.Itoa(utf8.RuneCountInString(s)) + " characters]"
}
