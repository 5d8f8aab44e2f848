package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/calibration"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/stat"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// notANumber is what no page may show, but where it says what the file held.
var notANumber = regexp.MustCompile(`(?i)(^|[^a-z])(nan|[+-]?inf|infinity|%!)([^a-z]|$)`)

// some makes lines of a split: items of n rollouts each.
func some(split string, items, n int, rest func(i, j int) string) string {
	var b strings.Builder
	for i := range items {
		for j := range n {
			fmt.Fprintf(&b, `{"item":"%s%d","split":%q,"sample":%d,%s}`+"\n", split, i, split, j, rest(i, j))
		}
	}
	return b.String()
}

func always(rest string) func(int, int) string { return func(int, int) string { return rest } }

// unequal makes items of 1 to 1,000 rollouts.
func unequal() string {
	var b strings.Builder
	for i, n := range []int{1, 1, 2, 3, 5, 9, 17, 50, 130, 400, 1000} {
		for j := range n {
			fmt.Fprintf(&b, `{"item":"q%d","sample":%d,"reward":%g}`+"\n", i, j, float64((i*j+j*j)%7%3)/2)
		}
	}
	return b.String()
}

// Whatever is handed in gets an answer without a single NaN, in every format, or
// a refusal that says how to mend it.
func TestLongBadInputGetsAnAnswerOrARefusal(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	half := 0.5
	in := func(lo, hi float64) func(*analysis.Settings) {
		return func(s *analysis.Settings) { s.RewardRange = stat.Range{Lo: lo, Hi: hi} }
	}
	tests := []struct {
		name, text string
		set        func(*analysis.Settings)
		refusal    string // part of the error; "" wants an answer
	}{
		{"one item, one rollout", some("train", 1, 1, always(`"reward":0.5`)), nil, ""},
		{"one item of a thousand", some("train", 1, 1000, func(_, j int) string { return fmt.Sprintf(`"reward":%d`, j%2) }), nil, ""},
		{"one item a split", some("train", 1, 4, always(`"reward":1`)) + some("eval", 1, 4, always(`"reward":0`)) + some("production", 1, 1, always(`"outcome":"tool"`)), nil, ""},
		{"all at the bottom", some("train", 40, 8, always(`"reward":0`)), nil, ""},
		{"all at the top", some("train", 40, 8, always(`"reward":1`)), nil, ""},
		{"all equal in between", some("train", 40, 8, always(`"reward":0.3`)), nil, ""},
		{"all missing", some("train", 30, 4, always(`"outcome":"model_api","error":"status 500"`)), nil, ""},
		{"all without an answer", some("train", 30, 4, always(`"outcome":"no_answer"`)), nil, ""},
		{"from 1 to 1,000 rollouts an item", unequal(), nil, ""},
		{"a group far larger than any item", some("train", 30, 2, func(i, j int) string { return fmt.Sprintf(`"reward":%d`, (i+j)%2) }), func(s *analysis.Settings) { s.GroupSize = 1000 }, ""},
		{"NaN for every third reward", some("train", 30, 6, func(_, j int) string { return `"reward":` + []string{"NaN", "1", "0"}[j%3] }), nil, ""},
		{"nothing but NaN", some("train", 30, 6, always(`"reward":NaN`)), nil, ""},
		{"1e308 in a range up to 1", some("train", 30, 6, always(`"reward":1e308`)), nil, "reward_range"},
		{"1e308 in a range up to it", some("train", 30, 6, always(`"reward":1e308`)), in(0, 1e308), "reward_range"},
		{"the largest range there may be", some("train", 30, 6, func(i, j int) string { return fmt.Sprintf(`"reward":%de99`, (i*j)%19-9) }), in(-1e100, 1e100), ""},
		{"the smallest range there may be", some("train", 30, 6, func(i, j int) string { return fmt.Sprintf(`"reward":%de-100`, 1+(i*j)%9) }), in(0, 1e-99), ""},
		{"negative rewards, declared", some("train", 30, 6, func(i, j int) string { return fmt.Sprintf(`"reward":%d`, -(i*j)%5) }), in(-5, 0), ""},
		{"negative rewards, not declared", some("train", 30, 6, always(`"reward":-1`)), nil, "reward_range"},
		{"times and tokens past all sense", some("train", 30, 4, func(i, j int) string {
			return fmt.Sprintf(`"reward":%d,"turns":9,"elapsed_s":1e9,"usage":{"input_tokens":9000000000000000000,"output_tokens":9000000000000000000},"calls":[{"name":"x","status":"ok","elapsed_s":1e9}]`, (i+j)%2)
		}), func(s *analysis.Settings) { s.BatchSize, s.Epochs = 1<<30, 1<<30 }, ""},
		{"an empty file", "", nil, "rollouts"},
		{"blank lines", "\n\n\r\n", nil, "rollouts"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := analysis.DefaultSettings()
			s.Boot, s.PassThreshold, s.BatchSize = 100, &half, 8
			if test.set != nil {
				test.set(&s)
			}
			r, err := analyzed(t, test.text, s)
			if test.refusal != "" {
				if err == nil || !strings.Contains(err.Error(), test.refusal) {
					t.Errorf("error is %v, want one that names %s", err, test.refusal)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			rendered(t, r)
		})
	}
}

func analyzed(t *testing.T, text string, s analysis.Settings) (*analysis.Result, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, rollout.RolloutsFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := rollout.Open(dir)
	if err != nil {
		return nil, err
	}
	return judge.Analyze(t.Context(), run, rollout.ReadOptions{}, s, gate.All())
}

// rendered writes every format, and result.json, and looks for what is no
// number.
func rendered(t *testing.T, r *analysis.Result) {
	t.Helper()
	var b bytes.Buffer
	if err := r.Encode(&b); err != nil {
		t.Errorf("result.json: %v", err)
	}
	if b.Len() < 4<<20 { // what is larger differs in the number of its items alone
		if err := reporttest.Check("result", b.Bytes()); err != nil {
			t.Errorf("result.json: %v", err)
		}
	}
	p := NewRunPage(r, options())
	for _, f := range Formats() {
		var b bytes.Buffer
		if err := f.Write(&b, p); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if f.Name == "summary" {
			continue
		}
		text := b.String()
		if f.Name == "pdf" {
			text = reporttest.Running(reporttest.ReadPDF(t, b.Bytes())...)
		}
		for line := range strings.Lines(strings.ReplaceAll(text, "reward is NaN", "")) {
			if at := notANumber.FindStringIndex(line); at != nil && !strings.Contains(line, "base64,") {
				t.Errorf("%s: …%s…", f.Name, line[max(0, at[0]-60):min(len(line), at[1]+60)])
			}
		}
	}
}

// 20,000 items, and 200,000 with GONOGO_CALIBRATE=1, of two rollouts: an
// answer, its pages, and what they cost.
func TestLongManyItemsGetAnAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	items := 20_000
	if calibration.Full() {
		items = 200_000
	}
	text := some("train", items, 2, func(i, j int) string { return fmt.Sprintf(`"reward":%d`, (i*i+j*i)%3/2) })
	s := analysis.DefaultSettings()
	s.Boot = 100
	begin := time.Now()
	r, err := analyzed(t, text, s)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	rendered(t, r)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d items analysed in %.1f s and reported in %.1f s, %d MB taken from the system", items, took.Seconds(), (time.Since(begin) - took).Seconds(), m.Sys>>20)
	if got := r.Splits[rollout.Train].Items.Measured; got != items {
		t.Errorf("%d items are measured, want %d", got, items)
	}
}
