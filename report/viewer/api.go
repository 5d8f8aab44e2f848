package viewer

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"gonogo/sampler/rollout"
)

// answer writes a value as JSON.
func answer(w http.ResponseWriter, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(b) // a client that disconnected needs no response
}

// fail writes an error as JSON.
func fail(w http.ResponseWriter, code int, err error) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	b, _ := json.Marshal(map[string]string{"error": err.Error()}) // strings always marshal
	w.Write(b)
}

// shownError returns an error as the page may show it: a generic one with Redact, because errors
// about files contain their paths.
func (s *Server) shownError(err error) error {
	if s.opt.Redact {
		return errors.New("something could not be read; the unredacted view says what")
	}
	return err
}

// sideOf returns the run of a request, 0 or 1; the first if text is empty.
func (s *Server) sideOf(text string) (*side, error) {
	n := intOr(text, 0)
	if n < 0 || n >= len(s.sides) {
		return nil, fmt.Errorf("unknown run %q", text)
	}
	return s.sides[n], nil
}

// intOr parses a whole number, or returns otherwise for an empty text. It returns -1 if text is not
// a number.
func intOr(text string, otherwise int) int {
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return min(n, 1<<30)
}

// key returns the key of the rollout that a request names.
func (s *side) key(split, item, sample string) (rollout.Key, error) {
	n := intOr(sample, -1)
	if n < 0 {
		return rollout.Key{}, fmt.Errorf("sample must be a whole number, not %q", sample)
	}
	named := s.index.named(rollout.Split(split), s.names.from("item", item))
	return rollout.Key{Split: named.Split, Item: named.ID, Sample: n, Step: named.Step}, nil
}

// aboutRuns is what the page asks for first.
type aboutRuns struct {
	Runs       []aboutRun `json:"runs"`
	Rater      string     `json:"rater"`
	Redacted   bool       `json:"redacted"`
	Unlabelled string     `json:"unlabelled,omitempty"` // why labels cannot be saved; empty if they can
	Marks      []string   `json:"marks"`
	Outcomes   []string   `json:"outcomes"`
	Splits     []string   `json:"splits"`
	Families   []string   `json:"families"`
	Categories []string   `json:"categories"`
	Tools      []string   `json:"tools"`
	Notes      []string   `json:"notes"`
}

type aboutRun struct {
	Title    string   `json:"title"`
	Model    string   `json:"model,omitempty"`
	State    State    `json:"state"`
	Version  [2]int   `json:"version"` // changes with the rollouts or labels
	Variants []string `json:"variants,omitempty"`
}

func (s *Server) getRun(w http.ResponseWriter, _ *http.Request) {
	a := aboutRuns{
		Rater: s.names.display("rater", s.opt.Rater), Redacted: s.opt.Redact, Marks: rollout.Marks(),
		Splits: []string{}, Families: []string{}, Categories: []string{}, Notes: []string{},
	}
	for _, o := range rollout.Outcomes() {
		a.Outcomes = append(a.Outcomes, string(o))
	}
	if err := s.sides[0].unlabelled(); err != nil {
		a.Unlabelled = err.Error()
	}
	for i, side := range s.sides {
		one, rows, err := s.aboutRun(side)
		if err != nil {
			a.Notes = append(a.Notes, s.shownError(err).Error())
		}
		if i == 0 {
			a.choices(rows)
			a.Tools, one.Variants = side.tools(), side.variants()
		}
		a.Runs = append(a.Runs, one)
	}
	answer(w, a)
}

// otherSide returns the other one of two runs; nil if there is only one.
func (s *Server) otherSide(one *side) *side {
	for _, other := range s.sides {
		if other != one {
			return other
		}
	}
	return nil
}

func (s *Server) aboutRun(side *side) (aboutRun, []row, error) {
	rows, version, err := side.all()
	state, _ := side.index.State()
	if state.Note != "" {
		state.Note = s.shownError(errors.New(state.Note)).Error()
	}
	bad := make([]BadLine, len(state.Bad))
	for i, b := range state.Bad {
		bad[i] = BadLine{b.Line, s.names.text(b.Why)}
	}
	state.Bad = bad
	one := aboutRun{Title: side.title(s.otherSide(side)), State: state, Version: version}
	if m := side.run.Manifest; m != nil {
		one.Model = s.names.display("model", m.Model)
	}
	return one, rows, err
}

// mostChoices limits the number of choices that a filter offers.
const mostChoices = 500

// choices fills in the choices that filters offer.
func (a *aboutRuns) choices(rows []row) {
	splits, names := map[string]bool{}, map[[2]string]bool{}
	offer := func(list *[]string, kind, name string) {
		if id := [2]string{kind, name}; name != "" && !names[id] && len(*list) < mostChoices {
			names[id] = true
			*list = append(*list, name)
		}
	}
	for i := range rows {
		r := &rows[i]
		splits[r.Split] = true
		offer(&a.Families, "family", r.Family)
		offer(&a.Categories, "category", r.Category)
	}
	for _, split := range rollout.Splits() {
		if splits[string(split)] {
			a.Splits = append(a.Splits, string(split))
		}
	}
	slices.Sort(a.Families)
	slices.Sort(a.Categories)
}

func (s *side) tools() []string {
	s.index.mu.RLock()
	defer s.index.mu.RUnlock()
	tools := s.names.list("tool", s.index.names.Tools)
	slices.Sort(tools)
	return tools[:min(len(tools), mostChoices)]
}

// variants returns the names of the variants of this run in the directories next to it.
func (s *side) variants() (out []string) {
	runs, _, err := s.run.Variants()
	if err != nil || s.names.redact {
		return nil // the page works without them
	}
	for _, v := range runs {
		out = append(out, v.Manifest.Variant.Name)
	}
	return out
}
