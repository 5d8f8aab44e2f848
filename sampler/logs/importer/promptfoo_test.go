package importer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// pfRow is a row of results.
func pfRow(test, vars, score, more string) string {
	return fmt.Sprintf(`{"promptIdx":0,"testIdx":%s,"provider":{"id":"p","label":""},"prompt":{"raw":"say"},"vars":%s,"score":%s,"success":true,"failureReason":0%s}`, test, vars, score, more)
}

// pfJSON is a file of results in JSON.
func pfJSON(rows ...string) string {
	return `{"evalId":"e","results":{"version":3,"prompts":[],"results":[` + strings.Join(rows, ",\n") + `],"stats":{}},"config":{}}`
}

// items gives items by hash the names of their vars.
func plainItems(g *got) []string {
	lines := told(g)
	for i, r := range g.records {
		for _, it := range g.items {
			if it.ID == r.Item {
				_, vars, _ := strings.Cut(string(it.Row), `"vars":`)
				lines[i] = strings.TrimSuffix(vars, "}") + strings.TrimPrefix(lines[i], r.Item)
			}
		}
	}
	return lines
}

func TestPromptfooTraps(t *testing.T) {
	a, b := `{"x":"a"}`, `{"x":"b"}`
	for _, tt := range []struct {
		name, file string
		want       []string
		note       string
	}{
		{"error is set for a failed assertion, which is a grade", pfJSON(pfRow("0", a, "0", `,"error":"Expected output to contain","failureReason":1`)), []string{a + "/0 graded 0"}, "weighted mean"},
		{"failureReason 2 alone is an error, and its score no zero", pfJSON(pfRow("0", a, "0", `,"error":"503 upstream","failureReason":2`)), []string{a + "/0 model_api - 503 upstream"}, "1 rollout ended in an error"},
		{"an error behind a response is the grader's", pfJSON(pfRow("0", a, "0", `,"error":"judge down","failureReason":2,"response":{"output":"x"}`)), []string{a + "/0 grader - judge down"}, ""},
		{"repeats have a testIdx of their own", pfJSON(pfRow("0", a, "1", ""), pfRow("1", b, "1", ""), pfRow("2", a, "0.5", "")), []string{a + "/0 graded 1", b + "/0 graded 1", a + "/1 graded 0.5"}, "order of testIdx"},
		{"lines come in the order of completion, samples go by testIdx", pfRow("3", a, "0.3", "") + "\n" + pfRow("1", a, "0.1", "") + "\n", []string{a + "/1 graded 0.3", a + "/0 graded 0.1"}, ""},
		{"the order of vars makes no other item", pfJSON(pfRow("0", `{"x":1,"y":2}`, "1", ""), pfRow("1", `{"y":2,"x":1}`, "0", "")), []string{`{"x":1,"y":2}/0 graded 1`, `{"x":1,"y":2}/1 graded 0`}, ""},
		{"without assertions a score of 1 is no grade", pfJSON(pfRow("0", a, "1", `,"gradingResult":{"pass":true,"score":1,"reason":"No assertions"}`)), []string{a + "/0 grader - the test has no assertions: its score of 1 is not a grade"}, ""},
		{"a score that is null", pfJSON(pfRow("0", a, "null", "")), []string{a + "/0 grader - score is missing, null or NaN"}, ""},
		{"answers from a cache are told", pfJSON(pfRow("0", a, "1", `,"response":{"output":"x","cached":true}`)), []string{a + "/0 graded 1"}, "1 response came from promptfoo's cache"},
		{"without vars all rows are repeats of one prompt", pfJSON(pfRow("0", "{}", "1", ""), pfRow("1", "{}", "0", "")), []string{"/0 graded 1", "/1 graded 0"}, ""},
		{
			"equal vars under other assertions are another item", pfJSON(
				pfRow("0", a, "1", `,"testCase":{"assert":[{"type":"equals","value":"1"}]}`), pfRow("1", a, "0", `,"testCase":{"assert":[{"type":"equals","value":"2"}]}`),
				pfRow("2", a, "1", `,"testCase":{"assert":[{"type":"equals","value":"1"}]}`)),
			[]string{a + "/0 graded 1", a + "/0 graded 0", a + "/1 graded 1"},
			"1 set of vars has tests with different assertions",
		},
		{"several providers have items of their own", pfJSON(pfRow("0", a, "1", ""), strings.Replace(pfRow("1", a, "0", ""), `"p"`, `"q"`, 1)), []string{a + "/0 graded 1", a + "/0 graded 0"}, "there are 2 providers"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, g, err := importText(t, "", tt.file)
			if err != nil || f.Name != "promptfoo" {
				t.Fatalf("format %q, error %v", f.Name, err)
			}
			if diff := cmp.Diff(tt.want, plainItems(g)); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			g.noted(t, tt.note)
		})
	}
	for name, tt := range map[string]struct{ file, want string }{
		"stripped vars":                 {pfJSON(pfRow("0", "{}", "1", `,"testCase":{"vars":{"x":1}}`)), "log.json:1: byte 61: entry 0: its vars were stripped"},
		"stripped vars and prompts":     {pfJSON(strings.Replace(pfRow("0", "{}", "1", ""), `"say"`, `"[prompt stripped]"`, 1)), "its vars were stripped"},
		"stripped vars, prompts differ": {pfJSON(pfRow("0", "{}", "1", ""), strings.Replace(pfRow("1", "{}", "1", ""), `"say"`, `"tell"`, 1)), "log.json:2: byte "},
		"one test twice":                {pfRow("0", a, "1", "") + "\n" + pfRow("0", a, "1", "") + "\n", "log.json:2: test 0 of prompt 0 already occurs in line 1"},
		"the shape of the docs page":    {`{"evalId":"e","version":3,"results":{"outputs":[{}]}}`, "in a shape other than results.results"},
		"another version":               {`{"evalId":"e","results":{"version":2,"results":[]}}`, "of version 2"},
		"no rows":                       {pfJSON(), "no rollouts"},
		"an error of an unknown kind":   {pfJSON(strings.Replace(pfRow("0", a, "0", `,"error":"x"`), `,"failureReason":0`, "", 1)), "failureReason is missing"},
		"a row without a test":          {pfJSON(pfRow("null", a, "0", "")), "promptIdx or testIdx is missing"},
	} {
		if f, _, err := importText(t, "", tt.file); err == nil || errors.Is(err, ErrUnrecognized) || f.Name != "promptfoo" || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: format %q, error %v, want %s", name, f.Name, err, tt.want)
		}
	}
}

func TestPromptfooRecord(t *testing.T) {
	const more = `,"latencyMs":1500,"namedScores":{"noise":0.25,"len":NaN},"gradingResult":{"reason":"ok","tokensUsed":{"total":9,"prompt":7,"completion":2}},
"response":{"output":[{"id":"c","type":"function","function":{"name":"look","arguments":"{\"a\":1}"}}],"tokenUsage":{"total":7,"prompt":5,"completion":2,"completionDetails":{"reasoning":1}}}`
	src := text(pfJSON(strings.Replace(pfRow("0", `{"x":1}`, "0.5", more), `"raw":"say"`, `"raw":"[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"u\"}]"`, 1)))
	_, g, err := importSource(t, "", src)
	if err != nil {
		t.Fatal(err)
	}
	r := g.records[0]
	if r.Elapsed != rollout.Seconds(1500*time.Millisecond) || *r.Usage.Input != 5 || *r.Usage.Output != 2 || *r.Usage.Reasoning != 1 || *r.Judge.Input != 7 || len(r.Parts) != 1 || r.Parts["noise"] != 0.25 {
		t.Errorf("record is %+v", r)
	}
	if len(r.Calls) != 1 || r.Calls[0].Name != "look" || r.Calls[0].Arguments != `{"a":1}` {
		t.Errorf("calls are %+v", r.Calls)
	}
	if it := g.items[0]; len(it.Messages) != 2 || it.Messages[1].Content != "u" {
		t.Errorf("item is %s", it.Row)
	}
	src.Options.Score = "noise"
	if _, g, err = importSource(t, "", src); err != nil || *g.records[0].Reward != 0.25 || len(g.records[0].Parts) != 0 {
		t.Errorf("by --score noise: %v, %v", told(g), err)
	}
}

// The real files: one evaluation of 3 tests, 2 repeats each, written in both
// shapes. They make the same records; what promptfoo scored 0 for an upstream
// error is missing.
func TestPromptfooRealFiles(t *testing.T) {
	dir := os.Getenv("GONOGO_TESTDATA")
	if dir == "" {
		t.Skip("GONOGO_TESTDATA names no directory")
	}
	shown := make(map[string]map[string]string)
	for _, name := range []string{"promptfoo_repeat2.json", "promptfoo_repeat2.jsonl"} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err != nil {
			t.Skip(err)
		}
		var g got
		if f, err := Import(context.Background(), Formats(), "", Paths(Options{}, path), g.sink()); err != nil || f.Name != "promptfoo" {
			t.Fatalf("%s: format %q, error %v", name, f.Name, err)
		}
		shown[name] = make(map[string]string)
		sum, graded, failed := 0.0, 0, 0
		for i, line := range plainItems(&g) {
			shown[name][g.records[i].Item+line] = g.records[i].Answer
			if reward, ok := g.records[i].Score(0); ok {
				sum += reward
				graded++
			}
			if g.records[i].Outcome == rollout.ModelAPI {
				failed++
			}
		}
		// python: sum(r["score"] for r in rows if r["failureReason"] != 2)
		if len(g.items) != 3 || graded != 4 || failed != 2 || math.Abs(sum-1.408566611) > 1e-8 {
			t.Errorf("%s: %d items, %d graded, %d failed, sum %.9f", name, len(g.items), graded, failed, sum)
		}
	}
	if diff := cmp.Diff(shown["promptfoo_repeat2.json"], shown["promptfoo_repeat2.jsonl"]); diff != "" {
		t.Errorf("the two shapes differ (-json +jsonl):\n%s", diff)
	}
}

func FuzzPromptfoo(f *testing.F) {
	f.Add(pfJSON(pfRow("0", `{"x":[1,{"y":NaN}]}`, "1", `,"response":{"output":[{}],"raw":"{}"}`)))
	f.Add(pfRow("1", "{}", "NaN", `,"error":"x","failureReason":2`) + "\n" + pfRow("0", "null", "0", ""))
	f.Fuzz(func(t *testing.T, file string) { fuzzed(t, "promptfoo", text(file)) })
}
