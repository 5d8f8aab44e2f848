package formula

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Formula is a compiled formula. It is safe for use by several goroutines.
type Formula struct {
	root   node
	inputs []string // the names of the values, in the order in which Eval takes them
	names  []string // the names that the formula reads, in order of appearance
}

// Compile reads a formula over the names in inputs. A formula has
//
//   - numbers, also in scientific notation: 2, 0.5, .5, 1e-9
//   - the operators + - * / and ^, the power, and parentheses
//   - min and max of two or more values, and abs, floor, ceil, exp, sqrt and log
//     (the natural logarithm) of one
//
// and the usual precedence: ^ binds tightest and groups to the right, so 2^3^2 is 2^9 and -a^2 is
// -(a^2); then the sign, then * and /, then + and -. How the hosted service reads ^ and signs is
// not documented. An error in the source is an *Error, which names the column.
func Compile(source string, inputs []string) (*Formula, error) {
	for i, name := range inputs {
		if !isName(name) {
			return nil, fmt.Errorf("%q cannot be used in a formula: a name has letters, digits and _, and does not "+
				"begin with a digit", name)
		}
		if slices.Contains(inputs[:i], name) {
			return nil, fmt.Errorf("the name %q is given twice", name)
		}
	}
	if len(source) > longest {
		return nil, &Error{Column: 1, Text: fmt.Sprintf("the formula is longer than %d bytes", longest)}
	}
	p := &parser{source: source, inputs: inputs}
	root, err := p.parse()
	if err != nil {
		return nil, err
	}
	return &Formula{root: root, inputs: slices.Clone(inputs), names: p.names}, nil
}

// isName reports whether s can be used as a name in a formula.
func isName(s string) bool {
	for i, r := range s {
		if !letter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != ""
}

func letter(r rune) bool { return r == '_' || unicode.IsLetter(r) }

// Names lists the names that the formula reads, in order of their first appearance.
func (f *Formula) Names() []string { return slices.Clone(f.names) }

// Eval returns the formula's value; values[i] belongs to the i-th name given to Compile. A step
// without a finite result, such as a division by zero, the logarithm of 0 or an overflow, leaves
// the formula without a value, even if a later step would hide it, as in min(1, 1/0). The error is
// then an *Error that names the step. Eval panics if the number of values is not the number of
// names.
//
// Note: what the hosted service does with such a step is not documented. Most expression evaluators
// refuse it, and an error gets noticed, while an unintended number does not.
func (f *Formula) Eval(values []float64) (float64, error) {
	if len(values) != len(f.inputs) {
		panic(fmt.Sprintf("formula: %d values for %d names", len(values), len(f.inputs)))
	}
	v := f.root.value(values)
	if v != v {
		return 0, culprit(f.root, values)
	}
	return v, nil
}

// culprit returns an error about the innermost step of n that has no finite value.
func culprit(n node, values []float64) *Error {
	args := n.args()
	for _, a := range args {
		if v := a.value(values); v != v {
			return culprit(a, values)
		}
	}
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = fmt.Sprint(a.value(values))
	}
	return &Error{Column: n.column(), Text: fmt.Sprintf("%s is not a finite number", n.text(texts))}
}

// Error reports a formula that cannot be read, or a step without a value.
type Error struct {
	Column int // in characters, from 1
	Text   string
}

// Error returns the text with the column.
func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Text) }

// list joins names for a message.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
