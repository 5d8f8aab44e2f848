package chart_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"gonogo/analysis/message"
	"gonogo/report/chart"
	"gonogo/report/internal/lettering"
	"gonogo/report/internal/typeface"
	"gonogo/report/reporttest"
)

// madeUp is a font with the signs, and how often it was asked for.
func madeUp(t *testing.T, signs string) (*lettering.Fonts, *int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made_up.ttf")
	if err := os.WriteFile(path, reporttest.Font(t, signs), 0o644); err != nil {
		t.Fatal(err)
	}
	face, err := typeface.Open(path, "zh")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	return lettering.NewFonts(func() []*typeface.Face { asked++; return []*typeface.Face{face} }), &asked
}

func TestAFontDrawsWhatTheBuiltinOnesLack(t *testing.T) {
	fonts, asked := madeUp(t, "中文")
	sty := fonts.Style(10, true, chart.Ink)
	if got := lettering.Drawable("mean ± 1 σ", sty); got != "mean ± 1 σ" || *asked > 0 {
		t.Errorf("%q asked %d times for a font that it needs not", got, *asked)
	}
	if got := lettering.Drawable("中文 報 🎉\a", sty); got != "中文 □ □□" {
		t.Errorf("drawable is %q", got)
	}
	if got := fonts.Missing(); string(got) != "報🎉" {
		t.Errorf("missing is %q, want what is no control and in no font", string(got))
	}
	latin := lettering.Style(10, true, chart.Ink)
	letters := float64(typeface.Builtin(typeface.Regular).Width("AB")) * 10 // its signs are letters
	for text, want := range map[string]float64{"mean": float64(latin.Width("mean")), "中文": letters, "a中文b": letters + float64(latin.Width("a")) + float64(latin.Width("b"))} {
		if got := float64(sty.Width(text)); got < want-0.1 || got > want+0.1 {
			t.Errorf("%q is %v wide, want %v", text, got, want)
		}
	}
}

func TestAFontChangesNoLatinPicture(t *testing.T) {
	c := chartNamed(t, "best_of_k")
	plain, asked := picture(t, chart.Render(c, reporttest.Load(t, "go")), nil), 0
	fonts := lettering.NewFonts(func() []*typeface.Face { asked++; return nil })
	if !bytes.Equal(plain, picture(t, chart.Render(c, reporttest.Load(t, "go")), fonts)) || asked > 0 {
		t.Errorf("the picture differs, or a font was asked for %d times", asked)
	}
}

func TestAChinesePictureHoldsItsSigns(t *testing.T) {
	r := reporttest.Load(t, "go")
	r.Lang = message.Chinese
	f := chart.Render(chartNamed(t, "variance"), r)
	boxed := lettering.NewFonts(func() []*typeface.Face { return nil })
	boxes := picture(t, f, boxed)
	if missing := boxed.Missing(); !slices.Contains(missing, '奖') {
		t.Fatalf("missing are %q", string(missing))
	}
	fonts, _ := madeUp(t, string(boxed.Missing()))
	if bytes.Equal(boxes, picture(t, f, fonts)) || len(fonts.Missing()) > 0 {
		t.Errorf("a font with all signs draws boxes: it lacks %q", string(fonts.Missing()))
	}
	if svg := string(writeSVG(t, f)); strings.Contains(svg, "□") || !strings.Contains(svg, ">平均奖励</text>") {
		t.Error("the svg does not hold its text")
	}
}

func picture(t testing.TB, f chart.Figure, fonts *lettering.Fonts) []byte {
	t.Helper()
	var b bytes.Buffer
	f.Fonts = fonts
	if err := chart.WritePNG(&b, f, chart.Width, f.Height); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestChineseIsBrokenBetweenItsSigns(t *testing.T) {
	sty := (*lettering.Fonts)(nil).External().Style(10, false, chart.Ink) // a sign is 10 wide
	for _, c := range []struct {
		about, text string
		width       float64
		want        []string
	}{
		{"between signs", "平均奖励高于阈值", 42, []string{"平均奖励", "高于阈值"}},
		{"no line begins with a comma", "平均奖励，高于阈值", 42, []string{"平均奖", "励，高于", "阈值"}},
		{"no line ends with a bracket that opens", "平均（奖励）", 32, []string{"平均", "（奖", "励）"}},
		{"a Latin word stays whole", "奖励 reward 平均", 50, []string{"奖励", "reward", "平均"}},
		{"a number keeps its percent sign", "占比 95 % 以上", 40, []string{"占比", "95 %", "以上"}},
		{"the last sign is not left alone", "平均奖励高", 42, []string{"平均奖", "励高"}},
	} {
		if got := lettering.Wrap(c.text, sty, vg.Length(c.width), 4); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.about, got, c.want)
		}
	}
}

// BenchmarkChinesePicture draws with a font of this machine, which it reads too.
func BenchmarkChinesePicture(b *testing.B) {
	r := reporttest.Load(b, "go")
	for _, l := range []message.Language{{}, message.Chinese} {
		b.Run(l.Tag(), func(b *testing.B) {
			r.Lang = l
			f := chart.Render(chart.Charts()[1], r)
			for b.Loop() {
				picture(b, f, lettering.NewFonts(func() []*typeface.Face { faces, _, _ := typeface.Find("", "zh"); return faces }))
			}
		})
	}
}
