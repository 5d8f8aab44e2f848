package formula

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// node is one step of a formula.
type node interface {
	// value is the step's value; NaN when it has no finite one, or a step before
	// it has none.
	value(values []float64) float64
	// bounds is a span that holds every value the step can have.
	bounds(of func(*variable) span) span
	args() []node
	// text writes the step with its arguments' texts.
	text(args []string) string
	column() int
}

// step is where a node is in the source.
type step struct{ col int }

func (s step) column() int { return s.col }

// finite is v, or NaN when v is infinite: 0 times any other number is 0.
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

func (n *variable) value(values []float64) float64      { return finite(values[n.index]) }
func (n *variable) bounds(of func(*variable) span) span { return of(n) }
func (n *variable) args() []node                        { return nil }
func (n *variable) text([]string) string                { return n.name }

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

// power is a^b. math.Pow finds a value in NaN^0 and 1^NaN; there is none here.
func power(a, b float64) float64 {
	if a != a || b != b {
		return math.NaN()
	}
	return finite(math.Pow(a, b))
}

func (n *binary) args() []node              { return []node{n.left, n.right} }
func (n *binary) text(args []string) string { return fmt.Sprintf("%s %c %s", args[0], n.op, args[1]) }

// function is of one value or folds two or more.
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
