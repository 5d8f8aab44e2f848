package cli

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
)

// Flag is a flag of a command. Its usage may hold the name of its value in
// backquotes.
type Flag interface {
	Names() []string   // the first is its own, the others stand for it
	value() flag.Value // a new one, at its default
	help() (names, text string)
}

// StringFlag takes a text.
type StringFlag struct {
	Name    string
	Aliases []string
	Usage   string
	Value   string             // its default
	Check   func(string) error // of a value that the command line has
}

// BoolFlag is on or off.
type BoolFlag struct {
	Name    string
	Aliases []string
	Usage   string
	Value   bool // its default
}

// IntFlag takes a whole number.
type IntFlag struct {
	Name  string
	Usage string
	Value int // its default
}

// Float64Flag takes a number.
type Float64Flag struct {
	Name        string
	Usage       string
	Value       float64 // its default
	DefaultText string  // what help says instead of it
}

// StringSliceFlag takes a text each time that it is named.
type StringSliceFlag struct {
	Name  string
	Usage string
}

// Names are the names of the flag.
func (f *StringFlag) Names() []string { return append([]string{f.Name}, f.Aliases...) }

// Names are the names of the flag.
func (f *BoolFlag) Names() []string { return append([]string{f.Name}, f.Aliases...) }

// Names is the name of the flag.
func (f *IntFlag) Names() []string { return []string{f.Name} }

// Names is the name of the flag.
func (f *Float64Flag) Names() []string { return []string{f.Name} }

// Names is the name of the flag.
func (f *StringSliceFlag) Names() []string { return []string{f.Name} }

// made is the value that a flag of the standard library has.
func made(add func(*flag.FlagSet)) flag.Value {
	var one flag.FlagSet
	add(&one)
	return one.Lookup("x").Value
}

func (f *StringFlag) value() flag.Value {
	return made(func(s *flag.FlagSet) { s.String("x", f.Value, "") })
}

func (f *BoolFlag) value() flag.Value {
	return made(func(s *flag.FlagSet) { s.Bool("x", f.Value, "") })
}

func (f *IntFlag) value() flag.Value {
	return made(func(s *flag.FlagSet) { s.Int("x", f.Value, "") })
}

func (f *Float64Flag) value() flag.Value {
	return made(func(s *flag.FlagSet) { s.Float64("x", f.Value, "") })
}

func (f *StringSliceFlag) value() flag.Value { return new(values) }

// values are those of a flag that may be repeated.
type values []string

// Set adds one.
func (v *values) Set(text string) error { *v = append(*v, text); return nil }

// String joins them.
func (v *values) String() string { return strings.Join(*v, ",") }

func (f *StringFlag) help() (names, text string) {
	def := ""
	if f.Value != "" {
		def = strconv.Quote(f.Value)
	}
	return helpOf(f.Names(), f.Usage, "value", def)
}

func (f *BoolFlag) help() (names, text string) {
	return helpOf(f.Names(), f.Usage, "", strconv.FormatBool(f.Value))
}

func (f *IntFlag) help() (names, text string) {
	return helpOf(f.Names(), f.Usage, "value", strconv.Itoa(f.Value))
}

func (f *Float64Flag) help() (names, text string) {
	def := f.DefaultText
	if def == "" {
		def = fmt.Sprint(f.Value)
	}
	return helpOf(f.Names(), f.Usage, "value", def)
}

func (f *StringSliceFlag) help() (names, text string) {
	names, text = helpOf(f.Names(), f.Usage, "value", "")
	return names + " [ " + names + " ]", text
}

// helpOf is the line of a flag: how it is typed, and what it does. A value that
// its usage does not name is called as given; "" is a flag without one.
func helpOf(names []string, usage, value, def string) (typed, text string) {
	if before, rest, ok := strings.Cut(usage, "`"); ok {
		if name, after, ok := strings.Cut(rest, "`"); ok {
			value, usage = name, before+name+after
		}
	}
	var all []string
	for _, name := range names {
		dashes := "--"
		if len(name) == 1 {
			dashes = "-"
		}
		all = append(all, strings.TrimSpace(dashes+name+" "+value))
	}
	if def != "" {
		usage = strings.TrimSpace(usage + " (default: " + def + ")")
	}
	return strings.Join(all, ", "), usage
}
