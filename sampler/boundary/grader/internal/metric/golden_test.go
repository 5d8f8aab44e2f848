package metric

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// golden is what the reference implementations gave; testdata/golden.py makes
// it and says how.
type golden struct {
	Versions map[string]string
	Pairs    []pair
	Stems    map[string]string
}

type pair struct {
	Why, Input, Reference string
	Scores                map[string]float64
}

func readGolden(t testing.TB) golden {
	t.Helper()
	raw, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Pairs) < 200 || len(g.Stems) < 1000 {
		t.Fatalf("golden.json holds %d pairs and %d stems", len(g.Pairs), len(g.Stems))
	}
	return g
}

func TestMetricsGiveWhatTheReferencesGive(t *testing.T) {
	g := readGolden(t)
	for _, m := range Metrics() {
		for _, p := range g.Pairs {
			want, ok := p.Scores[m.Name]
			if !ok {
				t.Fatalf("golden.json has no %s", m.Name)
			}
			if got := m.Score(p.Input, p.Reference); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s, %s: %v, want %v (of %v)\n%q\n%q", m.Name, p.Why, got, want, g.Versions, p.Input, p.Reference)
			}
		}
	}
}

func TestStemsAreThoseOfNLTK(t *testing.T) {
	for word, want := range readGolden(t).Stems {
		if got := stem(word); got != want {
			t.Errorf("stem(%q) = %q, nltk's PorterStemmer gives %q", word, got, want)
		}
	}
}
