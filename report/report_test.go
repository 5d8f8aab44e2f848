package report

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
)

var update = flag.Bool("update", false, "write the golden files again; then read them")

func options() Options {
	return Options{Version: "1.2.0", All: true, Full: true, Now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Rollouts: rolloutsOf(filepath.Join("testdata", "rollouts"))}
}

func fresh(t *testing.T, name string) *RunPage {
	return NewRunPage(reporttest.Load(t, name), options())
}

var pages = map[string]*RunPage{}

// page is fresh, made once: drawing the charts takes most of a test's time.
func page(t *testing.T, name string) *RunPage {
	if pages[name] == nil {
		pages[name] = fresh(t, name)
	}
	return pages[name]
}

var sharedFiles = map[*RunPage]map[string][]byte{}

// write is the page in a format, written once where tests share the page.
func write(t *testing.T, name string, p *RunPage) []byte {
	t.Helper()
	if b := sharedFiles[p][name]; b != nil {
		return b
	}
	for _, f := range Formats() {
		if f.Name == name {
			var b bytes.Buffer
			if err := f.Write(&b, p); err != nil {
				t.Fatal(err)
			}
			if slices.Contains(slices.Collect(maps.Values(pages)), p) {
				if sharedFiles[p] == nil {
					sharedFiles[p] = map[string][]byte{}
				}
				sharedFiles[p][name] = b.Bytes()
			}
			return b.Bytes()
		}
	}
	t.Fatalf("no format %q", name)
	return nil
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update)", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got; if it should differ, run with -update):\n%s", path, diff)
	}
}

func TestFormatsAreListedOnce(t *testing.T) {
	names, files := map[string]bool{}, map[string]bool{}
	for _, f := range Formats() {
		if f.Name == "" || f.Doc == "" || f.Write == nil || names[f.Name] || f.File != "" && files[f.File] {
			t.Errorf("format %q is incomplete or its name or file is taken", f.Name)
		}
		names[f.Name], files[f.File] = true, true
	}
}

func TestEveryFormatOfEveryResultIsDeterministic(t *testing.T) {
	for _, name := range reporttest.Names() {
		again := fresh(t, name)
		for _, f := range Formats() {
			if (f.Name == "summary" || f.Name == "pdf") && name != "go" {
				continue // a second each under the race detector; other tests draw them all
			}
			if a, b := write(t, f.Name, page(t, name)), write(t, f.Name, again); !bytes.Equal(a, b) || len(a) == 0 {
				t.Errorf("%s of %s is empty or differs between two writings", f.Name, name)
			}
		}
	}
}

func TestAResultWithNothingInItIsStillAPage(t *testing.T) {
	p := NewRunPage(&analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.Undecided}}, Options{})
	for _, f := range Formats() {
		if f.Rollouts {
			if err := f.Write(io.Discard, p); !errors.Is(err, ErrNoRollouts) {
				t.Errorf("%s without rollouts: %v", f.Name, err)
			}
			continue
		}
		if len(write(t, f.Name, p)) == 0 {
			t.Errorf("%s is empty", f.Name)
		}
	}
	if !strings.Contains(p.Sentence, "no blocking gate could be judged") {
		t.Errorf("sentence is %q", p.Sentence)
	}
}

func TestSentenceSaysTheVerdictsReason(t *testing.T) {
	for name, cautions := range map[string]string{
		"go":       "One caution: the evaluation set is too small to show a gain of 0.05: with 60 items and 8 samples each, changes smaller than 0.122 could go undetected.",
		"cautious": "3 cautions: Items and samples, Rollouts lost, Smallest detectable gain. 3 advisory checks are undecided: Room to improve, Groups that teach, Gain of the best sample.",
	} {
		p := page(t, name)
		skipped := make(map[string]bool) // blocking gates; those of a simulated run without items or audit, which has no parts of the reward
		for _, f := range p.Result.Findings {
			asked := f.Gate == "endpoint.burst" // it judges only what was asked for
			if f.Severity == analysis.Blocking && f.Status == analysis.Skipped && !f.IsMoot() && !asked {
				skipped[f.Gate] = true
			}
		}
		want := fmt.Sprintf("Start, and look again after the first steps: 7 of %d blocking gates passed, %d not checked. %s", 7+len(skipped), len(skipped), cautions)
		if p.Sentence != want {
			t.Errorf("%s: sentence is\n%s\nwant\n%s", name, p.Sentence, want)
		}
	}
	for name, parts := range map[string][]string{
		"dead":        {"Nothing to learn from — no group of 8 teaches anything: 0 informative groups (0 to 14.3) are expected in the whole training (30 steps, 240 groups)", "wanted ≥ 20 informative groups."},
		"tiny":        {"This run does not settle it — 0 items have at least 4 valid rollouts, of 6 sampled", "wanted ≥ 20 items"},
		"all_missing": {"Repair first: too many rollouts failed — 100 % of rollouts were lost", "wanted ≤ 5 %"},
		"audited":     {"Repair first: training would teach the model to fool the grader — the grader can be fooled: “judge_instructions”", "The grader fails as well: Shortcuts to reward."},
		"eval_only":   {"No check found a reason not to train", "(no verdict on training)."},
	} {
		for _, part := range parts {
			if got := page(t, name).Sentence; !strings.Contains(got, part) {
				t.Errorf("%s: sentence %q lacks %q", name, got, part)
			}
		}
	}
}

func TestFindingsStandInTheOrderOfTheirUrgency(t *testing.T) {
	f := func(gate string, sev analysis.Severity, st analysis.Status) analysis.Finding {
		return analysis.Finding{Gate: gate, Severity: sev, Fact: analysis.Fact{Status: st, Want: message.Verbatim(string(sev))}}
	}
	r := &analysis.Result{Findings: []analysis.Finding{
		f("skipped", analysis.Blocking, analysis.Skipped), f("passed", analysis.Blocking, analysis.Pass), f("passed", analysis.Advisory, analysis.Pass),
		f("caution", analysis.Blocking, analysis.Pass), f("caution", analysis.Advisory, analysis.Fail), f("unsure", analysis.Advisory, analysis.Unknown),
		f("unknown", analysis.Blocking, analysis.Unknown), f("failed", analysis.Blocking, analysis.Fail), f("failed", analysis.Advisory, analysis.Fail),
	}}
	var got []string
	for _, x := range NewRunPage(r, Options{}).found {
		got = append(got, fmt.Sprintf("%s %s %s+%s", x.tone(), x.Gate, english.say(x.Want), english.say(x.caution)))
	}
	want := []string{
		"fail failed blocking+advisory", // its advisory twin says no more
		"unknown unknown blocking+",
		"caution caution advisory+",
		"unknown unsure advisory+",
		"pass passed blocking+advisory",
		"skipped skipped blocking+",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHeadlinesNeverOverstate(t *testing.T) {
	beyond := mainNumbers(reporttest.Load(t, "beyond"), &english) // group size 16, four samples
	if beyond[1].Label != "Best of 4" || !strings.Contains(beyond[1].About, "your trainer's groups are taken to have 16 (training.group_size)") {
		t.Errorf("best of a group beyond the samples is shown as %q: %q", beyond[1].Label, beyond[1].About)
	}
	if !strings.Contains(beyond[2].Value, "–") || !strings.Contains(beyond[2].About, "a range") {
		t.Errorf("informative share beyond the samples is %q (%q), want a range", beyond[2].Value, beyond[2].About)
	}
	for _, h := range mainNumbers(reporttest.Load(t, "all_missing"), &english) {
		if h.Known || h.Value != "not known" || h.Interval != "" {
			t.Errorf("%s without a reward is %q %q, want not known", h.Label, h.Value, h.Interval)
		}
	}
}

func TestGoldenText(t *testing.T) {
	for _, name := range []string{"go", "dead", "tiny", "one_item", "all_missing", "eval_only", "hostile", "audited"} {
		golden(t, name+".txt", string(write(t, "text", page(t, name))))
	}
}

func TestGoldenMarkdown(t *testing.T) {
	for _, name := range []string{"dead", "hostile", "audited"} {
		golden(t, name+".md", string(write(t, "markdown-full", page(t, name))))
	}
}

func TestWriteMakesTheDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run", "report")
	if err := Write(dir, page(t, "all_missing"), Formats()); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, page(t, "all_missing"), Formats()[:2]); err != nil { // over the first
		t.Fatal(err)
	}
	var want []string
	for _, f := range Formats()[1:] {
		want = append(want, f.File)
	}
	for _, c := range chart.Charts() {
		if c.Only != nil && !c.Only(page(t, "all_missing").Result) ||
			chart.Render(c, page(t, "all_missing").Result).NoData != "" {
			continue
		}
		want = append(want, "charts/"+c.Name+".png")
	}
	for _, name := range want {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Size() == 0 || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: %v, want a readable file", name, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Write draws charts only for formats that show pictures.
func TestChartsComeWithFormatsThatShowThem(t *testing.T) {
	shown := map[string]bool{"html": true, "pdf": true, "summary": true, "markdown-full": true}
	for _, f := range Formats() {
		dir := t.TempDir()
		if err := Write(dir, page(t, "all_missing"), []Format[*RunPage]{f}); err != nil {
			t.Fatal(err)
		}
		if charts, _ := filepath.Glob(filepath.Join(dir, "charts", "*.png")); len(charts) > 0 != shown[f.Name] {
			t.Errorf("%s: charts %v", f.Name, charts)
		}
	}
}

func TestAFormatThatFailsLeavesTheOldReport(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "report.md"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	broken := Format[*RunPage]{Name: "broken", File: "broken", Write: func(io.Writer, *RunPage) error { return errors.New("no") }}
	if err := Write(dir, page(t, "tiny"), append(Formats()[:2], broken)); err == nil {
		t.Fatal("no error")
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "report.md")); string(b) != "old" {
		t.Error("a half-made report replaced the old one")
	}
}
