package form

import (
	"maps"
	"slices"
	"strings"
)

// Variable marks the variable part of an answer in a template.
const Variable = "{{reference}}"

// Example is an answer that earned the top, and its item's reference; "" if unknown.
type Example struct{ Answer, Reference string }

// Form is the constant text that answers share.
type Form struct {
	// Template is a whole answer, with Variable in place of the variable part.
	Template string
	// Stated reports that the answers state their references in place of Variable. Otherwise
	// the form was found around what differs from answer to answer.
	Stated bool
	// Partial reports that all answers are JSON objects with more keys than the template.
	Partial bool

	path          []string // for JSON objects: the keys that lead to the variable part
	before, after string   // for texts: the text around the variable part
	fold          bool     // the answers differ in case
	line          int      // for an answer in the last line of a text: the most words of such a line
	thinks        string   // the tag of the reasoning that answers begin with
	labels        []string // of the lines below the answer's
}

// Of finds the form that at least half of the examples share. ok is false if there is none, so
// that a bare reference is a valid answer. The order of the examples does not matter.
func Of(examples []Example) (f Form, ok bool) {
	if f, ok = objectForm(examples); ok || mostAreObjects(examples) {
		return f, ok
	}
	found := make([][]span, len(examples))
	for i, e := range examples {
		if e.Reference != "" && !Same(e.Answer, e.Reference) {
			found[i] = spans(e.Answer, e.Reference)
		}
	}
	if f, ok = around(examples, found, len(examples)); ok {
		f.Stated = true
		return f, true
	}
	if f, ok = lineForm(examples); ok {
		return f, true
	}
	bare := 0
	for i, e := range examples {
		if found[i] = nil; Same(e.Answer, e.Reference) {
			bare++
			continue
		}
		found[i] = labelled(e.Answer)
	}
	if 2*bare >= len(examples) {
		return Form{}, false
	}
	f, ok = around(examples, found, len(examples))
	return f, ok && f.varies(examples)
}

// Has reports whether an answer has the form, whatever its variable part is.
func (f Form) Has(answer string) bool {
	if f.path != nil {
		o, ok := objectIn(answer)
		if ok {
			_, ok = o.lookup(f.path)
		}
		return ok
	}
	if f.line > 0 {
		return len(strings.Fields(lastLine(answer))) <= f.line
	}
	text, before, after := plain(answer), plain(f.before), plain(f.after)
	if f.fold {
		text, before, after = strings.ToLower(text), strings.ToLower(before), strings.ToLower(after)
	}
	_, rest, ok := strings.Cut(text, before)
	return ok && strings.Contains(rest, after)
}

// Whole reports whether an answer has the form with all that answers have around it: if the form is
// Partial, at least two keys; reasoning before it; lines below it.
func (f Form) Whole(answer string) bool {
	o, _ := objectIn(answer)
	return f.Has(answer) && !(f.Partial && len(o.fields) < 2) &&
		(f.thinks == "" || strings.Contains(strings.ToLower(answer), "<"+f.thinks+">")) &&
		(f.labels == nil || endsWith(answer, f.labels))
}

// Alike reports whether two answers look alike: two numbers, two JSON objects with the same
// keys, or two texts of a similar number of words, both with or both without a colon.
func Alike(a, b string) bool {
	x, aIsObject := objectIn(a)
	y, bIsObject := objectIn(b)
	if aIsObject || bIsObject {
		return aIsObject && bIsObject &&
			slices.Equal(slices.Sorted(maps.Keys(x.fields)), slices.Sorted(maps.Keys(y.fields)))
	}
	_, aIsNumber := number(bare(a))
	_, bIsNumber := number(bare(b))
	n, m := len(strings.Fields(a)), len(strings.Fields(b))
	return aIsNumber == bIsNumber && n <= 2*m+2 && m <= 2*n+2 && strings.Contains(a, ":") == strings.Contains(b, ":")
}

// lineForm returns the form of answers whose last line, below others, is just the reference.
func lineForm(examples []Example) (Form, bool) {
	f, n := Form{Template: Variable, Stated: true}, 0
	for _, e := range examples {
		line := lastLine(e.Answer)
		if strings.Contains(strings.TrimSpace(e.Answer), "\n") && line != "" && Same(line, e.Reference) {
			n++
			f.line = max(f.line, len(strings.Fields(line)))
		}
	}
	return f, n > 0 && 2*n >= len(examples)
}

// varies reports whether the variable parts of the answers differ: a closing line that is
// always the same is not a form.
func (f Form) varies(examples []Example) bool {
	var tails []string
	n := 0
	for _, e := range examples {
		text := strings.ToLower(plain(e.Answer))
		if i := strings.LastIndex(text, strings.ToLower(plain(f.before))); i >= 0 {
			n++
			tails = append(tails, text[i:])
		}
	}
	slices.Sort(tails)
	return 4*len(slices.Compact(tails)) > n && n >= fewest
}

// fewest is the fewest answers that can show what differs among them.
const fewest = 3

// plain returns the text with single spaces.
func plain(s string) string { return strings.Join(strings.Fields(s), " ") }
