package automaton

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// Every expression has the same answers as package regexp, on texts made of what expressions tell
// apart: other cases of k and s outside ASCII, words, lines, what is no UTF-8.
func TestMatchesWhatRegexpMatches(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 1))
	for _, expr := range []string{
		"", "a", "^a", "a$", "^$", "^a$", `\bas\b`, `\Bk`, `(?m)^a$`, `(?m)^k|s$`, "(?s)a.b", "a.b", "(?i)k", "(?i)sk", "(?i)[a-k]+s",
		"(?i)[^k]s", "(?i)ſ", "(?i)K", "[[:word:]]+é", `\pL\d`, `[^\x00-\x7f]`, `(?i)^\s*(?:error|k-s)\b`, "(a|b)*a(a|b){3}$", "a{0,3}b{2,}", "(?:)", `\A\z`,
		`^[^\n]*\z`, "�", `[^a]`, `(?U)a+b`, "a*", `\b`, `\B`, `^\b|s\b$`, `(?i-s:K)s`, `é\b`,
	} {
		same(t, src, expr, 2000)
	}
}

// Expressions are put together at random.
func TestRandomExpressionsMatchWhatRegexpMatches(t *testing.T) {
	src := rand.New(rand.NewPCG(2, 2))
	for range 400 {
		same(t, src, randomExpr(src, 3), 60)
	}
}

func same(t *testing.T, src *rand.Rand, expr string, texts int) {
	t.Helper()
	re := regexp.MustCompile(expr)
	m, err := New(expr)
	if err != nil {
		t.Fatal(err)
	}
	for range texts {
		if text := randomText(src); m.Match(text) != re.MatchString(text) {
			t.Fatalf("%q in %q: want %v", expr, text, re.MatchString(text))
		}
	}
}

var atoms = []string{"a", "b", "k", "K", "s", "ſ", "\u212a", "é", "É", "0", "_", " ", `\n`, "-"}

func randomExpr(src *rand.Rand, depth int) string {
	pick := func(list ...string) string { return list[src.IntN(len(list))] }
	if depth == 0 {
		return pick(append(atoms, ".", `\w`, `\W`, `\d`, `\s`, `\S`, "[a-k]", "[^as]", "[A-Zé]", "^", "$", `\b`, `\B`, `\A`, `\z`)...)
	}
	var b strings.Builder
	for range 1 + src.IntN(3) {
		sub := randomExpr(src, depth-1)
		b.WriteString(pick(sub, sub, "(?i:"+sub+")", "(?m:"+sub+")", "(?s:"+sub+")", "(?:"+sub+")"+pick("*", "+", "?", "{0,2}", "{2}", "*?"),
			"(?:"+sub+"|"+randomExpr(src, depth-1)+")"))
	}
	return b.String()
}

func randomText(src *rand.Rand) string {
	var b strings.Builder
	for range src.IntN(12) {
		if src.IntN(20) == 0 {
			b.WriteString([]string{"\xff", "\xe2\x84", "\x00", "\u2028", "\U0001f600", "\ufffd"}[src.IntN(6)])
			continue
		}
		b.WriteString(strings.ReplaceAll(atoms[src.IntN(len(atoms))], `\n`, "\n"))
	}
	return b.String()
}

func TestABrokenExpressionIsRefusedAsByRegexp(t *testing.T) {
	for _, expr := range []string{"(", "a{1001}", `\pX`, "[z-a]"} {
		_, want := regexp.Compile(expr)
		if _, err := New(expr); err == nil || err.Error() != want.Error() {
			t.Errorf("%q: %v, want %v", expr, err, want)
		}
	}
}

// An expression with more states than there is memory for is matched by package regexp in the end.
func TestStatesThatDoNotFitAreDropped(t *testing.T) {
	const expr = "(?:a|b)*a(?:a|b){9}$"
	m, err := New(expr)
	if err != nil {
		t.Fatal(err)
	}
	m.memory = 20_000
	re, src := regexp.MustCompile(expr), rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		text := make([]byte, 40)
		for i := range text {
			text[i] = "ab"[src.IntN(2)]
		}
		if all := m.states.Load(); all != nil && all.memory > 25_000 {
			t.Fatalf("the states take %d bytes", all.memory)
		}
		if m.Match(string(text)) != re.Match(text) {
			t.Fatalf("%q: want %v", text, re.Match(text))
		}
	}
	if m.states.Load() != nil {
		t.Error("states are still made")
	}
}

// An expression of 70,000 different runes is compiled in half a second and matched by package
// regexp: their classes would take minutes, and more numbers than a uint16 has.
func TestAnExpressionWithTooManyRunes(t *testing.T) {
	var expr strings.Builder
	for i := range rune(70_000) {
		expr.WriteRune(0x20000 + i)
	}
	started := time.Now()
	m, err := New(expr.String() + "|a")
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(started); took > 10*time.Second {
		t.Errorf("it takes %s", took)
	}
	if !m.Match(expr.String()) || !m.Match("a") || m.Match(expr.String()[4:]) {
		t.Error("a wrong answer")
	}
}

// Several goroutines make the states of one matcher.
func TestGoroutinesShareStates(t *testing.T) {
	const expr = `(?i)^\s*(?:[a-k]+ ?){1,4}(?:s\b|é)`
	m, err := New(expr)
	if err != nil {
		t.Fatal(err)
	}
	m.memory = 10_000
	var wg sync.WaitGroup
	for worker := range uint64(4) {
		wg.Go(func() {
			re, src := regexp.MustCompile(expr), rand.New(rand.NewPCG(4, worker))
			for range 2000 {
				if text := randomText(src); m.Match(text) != re.MatchString(text) {
					t.Errorf("%q: want %v", text, re.MatchString(text))
					return
				}
			}
		})
	}
	wg.Wait()
}

func FuzzMatch(f *testing.F) {
	f.Add("(?i)^k", "\u212a")
	f.Add(`\bs\b`, "a ſ")
	f.Add("[^a]$", "\xff")
	f.Add("(?m)^a|b$", "b\na")
	f.Fuzz(func(t *testing.T, expr, text string) {
		if len(expr) > 100 {
			return
		}
		re, err := regexp.Compile(expr)
		if err != nil {
			return
		}
		m, err := New(expr)
		if err != nil {
			t.Fatal(err)
		}
		if m.Match(text) != re.MatchString(text) {
			t.Fatalf("%q in %q: want %v", expr, text, re.MatchString(text))
		}
	})
}
