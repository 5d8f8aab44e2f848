package shift

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

func TestTraitsOfATextAreCounted(t *testing.T) {
	for _, c := range []struct {
		about, text string
		want        []float64 // in the order of traits
	}{
		{"an empty text has zeros", "", []float64{0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{
			"two lines, a word twice, one capital, two digits, two points", "The cat.\n\nthe 42!",
			[]float64{17, 4, 2, 2. / 17, 11. / 4, 3. / 4, 1. / 9, 2. / 17, 0},
		},
		{"each Chinese character is a word", "你好 你", []float64{4, 3, 1, 0, 1, 2. / 3, 0, 0, 3. / 4}},
		{"Korean has spaces, and counts as CJK", "안녕 친구", []float64{5, 2, 1, 0, 2, 1, 0, 0, 4. / 5}},
		{"spaces alone are no line", " \n\t\n", []float64{4, 0, 0, 0, 0, 0, 0, 0, 0}},
	} {
		got := textTraits(c.text)
		if len(got) != len(traits) {
			t.Fatalf("%d numbers for %d traits", len(got), len(traits))
		}
		for i, x := range got {
			near(t, c.about+": "+traits[i].name.String(), x, c.want[i], 1e-12)
		}
	}
}

func TestWordsOfOneTextOnlyWeighNothing(t *testing.T) {
	b := newBag([]string{"red green", "red blue blue", "red", "你好", "你好吗"})
	slices.Sort(b.word)
	if want := []string{"red", "你", "你好", "好"}; !slices.Equal(b.word, want) {
		t.Errorf("words %q, want %q", b.word, want)
	}
	for _, row := range b.rows {
		near(t, "length of a row", floats.Dot(row.vals, row.vals), 1, 1e-12)
	}
}

func TestManyWordsWeighMoreThanOneButNotInProportion(t *testing.T) {
	b := newBag([]string{"a a a a b", "a b", "b"})
	var weight [2]float64 // of a against b, in the first two texts
	for i := range weight {
		a := b.rows[i].vals[slices.Index(b.word, "a")]
		weight[i] = a / b.rows[i].vals[slices.Index(b.word, "b")]
	}
	near(t, "four against one", weight[0]/weight[1], 1+1.3862943611198906, 1e-12) // 1 + ln 4
}
