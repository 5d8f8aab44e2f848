package form

import (
	"maps"
	"slices"
	"strings"
)

// Variable is the place in a template of what an answer says.
const Variable = "{{reference}}"

// Example is an answer that earned the top, and its item's reference; "" if that is not known.
type Example struct{ Answer, Reference string }

// Form is the constant text that answers share.
type Form struct {
	// Template is a whole answer, with Variable for what it says.
	Template string
	// Stated says that the answers state their references where Variable is. Otherwise the
	// form was found around what differs from answer to answer.
	Stated bool
	// Partial says that all answers are JSON objects with more keys than the template has.
	Partial bool

	path          []string // of a JSON object: the keys on the way to what it says
	before, after string   // of a text
	fold          bool     // the answers differ in the case of the letters
	line          int      // of an answer that is the last line of a longer text: its most words
}

// Of finds the form that at least half of the examples share; ok is false when there is none,
// so a bare reference is an answer. The result does not depend on the order of the examples.
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

// Has reports whether an answer has the form, whatever it says.
func (f Form) Has(answer string) bool {
	if f.path != nil {
		o, ok := objectIn(answer)
		if ok {
			_, ok = o.at(f.path)
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

// Whole reports whether an answer has the form, and as many keys where the answers at the top
// have more than one.
func (f Form) Whole(answer string) bool {
	o, _ := objectIn(answer)
	return f.Has(answer) && !(f.Partial && len(o.fields) < 2)
}

// Alike reports whether two answers look alike: two numbers, two JSON objects with the same
// keys, or two texts of about as many words, with a label or without.
func Alike(a, b string) bool {
	x, isObject := objectIn(a)
	y, too := objectIn(b)
	if isObject || too {
		return isObject && too && slices.Equal(slices.Sorted(maps.Keys(x.fields)), slices.Sorted(maps.Keys(y.fields)))
	}
	_, isNumber := number(bare(a))
	_, also := number(bare(b))
	n, m := len(strings.Fields(a)), len(strings.Fields(b))
	return isNumber == also && n <= 2*m+2 && m <= 2*n+2 && strings.Contains(a, ":") == strings.Contains(b, ":")
}

// lineForm is that of answers that state the reference alone in their last line, below others.
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

// varies reports whether what the answers say in the form differs: a closing line that is
// always the same is no form.
func (f Form) varies(examples []Example) bool {
	var said []string
	n := 0
	for _, e := range examples {
		text := strings.ToLower(plain(e.Answer))
		if i := strings.LastIndex(text, strings.ToLower(plain(f.before))); i >= 0 {
			n++
			said = append(said, text[i:])
		}
	}
	slices.Sort(said)
	return 4*len(slices.Compact(said)) > n && n >= fewest
}

// fewest is how many answers show what differs among them.
const fewest = 3

// plain is a text with single spaces.
func plain(s string) string { return strings.Join(strings.Fields(s), " ") }
