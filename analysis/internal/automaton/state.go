package automaton

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sync"
	"sync/atomic"
)

// state is where the automaton is between two runes: the instructions that come next, and what
// assertions have to know of the rune before.
type state struct {
	at     []uint32 // ascending
	before rune     // stands for the rune before; -1 at the beginning
	next   []atomic.Pointer[state]
}

var matched, dead state

// states holds the states made so far.
type states struct {
	m     *Matcher
	start *state

	mu     sync.Mutex // guards all below
	by     map[string]*state
	memory int
	set    sparse // scratch of step
	stack  []uint32
	at     []uint32
	key    []byte
}

func (m *Matcher) newStates() *states {
	all := &states{m: m, by: make(map[string]*state), set: newSparse(len(m.prog.Inst))}
	all.start = all.of([]uint32{uint32(m.prog.Start)}, -1)
	return all
}

// step returns the state after a rune of a class, or nil if there is no memory for it.
func (all *states) step(s *state, class uint16) *state {
	all.mu.Lock()
	defer all.mu.Unlock()
	if next := s.next[class].Load(); next != nil {
		return next
	}
	next := all.after(s, class)
	if next != nil {
		s.next[class].Store(next)
	}
	return next
}

func (all *states) after(s *state, class uint16) *state {
	m, r := all.m, rune(-1)
	if class != m.classes.end() {
		r = m.classes.sample[class]
	}
	if all.close(s.at, syntax.EmptyOpContext(s.before, r)) {
		return &matched
	}
	if r < 0 {
		return &dead
	}
	all.at = all.at[:0]
	for _, pc := range all.set.dense {
		if inst := &m.prog.Inst[pc]; runeOp(inst.Op) && inst.MatchRune(r) {
			all.at = append(all.at, inst.Out)
		}
	}
	if !m.anchored {
		all.at = append(all.at, uint32(m.prog.Start))
	}
	if len(all.at) == 0 {
		return &dead
	}
	slices.Sort(all.at)
	all.at = slices.Compact(all.at)
	return all.of(all.at, kind(r))
}

func runeOp(op syntax.InstOp) bool {
	return op == syntax.InstRune || op == syntax.InstRune1 || op == syntax.InstRuneAny || op == syntax.InstRuneAnyNotNL
}

// kind returns a rune that assertions cannot tell from r.
func kind(r rune) rune {
	switch {
	case r == '\n':
		return r
	case syntax.IsWordChar(r):
		return 'a'
	}
	return ' '
}

// close sets all.set to the instructions that are reached from some without a rune, and reports
// whether a match is among them.
func (all *states) close(from []uint32, holds syntax.EmptyOp) (match bool) {
	all.set.clear()
	all.stack = append(all.stack[:0], from...)
	for len(all.stack) > 0 {
		pc := all.stack[len(all.stack)-1]
		all.stack = all.stack[:len(all.stack)-1]
		if !all.set.add(pc) {
			continue
		}
		switch inst := &all.m.prog.Inst[pc]; inst.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstAlt, syntax.InstAltMatch:
			all.stack = append(all.stack, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			all.stack = append(all.stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^holds == 0 {
				all.stack = append(all.stack, inst.Out)
			}
		}
	}
	return false
}

// of returns the state of some instructions, or nil if there is no memory for it.
func (all *states) of(at []uint32, before rune) *state {
	all.key = append(all.key[:0], byte(before))
	for _, pc := range at {
		all.key = binary.LittleEndian.AppendUint32(all.key, pc)
	}
	if s := all.by[string(all.key)]; s != nil {
		return s
	}
	n := int(all.m.classes.end()) + 1
	size := 8*len(at) + 8*n + 200 // at, its key and next
	if all.memory += size; all.memory > all.m.memory && all.start != nil {
		return nil
	}
	s := &state{at: slices.Clone(at), before: before, next: make([]atomic.Pointer[state], n)}
	all.by[string(all.key)] = s
	return s
}

// sparse is a set of instructions (Briggs and Torczon 1993, doi:10.1145/176454.176484).
type sparse struct{ dense, index []uint32 }

func newSparse(n int) sparse { return sparse{make([]uint32, 0, n), make([]uint32, n)} }

func (s *sparse) clear() { s.dense = s.dense[:0] }

// add adds an instruction and reports whether it was absent.
func (s *sparse) add(pc uint32) bool {
	if i := s.index[pc]; int(i) < len(s.dense) && s.dense[i] == pc {
		return false
	}
	s.index[pc] = uint32(len(s.dense))
	s.dense = append(s.dense, pc)
	return true
}
