package automaton

import (
	"fmt"
	"math"
	"regexp/syntax"
	"slices"
	"unicode"
)

// classes divides the runes into classes that no instruction of a program tells apart.
type classes struct {
	ascii  [128]uint16
	starts []rune   // the first rune of each range, ascending
	class  []uint16 // the class of each range
	sample []rune   // a rune of each class
}

// of returns the class of a rune.
func (c *classes) of(r rune) uint16 {
	i, found := slices.BinarySearch(c.starts, r)
	if !found {
		i--
	}
	return c.class[i]
}

// end returns the class that stands for the end of the text.
func (c *classes) end() uint16 { return uint16(len(c.sample)) }

// mostTests is the maximum number of runes times tests that classesOf tries.
const mostTests = 1 << 22

// classesOf returns the classes of a program, unless there are too many to find.
func classesOf(prog *syntax.Prog) (c classes, ok bool) {
	tests := distinct(prog)
	c.starts = starts(tests)
	if len(c.starts) > math.MaxUint16 || len(c.starts)*len(tests) > mostTests {
		return classes{}, false
	}
	known := make(map[string]uint16)
	answers := make([]byte, len(tests)+2)
	for _, r := range c.starts {
		for i, inst := range tests {
			answers[i] = bit(inst.MatchRune(r))
		}
		answers[len(tests)] = bit(syntax.IsWordChar(r))
		answers[len(tests)+1] = bit(r == '\n')
		class, ok := known[string(answers)]
		if !ok {
			class = uint16(len(c.sample))
			known[string(answers)] = class
			c.sample = append(c.sample, r)
		}
		c.class = append(c.class, class)
	}
	for r := range c.ascii {
		c.ascii[r] = c.of(rune(r))
	}
	return c, true
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// distinct returns the instructions that match runes, each set of runes once.
func distinct(prog *syntax.Prog) []*syntax.Inst {
	seen := make(map[string]bool)
	var list []*syntax.Inst
	for i := range prog.Inst {
		inst := &prog.Inst[i]
		switch inst.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			key := fmt.Sprint(inst.Arg, inst.Rune)
			if !seen[key] {
				seen[key] = true
				list = append(list, inst)
			}
		}
	}
	return list
}

// starts returns where the answer of a test may change: runes of a literal, the same in other
// cases, ends of ranges, and words and lines, which assertions look at.
func starts(tests []*syntax.Inst) []rune {
	list := []rune{0}
	add := func(lo, hi rune) { list = append(list, lo, hi+1) }
	for _, r := range []string{"09", "AZ", "__", "az", "\n\n"} {
		add(rune(r[0]), rune(r[1]))
	}
	for _, inst := range tests {
		switch {
		case len(inst.Rune) == 1:
			first := inst.Rune[0]
			add(first, first)
			for r := unicode.SimpleFold(first); r != first; r = unicode.SimpleFold(r) {
				add(r, r)
			}
		default:
			for i := 0; i+1 < len(inst.Rune); i += 2 {
				add(inst.Rune[i], inst.Rune[i+1])
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
