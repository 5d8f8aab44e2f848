package formula

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// node is one step of a formula.
type node interface {
	// value returns the step's value; NaN if it, or one of its arguments, has no finite value.
	value(values []float64) float64
	// bounds returns a span that contains every value of the step.
	bounds(spanOf func(*variable) span) span
	args() []node
	// text returns the step as text, with its arguments' texts.
	text(args []string) string
	column() int
}

// step holds a node's position in the source, as a column.
type step struct{ col int }

func (s step) column() int { return s.col }

// finite returns v, or NaN if v is infinite: 0 times a finite number is 0, 0 times infinity is NaN.
func finite(v float64) float64 { return v + 0*v }

type number struct {
	step
	v float64
}

func (n *number) value([]float64) float64          { return n.v }
func (n *number) bounds(func(*variable) span) span { return span{n.v, n.v} }
func (n *number) args() []node                     { return nil }
func (n *number) text([]string) string             { return strconv.FormatFloat(n.v, 'g', -1, 64) }

type variable struct {
	step
	name  string
	index int
}

func (n *variable) value(values []float64) float64          { return finite(values[n.index]) }
func (n *variable) bounds(spanOf func(*variable) span) span { return spanOf(n) }
func (n *variable) args() []node                            { return nil }
func (n *variable) text([]string) string                    { return n.name }

type negation struct {
	step
	x node
}

func (n *negation) value(values []float64) float64 { return -n.x.value(values) }
func (n *negation) args() []node                   { return []node{n.x} }
func (n *negation) text(args []string) string      { return "-" + args[0] }

type binary struct {
	step
	op          byte
	left, right node
}

func (n *binary) value(values []float64) float64 {
	a, b := n.left.value(values), n.right.value(values)
	switch n.op {
	case '+':
		return finite(a + b)
	case '-':
		return finite(a - b)
	case '*':
		return finite(a * b)
	case '/':
		return finite(a / b)
	}
	return power(a, b)
}

// power returns a^b; NaN if a or b is NaN. math.Pow would return 1 for NaN^0 and 1^NaN.
func power(a, b float64) float64 {
	if a != a || b != b {
		return math.NaN()
	}
	return finite(math.Pow(a, b))
}

func (n *binary) args() []node              { return []node{n.left, n.right} }
func (n *binary) text(args []string) string { return fmt.Sprintf("%s %c %s", args[0], n.op, args[1]) }

// function takes one value, or folds two or more.
type function struct {
	one    func(float64) float64
	two    func(a, b float64) float64
	bounds func([]span) span
}

var functions = map[string]*function{
	"min":   {two: math.Min, bounds: fold(math.Min)},
	"max":   {two: math.Max, bounds: fold(math.Max)},
	"abs":   {one: math.Abs, bounds: absolute},
	"floor": {one: math.Floor, bounds: rising(math.Floor, math.Inf(-1))},
	"ceil":  {one: math.Ceil, bounds: rising(math.Ceil, math.Inf(-1))},
	"exp":   {one: math.Exp, bounds: rising(math.Exp, math.Inf(-1))},
	"sqrt":  {one: math.Sqrt, bounds: rising(math.Sqrt, 0)},
	"log":   {one: math.Log, bounds: rising(math.Log, 0)},
}

type call struct {
	step
	name   string
	f      *function
	values []node
}

func (n *call) value(values []float64) float64 {
	v := n.values[0].value(values)
	if n.f.one != nil {
		return finite(n.f.one(v))
	}
	for _, x := range n.values[1:] {
		v = n.f.two(v, x.value(values))
	}
	return v
}

func (n *call) args() []node              { return n.values }
func (n *call) text(args []string) string { return n.name + "(" + strings.Join(args, ", ") + ")" }
