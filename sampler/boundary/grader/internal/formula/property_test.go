package formula_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gonogo/sampler/boundary/grader/internal/formula"
)

var letters = []string{"a", "b", "c"}

// term is a formula's text, how tightly it holds together, and what it is
// worth, found without the package under test.
type term struct {
	text  string
	level int // 1 sum, 2 product, 3 sign, 4 power, 5 a whole
	value func(v []float64) float64
}

// in writes the term where at least that much cohesion is wanted.
func (x term) in(level int) string {
	if x.level < level {
		return "(" + x.text + ")"
	}
	return x.text
}

func terms(depth int) *rapid.Generator[term] {
	leaf := rapid.Custom(func(t *rapid.T) term {
		if i := rapid.IntRange(0, len(letters)).Draw(t, "leaf"); i < len(letters) {
			return term{letters[i], 5, func(v []float64) float64 { return v[i] }}
		}
		n := rapid.SampledFrom([]float64{0, 0.3, 0.5, 1, 2, 3, 1e-9}).Draw(t, "number")
		return term{fmt.Sprint(n), 5, func([]float64) float64 { return n }}
	})
	if depth == 0 {
		return leaf
	}
	inner := terms(depth - 1)
	return rapid.Custom(func(t *rapid.T) term {
		x, y := inner.Draw(t, "x"), inner.Draw(t, "y")
		op := func(text string, level int, f func(a, b float64) float64) term {
			return term{text, level, func(v []float64) float64 { return strict(f(x.value(v), y.value(v))) }}
		}
		switch rapid.SampledFrom([]string{"leaf", "+", "-", "*", "*", "/", "^", "sign", "min", "max", "abs", "floor", "ceil", "sqrt", "log", "exp"}).Draw(t, "op") {
		case "+":
			return op(x.in(1)+" + "+y.in(2), 1, func(a, b float64) float64 { return a + b })
		case "-":
			return op(x.in(1)+" - "+y.in(2), 1, func(a, b float64) float64 { return a - b })
		case "*":
			return op(x.in(2)+"*"+y.in(3), 2, func(a, b float64) float64 { return a * b })
		case "/":
			return op(x.in(2)+"/"+y.in(3), 2, func(a, b float64) float64 { return a / b })
		case "^":
			return op(x.in(5)+"^"+y.in(3), 4, func(a, b float64) float64 {
				if math.IsNaN(a) || math.IsNaN(b) {
					return math.NaN()
				}
				return math.Pow(a, b)
			})
		case "sign":
			return op("-"+x.in(3), 3, func(a, _ float64) float64 { return -a })
		case "min":
			return op("min("+x.text+", "+y.text+")", 5, math.Min)
		case "max":
			return op("max("+x.text+","+y.text+")", 5, math.Max)
		case "abs":
			return op("abs("+x.text+")", 5, func(a, _ float64) float64 { return math.Abs(a) })
		case "floor":
			return op("floor("+x.text+")", 5, func(a, _ float64) float64 { return math.Floor(a) })
		case "ceil":
			return op("ceil("+x.text+")", 5, func(a, _ float64) float64 { return math.Ceil(a) })
		case "sqrt":
			return op("sqrt("+x.text+")", 5, func(a, _ float64) float64 { return math.Sqrt(a) })
		case "log":
			return op("log("+x.text+")", 5, func(a, _ float64) float64 { return math.Log(a) })
		case "exp":
			return op("exp("+x.text+")", 5, func(a, _ float64) float64 { return math.Exp(a) })
		}
		return x
	})
}

func strict(v float64) float64 {
	if math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// A sign and a one-valued function ignore their second term, whose failure then
// does not matter to the value that is wanted.
func TestParenthesesAreNeededOnlyWhereMathsNeedsThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := terms(4).Draw(t, "formula")
		values := rapid.SliceOfN(rapid.Float64Range(-2, 2), 3, 3).Draw(t, "values")
		f, err := formula.Compile(x.text, letters)
		if err != nil {
			t.Fatalf("%s: %v", x.text, err)
		}
		want := x.value(values)
		got, err := f.Eval(values)
		if math.IsNaN(want) != (err != nil) || err == nil && got != want {
			t.Fatalf("%s = %v, error %v; want %v at %v", x.text, got, err, want, values)
		}
	})
}

// TestAGateHoldsForRandomValues: with a gate at 0 the value is the same
// whatever the others are, and it is 0 or the least of all.
func TestAGateHoldsForRandomValues(t *testing.T) {
	found := 0
	for _, domain := range []struct{ low, high float64 }{{0, 1}, {-1, 1}, {1, 5}, {-100, 100}} {
		between := rapid.Float64Range(domain.low, domain.high)
		for _, told := range []bool{true, false} {
			rapid.Check(t, func(t *rapid.T) {
				x := terms(3).Draw(t, "formula")
				f, err := formula.Compile(x.text, letters)
				if err != nil {
					t.Fatalf("%s: %v", x.text, err)
				}
				var bounds func(string) (float64, float64)
				if told {
					bounds = func(string) (float64, float64) { return domain.low, domain.high }
				}
				for _, gate := range f.Gates(bounds) {
					found++
					var at []float64
					for range 20 {
						values := rapid.SliceOfN(between, 3, 3).Draw(t, "values")
						whole := x.value(values)
						values[slices.Index(letters, gate)] = 0
						v := x.value(values)
						if math.IsNaN(v) {
							continue
						}
						if at = append(at, v); v != at[0] || v != 0 && whole < v-1e-9*math.Abs(v) {
							t.Fatalf("%s: %s is no gate: %v at %v, %v before, %v with it", x.text, gate, v, values, at[0], whole)
						}
					}
				}
			})
		}
	}
	least := 100
	if testing.Short() { // rapid draws a fifth then
		least = 10
	}
	if found < least {
		t.Errorf("only %d gates were tried", found)
	}
}
