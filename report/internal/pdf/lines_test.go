package pdf

import (
	"image/color"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gonogo/report/internal/typeface"
)

var plain = Style{Size: 10, Color: color.RGBA{A: 255}}

// said is what the pieces of lines say, a bar where a line ends.
func said(lines []line) string {
	var list []string
	for _, l := range lines {
		s := ""
		for _, p := range l.pieces {
			s += p.text
		}
		list = append(list, s)
	}
	return strings.Join(list, "|")
}

func TestLinesBreakWhereAReaderExpects(t *testing.T) {
	f := newFonts(nil)
	tests := []struct {
		name, text string
		width      float64
		most       int
		want       string
	}{
		{"a short text stays one line", "two words", 200, 0, "two words"},
		{"words are kept whole", "several words in a row", 60, 0, "several|words in a|row"},
		{"spaces at the end of a line take no room", "aaaa      bbbb", 30, 0, "aaaa|bbbb"},
		{"a hyphen is a place to break, a no-break space none", "well-known a\u00a0b\u00a0c", 36, 0, "well-|known|a\u00a0b\u00a0c"},
		{"a word too long is broken between letters", "abcdefghijklmnop", 30, 0, "abcde|fghijkl|mnop"},
		{"a letter keeps its accent", "eeee\u0301eee", 17, 0, "eee|e\u0301ee|e"},
		{"what is too much is cut, and says so", "one two three four five", 50, 2, "one two|three fou…"},
		{"nothing is one empty line", "", 50, 0, ""},
		{"line ends and tabs are spaces", "a\nb\tc", 100, 0, "a b c"},
		{"what no font has is a box, control signs and broken bytes too", "a\x00\xff\u202e😀z", 100, 0, "a□□□□z"},
		{"Hebrew is turned round, the numbers in it are not", "on שלום 42 עולם (x)", 500, 0, "on םלוע 42 םולש (x)"},
		{"brackets in what is turned round change places", "א(ב)ג", 500, 0, "ג(ב)א"},
	}
	for _, test := range tests {
		if got := said(f.wrap([]Span{{test.text, plain}}, test.width, test.most)); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestLinesOfSeveralStyles(t *testing.T) {
	f := newFonts(nil)
	bold := plain
	bold.Face, bold.Size = typeface.Bold, 14
	lines := f.wrap([]Span{{"What to do: ", bold}, {"nothing at all, for once", plain}}, 120, 0)
	if got := said(lines); got != "What to do: nothing|at all, for once" {
		t.Errorf("lines are %s", got)
	}
	if lines[0].height != 14*leading || lines[len(lines)-1].pieces[0].style != plain {
		t.Errorf("a line is as high as its largest text: %v", lines)
	}
}

// Whatever the text, no line is wider than it may be, and no letter is lost.
func TestLinesHoldEveryLetterWithinTheWidth(t *testing.T) {
	f := newFonts(nil)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.RuneFrom([]rune("ab cd-ef… ,.(")), rapid.Rune())).Draw(t, "text")
		width := rapid.Float64Range(20, 200).Draw(t, "width")
		lines := f.wrap([]Span{{text, plain}}, width, 0)
		for _, l := range lines {
			if l.width > width+1e-6 {
				t.Fatalf("a line of %g in %g: %q", l.width, width, said([]line{l}))
			}
		}
		letters := func(s string) int { return len(strings.ReplaceAll(strings.ReplaceAll(s, " ", ""), "|", "")) }
		if got, want := letters(said(lines)), letters(f.drawable(text, plain.Face)); got != want {
			t.Fatalf("%d bytes of %d are left", got, want)
		}
	})
}

func TestMissingSignsAreCountedOnce(t *testing.T) {
	d := New(Options{})
	c := d.Column(0)
	c.Text(Paragraph{Spans: []Span{{"中 中 😀 ok", plain}}})
	d.Place(c)
	if got := string(d.Missing()); got != "中😀" {
		t.Errorf("missing is %q", got)
	}
}

func TestASignForASpaceIsADotWhereNoFontHasIt(t *testing.T) {
	f := newFonts(nil)
	if got := f.drawable("“␣␣x = 1”", plain.Face); got != "“··x = 1”" || len(f.missing) > 0 {
		t.Errorf("drawable says %q and misses %d signs", got, len(f.missing))
	}
}
