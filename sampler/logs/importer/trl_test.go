package importer

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// trlWritten is a row as pandas writes it, with chat messages.
type trlWritten struct {
	Step       int64        `parquet:"step"`
	Prompt     []trlMessage `parquet:"prompt,list"`
	Completion []trlMessage `parquet:"completion,list"`
	Correct    *float64     `parquet:"correct,optional"`
	Brief      *float64     `parquet:"brief,optional"`
	Length     float64      `parquet:"length"` // by log_extra, behind the reward functions
	Advantage  float64      `parquet:"advantage"`
}

type trlMessage struct {
	Role    string        `parquet:"role"`
	Content string        `parquet:"content"`
	Calls   []trlToolCall `parquet:"tool_calls,optional,list"`
	Name    *string       `parquet:"name,optional"`
}

type trlToolCall struct {
	Function struct {
		Name      string `parquet:"name"`
		Arguments struct {
			A *int64  `parquet:"a,optional"`
			Q *string `parquet:"q,optional"`
		} `parquet:"arguments"`
	} `parquet:"function"`
}

func trlRowOf(step int64, prompt, completion string, correct, brief *float64, length, advantage float64) trlWritten {
	return trlWritten{step, []trlMessage{{Role: "user", Content: prompt}}, []trlMessage{{Role: "assistant", Content: completion}}, correct, brief, length, advantage}
}

func trlSample() string {
	one := 1.0
	return parquetFileOf([]trlWritten{trlRowOf(1, "2+2?", "4", &one, nil, 3, 0)})
}

// The files in testdata/trl were written by GRPOTrainer of TRL 1.16.0 (pyarrow 26.0.1), by
// .ci/peers/trl/train.py with log_completions=True and generation_batch_size=8: two steps share a
// generation, the rewards have the weights 1, 0.5 and 0.25, and one function returns None for
// one of the two prompts. 00002 logs the generation of step 1, 00003 that of step 3.
func TestTRLCompletions(t *testing.T) {
	dir := Paths(Options{}, "testdata/trl")
	_, g, err := importSource(t, "", dir)
	if err == nil || !strings.Contains(err.Error(), "the advantages do not follow from the sum of correct, brief, polite: the trainer gave weights") || len(g.records) > 0 {
		t.Errorf("weights that nothing names: %v", err)
	}
	dir.Options.Score = "correct + 0.5*brief + 0.25*polite"
	_, g, err = importSource(t, "", dir)
	if err != nil {
		t.Fatal(err)
	}
	// pandas: (d.correct + d.brief.fillna(0)*0.5 + d.polite*0.25).round(4).tolist() of both files
	want := []float64{0.1875, 0.1, 0.0625, 1.0625, 1.0, 0.0, 0.125, 1.0, 0.0, 1.0, 0.0, 0.125, 0.0625, 1.1875, 1.375, 1.1806}
	var got []float64
	without := 0 // rollouts for which brief returned None
	for _, r := range g.records {
		got = append(got, *r.Reward)
		if _, there := r.Parts["brief"]; !there {
			without++
		}
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-4 && b-a < 1e-4 })); diff != "" {
		t.Errorf("rewards (-want +got):\n%s", diff)
	}
	if len(g.items) != 4 || without != 8 || g.items[0].Messages[0].Content != "what is two plus three" || g.records[4].Sample != 0 {
		t.Errorf("%d items, the first %s; %d rollouts without brief", len(g.items), g.items[0].Row, without)
	}
	g.noted(t, "reward = correct + 0.5 x brief + 0.25 x polite")
}

func p(f float64) *float64 { return &f }

// trlGroup is a group of four by trlRowOf. Its advantages are those of TRL (trl/trainer/grpo_trainer.py,
// scale_rewards="group"): what is above the mean, over the deviation with n - 1 and 1e-4.
func trlGroup(step int64) []trlWritten {
	// Sums of correct and brief: 0, 1, 1.5 and 0; mean 0.625, deviation 0.75.
	const scale = 0.75 + 1e-4
	return []trlWritten{
		trlRowOf(step, "2+2?", "5", p(0), p(0), 9, -0.625/scale),
		trlRowOf(step, "2+2?", "4", p(1), nil, 2, 0.375/scale),
		trlRowOf(step, "2+2?", "four", p(1), p(0.5), 7, 0.875/scale),
		trlRowOf(step, "2+2?", "", p(0), nil, 4, -0.625/scale),
	}
}

func TestTRLRewards(t *testing.T) {
	id := hash([]byte(`[{"content":"2+2?","name":null,"role":"user","tool_calls":null}]`))
	rows := trlGroup(1)
	failed := append(trlGroup(1), trlRowOf(1, "2+2?", "?", nil, nil, 1, 0))
	weighted := trlGroup(1)
	for i := range weighted { // brief has the weight 3: sums 0, 1, 2.5 and 0
		weighted[i].Advantage = []float64{-0.875, 0.125, 1.625, -0.875}[i]
	}
	flat := []trlWritten{trlRowOf(1, "2+2?", "4", p(1), p(1), 5, 0), trlRowOf(1, "2+2?", "5", p(1), p(1), 5, 0)}
	tryRows(t, "trl", []row{
		{name: "what log_extra adds is no reward", file: parquetFileOf(rows), want: []string{id + "/0 graded 0", id + "/1 graded 1", id + "/2 graded 1.5", id + "/3 graded 0"}, note: "reward = correct + brief"},
		{name: "None of every function is no zero", file: parquetFileOf(failed), want: []string{id + "/0 graded 0", id + "/1 graded 1", id + "/2 graded 1.5", id + "/3 graded 0", id + "/4 grader - every reward function returned None"}, note: "reward = correct + brief"},
		{name: "weights", file: parquetFileOf(weighted), broken: `the trainer gave weights`},
		{name: "nothing varies, and nothing tells", file: parquetFileOf(flat), want: []string{id + "/0 graded 7", id + "/1 graded 7"}, note: "reward = correct + brief + length"},
		{name: "a file that is cut off", file: parquetFileOf(rows)[:300], broken: "broken or was cut off"},
	})
	for score, want := range map[string]string{"correct": "2: 1", "correct+ 3*brief": "2: 2.5", "brief": "2: 0.5", "x*brief": `"x" is not a weight`, "polite": `no column of numbers "polite"`, "1e308*brief+1e308*length": "too large"} {
		src := text(parquetFileOf(rows))
		src.Options.Score = score
		_, g, err := importSource(t, "trl", src)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprintf("2: %v", *g.records[2].Reward)
		}
		if !strings.Contains(got, want) {
			t.Errorf("--score %s: %s, want %s", score, got, want)
		}
	}
}

// A generation that serves several steps is logged in each of them. A step with any other row is
// another generation: short answers are often equal.
func TestTRLSteps(t *testing.T) {
	later := trlGroup(3)
	later[0].Completion[0].Content = "6"
	files := fstest.MapFS{
		"completions_00001.parquet": {Data: []byte(parquetFileOf(trlGroup(1)))},
		"completions_00002.parquet": {Data: []byte(parquetFileOf(trlGroup(2)))},
	}
	src := Source{Files: []File{{Name: "completions", FS: files, Path: "."}}}
	_, g, err := importSource(t, "", src)
	if err != nil || len(g.records) != 4 || len(g.items) != 1 || strings.Contains(g.items[0].ID, "step") {
		t.Errorf("%d records, %v", len(g.records), err)
	}
	g.noted(t, "1 step repeats all rows of the step before")
	files["completions_00003.parquet"] = &fstest.MapFile{Data: []byte(parquetFileOf(later))}
	_, g, err = importSource(t, "", src)
	if err != nil || len(g.items) != 1 || len(g.records) != 8 || g.records[0].Step != 1 || g.records[4].Step != 3 || g.records[4].Sample != 0 {
		t.Errorf("%d items, %d records, %v: %q", len(g.items), len(g.records), err, told(g))
	}
	g.noted(t, "rollouts are from 2 steps")
}

// A column of calls has the arguments of all tools: those that a call did not give are no
// arguments of it.
func TestTRLToolCalls(t *testing.T) {
	row := trlRowOf(1, "2+2?", "", p(1), nil, 0, 0)
	call := trlToolCall{}
	call.Function.Name = "add"
	two := int64(2)
	call.Function.Arguments.A = &two
	row.Completion[0].Calls = []trlToolCall{call}
	name := "add"
	row.Completion = append(row.Completion, trlMessage{Role: "tool", Content: "4", Name: &name}, trlMessage{Role: "assistant", Content: "It is 4."})
	_, g, err := importText(t, "", parquetFileOf([]trlWritten{row}))
	if err != nil {
		t.Fatal(err)
	}
	r := g.records[0]
	if len(r.Calls) != 1 || r.Calls[0].Name != "add" || r.Calls[0].Arguments != `{"a":2}` || r.Calls[0].Output != "4" || r.Turns != 2 || r.Answer != "It is 4." {
		t.Errorf("record is %+v", r)
	}
}

func FuzzTRL(f *testing.F) {
	fuzzFormat(f, "trl", parquetFileOf(trlGroup(1)))
}
