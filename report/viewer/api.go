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
	w.Write(b) // a client that left needs no answer
}

// fail writes an error as JSON.
func fail(w http.ResponseWriter, code int, err error) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	b, _ := json.Marshal(map[string]string{"error": err.Error()}) // strings can be marshalled
	w.Write(b)
}

// said is an error as the page may say it: those of files contain their paths.
func (s *Server) said(err error) error {
	if s.opt.Redact {
		return errors.New("something could not be read; the unredacted view says what")
	}
	return err
}

// sideOf is the run that a request is about: 0 or 1, the first if it does not
// say.
func (s *Server) sideOf(text string) (*side, error) {
	n := intOr(text, 0)
	if n < 0 || n >= len(s.sides) {
		return nil, fmt.Errorf("there is no run %q here", text)
	}
	return s.sides[n], nil
}

// intOr reads a whole number; -1 means none.
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

// key is the rollout that a request names.
func (s *side) key(split, item, sample string) (rollout.Key, error) {
	n := intOr(sample, -1)
	if n < 0 {
		return rollout.Key{}, fmt.Errorf("sample must be a whole number, not %q", sample)
	}
	of := s.index.named(rollout.Split(split), s.names.from("item", item))
	return rollout.Key{Split: of.Split, Item: of.ID, Sample: n, Step: of.Step}, nil
}

// aboutRuns is what the page needs to know first.
type aboutRuns struct {
	Runs       []aboutRun `json:"runs"`
	Rater      string     `json:"rater"`
	Redacted   bool       `json:"redacted"`
	Unlabelled string     `json:"unlabelled,omitempty"` // why labels cannot be kept
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
	Version  [2]int   `json:"version"` // changes when rollouts or labels do
	Variants []string `json:"variants,omitempty"`
}

func (s *Server) getRun(w http.ResponseWriter, _ *http.Request) {
	a := aboutRuns{
		Rater: s.names.of("rater", s.opt.Rater), Redacted: s.opt.Redact, Marks: rollout.Marks(),
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
			a.Notes = append(a.Notes, s.said(err).Error())
		}
		if i == 0 {
			a.choices(rows)
			a.Tools, one.Variants = side.tools(), side.variants()
		}
		a.Runs = append(a.Runs, one)
	}
	answer(w, a)
}

// beside is the other one of two runs; nil if there is one.
func (s *Server) beside(one *side) *side {
	for _, other := range s.sides {
		if other != one {
			return other
		}
	}
	return nil
}

func (s *Server) aboutRun(side *side) (aboutRun, []row, error) {
	rows, at, err := side.all()
	state, _ := side.index.State()
	if state.Note != "" {
		state.Note = s.said(errors.New(state.Note)).Error()
	}
	bad := make([]BadLine, len(state.Bad))
	for i, b := range state.Bad {
		bad[i] = BadLine{b.Line, s.names.text(b.Why)}
	}
	state.Bad = bad
	one := aboutRun{Title: side.title(s.beside(side)), State: state, Version: at}
	if m := side.run.Manifest; m != nil {
		one.Model = s.names.of("model", m.Model)
	}
	return one, rows, err
}

// mostChoices bounds the lists that a filter offers.
const mostChoices = 500

// choices fills in what filters offer.
func (a *aboutRuns) choices(rows []row) {
	splits, names := map[string]bool{}, map[[2]string]bool{}
	offer := func(list *[]string, kind, name string) {
		if at := [2]string{kind, name}; name != "" && !names[at] && len(*list) < mostChoices {
			names[at] = true
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

// variants names the variants of this run that are next to it.
func (s *side) variants() (out []string) {
	runs, _, err := s.run.Variants()
	if err != nil || s.names.redact {
		return nil // nothing depends on it
	}
	for _, v := range runs {
		out = append(out, v.Manifest.Variant.Name)
	}
	return out
}
