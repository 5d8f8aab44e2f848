package importer

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// parquetSample is a Parquet file of one row.
func parquetSample() string {
	type row struct {
		Item   string   `parquet:"item"`
		Reward *float64 `parquet:"reward"`
	}
	half := 0.5
	return parquetFileOf([]row{{"q1", &half}})
}

func parquetFileOf[T any](rows []T) string {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b)
	if _, err := w.Write(rows); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// mappedAs imports text by a mapping such as item=q,reward=s.
func mappedAs(t *testing.T, format, mapping, file string) (*got, error) {
	t.Helper()
	src := text(file)
	src.Options.Map = make(map[string]string)
	for pair := range strings.SplitSeq(mapping, ",") {
		part, column, _ := strings.Cut(pair, "=")
		src.Options.Map[part] = column
	}
	_, g, err := importSource(t, format, src)
	return g, err
}

// The mapping that is suggested reads the same file, in each kind of table.
func TestSuggestedMappingReadsTheTable(t *testing.T) {
	const mapping = "item=item,sample=sample,reward=reward"
	for format, file := range map[string]string{
		"csv":   "item,sample,prompt,answer,reward\nq1,0,2+2?,4,1\nq1,1,2+2?,5,0\n",
		"jsonl": `{"item":"q1","sample":0,"prompt":"2+2?","answer":"4","reward":1}` + "\n" + `{"item":"q1","sample":1,"prompt":"2+2?","answer":"5","reward":0}` + "\n",
	} {
		g, err := mappedAs(t, format, mapping, file)
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(g.notes, "\n")
		_, flag, _ := strings.Cut(said, "--map ")
		flag, _, _ = strings.Cut(flag, " ")
		if !strings.Contains(said, "columns that were left out: ") || flag != mapping+",answer=answer,prompt=prompt" {
			t.Errorf("%s: notes are %q", format, g.notes)
		}
		if g, err = mappedAs(t, format, flag, file); err != nil || len(g.records) != 2 || g.records[1].Answer != "5" || len(g.items) != 1 {
			t.Errorf("%s with --map %s: %v", format, flag, err)
		}
	}
}

func TestTableOfKnownColumns(t *testing.T) {
	tryRows(t, "csv", []row{
		{name: "an empty reward is a missing grade, and so is NaN", file: "item,reward\nq1,0\nq1,\nq1,NaN\nq1,nan\n", want: []string{"q1/0 graded 0", "q1/1 grader - the reward is empty", "q1/2 grader - the reward is empty", "q1/3 grader - the reward is empty"}, note: "rollouts that are failures (grader), not zeros: 3"},
		{name: "a reward that is not a number", file: "item,reward\nq1,1\nq1,high\n", broken: `log.json:3: reward: "high" is not a number; if it names a failure, map its column to error`},
		{name: "a reward without end", file: "item,reward\nq1,Inf\n", broken: "log.json:2: reward: \"Inf\" is not a number"},
		{name: "an error goes before a reward, whatever that says", file: "item,reward,error\nq1,ERR,timeout\nq1,0,\"rate limit\nmore\"\nq1,0.5,\n", want: []string{"q1/0 model_api - timeout", "q1/1 model_api - rate limit", "q1/2 graded 0.5"}},
		{name: "rewards that are true or false", file: "item,reward\nq1,True\nq1,False\nq1,\nq2,TRUE\nq2,false\n", want: []string{"q1/0 graded 1", "q1/1 graded 0", "q1/2 grader - the reward is empty", "q2/0 graded 1", "q2/1 graded 0"}},
		{name: "rewards that are numbers and true", file: "item,reward\nq1,1\nq1,true\n", broken: "log.json:3: some rewards are numbers, such as 1, and some are true or false: write all of them the same way"},
		{name: "parts that are true or false", file: "item,reward,parts.style\nq1,0.5,True\n", want: []string{"q1/0 graded 0.5"}},
		{name: "a latency that is true", file: "item,reward,latency_s\nq1,1,true\n", broken: `column latency_s: "true" is not a number of seconds`},
		{name: "an error_kind alone is a failure too", file: "item,reward,error_kind\nq1,0,grader_timeout\nq1,1,\n", want: []string{"q1/0 grader - grader_timeout", "q1/1 graded 1"}},
		{name: "cells that say there was no error", file: "item,reward,error,error_kind\nq1,0,None,nan\nq1,0,null,0\nq1,0,False,NaN\nq1,0,0,None\nq1,0,[],{}\n", want: []string{"q1/0 graded 0", "q1/1 graded 0", "q1/2 graded 0", "q1/3 graded 0", "q1/4 graded 0"}},
		{name: "graded is no outcome beside an error", file: "item,reward,outcome,error\nq1,0.5,graded,a warning\nq1,0,step_limit,max_turns\n", want: []string{"q1/0 model_api - a warning", "q1/1 step_limit 0 max_turns"}},
		{name: "of a report of ours it is: some of several gradings failed", file: "split,item,sample,attempt,outcome,error,reward,score,targeted\ntrain,q1,0,0,graded,1 of 3 gradings failed,0.5,0.5,false\n", want: []string{"q1/0 graded 0.5 1 of 3 gradings failed"}},
		{name: "outcomes", file: "item,reward,outcome,error\nq1,0,tool,503\nq1,,no_answer,\nq1,0.25,step_limit,\nq1,,graded,\nq1,1,graded,\n", want: []string{"q1/0 tool - 503", "q1/1 no_answer -", "q1/2 step_limit 0.25", "q1/3 grader - the reward is empty", "q1/4 graded 1"}},
		{name: "an outcome that is none", file: "item,outcome\nq1,fine\n", broken: `log.json:2: column outcome: "fine" is not an outcome`},
		{name: "samples and splits", file: "item,reward,sample,split\nq1,1,3,eval\nq1,0,0,train\nq1,0.5,1.0,train\n", want: []string{"q1/3 graded 1", "q1/0 graded 0", "q1/1 graded 0.5"}},
		{name: "a split that is none", file: "item,reward,split\nq1,1,test\n", broken: `column split: "test" is not a split`},
		{name: "a sample twice", file: "item,reward,sample\nq1,1,0\nq1,0,0\n", broken: "log.json:3: sample 0 of item q1 (train) already occurs in line 2: keep one of the two, or let --on-conflict first or last choose"},
		{name: "some samples", file: "item,reward,sample\nq1,1,0\nq1,0,\n", broken: "log.json:3: some rows have a sample and some do not"},
		{name: "each prompt is an item if no column is", file: "step,prompt,completion,reward\n1,2+2?,4,1\n1,2+2?,5,0\n1,3+3?,6,1\n", want: []string{"30ad205245cd2523/0 graded 1", "30ad205245cd2523/1 graded 0", "37c503b2b76634a0/0 graded 1"}, note: "no column names the items: each prompt is one"},
		{name: "neither item nor prompt in a row", file: "prompt,reward\n2+2?,1\n,1\n", broken: "log.json:3: the prompt is empty, and no column names the item"},
		{name: "a prompt does not replace an item", file: "item,prompt,reward\n,2+2?,1\n", broken: "log.json:2: the item is empty: every row must name its item"},
		{name: "no item", file: "item,reward\n,1\n", broken: "log.json:2: the item is empty"},
		{name: "semicolons, and a byte order mark", file: "\uFEFFitem;reward;note\nq1;0.5;a,b\n", want: []string{"q1/0 graded 0.5"}, note: "left out: note"},
		{name: "a column of answers, under another name", file: "item,reward,question,Completion,note\nq1,0.5,2+2?,4,x\n", want: []string{"q1/0 graded 0.5"}, note: "left out: question, Completion, note; --map item=item,reward=reward,answer=Completion,prompt=question reads Completion and question, too"},
		{name: "tabs", file: "item\treward\nq1\t0.5\n", want: []string{"q1/0 graded 0.5"}},
		{name: "the table beside evaluations of build-hours", file: "item_index,reward,latency_s,output_tokens,tool_calls\n3,0.5,1.5,20,2\n", want: []string{"3/0 graded 0.5"}, note: "1 row gives only the number of tool calls"},
		{name: "a last row that is being written", file: "item,reward,answer\nq1,1,x\nq1,0", want: []string{"q1/0 graded 1"}, note: "the last line was incomplete and left out"},
		{name: "a last answer that is being written", file: "item,reward,answer\nq1,1,x\nq1,0,\"a, b", want: []string{"q1/0 graded 1"}, note: "the last line was incomplete and left out"},
		{name: "a quote that never ends, in a file without an end of line", file: "item,reward,answer\nq1,1,\"x\nq1,0,y\nq2,1,z", broken: "log.json:4: extraneous or missing"},
		{name: "a quote that ends in the last row, of which columns lack", file: "item,reward,answer\n\"q1,1,x\nq1,0,y\nq2\",1", broken: "log.json:2: wrong number of fields"},
		{name: "a last row without an end of line", file: "item,reward\nq1,1\nq1,0", want: []string{"q1/0 graded 1", "q1/1 graded 0"}},
		{name: "a broken row before the last one", file: "item,reward\nq1\nq1,0", broken: "log.json:2: "},
		{name: "fields that lack", file: "item,reward\nq1\n", broken: "log.json:2: "},
		{name: "a quote that never ends", file: "item,reward\n\"q1,1\nq2,1\n", broken: "log.json:"},
		{name: "a column twice", file: "item,reward,reward\nq1,1,0\n", broken: `two columns called "reward"`},
		{name: "tokens in words", file: "item,reward,input_tokens\nq1,1,many\n", broken: `column input_tokens: "many" is not a whole number`},
		{name: "more calls than a rollout makes", file: "item,reward,tool_calls\nq1,1,1000000000\n", broken: "is not a number of tool calls"},
	})
	for name, file := range map[string]string{"prose": "Dear reader,\nhello\n", "other columns": "id,score\nq1,1\n", "an item alone": "item,x\nq1,1\n"} {
		if _, _, err := importText(t, "csv", file); !errors.Is(err, ErrUnrecognized) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

func TestTableByMap(t *testing.T) {
	const csv = "question_id,trial,score,prompt,response,tag,f1,secs\nq1,0,0.5,2+2?,4,math,0.25,1.5\nq1,1,,2+2?,5,math,,\n"
	g, err := mappedAs(t, "", "item=question_id,sample=trial,reward=score,prompt=prompt,answer=response,category=tag,parts.f1=f1,latency_s=secs", csv)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"q1/0 graded 0.5", "q1/1 grader - the reward is empty"}, told(g)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	r, it := g.records[0], g.items[0]
	if r.Answer != "4" || r.Category != "math" || r.Parts["f1"] != 0.25 || r.Elapsed != rollout.Seconds(1500*time.Millisecond) || len(it.Messages) != 1 || it.Messages[0].Content != "2+2?" || it.Category != "math" {
		t.Errorf("record is %+v of item %+v", r, it)
	}
	for name, tt := range map[string]struct{ mapping, file, want string }{
		"a column that there is none":           {"item=id,reward=score", csv, `there is no column "id" for item; the columns are question_id, trial`},
		"a part that there is none":             {"item=question_id,points=score", csv, `unknown part "points" of a rollout; the parts are item, split`},
		"nothing of the item":                   {"reward=score", csv, "--map mentions neither item nor prompt"},
		"nothing to judge":                      {"item=question_id,category=tag", csv, "neither reward nor outcome nor answer"},
		"a line of JSON without an item":        {"item=id,reward=score", `{"id":"a","score":1}` + "\n" + `{"score":1}` + "\n", "log.json:2: the item is empty"},
		"a reward in JSON that is not a number": {"item=id,reward=score", `{"id":"a","score":[1]}` + "\n", `log.json:1: reward: "[1]" is not a number`},
	} {
		if _, err := mappedAs(t, "", tt.mapping, tt.file); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
	if _, err := mappedAs(t, "tau-bench", "item=a,reward=b", samples["tau-bench"]); err == nil || !strings.Contains(err.Error(), "takes no --map") {
		t.Errorf("a format with parts of its own: %v", err)
	}
}

// A column of right answers goes into the rows of the items, with the prompt or without one, and rows whose right
// answers differ are of different items.
func TestTableOfReferences(t *testing.T) {
	for name, c := range map[string]struct {
		mapping, file string
		rows          []string
	}{
		"with the prompt":                        {"item=q,reward=s,reference=gold,prompt=ask", "q,s,gold,ask\nq1,1,4,2+2\nq1,0,4,2+2\n", []string{`{"messages":[{"role":"user","content":"2+2"}],"reference":"4"}`}},
		"without it":                             {"item=q,reward=s,reference=gold", "q,s,gold\nq1,1,4\nq1,0,4\n", []string{`{"reference":"4"}`}},
		"beside a prompt that is compared alone": {"item=q,reward=s,reference=gold", "q,s,gold,prompt\nq1,1,4,2+2\nq1,0,4,2+2\n", []string{`{"reference":"4"}`}},
		"by its name":                            {"", "item,reward,reference\nq1,1,4\nq1,0,4\n", []string{`{"reference":"4"}`}},
		"empty":                                  {"item=q,reward=s,reference=gold", "q,s,gold\nq1,1,\n", []string{""}},
		"different ones":                         {"item=q,reward=s,reference=gold", "q,s,gold\nq1,1,4\nq1,0,5\n", []string{`{"reference":"4"}`, `{"reference":"5"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := mappedAs(t, "csv", c.mapping, c.file)
			if c.mapping == "" {
				_, g, err = importSource(t, "csv", text(c.file))
			}
			if err != nil {
				t.Fatal(err)
			}
			var rows []string
			for _, it := range g.items {
				rows = append(rows, string(it.Row))
			}
			if diff := cmp.Diff(c.rows, rows); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTableOfJSONLines(t *testing.T) {
	g, err := mappedAs(t, "", "item=doc.id,reward=scores.exact.value,answer=out,messages=chat,error=fault", `{"doc":{"id":7},"scores":{"exact.value":1},"out":"4","chat":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"look","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"found"}]}
{"doc":{"id":7},"scores":{"exact":{"value":NaN}},"fault":null}
{"doc":{"id":8},"scores":{"exact":{"value":"-1"}},"fault":"boom"}
{"doc":{"id":8},"scores":null}
`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"7/0 graded 1", "7/1 grader - the reward is empty", "8/0 model_api - boom", "8/1 grader - the reward is empty"}, told(g)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if r := g.records[0]; len(r.Calls) != 1 || r.Calls[0].Output != "found" || r.Turns != 1 || r.Answer != "4" {
		t.Errorf("record is %+v", r)
	}
}

// Rollouts of two steps of a training are of two groups, in each kind of table and
// whether or not a mapping mentions the step.
func TestTableOfSeveralSteps(t *testing.T) {
	type of struct {
		Item   string  `parquet:"item"`
		Reward float64 `parquet:"reward"`
		Step   int64   `parquet:"step"`
	}
	lines := `{"item":"q","reward":0,"step":0}` + "\n" + `{"item":"q","reward":1,"step":40}` + "\n" + `{"item":"q","reward":1,"step":40.0}` + "\n"
	csv := "item,reward,step\nq,0,0\nq,1,40\nq,1,40.0\n"
	for _, c := range []struct{ format, mapping, file string }{
		{"csv", "", csv},
		{"csv", "item=item,reward=reward", csv},
		{"csv", "item=item,reward=reward,step=version", strings.Replace(csv, "step", "version", 1)},
		{"jsonl", "item=item,reward=reward", lines},
		{"parquet", "", parquetFileOf([]of{{"q", 0, 0}, {"q", 1, 40}, {"q", 1, 40}})},
	} {
		src := text(c.file)
		if c.mapping != "" {
			src.Options.Map = make(map[string]string)
			for pair := range strings.SplitSeq(c.mapping, ",") {
				part, column, _ := strings.Cut(pair, "=")
				src.Options.Map[part] = column
			}
		}
		_, g, err := importSource(t, c.format, src)
		if err != nil {
			t.Errorf("%s %s: %v", c.format, c.mapping, err)
			continue
		}
		var got []rollout.Key
		for _, r := range g.records {
			got = append(got, r.Key())
		}
		want := []rollout.Key{{Split: rollout.Train, Item: "q"}, {Split: rollout.Train, Item: "q", Step: 40}, {Split: rollout.Train, Item: "q", Sample: 1, Step: 40}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.format, c.mapping, diff)
		}
		if !slices.ContainsFunc(g.notes, func(note string) bool { return strings.Contains(note, "rollouts are from 2 steps") }) {
			t.Errorf("%s %s: notes are %q", c.format, c.mapping, g.notes)
		}
	}
	_, g, err := importText(t, "csv", "item,reward,step\nq,0,plan\nq,1,act\n")
	if err != nil || len(g.records) != 2 || g.records[1].Step != 0 || g.records[1].Sample != 1 {
		t.Errorf("a column of that name which holds no steps: %v, %v", g.records, err)
	}
	if _, err := mappedAs(t, "csv", "item=item,reward=reward,step=step", "item,reward,step\nq,0,plan\n"); err == nil || !strings.Contains(err.Error(), `column step: "plan" is not a whole number`) {
		t.Errorf("a mapped step that is none: %v", err)
	}
}

// Parquet has no formulas, so our own has no apostrophes; and what it calls graded
// is, where some of several gradings failed.
func TestTableOfOurParquet(t *testing.T) {
	_, g, err := importText(t, "", parquetFileOf([]struct {
		Split    string  `parquet:"split"`
		Item     string  `parquet:"item"`
		Sample   int64   `parquet:"sample"`
		Attempt  int64   `parquet:"attempt"`
		Outcome  string  `parquet:"outcome"`
		Error    string  `parquet:"error"`
		Reward   float64 `parquet:"reward"`
		Score    float64 `parquet:"score"`
		Targeted bool    `parquet:"targeted"`
	}{{"train", "'=1", 0, 0, "graded", "1 of 3 gradings failed", 0.5, 0.5, false}}))
	if diff := cmp.Diff([]string{"'=1/0 graded 0.5 1 of 3 gradings failed"}, told(g)); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

func TestTableOfParquet(t *testing.T) {
	type row struct {
		ID     int32     `parquet:"id"`
		Score  *float64  `parquet:"score,optional"`
		Small  float32   `parquet:"small"`
		When   time.Time `parquet:"when,timestamp(millisecond)"`
		Cents  int64     `parquet:"cents,decimal(2:10)"`
		Tags   []string  `parquet:"tags"`
		Nested struct {
			Text string `parquet:"text"`
		} `parquet:"nested"`
	}
	half, none := 0.5, 0.0
	none /= none
	at := time.Date(2026, 11, 20, 9, 0, 0, 250e6, time.UTC)
	rows := []row{{ID: 7, Score: &half, Small: 0.1, When: at, Cents: 25, Tags: []string{"a"}}, {ID: 7, When: at}, {ID: 8, When: at, Score: &none}}
	rows[0].Nested.Text = "'=1+1"
	file := parquetFileOf(rows)
	g, err := mappedAs(t, "", "item=id,reward=score,parts.small=small,parts.cents=cents,started_at=when,answer=nested.text", file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"7/0 graded 0.5", "7/1 grader - the reward is empty", "8/0 grader - the reward is empty"}, told(g)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if r := g.records[0]; r.Parts["small"] != 0.1 || r.Parts["cents"] != 0.25 || !r.Started.Equal(at) || r.Answer != "'=1+1" {
		t.Errorf("record is %+v", r)
	}
	for mapping, want := range map[string]string{"item=id,reward=tags": "holds lists", "item=id,reward=tags.list.element": "there is no column"} {
		if _, err := mappedAs(t, "", mapping, file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v", mapping, err)
		}
	}
	if _, err := mappedAs(t, "jsonl", "item=q,reward=s", `{"q":"a","s":[0.0, 1.0]}`); err == nil || !strings.Contains(err.Error(), "log.json:1: reward: \"[0.0, 1.0]\" is not a number but a list, perhaps with a score for each token") {
		t.Errorf("error is %v", err)
	}
	for _, n := range []int{5, 100, len(file) / 2, len(file) - 1} {
		if _, err := mappedAs(t, "", "item=id,reward=score", file[:n]); err == nil || !strings.Contains(err.Error(), "broken or was cut off") {
			t.Errorf("cut off after %d bytes: error is %v", n, err)
		}
	}
}

// A quote that is never closed does not draw a large file into memory.
func TestTableOfOneEndlessRow(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	src := Source{Files: []File{{Name: "log.csv", Path: "log", FS: made{"item,reward\nq1,1\n\"q2,1\n", "", 70, func(int) string { return text }}}}}
	_, g, err := importSource(t, "csv", src)
	if err == nil || !strings.Contains(err.Error(), "log.csv:3: a row is longer than 64 MB") || len(g.records) != 1 {
		t.Errorf("error is %.200v", err)
	}
}

// The apostrophe that our tables put before a text like a formula comes off
// again, from tables of ours alone.
func TestTableApostrophes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ \x{a0}]{0,2}[=+@\-＝ab\t'][a-z]{0,3}`).Draw(t, "text")
		if strings.HasPrefix(text, "'") {
			t.Skip("of a text with an apostrophe of its own nothing tells")
		}
		if got := unmarked(analysis.PlainCell(text)); got != text {
			t.Errorf("%q is read as %q", text, got)
		}
	})
	_, g, err := importText(t, "", "item,reward\n'=1+1,1\n")
	if err != nil || g.records[0].Item != "'=1+1" {
		t.Errorf("a table of somebody else: %+v, %v", g.records, err)
	}
}

// Two rows for one rollout are settled as requested, in each kind of table.
func TestTableConflicts(t *testing.T) {
	type row struct {
		Item   string  `parquet:"item"`
		Sample int64   `parquet:"sample"`
		Reward float64 `parquet:"reward"`
	}
	files := map[string]string{
		"csv":     "item,sample,reward\nq1,0,0.25\nq1,1,1\nq1,0,0.5\nq1,0,0.75\n",
		"jsonl":   `{"item":"q1","sample":0,"reward":0.25}` + "\n" + `{"item":"q1","sample":1,"reward":1}` + "\n" + `{"item":"q1","sample":0,"reward":0.5}` + "\n" + `{"item":"q1","sample":0,"reward":0.75}` + "\n",
		"parquet": parquetFileOf([]row{{"q1", 0, 0.25}, {"q1", 1, 1}, {"q1", 0, 0.5}, {"q1", 0, 0.75}}),
	}
	for format, file := range files {
		for conflict, want := range map[rollout.Conflict][]string{
			rollout.First: {"q1/0 graded 0.25", "q1/1 graded 1"},
			rollout.Last:  {"q1/1 graded 1", "q1/0 graded 0.75"},
		} {
			src := text(file)
			src.Options.OnConflict = conflict
			src.Options.Map = map[string]string{"item": "item", "sample": "sample", "reward": "reward"}
			_, g, err := importSource(t, format, src)
			if err != nil {
				t.Errorf("%s, %s: %v", format, conflict, err)
				continue
			}
			if diff := cmp.Diff(want, told(g)); diff != "" {
				t.Errorf("%s, %s: records (-want +got):\n%s", format, conflict, diff)
			}
			g.noted(t, "rows that repeat the item and sample of another row, left out: 2; the "+string(conflict)+" one counts")
		}
	}
	src := text(samples["tau-bench"])
	src.Options.OnConflict = rollout.First
	if _, g, err := importSource(t, "", src); err != nil {
		t.Error(err)
	} else {
		g.noted(t, "--on-conflict was ignored")
	}
}

func FuzzCSV(f *testing.F) {
	fuzzFormat(f, "csv", "item;reward;outcome;error;sample;tool_calls;more_parts;started_at\nq;;graded;;0;1;{};2026-01-01T00:00:00Z\n", "item,reward\n\"a\nb\",1\n")
}

// The file has a column of each type of pyarrow 26.0.1 that Parquet stores as another.
func TestParquetTypesKeepTheirValues(t *testing.T) {
	whole, err := os.ReadFile("../../internal/parquetfile/testdata/types.parquet")
	if err != nil {
		t.Fatal(err)
	}
	g, err := mappedAs(t, "parquet", "item=u64,reward=f16,latency_s=dur_us,started_at=ts_us,parts.price=dec,answer=date,category=t_ms", string(whole))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"9223372036854775808/0 graded 0.5", "18446744073709551615/0 grader - the reward is empty"}, told(g)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	r := g.records[0]
	if time.Duration(r.Elapsed) != 1500*time.Millisecond || r.Parts["price"] != 12.345 || r.Answer != "2026-01-02" || r.Category != "03:04:05.678" || !r.Started.Equal(time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)) {
		t.Errorf("record is %+v", r)
	}
}

func FuzzParquet(f *testing.F) { fuzzFormat(f, "parquet") }

func FuzzJSONCells(f *testing.F) {
	f.Add(`{"a":{"b":NaN},"a.b":1}`)
	f.Fuzz(func(t *testing.T, line string) {
		cells, err := jsonCells([]byte(line), []string{"a.b", "a", "a.b.c"}, newKeySet())
		for _, c := range cells {
			if err == nil && c.none && c.text != "" {
				t.Errorf("cells are %+v", cells)
			}
		}
	})
}
