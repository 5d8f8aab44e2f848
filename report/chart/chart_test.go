package chart_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

func TestChartsAreListedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range chart.Charts() {
		if c.Name == "" || seen[c.Name] || strings.Trim(c.Name, "abcdefghijklmnopqrstuvwxyz_") != "" {
			t.Errorf("name %q is empty, taken or not lower_snake", c.Name)
		}
		seen[c.Name] = true
		if len(c.Doc) < 40 {
			t.Errorf("%s: doc %q tells a newcomer nothing", c.Name, c.Doc)
		}
	}
}

func TestEveryChartOfEveryResult(t *testing.T) {
	for _, name := range reporttest.Names() {
		r := reporttest.Load(t, name)
		for _, c := range chart.Charts() {
			f := chart.Render(c, r)
			if f.Title == "" {
				t.Errorf("%s of %s has no title", c.Name, name)
			}
			if (f.Plot == nil) == (f.NoData == "") {
				t.Errorf("%s of %s has plot %v and no-data reason %q: want exactly one", c.Name, name, f.Plot != nil, f.NoData)
			}
			svg := writeSVG(t, f)
			if again := writeSVG(t, chart.Render(c, reporttest.Load(t, name))); !bytes.Equal(svg, again) {
				t.Errorf("%s of %s differs between two drawings", c.Name, name)
			}
			wellFormed(t, svg)
		}
	}
}

func TestPNGIsDeterministicAndTwiceAScreen(t *testing.T) {
	c := chart.Charts()[0]
	f := chart.Render(c, reporttest.Load(t, "go"))
	var a, b bytes.Buffer
	for _, w := range []io.Writer{&a, &b} {
		if err := chart.WritePNG(w, f, chart.Width, chart.Height); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two drawings differ in their bytes")
	}
	if got := reporttest.Decode(t, a.Bytes()).Bounds().Dx(); got != 1248 {
		t.Errorf("6.5 in are %d pixels wide, want 1248: 192 to the inch", got)
	}
}

func TestWhatCannotBeDrawnSaysWhy(t *testing.T) {
	failing := func(err error) chart.Chart {
		return chart.Chart{Name: "made_up", Draw: func(*analysis.Result) (chart.Figure, error) { return chart.Figure{}, err }}
	}
	for what, c := range map[string]struct {
		chart chart.Chart
		want  string
	}{
		"NoData is shown as its reason":         {failing(&chart.NoData{Why: "nothing was sampled"}), "nothing was sampled"},
		"any other error is shown as it reads":  {failing(errors.New("axis broke")), "axis broke"},
		"no plot and no error is no data, too":  {failing(nil), "the chart has nothing to show"},
		"a wrapped NoData is found":             {failing(errors.Join(errors.New("x"), &chart.NoData{Why: "deep"})), "deep"},
		"an empty Result is no data everywhere": {chart.Charts()[0], "the run has no rollouts"},
	} {
		f := chart.Render(c.chart, &analysis.Result{})
		if f.Plot != nil || f.NoData != c.want {
			t.Errorf("%s: reason is %q, want %q", what, f.NoData, c.want)
		}
		if svg := string(writeSVG(t, f)); !strings.Contains(svg, "no data") || !strings.Contains(svg, c.want) {
			t.Errorf("%s: the picture does not say so", what)
		}
		if alt := f.Alt(); !strings.Contains(alt, c.want) {
			t.Errorf("%s: the alt text %q does not say so", what, alt)
		}
	}
}

func TestAChartWithoutACaptionKeepsItsPlot(t *testing.T) {
	f := chart.Render(chart.Chart{Name: "plain", Draw: func(*analysis.Result) (chart.Figure, error) { return chart.Figure{Plot: plot.New()}, nil }}, &analysis.Result{})
	if f.Plot == nil || f.NoData != "" || f.Height != chart.Height {
		t.Fatalf("no plot of the usual height: %q", f.NoData)
	}
	writeSVG(t, f)
}

// TestOddResultsDoNotBreakAPicture draws Results that no analysis makes, but
// a file made elsewhere may hold.
func TestOddResultsDoNotBreakAPicture(t *testing.T) {
	for what, bend := range map[string]func(*analysis.Result, *analysis.SplitResult){
		"a reward range the wrong way round": func(r *analysis.Result, _ *analysis.SplitResult) { r.RewardRange = [2]float64{1, 0} },
		"a reward range of no width":         func(r *analysis.Result, _ *analysis.SplitResult) { r.RewardRange = [2]float64{} },
		"rewards far outside the range":      func(r *analysis.Result, _ *analysis.SplitResult) { r.RewardRange = [2]float64{5, 6} },
		"a huge reward range":                func(r *analysis.Result, _ *analysis.SplitResult) { r.RewardRange = [2]float64{-1e12, 1e12} },
		"no thresholds":                      func(r *analysis.Result, _ *analysis.SplitResult) { r.Thresholds = nil },
		"group size 0":                       func(r *analysis.Result, _ *analysis.SplitResult) { r.GroupSize = 0 },
		"confidence 0":                       func(r *analysis.Result, _ *analysis.SplitResult) { r.Confidence = 0 },
		"a histogram with too few edges": func(_ *analysis.Result, s *analysis.SplitResult) {
			s.Reward.Histogram.Edges = s.Reward.Histogram.Edges[:2]
		},
		"a histogram of one bin": func(_ *analysis.Result, s *analysis.SplitResult) {
			s.Reward.Histogram = analysis.Histogram{Edges: []float64{0, 1}, Counts: []int{3}}
		},
		"a histogram of nothing": func(_ *analysis.Result, s *analysis.SplitResult) {
			s.Reward.Histogram, s.Tools.Histogram = analysis.Histogram{}, analysis.Histogram{}
		},
		"estimates without values": func(_ *analysis.Result, s *analysis.SplitResult) {
			for i := range s.BestOf {
				s.BestOf[i].Estimate = stat.Estimate{}
			}
			for i := range s.Signal {
				s.Signal[i].Estimate = stat.Estimate{}
			}
			s.Reward.Value, s.Tools.Calls.Value, s.Tools.P95.Value = nil, nil, nil
		},
		"values without intervals": func(_ *analysis.Result, s *analysis.SplitResult) {
			for i := range s.BestOf {
				s.BestOf[i].Low = nil
			}
			for i := range s.Signal {
				s.Signal[i].High = nil
			}
		},
		"only the bracket":     func(_ *analysis.Result, s *analysis.SplitResult) { s.Signal = s.Signal[len(s.Signal)-2:] },
		"no item table":        func(_ *analysis.Result, s *analysis.SplitResult) { s.Classes.Items = nil },
		"no class counts":      func(_ *analysis.Result, s *analysis.SplitResult) { s.Classes.Counts = nil },
		"a split that is null": func(r *analysis.Result, _ *analysis.SplitResult) { r.Splits[rollout.Train] = nil },
		"a thousand samples":   func(_ *analysis.Result, s *analysis.SplitResult) { s.BestOf[len(s.BestOf)-1].K = 1000 },
		"a budget far away":    func(_ *analysis.Result, s *analysis.SplitResult) { far := 5000; s.Tools.Budget = &far },
	} {
		t.Run(what, func(t *testing.T) {
			r := reporttest.Load(t, "go")
			bend(r, r.Splits[rollout.Train])
			for _, c := range chart.Charts() {
				writeSVG(t, chart.Render(c, r))
			}
		})
	}
}

func TestHostileTextStaysText(t *testing.T) {
	f := chart.Render(chart.Charts()[0], reporttest.Load(t, "go"))
	f.Title = "</text><script>alert(1)</script> 中文 🎉 \x1b[31m \u202e \xff & \"quoted\""
	f.Subtitle = strings.Repeat("unbroken", 200)
	f.Legend[0].Label = strings.Repeat("wide legend ", 60)
	svg := writeSVG(t, f)
	wellFormed(t, svg)
	if bytes.Contains(svg, []byte("<script")) {
		t.Error("markup in a title became markup in the picture")
	}
	checkLayout(t, "hostile", f, chart.Width, chart.Height)
}

func writeSVG(t *testing.T, f chart.Figure) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := chart.WriteSVG(&b, f, chart.Width, chart.Height); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		_, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("the svg is not well-formed: %v", err)
		}
	}
}

var sizes = []struct{ w, h vg.Length }{{chart.Width, chart.Height}, {350, 233}, {800, 300}}

// TestEveryTextSaysItsLength measures by the advances of Liberation Sans, in
// 2048ths of an em: m 1706, e, a and n 1139, the space 569; Chinese stands in
// squares.
func TestEveryTextSaysItsLength(t *testing.T) {
	f := chart.Render(chart.Charts()[0], reporttest.Load(t, "cautious"))
	f.Subtitle = "mean 一二三"
	svg := string(writeSVG(t, f))
	if n, lengths := strings.Count(svg, "<text "), strings.Count(svg, "<text textLength="); n == 0 || n != lengths {
		t.Errorf("%d of %d texts say their length", lengths, n)
	}
	m := regexp.MustCompile(`textLength="([0-9.]+)" [^>]*font-size:([0-9.]+)px[^>]*>` + f.Subtitle + `</text>`).FindStringSubmatch(svg)
	if m == nil {
		t.Fatalf("the picture lacks %q", f.Subtitle)
	}
	length, err := strconv.ParseFloat(m[1], 64)
	em, err2 := strconv.ParseFloat(m[2], 64)
	want := (1706+3*1139+569)/2048.0*em + 3*em
	if err := errors.Join(err, err2); err != nil || math.Abs(length-want) > 0.06 {
		t.Errorf("%q is %s long at %s px, want %.1f (%v)", f.Subtitle, m[1], m[2], want, err)
	}
}
