package judge_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/sampler/rollout"
)

// toolRun is a run of as many items with 4 rollouts each, whose rewards differ. row is the
// rest of each item's row, rest that of each line.
func toolRun(t *testing.T, items int, row, rest func(item, sample int) string) *rollout.Run {
	t.Helper()
	dir := t.TempDir()
	var rows, lines strings.Builder
	for i := range items {
		fmt.Fprintf(&rows, `{"id":"q%d","split":"train","row":{"messages":[{"role":"user","content":"q %d"}]%s}}`+"\n", i, i, row(i, 0))
		for n := range 4 {
			fmt.Fprintf(&lines, `{"item":"q%d","split":"train","sample":%d,"outcome":"graded","reward":%d,"answer":"a %d %d"%s}`+"\n", i, n, (i+n)%2, i, n, rest(i, n))
		}
	}
	for name, text := range map[string]string{rollout.ItemsFile: rows.String(), rollout.RolloutsFile: lines.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func always(text string) func(int, int) string { return func(int, int) string { return text } }

// health is the finding of tools.health that decides for train, the fact of that name in
// it, and the verdict.
func health(t *testing.T, run *rollout.Run, s analysis.Settings, name string) (analysis.Finding, analysis.Fact, *analysis.Result) {
	t.Helper()
	r, err := judge.Analyze(context.Background(), run, rollout.ReadOptions{}, s, gate.All())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Gate != "tools.health" {
			continue
		}
		for _, x := range append([]analysis.Fact{f.Fact}, f.Others...) {
			if x.ID == name {
				return f, x, r
			}
		}
	}
	return analysis.Finding{}, analysis.Fact{}, r
}

const someTools = `,"tools":[{"type":"function","function":{"name":"add","parameters":{"type":"object"}}}]`

func TestToolsThatNoRolloutCalls(t *testing.T) {
	called := func(item, sample int) string {
		if item == 3 && sample == 2 {
			return `,"turns":2,"calls":[{"turn":0,"name":"add","arguments":"{}","output":"4","status":"ok"}]`
		}
		return `,"turns":1`
	}
	for why, c := range map[string]struct {
		items     int
		row, rest func(int, int) string
		optional  bool
		says      bool
		status    analysis.Status
		severity  analysis.Severity
	}{
		"tools in every row":                    {8, always(someTools), always(`,"turns":1`), false, true, analysis.Unknown, analysis.Blocking},
		"tools that may be left":                {8, always(someTools), always(`,"turns":1`), true, true, analysis.Fail, analysis.Advisory},
		"31 rollouts would be chance":           {7, always(someTools), always(`,"turns":1`), false, false, 0, ""},
		"one call":                              {8, always(someTools), called, false, false, 0, ""},
		"no row offers any":                     {8, always(""), always(`,"turns":1`), false, false, 0, ""},
		"rows that offer an empty list":         {8, always(`,"tools":[]`), always(`,"turns":1`), false, false, 0, ""},
		"lines that name their tools":           {8, always(""), always(`,"turns":1` + someTools), false, true, analysis.Unknown, analysis.Blocking},
		"lines that count their tools":          {8, always(""), always(`,"turns":1,"tools":[{"name":"add","calls":0}]`), false, false, 0, ""},
		"tools of lines that show no turn":      {8, always(""), always(someTools), false, false, 0, ""},
		"lines that do not say what was called": {8, always(someTools), always(""), false, false, 0, ""},
	} {
		s := analysis.DefaultSettings()
		s.ToolsOptional = c.optional
		f, x, r := health(t, toolRun(t, c.items, c.row, c.rest), s, "tools.unused")
		if (x.ID != "") != c.says || x.Status != c.status || f.Severity != c.severity {
			t.Errorf("%s: %s %v, want %s %v", why, f.Severity, x.Status, c.severity, c.status)
		}
		if !c.says {
			continue
		}
		if c.status == analysis.Unknown && (r.Verdict != analysis.Undecided || !strings.Contains(x.Remedy.String(), "--tool-call-parser")) {
			t.Errorf("%s: %s; %s", why, r.Verdict, x.Remedy.String())
		}
		if c.status == analysis.Fail && !strings.Contains(strings.Join(r.Cautions, " "), "tools.health") {
			t.Errorf("%s: cautions %v", why, r.Cautions)
		}
	}
}

// Errors that a tool answers with count, whether its server or its text says so.
func TestOutputsThatAreErrors(t *testing.T) {
	long := strings.Repeat("x", 3000)
	for why, c := range map[string]struct {
		outputs [10]string // as JSON, of the calls of each ten rollouts
		pattern string
		errors  int // of ten
		status  analysis.Status
	}{
		"answers":                  {[10]string{"42", "43"}, analysis.ToolErrors, 0, analysis.Pass},
		"three in ten are errors":  {[10]string{"error: no such column", `{\"error\": \"x\"}`, "ValueError: x\\n" + long}, analysis.ToolErrors, 3, analysis.Fail},
		"an error in the middle":   {[10]string{"found: error: x", long + "error: x"}, analysis.ToolErrors, 0, analysis.Pass},
		"a pattern of one's own":   {[10]string{"oops", "error: x"}, "^oops", 1, analysis.Fail},
		"no pattern":               {[10]string{"error: x"}, "", 0, analysis.Pass},
		"the server says so":       {[10]string{"!error"}, "", 1, analysis.Fail},
		"a malformed call is none": {[10]string{"!malformed"}, analysis.ToolErrors, 0, analysis.Pass},
	} {
		s := analysis.DefaultSettings()
		s.ToolErrors = c.pattern
		run := toolRun(t, 10, always(someTools), func(item, _ int) string {
			output, status := c.outputs[item], "ok"
			if s, is := strings.CutPrefix(output, "!"); is {
				output, status = "error: x", s
			}
			return fmt.Sprintf(`,"turns":2,"calls":[{"turn":0,"name":"add","arguments":"{}","output":"%s","status":"%s"}]`, output, status)
		})
		_, x, r := health(t, run, s, "tools.errors")
		if got := r.Splits[rollout.Train].Tools.ByTool["add"].Errors; x.Status != c.status || got != 4*c.errors {
			t.Errorf("%s: %d errors, want %d; %v, want %v", why, got, 4*c.errors, x.Status, c.status)
		}
	}
}
