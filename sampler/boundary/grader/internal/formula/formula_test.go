package formula_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/boundary/grader/internal/formula"
)

func compile(t testing.TB, source string, names ...string) *formula.Formula {
	t.Helper()
	f, err := formula.Compile(source, names)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return f
}

// The expected numbers are school arithmetic on a = 0.5, b = 0.25 and exact in
// binary, or those of Python 3.11 with ^ written as **.
func TestEval(t *testing.T) {
	for _, c := range []struct {
		why, source string
		want        float64
	}{
		{"a number", "2", 2},
		{"without a digit before the point", ".5", 0.5},
		{"without a digit after it", "5.", 5},
		{"scientific notation", "1e-9", 1e-9},
		{"with a sign and a capital", "2.5E+3", 2500},
		{"a name", "a", 0.5},
		{"spaces and lines between steps", " a \t+\r\n b ", 0.75},
		{"minus groups to the left", "a - b - 1", -0.75},
		{"division groups to the left", "8/4/2", 1},
		{"division is not of whole numbers", "1/2", 0.5},
		{"times before plus", "1+2*3", 7},
		{"parentheses first", "(1+2)*3", 9},
		{"a power before times", "2*a^2", 0.5},
		{"on both sides", "a^2*3", 0.75},
		{"powers group to the right", "2^3^2", 512},
		{"a power before the sign", "-a^2", -0.25},
		{"a sign in the exponent", "2^-1", 0.5},
		{"a sign in the exponent ends before times", "2^-1*4", 2},
		{"a sign after an operator", "2*-a", -1},
		{"signs in a row", "--a - -b", 0.75},
		{"a plus sign", "+a", 0.5},
		{"min of three", "min(a, b, 1)", 0.25},
		{"max within min", "min(1, max(a,b))", 0.5},
		{"a guard against division by zero", "2*a*b / max(a + b, 1e-9)", 1. / 3},
		{"steps", "floor(a*10)/10 + ceil(b)", 1.5},
		{"abs", "abs(b-a)", 0.25},
		{"exp, log and sqrt", "log(exp(2)) + sqrt(b)", 2.5},
		{"log is natural", "log(10)", 2.302585092994046},
		{"exp(1)", "exp(1)", 2.718281828459045},
		{"nothing to the power nothing", "0^0", 1},
	} {
		t.Run(c.why, func(t *testing.T) {
			got, err := compile(t, c.source, "a", "b").Eval([]float64{0.5, 0.25})
			if err != nil || math.Abs(got-c.want) > 1e-15*math.Max(1, math.Abs(c.want)) {
				t.Errorf("%s = %v, error %v; want %v", c.source, got, err, c.want)
			}
		})
	}
}

func TestAStepWithoutAFiniteValueIsAnError(t *testing.T) {
	for _, c := range []struct {
		why, source string
		column      int
		says        string
	}{
		{"division by zero", "1 + a/zero", 6, "0.5 / 0"},
		{"nothing by nothing", "zero/zero", 5, "0 / 0"},
		{"the logarithm of nothing", "a * log(zero)", 5, "log(0)"},
		{"of less than nothing", "log(-a)", 1, "log(-0.5)"},
		{"the root of less than nothing", "sqrt(zero - a)", 1, "sqrt(-0.5)"},
		{"a broken power of less than nothing", "(-8)^(1/3)", 5, "-8 ^ 0.333"},
		{"an overflow", "exp(1000)", 1, "exp(1000)"},
		{"a later step does not hide it in min", "min(1, a/zero)", 9, "0.5 / 0"},
		{"nor in a fraction", "1/(a/zero)", 5, "0.5 / 0"},
		{"nor in the power 0", "(a/zero)^0", 3, "0.5 / 0"},
		{"nor in a power of 1", "1^log(zero)", 3, "log(0)"},
		{"nor times nothing", "0*(a/zero)", 5, "0.5 / 0"},
		{"a value that is not finite itself", "a + 2*bad", 7, "bad"},
		{"the column counts characters", "größe/zero", 6, "2 / 0"},
	} {
		t.Run(c.why, func(t *testing.T) {
			got, err := compile(t, c.source, "a", "zero", "bad", "größe").Eval([]float64{0.5, 0, math.NaN(), 2})
			var e *formula.Error
			if !errors.As(err, &e) || e.Column != c.column || !strings.Contains(e.Text, c.says) || got != 0 {
				t.Errorf("%s: value %v, error %v; want column %d, %q", c.source, got, err, c.column, c.says)
			}
		})
	}
	if _, err := compile(t, "a", "a").Eval([]float64{math.Inf(1)}); err == nil {
		t.Error("an infinite value is accepted")
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, c := range []struct {
		why, source string
		column      int
		says        string
	}{
		{"nothing", "", 1, "empty"},
		{"spaces", "  ", 3, "empty"},
		{"an unknown name, with those there are", "a + exct", 5, `unknown name "exct"; the names are a, b`},
		{"an unknown function, with those there are", "mean(a,b)", 1, "the functions are abs, ceil, exp, floor, log, max, min, sqrt"},
		{"an end after an operator", "a +", 4, "ends where a value is expected"},
		{"an open parenthesis", "2*(a", 3, "not closed"},
		{"an open call", "sqrt(a", 5, "not closed"},
		{"a parenthesis too many", "a)", 2, "unexpected ')'"},
		{"a call of nothing", "min()", 5, "unexpected ')'"},
		{"an empty value", "min(a,,b)", 7, "unexpected ','"},
		{"no operator between names", "a b", 3, "an operator is missing"},
		{"nor before a parenthesis", "2(a)", 2, "an operator is missing"},
		{"nor between a number and a name", "2a", 2, "an operator is missing"},
		{"a power as Python writes it", "a**2", 2, "write a power with ^"},
		{"another operator", "a % b", 3, "the operators are + - * / ^"},
		{"a comparison", "a > b", 3, "the operators are + - * / ^"},
		{"two points", "1.2.3", 1, "not a number"},
		{"an exponent without digits", "1e", 1, "not a number"},
		{"a point alone", ".", 1, "not a number"},
		{"a number too large", "1e999", 1, "too large"},
		{"too few values", "min(a)", 1, "min takes two or more values, not 1"},
		{"too many", "sqrt(a, b)", 1, "sqrt takes one value, not 2"},
		{"a function without values", "a + floor", 5, "floor is a function"},
		{"the column counts characters", "größe + x", 9, `unknown name "x"`},
		{"a text", `"a"`, 1, "unexpected '\"'"},
		{"nesting without end", strings.Repeat("(", 5000), 101, "nesting"},
		{"signs without end", strings.Repeat("-", 5000) + "a", 101, "nesting"},
		{"powers without end", strings.Repeat("2^", 5000) + "a", 201, "nesting"},
		{"a formula without end", strings.Repeat("a+", 40_000) + "a", 1, "longer than 65536 bytes"},
	} {
		t.Run(c.why, func(t *testing.T) {
			_, err := formula.Compile(c.source, []string{"a", "b", "größe"})
			says := strings.Replace(c.says, "are a, b", "are a, b, größe", 1)
			var e *formula.Error
			if !errors.As(err, &e) || e.Column != c.column || !strings.Contains(e.Text, says) {
				t.Errorf("error %v; want column %d, %q", err, c.column, says)
			}
		})
	}
	for why, names := range map[string][]string{
		"a name with a hyphen":          {"a-b"},
		"a name that begins with digit": {"1a"},
		"an empty name":                 {""},
		"a name twice":                  {"a", "b", "a"},
	} {
		if _, err := formula.Compile("1", names); err == nil {
			t.Errorf("%s is accepted", why)
		}
	}
}

func TestALongSumIsNoNesting(t *testing.T) {
	const n = 30_000
	got, err := compile(t, strings.Repeat("a+", n)+"a", "a").Eval([]float64{1})
	if err != nil || got != n+1 {
		t.Errorf("sum %v, error %v", got, err)
	}
}

func TestNamesComeInOrderOfAppearance(t *testing.T) {
	f := compile(t, "style*0.3 + tests*(style + min(lint, tests))", "lint", "min", "style", "tests", "unused")
	if d := cmp.Diff([]string{"style", "tests", "lint"}, f.Names()); d != "" {
		t.Errorf("names (-want +got):\n%s", d)
	}
	if got := compile(t, "min(min, 1)", "min").Names(); !cmp.Equal(got, []string{"min"}) {
		t.Errorf("a value called like a function: names %v", got)
	}
}

// FuzzCompile reads any text: it never panics, an error has a column within
// the text, and what compiles has a finite value or an error.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{"a^2*3", "-a^2", "2^3^2", "min(a,b,1)", "floor(a*10)/10", "1e-9", "sqrt(a", "a b", "((", "a**2", "größe", "log(0)", "1/0", "\xff", "2e+"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := formula.Compile(s, []string{"a", "b"})
		if err != nil {
			var e *formula.Error
			if !errors.As(err, &e) || e.Column < 1 || e.Column > len(s)+1 {
				t.Fatalf("%q: error %v", s, err)
			}
			return
		}
		v, err := c.Eval([]float64{0.5, 2})
		if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Fatalf("%q: value %v without an error", s, v)
		}
		var e *formula.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("%q: error %v", s, err)
		}
		c.Gates(nil)
	})
}

func BenchmarkEval(b *testing.B) {
	f := compile(b, "0.7*a + 0.3*max(b, 0) - 0.1", "a", "b")
	values := []float64{1, 2}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Eval(values); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		compile(b, "tests * (0.7 + 0.3*style) - 0.1*max(length - 1, 0)", "length", "style", "tests")
	}
}
