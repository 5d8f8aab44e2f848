package shift

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// lexicon is what texts are written with: 400 words, used as in language, the
// r-th with a chance of about 1/r.
var lexicon = func() []string {
	rng := seeded(1)
	var words []string
	for range 400 {
		var w strings.Builder
		for range 2 + rng.IntN(8) {
			w.WriteByte(byte('a' + rng.IntN(26)))
		}
		words = append(words, w.String())
	}
	return words
}()

// writer makes rows with a text of a median number of words (log-normal with
// a standard deviation of 0.5), a number and a category.
type writer struct {
	median float64
	topic  string  // a word put into texts
	share  float64 // of the texts that have it
	french float64 // share of rows
	spend  float64 // mean of the logarithm of a number
}

var plain = writer{median: 60, french: 0.3}

func (w writer) rows(rng *rand.Rand, n int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		count := max(1, int(w.median*math.Exp(0.5*rng.NormFloat64())))
		var text []string
		for range count {
			text = append(text, lexicon[int(math.Pow(float64(len(lexicon)), rng.Float64()))-1])
			if rng.Float64() < 0.1 {
				text[len(text)-1] += "."
			}
		}
		if rng.Float64() < w.share {
			text[rng.IntN(len(text))] = w.topic
		}
		language := "en"
		if rng.Float64() < w.french {
			language = "fr"
		}
		rows[i] = Row{
			ID: fmt.Sprintf("r%05d", i), Text: strings.Join(text, " "),
			Numbers:    map[string]float64{"spend": math.Exp(w.spend + rng.NormFloat64())},
			Categories: map[string]string{"language": language},
		}
	}
	return rows
}

// onlyText drops what is not text, onlyFields the text.
func onlyText(rows []Row) []Row {
	for i := range rows {
		rows[i] = Row{ID: rows[i].ID, Text: rows[i].Text}
	}
	return rows
}

func onlyFields(rows []Row) []Row {
	for i := range rows {
		rows[i].Text = ""
	}
	return rows
}

// near fails the test unless got is within tol of want.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

func find(t *testing.T, results []Result, test, about string) Result {
	t.Helper()
	for _, r := range results {
		if r.Test == test && r.About.String() == about {
			return r
		}
	}
	t.Fatalf("no %s of %q among the results", test, about)
	return Result{}
}
