package message

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"gonogo/sampler/wording"
)

// Def is a message that the code can say: an id that results keep, and its words in
// English, with the arguments' names in braces: "{items} have no reward". A name
// with a capital letter begins a sentence with what it stands for: "{Why}.". A name
// with a thing behind it counts: "{n|item}" is "1 item" or "1,200 items", and
// "{n|row is|rows are}" has words of its own for several.
// Another language has a translation of the words under the same id.
type Def struct{ ID, English string }

// wordless reports whether the words are names in braces and signs alone, which
// need no translation.
func (d Def) wordless() bool {
	return !strings.ContainsFunc(fill(d.English, func(string) (string, bool) { return "", true }), unicode.IsLetter)
}

// defs are the messages of this program by id.
var defs = map[string]Def{}

// defining guards defs.
var defining sync.RWMutex

// New makes a message known, so a stored one can be said again. It belongs into a
// package variable next to the code that says it, unless its words come with a value, such
// as a gate. It panics if the id is taken by other words: that is a mistake in the program.
//
// It is not inlined: a thousand package variables call it, and their code would make the
// binary larger by 200 kB.
//
//go:noinline
func New(id, english string) Def {
	d := Def{id, english}
	defining.Lock()
	defer defining.Unlock()
	if was, ok := defs[id]; ok && was != d {
		panic("message: two messages have the id " + id)
	}
	defs[id] = d
	return d
}

// Find returns the message with an id.
func Find(id string) (Def, bool) {
	defining.RLock()
	defer defining.RUnlock()
	d, ok := defs[id]
	return d, ok
}

// Defs lists the known messages, by id.
func Defs() []Def {
	defining.RLock()
	defer defining.RUnlock()
	return slices.SortedFunc(maps.Values(defs), func(a, b Def) int { return strings.Compare(a.ID, b.ID) })
}

// Placeholders lists the names of the arguments in the text, sorted.
func (d Def) Placeholders() []string {
	var names []string
	fill(d.English, func(name string) (string, bool) {
		name, _, _ = strings.Cut(strings.ToLower(name), "|")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		return "", true
	})
	slices.Sort(names)
	return names
}

// With is the message with its arguments: those that its words ask for are
// kept.
func (d Def) With(args Args) Text {
	t := Text{ID: d.ID}
	for _, name := range d.Placeholders() {
		if a, ok := args[name]; ok {
			if t.Args == nil {
				t.Args = Args{}
			}
			t.Args[name] = a
		}
	}
	return t
}

// Text is the message without arguments.
func (d Def) Text() Text { return Text{ID: d.ID} }

// Text is something to be said, as data: a message by its id, and what is filled
// into its words. The zero Text says nothing.
type Text struct {
	ID   string `json:"id"` // of the message; "" says nothing
	Args Args   `json:"args,omitempty"`
}

// Args are a message's arguments by name.
type Args map[string]Arg

// Arg is one argument. Exactly one of its fields besides Unit and Of is set; one
// without any is a number that is not known.
type Arg struct {
	Number  *float64 `json:"number,omitempty"`
	Count   *int     `json:"count,omitempty"`
	Of      string   `json:"of,omitempty"`      // what is counted, in the English singular
	Unit    string   `json:"unit,omitempty"`    // of a number: see the constants
	Name    *string  `json:"name,omitempty"`    // is not translated
	Foreign *string  `json:"foreign,omitempty"` // what a model, a tool, a grader or the data wrote
	Command []string `json:"command,omitempty"` // a command line by its words: see Command
	Text    *Text    `json:"text,omitempty"`
	List    []Arg    `json:"list,omitempty"`
	Sep     *string  `json:"sep,omitempty"` // between the parts of a list; nil: commas
}

// Units of numbers decide how many digits are shown.
const (
	UnitShare   = "share"   // of 1, shown in per cent
	UnitP       = "p"       // a p-value, shown with its sign: "p = 0.03", "p < 0.001"
	UnitWhole   = "whole"   // thousands parted, no decimals
	UnitChange  = "change"  // a difference, shown with its sign
	UnitSetting = "setting" // somebody chose it: no needless digits
)

// Number is a number with three significant digits.
func Number(x float64) Arg { return Arg{Number: &x} }

// Known formats a number that may be unknown.
func Known(x *float64) Arg { return Arg{Number: x} }

// Share is a share of 1.
func Share(x float64) Arg { return Arg{Number: &x, Unit: UnitShare} }

// KnownShare is a share that may not be known.
func KnownShare(x *float64) Arg { return Arg{Number: x, Unit: UnitShare} }

// PValue is a p-value.
func PValue(p float64) Arg { return Arg{Number: &p, Unit: UnitP} }

// Change is a difference, shown with its sign: "+0.1".
func Change(x float64) Arg { return Arg{Number: &x, Unit: UnitChange} }

// Setting is a threshold or another configured number.
func Setting(x float64) Arg { return Arg{Number: &x, Unit: UnitSetting} }

// Int is a whole number without a unit.
func Int(n int) Arg { return Arg{Count: &n} }

// Count is a number of things, named in the English singular: "1 item", "1,200 items".
func Count(n int, thing string) Arg { return Arg{Count: &n, Of: thing} }

// Name is a name or a sign that is not translated.
func Name[S ~string](s S) Arg {
	name := string(s)
	return Arg{Name: &name}
}

// Foreign is text of a model, a tool, a grader or the data, unchanged.
func Foreign(s string) Arg { return Arg{Foreign: &s} }

// Quote is Foreign in quotation marks.
func Quote(s string) Arg { return Foreign(strconv.Quote(s)) }

// Nested is a message within another; a Text without an id is left out.
func Nested(t Text) Arg {
	if t.ID == verbatim.ID {
		return t.Args["text"]
	}
	return Arg{Text: &t}
}

// Names is a list of names.
func Names[S ~string](names []S) Arg {
	a := Arg{List: []Arg{}}
	for _, n := range names {
		a.List = append(a.List, Name(n))
	}
	return a
}

// List is a list of arguments.
func List(args ...Arg) Arg { return Arg{List: args} }

// Concat, Commas, Clauses and Join join texts with nothing, commas, semicolons or
// spaces between them. Empty texts are left out.
func Concat(texts ...Text) Text  { return joined("", texts) }
func Commas(texts ...Text) Text  { return joined(", ", texts) }
func Clauses(texts ...Text) Text { return joined("; ", texts) }
func Join(texts ...Text) Text    { return joined(" ", texts) }

// Of is what an argument says by itself.
func Of(a Arg) Text { return value.With(Args{"value": a}) }

func joined(sep string, texts []Text) Text {
	list := Arg{List: []Arg{}, Sep: &sep}
	var last Text
	for _, t := range texts {
		if !t.IsEmpty() {
			list.List, last = append(list.List, Nested(t)), t
		}
	}
	if len(list.List) > 1 {
		return severalTexts.With(Args{"list": list})
	}
	return last
}

// ChangeWithin is a difference with its interval, where it has one.
func ChangeWithin(x float64, low, high *float64) Text {
	if low == nil || high == nil {
		return Of(Change(x))
	}
	return changeWithin.With(Args{"change": Change(x), "low": Change(*low), "high": Change(*high)})
}

var (
	severalTexts = New("message.list", "{list}")
	value        = New("message.value", "{value}")
	verbatim     = New("message.verbatim", "{text}")
	changeWithin = New("message.change_within", "{change} [{low}, {high}]")
)

var separators = map[string]Def{
	", ": New("sign.list", ", "), "; ": New("sign.semicolon", "; "),
	" ": New("sign.space", " "),
}

// separator is what is between the parts of a list.
func (l Language) separator(sep string) string {
	if d, ok := separators[sep]; ok {
		return l.words(d)
	}
	return sep
}

// Verbatim is a name or a note, shown as it is in every language. What models, tools,
// graders or rows of data hold is ForeignText instead.
func Verbatim(s string) Text {
	if s == "" {
		return Text{}
	}
	return verbatim.With(Args{"text": Name(s)})
}

// Notes are notes that came with the data, each as Verbatim shows it.
func Notes(notes []string) []Text {
	texts := make([]Text, len(notes))
	for i, note := range notes {
		texts[i] = Verbatim(note)
	}
	return texts
}

// ForeignText is text from the data, unchanged; Text.WithoutForeign replaces it.
func ForeignText(s string) Text { return verbatim.With(Args{"text": Foreign(s)}) }

// IsEmpty reports whether the text says nothing.
func (t Text) IsEmpty() bool { return t.ID == "" }

// WithoutForeign returns the text with a replacement for everything that a model, a
// tool, a grader or the data wrote.
func (t Text) WithoutForeign(replace func(string) string) Text {
	return t.each(func(a Arg) Arg {
		if a.Foreign != nil {
			return Foreign(replace(*a.Foreign))
		}
		return a
	})
}

// each is the text with f done to each argument, those of texts within it too.
func (t Text) each(f func(Arg) Arg) Text {
	args := make(Args, len(t.Args))
	for name, a := range t.Args {
		args[name] = a.each(f)
	}
	if t.Args == nil {
		args = nil
	}
	return Text{ID: t.ID, Args: args}
}

func (a Arg) each(f func(Arg) Arg) Arg {
	a = f(a)
	if a.Text != nil {
		said := a.Text.each(f)
		a.Text = &said
	}
	for i := range a.List {
		if i == 0 {
			a.List = slices.Clone(a.List)
		}
		a.List[i] = a.List[i].each(f)
	}
	return a
}

// String is the text in English.
func (t Text) String() string { return t.In(Language{}) }

// In is the text in a language. A message that is not known, of another version
// of the program, is shown by its id and its arguments.
func (t Text) In(l Language) string {
	if t.ID == "" {
		return ""
	}
	d, ok := Find(t.ID)
	if !ok {
		raw, err := json.Marshal(t.Args)
		if err != nil || len(t.Args) == 0 {
			return t.ID
		}
		return t.ID + " " + string(raw)
	}
	return d.In(l, t.Args)
}

// In is the message in a language, with the arguments filled in.
func (d Def) In(l Language, of ...Args) string {
	args := Args{}
	if len(of) > 0 {
		args = of[0]
	}
	return fill(l.words(d), func(name string) (string, bool) {
		name, forms, counts := strings.Cut(name, "|")
		a, ok := args[strings.ToLower(name)]
		said := a.in(l)
		if counts {
			said += " " + form(forms, said == "1")
		}
		if name != strings.ToLower(name) {
			said = capital(said)
		}
		return said, ok
	})
}

// words are the words of a message in the language, which need not have those that
// are signs alone.
func (l Language) words(d Def) string {
	if l.of != nil && d.wordless() && l.of.texts()[d.ID] == "" {
		return d.English
	}
	return l.Text(d.ID, d.English)
}

// form is the word for one thing or for several: "item", or "row is|rows are".
func form(forms string, one bool) string {
	single, several, ok := strings.Cut(forms, "|")
	switch {
	case one:
		return single
	case ok:
		return several
	}
	return wording.Plural(2, single)
}

func (a Arg) in(l Language) string {
	switch {
	case a.Text != nil:
		return a.Text.In(l)
	case a.Name != nil:
		return *a.Name
	case a.Foreign != nil:
		return *a.Foreign
	case a.Command != nil:
		return Shell(a.Command...)
	case a.List != nil:
		parts := make([]string, len(a.List))
		for i := range a.List {
			parts[i] = a.List[i].in(l)
		}
		sep := ", "
		if a.Sep != nil {
			sep = *a.Sep
		}
		return strings.Join(parts, l.separator(sep))
	case a.Count != nil && a.Of != "":
		return l.Count(*a.Count, a.Of)
	case a.Count != nil:
		return Whole(*a.Count)
	case a.Number == nil:
		return l.Text("message.unknown", "unknown")
	case a.Unit == UnitShare:
		return Percent(*a.Number)
	case a.Unit == UnitP:
		return P(*a.Number)
	case a.Unit == UnitWhole:
		return Whole(int(math.Round(*a.Number)))
	case a.Unit == UnitChange:
		return Signed(*a.Number)
	case a.Unit == UnitSetting:
		return Plain(*a.Number)
	}
	return Digits(*a.Number)
}

// fill replaces the names in braces. What is filled in is not read again: a brace
// in somebody's answer stays one.
func fill(words string, arg func(name string) (string, bool)) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(words, '{')
		if open < 0 {
			break
		}
		end := open + strings.IndexByte(words[open:], '}')
		if end < open {
			break
		}
		b.WriteString(words[:open])
		said := words[open : end+1]
		if !strings.HasPrefix(said, `{"`) { // JSON is no name
			if text, ok := arg(said[1 : len(said)-1]); ok {
				said = text
			}
		}
		b.WriteString(said)
		words = words[end+1:]
	}
	return b.String() + words
}

// capital begins a sentence.
func capital(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:size]) + s[size:]
}
