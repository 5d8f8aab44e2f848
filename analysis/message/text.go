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

// Def is a message of the program: an id that results store, and the English words with the
// arguments' names in braces: "{items} have no reward". A name with a capital letter capitalizes
// its argument to begin a sentence: "{Why}.". A name followed by a thing counts: "{n|item}" is "1
// item" or "1,200 items", and "{n|row is|rows are}" gives the plural words. Other languages have a
// translation under the same id.
type Def struct{ ID, English string }

// wordless reports whether the words are only names in braces and punctuation, which need no
// translation.
func (d Def) wordless() bool {
	return !strings.ContainsFunc(fill(d.English, func(string) (string, bool) { return "", true }), unicode.IsLetter)
}

// defs holds the messages of this program by id.
var defs = map[string]Def{}

// defining guards defs.
var defining sync.RWMutex

// New registers a message, so that stored ones can be shown again. Assign it to a package variable
// next to the code that uses it, unless its words come with a value, such as a gate. It panics if
// the id is already used for other words, which is a bug in the program.
//
// It is not inlined: it initializes a thousand package variables, and their code would make the binary
// larger by 200 kB.
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

// Find returns the message with the id.
func Find(id string) (Def, bool) {
	defining.RLock()
	defer defining.RUnlock()
	d, ok := defs[id]
	return d, ok
}

// Defs lists the known messages, sorted by id.
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

// With returns the message with those of the arguments to which its words refer.
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

// Text returns the message without arguments.
func (d Def) Text() Text { return Text{ID: d.ID} }

// Text is a text as data: the id of a message and the arguments for its words. The zero Text is
// empty.
type Text struct {
	ID   string `json:"id"` // of the message; "" for an empty text
	Args Args   `json:"args,omitempty"`

	// English are the words of a message that this program may lack; it prefers its own.
	English string `json:"-"`
}

// Args are a message's arguments by name.
type Args map[string]Arg

// Arg is one argument. At most one of its fields other than Of, Unit and Sep is set; if none is, it
// is an unknown number.
type Arg struct {
	Number  *float64 `json:"number,omitempty"`
	Count   *int     `json:"count,omitempty"`
	Of      string   `json:"of,omitempty"`      // what is counted, in the English singular
	Unit    string   `json:"unit,omitempty"`    // unit of Number: see the constants
	Name    *string  `json:"name,omitempty"`    // not translated
	Foreign *string  `json:"foreign,omitempty"` // text from a model, a tool, a grader or the data
	Command []string `json:"command,omitempty"` // the words of a command line: see Command
	Text    *Text    `json:"text,omitempty"`
	List    []Arg    `json:"list,omitempty"`
	Sep     *string  `json:"sep,omitempty"` // separator of List; nil: commas
}

// The units of numbers decide how they are shown.
const (
	UnitShare   = "share"   // a share of 1, shown in per cent
	UnitP       = "p"       // a p-value, shown with its sign: "p = 0.03", "p < 0.001"
	UnitWhole   = "whole"   // thousands separators, no decimals
	UnitChange  = "change"  // a difference, shown with its sign
	UnitSetting = "setting" // a configured number: whole numbers with all their digits
)

// Number returns a number that is shown with three significant digits.
func Number(x float64) Arg { return Arg{Number: &x} }

// Known returns a number that may be unknown.
func Known(x *float64) Arg { return Arg{Number: x} }

// Share returns a share of 1, shown in per cent.
func Share(x float64) Arg { return Arg{Number: &x, Unit: UnitShare} }

// KnownShare returns a share that may be unknown.
func KnownShare(x *float64) Arg { return Arg{Number: x, Unit: UnitShare} }

// PValue returns a p-value.
func PValue(p float64) Arg { return Arg{Number: &p, Unit: UnitP} }

// Change returns a difference that is shown with its sign: "+0.1".
func Change(x float64) Arg { return Arg{Number: &x, Unit: UnitChange} }

// Setting returns a threshold or another configured number.
func Setting(x float64) Arg { return Arg{Number: &x, Unit: UnitSetting} }

// Int returns a whole number without a unit.
func Int(n int) Arg { return Arg{Count: &n} }

// Count returns a number of things, named in the English singular: "1 item", "1,200 items".
func Count(n int, thing string) Arg { return Arg{Count: &n, Of: thing} }

// Name returns a name or a symbol, which is not translated.
func Name[S ~string](s S) Arg {
	name := string(s)
	return Arg{Name: &name}
}

// Foreign returns text from a model, a tool, a grader or the data, which is shown unchanged.
func Foreign(s string) Arg { return Arg{Foreign: &s} }

// Quote returns Foreign text in quotation marks.
func Quote(s string) Arg { return Foreign(strconv.Quote(s)) }

// Nested returns a message within another; an empty Text is left out.
func Nested(t Text) Arg {
	if t.ID == verbatim.ID {
		return t.Args["text"]
	}
	return Arg{Text: &t}
}

// Names returns a list of names.
func Names[S ~string](names []S) Arg {
	a := Arg{List: []Arg{}}
	for _, n := range names {
		a.List = append(a.List, Name(n))
	}
	return a
}

// List returns a list of arguments.
func List(args ...Arg) Arg { return Arg{List: args} }

// Concat, Commas, Clauses and Join join texts with nothing, commas, semicolons or
// spaces between them. Empty texts are left out.
func Concat(texts ...Text) Text  { return joined("", texts) }
func Commas(texts ...Text) Text  { return joined(", ", texts) }
func Clauses(texts ...Text) Text { return joined("; ", texts) }
func Join(texts ...Text) Text    { return joined(" ", texts) }

// Of returns a text that consists of one argument.
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

// ChangeWithin returns a difference with its interval, if it has one.
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

// separator returns the separator of a list in the language.
func (l Language) separator(sep string) string {
	if d, ok := separators[sep]; ok {
		return l.words(d)
	}
	return sep
}

// Verbatim returns a name or a note that is shown unchanged in every language. Use ForeignText for
// text from models, tools, graders or rows of data.
func Verbatim(s string) Text {
	if s == "" {
		return Text{}
	}
	return verbatim.With(Args{"text": Name(s)})
}

// Notes returns notes that came with the data, each as Verbatim.
func Notes(notes []string) []Text {
	texts := make([]Text, len(notes))
	for i, note := range notes {
		texts[i] = Verbatim(note)
	}
	return texts
}

// ForeignText returns text from a model, a tool, a grader or the data; Text.WithoutForeign replaces it.
func ForeignText(s string) Text { return verbatim.With(Args{"text": Foreign(s)}) }

// IsEmpty reports whether the text is empty.
func (t Text) IsEmpty() bool { return t.ID == "" }

// WithoutForeign returns the text with replace applied to everything that comes from a model, a tool,
// a grader or the data.
func (t Text) WithoutForeign(replace func(string) string) Text {
	return t.each(func(a Arg) Arg {
		if a.Foreign != nil {
			return Foreign(replace(*a.Foreign))
		}
		return a
	})
}

// each returns the text with f applied to each argument, including those of nested texts.
func (t Text) each(f func(Arg) Arg) Text {
	args := make(Args, len(t.Args))
	for name, a := range t.Args {
		args[name] = a.each(f)
	}
	if t.Args == nil {
		args = nil
	}
	return Text{ID: t.ID, Args: args, English: t.English}
}

func (a Arg) each(f func(Arg) Arg) Arg {
	a = f(a)
	if a.Text != nil {
		nested := a.Text.each(f)
		a.Text = &nested
	}
	for i := range a.List {
		if i == 0 {
			a.List = slices.Clone(a.List)
		}
		a.List[i] = a.List[i].each(f)
	}
	return a
}

// String returns the text in English.
func (t Text) String() string { return t.In(Language{}) }

// In returns the text in a language. A message that neither this program nor the text has words for
// is shown as its id and its arguments.
func (t Text) In(l Language) string {
	if t.ID == "" {
		return ""
	}
	d, ok := Find(t.ID)
	if !ok && t.English != "" {
		d, ok = Def{t.ID, t.English}, true
	}
	if !ok {
		raw, err := json.Marshal(t.Args)
		if err != nil || len(t.Args) == 0 {
			return t.ID
		}
		return t.ID + " " + string(raw)
	}
	return d.In(l, t.Args)
}

// In returns the message in a language, with the arguments filled in.
func (d Def) In(l Language, of ...Args) string {
	args := Args{}
	if len(of) > 0 {
		args = of[0]
	}
	return fill(l.words(d), func(name string) (string, bool) {
		name, forms, counts := strings.Cut(name, "|")
		a, ok := args[strings.ToLower(name)]
		text := a.in(l)
		if counts {
			text += " " + form(forms, text == "1")
		}
		if name != strings.ToLower(name) {
			text = capital(text)
		}
		return text, ok
	})
}

// words returns the words of a message in the language. A language may lack messages that consist
// only of punctuation.
func (l Language) words(d Def) string {
	if l.catalogue != nil && d.wordless() && l.catalogue.texts()[d.ID] == "" {
		return d.English
	}
	return l.Text(d.ID, d.English)
}

// form returns the words for one thing or for several, from "item" or "row is|rows are".
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

// fill replaces the names in braces. It does not scan the replacements, so a brace in an argument
// stays.
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
		part := words[open : end+1]
		if !strings.HasPrefix(part, `{"`) { // JSON, not a name
			if value, ok := arg(part[1 : len(part)-1]); ok {
				part = value
			}
		}
		b.WriteString(part)
		words = words[end+1:]
	}
	return b.String() + words
}

// capital capitalizes the first letter.
func capital(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:size]) + s[size:]
}
