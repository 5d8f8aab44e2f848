package importer

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// evaluation makes an output item.
func evaluation(run string, item int, results, sample string) string {
	return fmt.Sprintf(`{"object":"eval.run.output_item","id":"o_%s_%d","run_id":%q,"eval_id":"e","created_at":1760000000,"status":"pass","datasource_item_id":%d,"datasource_item":{"q":"2+2"},"results":[%s],"sample":%s}`,
		run, item, run, item, results, sample)
}

const (
	answered = `{"input":[{"role":"user","content":"2+2?"}],"output":[{"role":"assistant","content":"4"}],"finish_reason":"stop","model":"m","usage":{"total_tokens":12,"prompt_tokens":10,"completion_tokens":2,"cached_tokens":0},"error":null}`
	cutShort = `{"input":[],"output":[],"finish_reason":"length","error":null}`
	uuid     = "-0f8fad5b-d9cb-469f-a165-70867728950e"
)

func result(name, score string) string {
	return fmt.Sprintf(`{"name":%q,"score":%s,"passed":true}`, name, score)
}

func TestOutputItems(t *testing.T) {
	tryRows(t, "openai-evals", []row{
		{
			name: "a run is a repeat", file: evaluation("r1", 0, result("g", "1"), answered) + "\n" + evaluation("r1", 1, result("g", "0"), answered) + "\n" + evaluation("r2", 0, result("g", "0.5"), answered) + "\n",
			want: []string{"0/0 graded 1", "1/0 graded 0", "0/1 graded 0.5"}, note: "the position of the run in its file",
		},
		{
			name: "a failure of the model, of a grader, and no result at all", file: evaluation("r", 0, "", strings.Replace(answered, `"error":null`, `"error":{"code":"server_error","message":"The server had an error"}`, 1)) + "\n" +
				evaluation("r", 1, strings.Replace(result("g", "0"), `"passed"`, `"sample":{"error":{"code":"timeout","message":"judge"}},"passed"`, 1), answered) + "\n" +
				evaluation("r", 2, "", answered) + "\n" + evaluation("r", 3, "", cutShort) + "\n" + evaluation("r", 4, result("g", "null"), answered) + "\n",
			want: []string{"0/0 model_api - server_error: The server had an error", "1/0 grader - timeout: judge", "2/0 grader - there is no result of g", "3/0 no_answer - no output: the model stopped because of length", "4/0 grader - the score is missing, null or NaN"},
		},
		{name: "an error without a code or a message is none", file: evaluation("r", 0, result("g", "1"), strings.Replace(answered, `"error":null`, `"error":{"code":"","message":""}`, 1)), want: []string{"0/0 graded 1"}},
		{name: "two models", file: evaluation("r1", 0, result("g", "1"), answered) + "\n" + evaluation("r2", 0, result("g", "1"), strings.Replace(answered, `"model":"m"`, `"model":"n"`, 1)) + "\n", broken: `log.json:2: its model is "n", but earlier rollouts are from "m"`},
		{name: "an item twice in one run", file: evaluation("r", 0, result("g", "1"), answered) + "\n" + evaluation("r", 0, result("g", "0"), answered) + "\n", broken: `log.json:2: item 0 of run "r" already occurs in line 1`},
		{
			name: "the list of the API, over several lines", file: "{\n \"object\": \"list\",\n \"data\": [\n" + evaluation("r", 0, result("g", "1"), answered) + ",\n" + evaluation("r", 1, result("g", "0"), answered) + "\n],\n\"first_id\": \"a\", \"has_more\": true}\n",
			want: []string{"0/0 graded 1", "1/0 graded 0"}, note: "it has more pages",
		},
		{name: "the list of the API, on one line", file: `{"object":"list","data":[` + evaluation("r", 0, result("g", "1"), answered) + `],"has_more":false}`, want: []string{"0/0 graded 1"}},
		{name: "a broken item of a list", file: "{\"object\":\"list\",\"data\":[\n" + evaluation("r", 0, result("g", `"x"`), answered) + "]}", broken: "log.json:2: byte 26: entry 0: the score of g must be a number"},
	})
}

// Names carry a UUID behind them, and may hold hyphens of their own.
func TestOutputItemsNamesOfGraders(t *testing.T) {
	file := evaluation("r", 0, result("exact-match"+uuid, "1")+","+result("style"+strings.ToUpper(uuid), "0.5")+","+result("plain-name", "0.25"), answered)
	_, g, err := importText(t, "", file)
	if err != nil {
		t.Fatal(err)
	}
	r := g.records[0]
	if diff := cmp.Diff(map[string]float64{"style": 0.5, "plain-name": 0.25}, r.Parts); diff != "" || *r.Reward != 1 {
		t.Errorf("reward %v, parts (-want +got):\n%s", *r.Reward, diff)
	}
	if !strings.Contains(strings.Join(g.notes, "\n"), "the score of exact-match") {
		t.Errorf("notes are %q", g.notes)
	}
	if r.Answer != "4" || *r.Usage.Input != 10 || r.Started.Unix() != 1760000000 || len(g.items[0].Messages) != 1 || !strings.Contains(string(g.items[0].Row), "2+2") {
		t.Errorf("record is %+v of item %+v", r, g.items[0])
	}
	src := text(file)
	src.Options.Score = "style"
	if _, g, err := importSource(t, "", src); err != nil || *g.records[0].Reward != 0.5 || g.records[0].Parts["exact-match"] != 1 {
		t.Errorf("--score style: %+v, %v", g.records, err)
	}
}

// What our own export says of an item goes before the format's poorer words,
// and never makes a number of a failure.
func TestOutputItemsWithAStamp(t *testing.T) {
	stamped := func(stamp, item string) string {
		return strings.TrimSuffix(item, "}") + `,"gonogo":` + stamp + "}\n"
	}
	tryRows(t, "openai-evals", []row{
		{name: "names and outcome", file: stamped(`{"item":"q","split":"eval","sample":3,"outcome":"tool","error":"503","unscored":true}`, evaluation("r", 0, "", strings.Replace(answered, `"error":null`, `"error":{"code":"tool","message":"tool: 503"}`, 1))), want: []string{"q/3 tool - 503"}},
		{name: "an answer that was none", file: stamped(`{"item":"q","sample":0,"outcome":"no_answer","unscored":true}`, evaluation("r", 0, result("g", "0"), answered)), want: []string{"q/0 no_answer -"}},
		{name: "graded without a grade", file: stamped(`{"item":"q","sample":0,"outcome":"graded"}`, evaluation("r", 0, "", answered)), want: []string{"q/0 grader - there is no result of a grader"}},
		{name: "an outcome that is none", file: stamped(`{"item":"q","sample":0,"outcome":"fine"}`, evaluation("r", 0, result("g", "1"), answered)), want: []string{"q/0 graded 1"}},
		{name: "a sample below 0", file: stamped(`{"item":"q","sample":-1,"outcome":"graded"}`, evaluation("r", 5, result("g", "1"), answered)), want: []string{"5/0 graded 1"}},
	})
}

// A line is a line however long it is, and whatever keys its item has; a list is
// one however long its first element is.
func TestLongOutputItems(t *testing.T) {
	long := strings.Replace(evaluation("r", 0, result("g", "1"), answered), `"q":"2+2"`, `"data":[{"object":"eval.run.output_item"}],"text":"`+strings.Repeat("x", 100_000)+`"`, 1)
	short := evaluation("r", 1, result("g", "0"), answered)
	tryRows(t, "openai-evals", []row{
		{name: "lines", file: long + "\n" + short + "\n", want: []string{"0/0 graded 1", "1/0 graded 0"}},
		{name: "a list", file: `{"object":"list","data":[` + long + "," + short + `],"has_more":false}`, want: []string{"0/0 graded 1", "1/0 graded 0"}},
	})
	for name, other := range map[string]string{"a list of something else": `{"object":"list","data":[{"object":"model"}]}`, "data of something else": `{"data":[{"object":"eval.run"}]}`} {
		if _, _, err := importText(t, "openai-evals", other); !errors.Is(err, ErrUnrecognized) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzOutputItems(f *testing.F) {
	fuzzFormat(f, "openai-evals", `{"object":"list","data":[`+evaluation("r", 0, result("g", "NaN"), answered)+`]}`, `{"datasource_item_id":1,"results":[{},{}],"sample":{"output":[{"role":"assistant"}]},"gonogo":{"item":"x","sample":9,"outcome":"grader"}}`)
}

func TestEvalRuns(t *testing.T) {
	line := func(id, score string) string {
		return fmt.Sprintf(`{"datasource_item_id":0,"item_id":%s,"reference":"4","prediction":"4","score":%s}`, id, score) + "\n"
	}
	tryRows(t, "build-hours-evals", []row{
		{name: "a number, a missing one", file: line(`"a"`, "0.5") + line(`"b"`, "null") + line("null", "0"), want: []string{"a/0 graded 0.5", "b/0 grader - the score is missing, null or NaN", "0/0 graded 0"}},
		{name: "several graders", file: line(`"a"`, `{"match-exact`+uuid+`":1,"style":0.5}`) + line(`"b"`, `{"style":1}`), want: []string{"a/0 graded 1", "b/0 grader - there is no score of match-exact"}, note: "the score of match-exact"},
		{name: "an item twice", file: line(`"a"`, "1") + line(`"a"`, "0"), broken: "log.json:2: item_id a already occurs in line 1"},
		{name: "a score in words", file: line(`"a"`, `"1"`), broken: "log.json:1: score must be a number"},
	})
	_, g, err := importSource(t, "", tree(map[string]string{"run_1/outputs.jsonl": line(`"a"`, "1"), "run_2/outputs.jsonl": line(`"a"`, "0")}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a/0 graded 1", "a/1 graded 0"}, told(g)); diff != "" || g.records[0].Answer != "4" {
		t.Errorf("a repeat is another run (-want +got):\n%s", diff)
	}
}

func FuzzEvalRuns(f *testing.F) {
	fuzzFormat(f, "build-hours-evals", `{"datasource_item_id":1,"prediction":{},"score":{"a":NaN,"a-0f8fad5b-d9cb-469f-a165-70867728950e":1}}`)
}

// Tool calls are those of the messages: as chat has them, or in the place of a content, as
// azure-ai-evaluation 1.x writes those of Azure's agents (_converters/_models.py).
func TestOutputItemsKeepToolCalls(t *testing.T) {
	for name, output := range map[string]string{
		"chat":  `[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"add","arguments":"{\"a\":2}"}}]},{"role":"tool","tool_call_id":"c","content":"4"},{"role":"assistant","content":"It is 4."}]`,
		"Azure": `[{"role":"assistant","content":[{"type":"tool_call","tool_call_id":"c","name":"add","arguments":{"a":2}}]},{"role":"tool","tool_call_id":"c","content":[{"type":"tool_result","tool_result":"4"}]},{"role":"assistant","content":[{"type":"text","text":"It is 4."}]}]`,
	} {
		_, g, err := importText(t, "openai-evals", evaluation("r", 0, result("g", "1"), `{"input":[{"role":"user","content":"2+2?"}],"output":`+output+`,"finish_reason":"stop"}`))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := g.records[0]
		if len(r.Calls) != 1 || r.Calls[0].ID != "c" || r.Calls[0].Name != "add" || r.Calls[0].Arguments != `{"a":2}` || r.Calls[0].Output != "4" || r.Turns != 2 || r.Answer != "It is 4." || r.Messages[1].Content != "4" {
			t.Errorf("%s: record is %+v", name, r)
		}
		g.noted(t, "output items hold no times")
	}
}
