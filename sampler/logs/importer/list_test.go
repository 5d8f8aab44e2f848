package importer

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gonogo/sampler/rollout"
)

// tableRow is a row with all kinds of columns that a table of rollouts may have.
type tableRow struct {
	Item    string   `parquet:"item" json:"item"`
	Sample  int      `parquet:"sample" json:"sample"`
	Reward  *float64 `parquet:"reward" json:"reward"`
	Error   string   `parquet:"error" json:"error"`
	Kind    string   `parquet:"error_kind" json:"error_kind"`
	Answer  string   `parquet:"answer" json:"answer"`
	Finish  string   `parquet:"finish" json:"finish"`
	Prompt  string   `parquet:"prompt" json:"prompt"`
	Input   int      `parquet:"input_tokens" json:"input_tokens"`
	Output  int      `parquet:"output_tokens" json:"output_tokens"`
	Calls   int      `parquet:"tool_calls" json:"tool_calls"`
	Failed  int      `parquet:"tool_calls_failed" json:"tool_calls_failed"`
	Judge   int      `parquet:"judge_input_tokens" json:"judge_input_tokens"`
	Latency float64  `parquet:"latency_s" json:"latency_s"`
	Style   float64  `parquet:"parts.style" json:"parts.style"`
	More    string   `parquet:"more_parts" json:"more_parts"`
}

const tableCSV = "item,sample,reward,error,error_kind,answer,finish,prompt,input_tokens,output_tokens,tool_calls,tool_calls_failed,judge_input_tokens,latency_s,parts.style,more_parts\n" +
	`q1,0,0.5,,,4,stop,2+2?,50,7,3,1,20,1.5,0.25,"{""form"":1}"` + "\n" +
	`q1,1,,rate limit,model_api,,,2+2?,50,0,0,0,0,0,0,` + "\n"

const tableJSON = `{"item":"q1","sample":0,"reward":0.5,"error":"","error_kind":"","answer":"4","finish":"stop","prompt":"2+2?","input_tokens":50,"output_tokens":7,"tool_calls":3,"tool_calls_failed":1,"judge_input_tokens":20,"latency_s":1.5,"parts.style":0.25,"more_parts":{"form":1}}` + "\n" +
	`{"item":"q1","sample":1,"reward":null,"error":"rate limit","error_kind":"model_api","answer":"","finish":"","prompt":"2+2?","input_tokens":50,"output_tokens":0,"tool_calls":0,"tool_calls_failed":0,"judge_input_tokens":0,"latency_s":0,"parts.style":0,"more_parts":null}` + "\n"

// The same table gives the same records and items in CSV, in Parquet, and in JSON lines, an array or
// a list below a key.
func TestTheSameTableInEveryForm(t *testing.T) {
	half := 0.5
	rows := []tableRow{
		{"q1", 0, &half, "", "", "4", "stop", "2+2?", 50, 7, 3, 1, 20, 1.5, 0.25, `{"form":1}`},
		{"q1", 1, nil, "rate limit", "model_api", "", "", "2+2?", 50, 0, 0, 0, 0, 0, 0, ""},
	}
	lines := strings.Split(strings.TrimSpace(tableJSON), "\n")
	list := "[\n" + strings.Join(lines, ",\n") + "]"
	_, want, err := importText(t, "csv", tableCSV)
	if err != nil {
		t.Fatal(err)
	}
	if r := want.records[0]; len(want.records) != 2 || len(r.Calls) != 3 || *r.Usage.Input != 50 || r.Elapsed == 0 || r.Parts["style"] != 0.25 || r.Parts["form"] != 1 || len(want.items) != 1 {
		t.Fatalf("CSV: %+v", want.records[0])
	}
	for name, file := range map[string]string{
		"parquet": parquetFileOf(rows), "lines": tableJSON, "an array": list, "a list below a key": `{"n":2,"runs":` + list + `}`,
	} {
		_, got, err := importText(t, "", file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want.records, got.records, cmpopts.IgnoreFields(rollout.Record{}, "Line")); diff != "" {
			t.Errorf("%s: records (-CSV +%s):\n%s", name, name, diff)
		}
		if diff := cmp.Diff(want.items, got.items, cmpopts.IgnoreFields(rollout.Item{}, "Line")); diff != "" {
			t.Errorf("%s: items (-CSV +%s):\n%s", name, name, diff)
		}
		if !slices.Contains(got.notes, "1 row gives only the number of tool calls: these calls have no names, and figures by tool and on repeated or parallel calls mean nothing") {
			t.Errorf("%s: notes %q", name, got.notes)
		}
	}
}

func TestPlainLinesThatHoldMoreThanATable(t *testing.T) {
	tryRows(t, "gonogo", []row{
		{name: "a list of tool calls is no number of calls", file: `{"item":"q1","reward":1,"tool_calls":[{"name":"f"}]}`, want: []string{"q1/0 graded 1"}},
		{name: "a prompt of messages", file: `{"item":"q1","reward":1,"prompt":[{"role":"user","content":"hi"}]}`, want: []string{"q1/0 graded 1"}},
		{name: "tokens in words", file: `{"item":"q1","reward":1,"input_tokens":"many"}`, want: []string{"q1/0 graded 1"}, note: `1 value under the name of a column, such as "input_tokens", could not be read as that part and is kept as it is`},
		{name: "a usage next to the columns of a table", file: `{"item":"q1","reward":1,"usage":{"input_tokens":5},"output_tokens":7}`, want: []string{"q1/0 graded 1"}},
	})
	_, g, err := importText(t, "", `{"item":"q1","reward":1,"prompt":[{"role":"system","content":"s"},{"role":"user","content":"hi"}],"note":"kept"}`)
	if err != nil || len(g.items) != 1 || len(g.items[0].Messages) != 2 || string(g.records[0].Extra["note"]) != `"kept"` || len(g.records[0].Extra) != 1 {
		t.Errorf("%+v, %v", g, err)
	}
	// A prompt with examples is whole, also beside messages that are the reply alone, and an item that is
	// split by its policy has it, too.
	const few = `"prompt":[{"role":"user","content":"1+1?"},{"role":"assistant","content":"2"},{"role":"user","content":"2+2?"}],"messages":[{"role":"assistant","content":"4"}]`
	_, g, err = importText(t, "", `{"item":"q1","reward":1,"model":"a",`+few+"}\n"+`{"item":"q1","reward":0,"model":"b",`+few+"}\n")
	if err != nil || len(g.items) != 2 || g.items[1].ID != "q1/b" || len(g.items[0].Messages) != 3 || len(g.items[1].Messages) != 3 || len(g.records[0].Messages) != 1 {
		t.Errorf("%+v, %v", g, err)
	}
}

// The key of an item is found next to a prompt, and may itself be a column of a table.
func TestItemsOfPlainLinesByAKey(t *testing.T) {
	rows := `{"item":"g","task":"t1","prompt":"1?","tool_calls":1,"reward":1}` + "\n" + `{"item":"g","task":"t2","prompt":"2?","tool_calls":2,"reward":0}` + "\n" + `{"item":"g","task":"t2","tool_calls":2,"reward":0.5}` + "\n"
	for key, want := range map[string][]string{"task": {"t1", "t2", "t2"}, "tool_calls": {"1", "2", "2"}} {
		src := text(rows)
		src.Options.Item = key
		_, g, err := importSource(t, "", src)
		if err != nil || len(g.records) != 3 {
			t.Errorf("--item %s: %v", key, err)
			continue
		}
		for i, r := range g.records {
			if r.Item != want[i] {
				t.Errorf("--item %s: item %d is %s", key, i, r.Item)
			}
		}
		if len(g.items) != 2 || g.items[0].ID != want[0] || g.items[1].ID != want[1] {
			t.Errorf("--item %s: items %+v", key, g.items)
		}
	}
}

func TestListsOfRowsByTheirMapping(t *testing.T) {
	array := `[ {"q":"a","trial":0,"score":1},` + "\n" + `{"q":"a","trial":1,"score":0.5} ]`
	below := `{"model":"m","scores":{"mean":0.75},"results":{"rows":` + array + `}}`
	for name, file := range map[string]string{"an array": array, "a list below two keys": below} {
		g, err := mappedAs(t, "", "item=q,sample=trial,reward=score", file)
		if err != nil || len(g.records) != 2 || *g.records[1].Reward != 0.5 || g.records[1].Sample != 1 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.Contains(strings.Join(g.notes, "\n"), "rows are the entries of ") {
			t.Errorf("%s: notes %q", name, g.notes)
		}
	}
	for file, want := range map[string]string{
		`[{"q":"a","score":1},{"q":"b","score":"x"}]`: `log.json:2: reward: "x" is not a number`,
		`[{"q":"a","score":1},{"q":`:                  "the file ends within row 2: it was cut off",
	} {
		if _, err := mappedAs(t, "jsonl", "item=q,reward=score", file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
	// an object that has the item itself is a row
	g, err := mappedAs(t, "", "item=q.id,reward=score", `{"q":{"id":"a"},"score":1,"turns":[{"x":1}]}`)
	if err != nil || len(g.records) != 1 || g.records[0].Item != "a" {
		t.Errorf("%v", err)
	}
	for file, want := range map[string]string{
		`[{"q":"a","score":1}]`:                         "it is a JSON array: jq -c '.[]' FILE writes its rows one a line, and --map says what they hold",
		`{"n":1,"results":{"rows":[{"q":"a"}]}}` + "\n": `rows in its list "results.rows": jq -c '.results.rows[]' FILE writes them one a line`,
	} {
		if _, _, err := importText(t, "", file); !errors.Is(err, ErrUnrecognized) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestMappingsThatMatchNothing(t *testing.T) {
	rows := `{"q":"a","score":1,"note":"x"}` + "\n" + `{"q":"b","score":0,"extra":{"y":null}}` + "\n"
	for mapping, want := range map[string]string{
		"item=q,reward=scoer":                `read log.json: no row has a key "scoer" for reward; the keys are extra, note, q, score`,
		"item=q,reward=score,error=eror":     `no row has a key "eror" for error; the keys are`,
		"item=q,reward=score,answer=extra.z": `no row has a key "extra.z" for answer`,
		"item=qq,reward=score":               "log.json:1: the item is empty: every row must name its item; the keys of the first row are note, q, score",
	} {
		if _, err := mappedAs(t, "jsonl", mapping, rows); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", mapping, err, want)
		}
	}
	g, err := mappedAs(t, "jsonl", "item=q,reward=score,answer=extra.y", rows)
	if err != nil || !slices.Contains(g.notes, "columns that were left out: note") {
		t.Errorf("a key that is null counts: %v, notes %q", err, g.notes)
	}
}

// Columns that are known by their names, in lines without an item of their own.
func TestLinesOfATableNextToBuildHours(t *testing.T) {
	_, g, err := importText(t, "", `{"item_index":3,"reward":0.5}`+"\n"+`{"item_index":3,"reward":1,"output_tokens":20}`+"\n")
	if err != nil || len(g.records) != 2 || g.records[0].Item != "3" || *g.records[1].Usage.Output != 20 {
		t.Errorf("%+v, %v", g.records, err)
	}
}
