package shift

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
)

// ConflictKind says how similar the prompts are whose references differ.
type ConflictKind string

// The kinds of conflicts, the most certain first.
const (
	SamePrompt   ConflictKind = "same"   // the same prompt after normalization
	AlmostPrompt ConflictKind = "almost" // the same words that carry content, in the same order
)

// Conflict is a set of rows whose prompts are the same, or almost, and whose references differ, by
// their indices in the list of rows.
type Conflict struct {
	Kind ConflictKind
	A, B int // the first row, and the first whose reference differs from it
	Rows int // that ask the same

	Among []int // those rows, by their indices; for almost the same prompts, the first row of each prompt
}

// conflicts searches for references that contradict each other, within and across splits.
func (s *leakSearch) conflicts() []Conflict {
	var out []Conflict
	alike := map[slot][]int{} // rows by content and attachment
	var order []slot
	for i := range s.texts {
		t := &s.texts[i]
		out = append(out, s.contradicting(t.rows)...)
		if t.content == 0 {
			continue
		}
		key := slot{int(t.content), t.attached}
		if alike[key] == nil {
			order = append(order, key)
		}
		alike[key] = append(alike[key], i)
	}
	for _, key := range order {
		if texts := alike[key]; len(texts) > 1 && len(texts) <= s.limit {
			out = append(out, s.almost(texts)...)
		}
	}
	slices.SortStableFunc(out, func(a, b Conflict) int { return a.A - b.A })
	return out
}

// contradicting searches among rows of one prompt. If the prompt alone is not the task, only rows
// that are equal in everything else contradict each other for certain.
func (s *leakSearch) contradicting(rows []int) []Conflict {
	if len(rows) < 2 {
		return nil
	}
	if !s.vague {
		if c, ok := s.contradiction(SamePrompt, rows); ok {
			return []Conflict{c}
		}
		return nil
	}
	byContext := map[string][]int{}
	var contexts []string
	for _, row := range rows {
		key := s.rows[row].Context
		if byContext[key] == nil {
			contexts = append(contexts, key)
		}
		byContext[key] = append(byContext[key], row)
	}
	var out []Conflict
	for _, key := range contexts {
		if c, ok := s.contradiction(SamePrompt, byContext[key]); ok {
			out = append(out, c)
		}
	}
	return out
}

// almost searches among texts with the same content.
func (s *leakSearch) almost(texts []int) []Conflict {
	var rows []int
	for _, i := range texts {
		rows = append(rows, s.texts[i].rows[0])
	}
	if c, ok := s.contradiction(AlmostPrompt, rows); ok {
		return []Conflict{c}
	}
	return nil
}

// contradiction finds the first reference that differs from the first one.
func (s *leakSearch) contradiction(kind ConflictKind, rows []int) (Conflict, bool) {
	first := -1
	for _, row := range rows {
		switch {
		case s.rows[row].Reference == "":
		case first < 0:
			first = row
		case !s.agree(first, row):
			return Conflict{Kind: kind, A: first, B: row, Rows: len(rows), Among: rows}, true
		}
	}
	return Conflict{}, false
}

// agree reports whether two rows have the same reference, or one accepts the other's.
func (s *leakSearch) agree(a, b int) bool {
	x, y := referenceKey(s.rows[a].Reference), referenceKey(s.rows[b].Reference)
	is := func(key string) func(string) bool {
		return func(other string) bool { return referenceKey(other) == key }
	}
	return x == y || slices.ContainsFunc(s.rows[a].Accepted, is(y)) || slices.ContainsFunc(s.rows[b].Accepted, is(x))
}

// referenceKey is the same for references with the same meaning as numbers, JSON values or texts.
func referenceKey(ref string) string {
	ref = strings.TrimSpace(ref)
	if n, ok := numberKey(ref); ok {
		return n
	}
	if strings.HasPrefix(ref, "{") || strings.HasPrefix(ref, "[") {
		d := json.NewDecoder(strings.NewReader(ref))
		d.UseNumber()
		var v any
		if d.Decode(&v) == nil && !d.More() {
			var b bytes.Buffer
			if json.NewEncoder(&b).Encode(v) == nil {
				return "json " + b.String()
			}
		}
	}
	return "text " + normalize(ref)
}

// numberKey parses a plain decimal number, with commas between thousands.
func numberKey(s string) (string, bool) {
	if len(s) == 0 || len(s) > 40 || strings.ContainsAny(s, "_/xXpPeEoObBnN") {
		return "", false
	}
	whole, _, _ := strings.Cut(strings.TrimLeft(s, "+-"), ".")
	parts := strings.Split(whole, ",")
	for i, part := range parts {
		if i > 0 && len(part) != 3 || i == 0 && len(parts) > 1 && (len(part) == 0 || len(part) > 3) {
			return "", false
		}
	}
	r, ok := new(big.Rat).SetString(strings.ReplaceAll(s, ",", ""))
	if !ok {
		return "", false
	}
	return "number " + r.RatString(), true
}
