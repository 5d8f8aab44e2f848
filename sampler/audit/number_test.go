package audit

import (
	"math/big"
	"strings"
	"testing"
)

func TestParseNumber(t *testing.T) {
	for _, c := range []struct{ why, text, value string }{
		{"a whole number", "42", "42"},
		{"decimals", "3.50", "3.5"},
		{"without a zero before the point", ".5", "0.5"},
		{"hyphen", "-5", "-5"},
		{"minus sign", "−5", "-5"},
		{"minus before the currency", "-$5", "-5"},
		{"minus behind the currency", "$-5", "-5"},
		{"plus", "+5", "5"},
		{"bookkeepers' minus", "(3.2)", "-3.2"},
		{"with currency and scale within", "($1.5 million)", "-1500000"},
		{"thousands, currency and scale", "$1,234.5 million", "1234500000"},
		{"scale behind the currency", "34.2 EUR million", "34200000"},
		{"short scale", "2 bn", "2000000000"},
		{"k", "5k", "5000"},
		{"percent", "7 %", "0.07"},
		{"percent in words", "7 percent", "0.07"},
		{"continental", "1.234,5", "1234.5"},
		{"continental decimals", "12,5", "12.5"},
		{"three digits behind one comma are thousands", "1,234", "1234"},
		{"unless zero stands before", "0,234", "0.234"},
		{"or more than three digits", "1234,567", "1234.567"},
		{"three digits behind one point are decimals", "1.234", "1.234"},
		{"points between thousands", "1.234.567", "1234567"},
		{"apostrophes", "1'234'567.5", "1234567.5"},
		{"spaces without a break", "1\u00a0234", "1234"},
		{"exponent", "1.2e-3", "0.0012"},
		{"a unit", "5 km", "5"},
		{"words around it", "about 3 apples", "3"},
	} {
		n, ok := parseNumber(c.text)
		want, _ := new(big.Rat).SetString(c.value)
		if !ok || n.value().Cmp(want) != 0 {
			t.Errorf("%s: %q is %v, %v; want %s", c.why, c.text, n.value(), ok, c.value)
		}
		if n.String() != c.text {
			t.Errorf("%s: %q is written as %q", c.why, c.text, n)
		}
	}
	for _, text := range []string{
		"", "Paris", "2024-03-01", "12:30", "1.2.3", "3/4", "3-5", "Q3", "A12", "007", "3rd", "1,23,456", "12,3456,7", "COVID-19", "one two three four five six seven 8",
		"5 and 6", "[1,2]", "(1,2)", "[1,234]", "1\n2", "1e999", strings.Repeat("9", 50), "٣", "v2", "$5 USD",
	} {
		if n, ok := parseNumber(text); ok {
			t.Errorf("%q reads as %v", text, n.value())
		}
	}
}

func TestLastNumber(t *testing.T) {
	for text, want := range map[string]string{
		"In 2024 the firm made $3.2 million.":     "3200000",
		"**42**":                                  "42",
		"It fell from 7 % to -3.5 %, see note Q4": "-7/200",
		`\boxed{12}`:                              "12",
	} {
		if n, ok := lastNumber(text); !ok || n.value().RatString() != want {
			t.Errorf("%q ends with %v, %v; want %s", text, n.value().RatString(), ok, want)
		}
	}
	if _, ok := lastNumber("see Q3 and v2"); ok {
		t.Error("names are taken for numbers")
	}
}

func TestNearForgivesRoundingAndUnits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"3.14", "3.14159", true},
		{"7", "7 %", true},
		{"0.07", "7 %", true},
		{"5", "5 million", true},
		{"5,000,000", "5 million", true},
		{"5", "-5", false},
		{"5", "5.1", false},
		{"0", "0.0", true},
		{"0", "1", false},
	} {
		a, _ := parseNumber(c.a)
		b, _ := parseNumber(c.b)
		if near(a, b) != c.want {
			t.Errorf("near(%s, %s) = %v", c.a, c.b, !c.want)
		}
	}
}

// FuzzNumber holds what the probes promise: a number that is read is written as
// it was, a rewrite keeps its value, a wrong number has another one.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{
		"42", "0", "-0", "7 %", "($1,234.5 million)", "1.234,5", "12,5", "1'234", "1\u00a0234.50", "1.2e5", ".5", "0.075", "USD 5", "5 €", "−5 km", "34.2 EUR million",
		"1,250", "99.9%", "0.00", "+3", "2024", "$ 12", "5k", "12345.600", "1.234.567", "-(5)", "(-1)", "€1.5e3", "0,5", "100 %", "- 5", "( 5 )",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := parseNumber(text)
		if !ok || len(n.whole)+len(n.fraction) > maxDigits-3 {
			return // a thousand times as much would be too long to be read again
		}
		if n.String() != text {
			t.Fatalf("%q is written as %q", text, n)
		}
		item := shareItem()
		c := &Case{Item: item, Reference: text, HasReference: true}
		for _, p := range []Probe{thousands, currency, percent, trailingZeros} {
			for _, payload := range p.payloads(c, 1) {
				m, ok := parseNumber(payload.Answer)
				if !ok || m.value().Cmp(n.value()) != 0 {
					t.Errorf("%s makes %q of %q", p.Name, payload.Answer, text)
				}
			}
		}
		for _, p := range []Probe{numberOff, signFlipped, unit1000} {
			list := p.payloads(c, 1)
			if len(list) == 0 && p.Name == "number_off" && !isCode(text) {
				t.Errorf("%s makes nothing of %q", p.Name, text)
			}
			for _, payload := range list {
				m, ok := parseNumber(payload.Answer)
				if !ok || m.value().Cmp(n.value()) == 0 {
					t.Errorf("%s makes %q of %q", p.Name, payload.Answer, text)
				}
			}
		}
	})
}
