package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/history"
	"gonogo/analysis/stat"
	"gonogo/report/block"
	"gonogo/report/chart"
	"gonogo/report/internal/junit"
	"gonogo/report/internal/typeface"
	"gonogo/report/reporttest"
)

// nightsOf makes a history of n nights whose reward falls, and whose tokens
// rise, from the 8th on, when the grader became another.
func nightsOf(n int, name func(int) string) *history.History {
	var nights []history.Night
	for i := range n {
		nights = append(nights, nightOf(i, name))
	}
	return history.Analyze(nights, history.DefaultOptions())
}

// nightOf is one of them.
func nightOf(i int, name func(int) string) history.Night {
	wave := []float64{0.003, -0.004, 0.001, 0.005, -0.002, -0.003}
	night := history.Night{
		Schema: history.NightSchema, Name: name(i), Time: time.Date(2026, 11, 1+i, 2, 0, 0, 0, time.UTC),
		Split: "eval", RewardRange: [2]float64{0, 1}, Good: i < 8, Verdict: analysis.Go,
		Answer: compare.Equivalent, Made: map[string]string{"grader": "python 1111", "model.name": "small"},
		Values: map[string]history.Value{}, Items: []history.ItemMean{{ID: "q", Mean: 0.5, N: 8}, {ID: "r", Mean: 0.5, N: 8}},
	}
	reward, tokens := 0.6, 450.0
	if i >= 8 {
		reward, tokens = 0.5, 600
		night.Made["grader"], night.Answer, night.ExitCode = "python 2222", compare.Regressed, 3
	}
	if i == 0 {
		night.Answer = ""
	}
	around := func(x, w, se float64) history.Value {
		x += w * wave[i%len(wave)]
		return history.Value{Value: x, SE: &se, Low: stat.FiniteOrNil(x - 2*se), High: stat.FiniteOrNil(x + 2*se), N: 160}
	}
	night.Values[history.Reward] = around(reward, 1, 0.01)
	night.Values["output_tokens"] = around(tokens, 1000, 5)
	night.Values["latency"] = history.Value{Value: 3 + 10*wave[(i+2)%len(wave)], N: 160}
	return night
}

func dated(i int) string { return fmt.Sprintf("2026-11-%02dT0200Z", i+1) }

// hostileName is what nobody names a night, and a foreign file may.
const hostileName = "<script>alert(1)</script>\x1b[2J\u202e=cmd|x"

func TestHistoryGoldens(t *testing.T) {
	p := NewHistoryPage(nightsOf(12, dated), Options{All: true})
	for name, write := range map[string]func(io.Writer, Page) error{"history.txt": WriteText, "history.md": WriteMarkdown} {
		var b bytes.Buffer
		if err := write(&b, p); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s is not what it was: -update, and look\n%s", name, diff)
		}
	}
}

func TestHistoryOfAnyLength(t *testing.T) {
	for what, h := range map[string]*history.History{
		"no night": nightsOf(0, dated), "one night": nightsOf(1, dated), "two nights": nightsOf(2, dated), "four months": nightsOf(120, dated),
		"hostile names": nightsOf(12, func(i int) string { return hostileName + strings.Repeat("x", 10000) + fmt.Sprint(i) }),
	} {
		p := NewHistoryPage(h, Options{All: true})
		var text, md, html, xmlText bytes.Buffer
		for name, err := range map[string]error{
			"text": WriteText(&text, p), "markdown": WriteMarkdown(&md, p), "html": writeHTML(&html, p), "junit": writeNightsJUnit(&xmlText, p),
		} {
			if err != nil {
				t.Errorf("%s, %s: %v", what, name, err)
			}
		}
		for name, b := range map[string][]byte{"text": text.Bytes(), "markdown": md.Bytes(), "html": html.Bytes()} {
			if bytes.ContainsAny(b, "\x1b\u202e") || name == "html" && bytes.Contains(b, []byte("<script>alert")) {
				t.Errorf("%s, %s: a name steers", what, name)
			}
		}
		if err := xml.Unmarshal(xmlText.Bytes(), new(junit.Suites)); err != nil {
			t.Errorf("%s: junit.xml: %v", what, err)
		}
	}
}

// A card shows the newest night, a mark for each night and two trends, whether or not
// anything changed.
func TestTheCardOfAHistory(t *testing.T) {
	card := written[Page](t, writeCard, NewHistoryPage(nightsOf(12, dated), Options{}))
	reporttest.SamePicture(t, filepath.Join("testdata", "history.summary.png"), card, *update)
	for what, h := range map[string]*history.History{"one night": nightsOf(1, dated), "no change": nightsOf(7, dated), "four months": nightsOf(120, dated)} {
		p := NewHistoryPage(h, Options{})
		var rec recorder.Canvas
		drawCard(draw.NewCanvas(&rec, cardWidth, cardHeight), p)
		checkCard(t, what, rec)
		strips, trends := 0, 0
		for _, b := range p.Doc().Brief {
			if f, ok := b.(block.Figure); ok && f.Plot != nil {
				strips, trends = strips+btoi(f.Strip()), trends+btoi(!f.Strip())
			}
		}
		if strips != 1 || trends < 2 {
			t.Errorf("%s: %d rows of marks and %d trends lead the report, want 1 and 2 or more", what, strips, trends)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// The marks say how many nights are good, cannot tell and regressed, and since when none
// is good.
func TestNightsInThreeMarks(t *testing.T) {
	h := nightsOf(12, dated)
	h.Nights[9].ExitCode = 4
	p := NewHistoryPage(h, Options{})
	const want = "12 nights: 8 good, 1 cannot tell, 3 regressed; none good since 9 Nov 2026"
	if f := p.Figures[0]; f.Name != chart.NightMarks || f.Title != want {
		t.Errorf("%s says %q, want %q", f.Name, f.Title, want)
	}
	h.Nights[10].Time = h.Nights[11].Time.Add(-time.Hour) // two nights of a day
	h.Nights[10].Good = true
	if got := NewHistoryPage(h, Options{}).Figures[0].Title; !strings.HasSuffix(got, "none good since 12 Nov 2026 02:00") {
		t.Errorf("of two nights of a day it says %q", got)
	}
}

// A history is as brief on paper as a run.
func TestTheHistoryOnPaperIsBrief(t *testing.T) {
	for _, n := range []int{1, 12, 120} {
		h := nightsOf(n, dated)
		if len(h.Series) > 0 { // as many as a night may have
			for i := range 40 {
				s := h.Series[len(h.Series)-1]
				s.Name = fmt.Sprint("more_", i)
				h.Series = append(h.Series, s)
			}
		}
		checkPaper(t, fmt.Sprint(n, " nights"), NewHistoryPage(h, Options{Font: typeface.None}))
	}
}

func TestWriteHistory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "page")
	h := nightsOf(12, dated)
	h.Series = slices.DeleteFunc(h.Series, func(s history.Series) bool { return s.Name != history.Reward }) // pictures take their time
	if err := Write(dir, NewHistoryPage(h, Options{All: true}), HistoryFormats()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.html", "report.pdf", "summary.png", "history.md", "history.json", "junit.xml", "charts/history_reward.png"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	b, _ := os.ReadFile(filepath.Join(dir, "junit.xml"))
	if !bytes.Contains(b, []byte(`failures="1"`)) {
		t.Errorf("a night that regressed is no failure in junit.xml")
	}
}
