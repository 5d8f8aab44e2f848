package pilot

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// Decode reads a pilot.json. It refuses a file of another schema, an incomplete one, and one whose
// exit code does not match its answer, which could turn a NO-GO into a GO.
func Decode(rd io.Reader) (*Result, error) {
	var r Result
	err := json.NewDecoder(rd).Decode(&r)
	if r.Schema != Schema && (err == nil || r.Schema != "") {
		return nil, fmt.Errorf("the pilot has schema %q and this version reads %q: run gonogo pilot again", r.Schema, Schema)
	}
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return nil, fmt.Errorf("decode the pilot: %w: run gonogo pilot again", err)
	}
	return &r, nil
}

// check reports what Judge would never write.
func (r *Result) check() error {
	verdicts := []Verdict{r.Verdict}
	for i := range r.Looks {
		verdicts = append(verdicts, r.Looks[i].Verdict)
	}
	for _, v := range verdicts {
		if !slices.Contains([]analysis.Verdict{analysis.Go, analysis.NoGo, analysis.Undecided}, v.Answer) {
			return fmt.Errorf("%q is no answer", v.Answer)
		}
	}
	switch {
	case r.ExitCode != r.Verdict.Answer.ExitCode():
		return fmt.Errorf("the answer %s and the exit code %d contradict each other", r.Verdict.Answer, r.ExitCode)
	case !(r.Width() > 0):
		return errors.New("the reward range is empty")
	case len(r.LookSteps) != len(r.Planned):
		return fmt.Errorf("it has %d steps of looks for %d planned", len(r.LookSteps), len(r.Planned))
	case len(r.Looks) > len(r.Planned):
		return fmt.Errorf("it has more looks (%d) than were planned (%d)", len(r.Looks), len(r.Planned))
	}
	for i := range r.Curves {
		if len(r.Curves[i].Steps) != len(r.Curves[i].Values) {
			return fmt.Errorf("curve %q has %d steps and %d values", r.Curves[i].Name, len(r.Curves[i].Steps),
				len(r.Curves[i].Values))
		}
	}
	return nil
}

// Width returns the width of the reward range.
func (r *Result) Width() float64 { return stat.Range{Lo: r.Range[0], Hi: r.Range[1]}.Width() }

// Newest returns the newest look; nil before the first.
func (r *Result) Newest() *Look {
	if len(r.Looks) == 0 {
		return nil
	}
	return &r.Looks[len(r.Looks)-1]
}

// WithoutTexts returns a copy of r without what models, tools, graders and data wrote: lengths
// replace texts, and groups of the log are not named.
func (r *Result) WithoutTexts() *Result {
	out := *r
	out.Matching.Named = nil
	out.Curves = slices.Clone(r.Curves)
	for i := range out.Curves {
		out.Curves[i].Name = strconv.Itoa(i + 1)
	}
	length := func(s string) string { return "[" + strconv.Itoa(utf8.RuneCountInString(s)) + " characters]" }
	bare := func(t message.Text) message.Text { return t.WithoutForeign(length) }
	out.Verdict.Reason = bare(r.Verdict.Reason)
	out.Looks = slices.Clone(r.Looks)
	for i := range out.Looks {
		out.Looks[i].Verdict.Reason = bare(out.Looks[i].Verdict.Reason)
	}
	out.Notes = slices.Clone(r.Notes)
	for i := range out.Notes {
		out.Notes[i] = bare(out.Notes[i])
	}
	return &out
}
