package shift

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis/message"

	"pgregory.net/rapid"
)

// english says texts one by one.
func english(texts []message.Text) []string {
	said := make([]string, len(texts))
	for i := range texts {
		said[i] = texts[i].String()
	}
	return said
}

// quick are sizes for tests that are not about p.
var quick = Options{Permutations: 99, Others: 99, Refits: 19}

func TestAShiftIsFoundAndExplained(t *testing.T) {
	other := writer{median: 90, topic: "refund", share: 0.4, french: 0.6, spend: 1}
	a := Sample{"train", plain.rows(seeded(1), 150)}
	b := Sample{"eval", other.rows(seeded(2), 100)}
	results := Compare(a, b, Options{})
	if !results[0].Primary || results[0].Test != Energy || *results[0].P > 0.001 {
		t.Errorf("the primary test says %+v", results[0])
	}
	for _, r := range results[1:] {
		if r.Primary {
			t.Errorf("%s is a second primary test", r.Test)
		}
	}
	c2st := find(t, results, C2ST, "")
	if *c2st.Effect.Low < 0.6 || *c2st.P > 0.005 {
		t.Errorf("AUC %g from %g, p = %g", *c2st.Effect.Value, *c2st.Effect.Low, *c2st.P)
	}
	told := strings.Join(english(c2st.Top), "\n")
	for _, want := range []string{`"refund": 41 % of eval, 0 % of train`, "words: median", "language = fr: ", "spend: median"} {
		if !strings.Contains(told, want) {
			t.Errorf("the explanation has no %s:\n%s", want, told)
		}
	}
	if len(c2st.Items) != mostItems || len(results[0].Items) != mostItems {
		t.Errorf("telling rows: %v and %v", c2st.Items, results[0].Items)
	}
	for _, quantity := range []Result{find(t, results, Kolmogorov, "words"), find(t, results, Kolmogorov, "spend"), find(t, results, ChiSquare, "language")} {
		if *quantity.P > 0.01 || !(*quantity.Effect.Low > 0) {
			t.Errorf("%s of %s: p = %g, effect from %g", quantity.Test, quantity.About, *quantity.P, *quantity.Effect.Low)
		}
	}
}

func TestASingleCategoryIsJudgedByChiSquare(t *testing.T) {
	rows := func(n, of int) (out []Row) {
		for i := range n {
			out = append(out, Row{ID: fmt.Sprint(i), Categories: map[string]string{"kind": string(rune('a' + i%of))}})
		}
		return out
	}
	r := Compare(Sample{"a", rows(80, 4)}, Sample{"b", rows(80, 5)}, Options{})
	if r[0].Test != ChiSquare || !r[0].Primary || *r[0].P > 0.01 {
		t.Errorf("%+v", r[0])
	}
	if n := len(slices.DeleteFunc(r, func(r Result) bool { return r.Test != ChiSquare })); n != 1 {
		t.Errorf("%d χ² tests of one category", n)
	}
}

// A shift of what is missing is a shift.
func TestNumbersThatAreNotGivenAreADifference(t *testing.T) {
	rng := seeded(3)
	rows := func(given float64) (out []Row) {
		for i := range 100 {
			row := Row{ID: fmt.Sprint(i), Numbers: map[string]float64{"x": rng.NormFloat64()}}
			if rng.Float64() > given {
				row.Numbers["x"] = math.NaN()
			}
			out = append(out, row)
		}
		return out
	}
	results := Compare(Sample{"a", rows(0.95)}, Sample{"b", rows(0.6)}, Options{})
	if p := *results[0].P; p > 0.001 {
		t.Errorf("p = %g", p)
	}
	ks := find(t, results, Kolmogorov, "x")
	if ks.NA+ks.NB >= 200 || ks.NB > 75 {
		t.Errorf("values that are not given took part: %d and %d", ks.NA, ks.NB)
	}
}

func TestTheAnswerIsTheSameInAnyOrderOnAnyMachine(t *testing.T) {
	a, b := plain.rows(seeded(1), 160), plain.rows(seeded(2), 90)
	opt := quick
	opt.Rows = 100 // a subset of a takes part
	want := Compare(Sample{"a", a}, Sample{"b", b}, opt)
	covered := Coverage(Sample{"a", a}, Sample{"b", b}, opt)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, processors := range []int{1, 7} {
		runtime.GOMAXPROCS(processors)
		rng := seeded(uint64(processors))
		rng.Shuffle(len(a), func(i, j int) { a[i], a[j] = a[j], a[i] })
		rng.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		if got := Compare(Sample{"a", a}, Sample{"b", b}, opt); !reflect.DeepEqual(got, want) {
			t.Errorf("%d processors: another answer", processors)
		}
		if got := Coverage(Sample{"a", a}, Sample{"b", b}, opt); !reflect.DeepEqual(got, covered) {
			t.Errorf("%d processors: another coverage", processors)
		}
	}
}

func TestALargeSampleTakesPartByASubset(t *testing.T) {
	opt := quick
	opt.Rows, opt.References = 50, 70
	a := Sample{"a", onlyText(plain.rows(seeded(1), 300))}
	b := Sample{"b", onlyText(plain.rows(seeded(2), 40))}
	if r := Compare(a, b, opt)[0]; r.NA != 50 || r.NB != 40 {
		t.Errorf("%d and %d rows", r.NA, r.NB)
	} else if w := english(r.Effect.Warnings); !slices.Equal(w, []string{"50 of the 300 rows of a take part, drawn at random"}) {
		t.Errorf("warnings %q", w)
	}
	if c := Coverage(a, b, opt); c.NA != 70 || c.NB != 40 {
		t.Errorf("%d and %d rows", c.NA, c.NB)
	}
}

func TestNumbersNeedNoCommonScale(t *testing.T) {
	rows := func(power float64) (a, b []Row) {
		rng := seeded(6)
		for i := range 60 {
			a = append(a, Row{ID: fmt.Sprint(i), Numbers: map[string]float64{"x": math.Pow(rng.Float64(), power)}})
			b = append(b, Row{ID: fmt.Sprint(i), Numbers: map[string]float64{"x": math.Pow(0.8*rng.Float64(), power)}})
		}
		return a, b
	}
	a, b := rows(1)
	wide, tall := rows(40)
	one, other := Compare(Sample{"", a}, Sample{"", b}, quick)[0], Compare(Sample{"", wide}, Sample{"", tall}, quick)[0]
	near(t, "statistic of x^40", *other.Statistic, *one.Statistic, 1e-9)
}

// hostile are samples that have broken other tools.
func hostile() map[string][2][]Row {
	texts := func(texts ...string) (out []Row) {
		for i, s := range texts {
			out = append(out, Row{ID: fmt.Sprint(i), Text: s})
		}
		return out
	}
	numbers := func(values ...float64) (out []Row) {
		for i, x := range values {
			out = append(out, Row{ID: fmt.Sprint(i), Numbers: map[string]float64{"x": x}})
		}
		return out
	}
	same := make([]string, 30)
	empty := make([]string, 30)
	ids := make([]Row, 40)
	for i := range same {
		same[i] = "the same text"
	}
	for i := range ids {
		ids[i] = Row{ID: fmt.Sprint(i), Categories: map[string]string{"id": fmt.Sprint(i), "one": "a"}}
	}
	long := slices.Repeat([]float64{math.MaxFloat64, -1e308, 1e308, 5e-324, 0, math.NaN(), math.Inf(1), math.Inf(-1)}, 4)
	return map[string][2][]Row{
		"nothing at all":            {},
		"one side empty":            {texts(same...), nil},
		"no features":               {make([]Row, 20), make([]Row, 20)},
		"one row a side":            {texts("a b"), texts("c d")},
		"two rows a side":           {texts("a b", "a c"), texts("c d", "d a")},
		"two against many":          {texts(same...), texts("another", "text 5")},
		"three a side":              {texts("a", "b c", "c a"), texts("a b c d", "e e e", "a")},
		"all texts equal":           {texts(same...), texts(same...)},
		"all texts empty":           {texts(empty...), texts(empty...)},
		"empty against equal":       {texts(empty...), texts(same...)},
		"invalid UTF-8":             {texts("\xff\xfe", "a\x00b", "\xf0\x9f"), texts("\xff", "\xed\xa0\x80", "")},
		"numbers without bounds":    {numbers(long...), numbers(long...)},
		"huge against tiny":         {numbers(slices.Repeat([]float64{1e308}, 15)...), numbers(slices.Repeat([]float64{5e-324}, 15)...)},
		"no number is one":          {numbers(slices.Repeat([]float64{math.NaN()}, 15)...), numbers(slices.Repeat([]float64{math.Inf(1)}, 15)...)},
		"numbers on one side only":  {numbers(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), texts(same...)},
		"categories that are ids":   {ids, ids},
		"a text of a million words": {texts(strings.Repeat("a b ", 250_000), "a b"), texts("a", "b a")},
	}
}

func TestHostileSamplesGetAnAnswerOrAReason(t *testing.T) {
	for name, sides := range hostile() {
		t.Run(name, func(t *testing.T) {
			answered(t, Sample{"train", sides[0]}, Sample{"eval", sides[1]})
			answered(t, Sample{"eval", sides[1]}, Sample{"train", sides[0]})
		})
	}
}

// answered fails the test where a comparison gives neither a number nor a
// reason, or a number that is none.
func answered(t interface {
	Helper()
	Errorf(string, ...any)
}, a, b Sample,
) {
	t.Helper()
	results := Compare(a, b, quick)
	if !results[0].Primary {
		t.Errorf("the first result is not the primary one")
	}
	for _, r := range results {
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%s %s: %v", r.Test, r.About, err)
		}
		if r.Effect.Value == nil && len(r.Effect.Warnings) == 0 {
			t.Errorf("%s %s: neither a value nor a reason", r.Test, r.About)
		}
		if r.Effect.Value != nil {
			e := r.Effect
			if e.Low != nil && !(*e.Low <= *e.Value && *e.Value <= *e.High && *e.Low < *e.High) {
				t.Errorf("%s %s: %g is said to lie in [%g, %g]", r.Test, r.About, *e.Value, *e.Low, *e.High)
			}
			if e.Low == nil && len(e.Warnings) == 0 {
				t.Errorf("%s %s: no interval and no reason", r.Test, r.About)
			}
		}
		if told := strings.Join(english(r.Top), " "); strings.Contains(told, "NaN") || strings.Contains(told, "Inf") {
			t.Errorf("%s %s tells %s", r.Test, r.About, told)
		}
		if r.P != nil && !(*r.P > 0 && *r.P <= 1) {
			t.Errorf("%s %s: p = %g", r.Test, r.About, *r.P)
		}
	}
	c := Coverage(a, b, quick)
	if _, err := json.Marshal(c); err != nil {
		t.Errorf("coverage: %v", err)
	}
	if c.Share.Value == nil && len(c.Share.Warnings) == 0 {
		t.Errorf("coverage: neither a value nor a reason")
	}
}

func TestAnySamplesGetAnAnswerOrAReason(t *testing.T) {
	side := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Row {
		row := Row{ID: rapid.StringN(0, 2, 3).Draw(t, "id")}
		if rapid.Bool().Draw(t, "text") {
			row.Text = rapid.StringN(0, 30, 60).Draw(t, "text")
		}
		if rapid.Bool().Draw(t, "number") {
			row.Numbers = map[string]float64{"x": rapid.Float64().Draw(t, "x")}
		}
		if rapid.Bool().Draw(t, "category") {
			row.Categories = map[string]string{"k": rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "k")}
		}
		return row
	}), 0, 25)
	rapid.Check(t, func(t *rapid.T) {
		answered(t, Sample{"a", side.Draw(t, "a")}, Sample{"b", side.Draw(t, "b")})
	})
}

// Exchanging the samples changes no statistic of pairs, only who is told about.
func TestSidesMayBeExchanged(t *testing.T) {
	a, b := Sample{"a", plain.rows(seeded(1), 50)}, Sample{"b", plain.rows(seeded(2), 35)}
	one, other := Compare(a, b, quick), Compare(b, a, quick)
	for i, r := range one {
		if r.Test != C2ST {
			near(t, r.Test+" "+r.About.String(), *other[i].Statistic, *r.Statistic, 0.02)
		}
	}
}
