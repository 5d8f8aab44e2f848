package automaton

import (
	"regexp"
	"regexp/syntax"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Matcher is a compiled regular expression. It runs as a deterministic automaton, whose states are
// made when a text first needs them and then shared by all goroutines (Cox, "Regular Expression
// Matching in the Wild", 2010). So a rune of a text usually costs one look into a table.
type Matcher struct {
	re       func() *regexp.Regexp
	prog     *syntax.Prog
	classes  classes
	anchored bool                   // a match begins where the text begins
	memory   int                    // of states at the same time, in bytes
	states   atomic.Pointer[states] // nil: package regexp matches
	fills    atomic.Int32           // how often the states outgrew their memory
}

// The states of a Matcher are dropped and made again when they outgrow mostMemory. An expression
// that fills it mostFills times has too many states: package regexp matches it from then on. It
// matches one with too many classes of runes from the start.
const (
	mostMemory = 4 << 20
	mostFills  = 16
)

// New compiles an expression with the syntax of package regexp.
func New(expr string) (*Matcher, error) {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	classes, ok := classesOf(prog)
	m := &Matcher{
		re:   sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }),
		prog: prog, classes: classes, memory: mostMemory,
		anchored: prog.StartCond()&syntax.EmptyBeginText != 0,
	}
	if ok {
		m.states.Store(m.newStates())
	}
	return m, nil
}

// Match reports whether the text contains a match.
func (m *Matcher) Match(text string) bool {
	all := m.states.Load()
	if all == nil {
		return m.re().MatchString(text)
	}
	s := all.start
	for i := 0; i < len(text); {
		class := m.classes.ascii[text[i]&0x7f]
		if text[i] < utf8.RuneSelf {
			i++
		} else {
			r, size := utf8.DecodeRuneInString(text[i:])
			class = m.classes.of(r)
			i += size
		}
		next := s.next[class].Load()
		if next == nil {
			if next = all.step(s, class); next == nil {
				return m.full(all, text)
			}
		}
		switch next {
		case &matched:
			return true
		case &dead:
			return false
		}
		s = next
	}
	end := m.classes.end()
	last := s.next[end].Load()
	if last == nil {
		last = all.step(s, end)
	}
	return last == &matched
}

// full matches a text that needs a state for which there is no memory, and has later texts begin
// with new states.
func (m *Matcher) full(all *states, text string) bool {
	next := m.newStates()
	if m.fills.Load() >= mostFills {
		next = nil
	}
	if m.states.CompareAndSwap(all, next) {
		m.fills.Add(1)
	}
	return m.re().MatchString(text)
}
