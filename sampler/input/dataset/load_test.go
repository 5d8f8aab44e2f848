package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// write writes a file into a new working directory.
func write(t *testing.T, path, text string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// user is the shortest conversation a row may have.
const user = `"messages":[{"role":"user","content":"q"}]`

func load(t *testing.T, text string) *File {
	t.Helper()
	f, err := read(strings.NewReader(text), "data/train.jsonl", rollout.Train, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestLoadKeepsRowsVerbatim(t *testing.T) {
	first := `{ "id":"q1", ` + user + `, "category":"easy", "family":7, "n":1e2, "tools":[{"type":"function","function":{"name":"search"}}] }`
	text := "\ufeff" + first + "\r\n\r\n   \n" + `{"id":8,` + user + `}`
	path := filepath.Join(t.TempDir(), "train.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path, rollout.Train, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(text))
	if f.SHA256 != hex.EncodeToString(sum[:]) || f.Bytes != int64(len(text)) || f.Rows != 2 {
		t.Errorf("sha256 %s, %d bytes, %d rows", f.SHA256, f.Bytes, f.Rows)
	}
	if string(f.Items[0].Row) != first {
		t.Errorf("row 1 was changed: %s", f.Items[0].Row)
	}
	type short struct {
		ID, Category, Family, File string
		Line, Messages             int
		Tools                      []string
	}
	var got []short
	for _, it := range f.Items {
		got = append(got, short{it.ID, it.Category, it.Family, it.File, it.Line, len(it.Messages), ToolNames(it)})
	}
	want := []short{
		{"q1", "easy", "7", "train.jsonl", 1, 1, []string{"search"}},
		{"8", "", "", "train.jsonl", 4, 1, nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFieldsOfOtherNamesCarryTheLabels(t *testing.T) {
	f, err := read(strings.NewReader(`{"task":"t1","topic":"tax","doc":"d1",`+user+`}`), "x", rollout.Eval, Options{IDField: "task", CategoryField: "topic", FamilyField: "doc"})
	if err != nil {
		t.Fatal(err)
	}
	if it := f.Items[0]; it.ID != "t1" || it.Category != "tax" || it.Family != "d1" || it.Split != rollout.Eval {
		t.Errorf("%+v", it)
	}
}

func TestARowWithoutIDIsCalledAfterItsLine(t *testing.T) {
	f := load(t, "\n{"+user+`,"a":1}`+"\n"+`{"id":null,`+user+`,"a":2}`)
	if f.Items[0].ID != "line-2" || f.Items[1].ID != "line-3" {
		t.Errorf("ids %q and %q", f.Items[0].ID, f.Items[1].ID)
	}
}

func TestWrappedRowsAreUnwrappedAndNamed(t *testing.T) {
	f := load(t, `{"item":{"id":"a",`+user+`}}`+"\n"+`{"id":"b","item":"plain field",`+user+`}`)
	if f.Items[0].ID != "a" || string(f.Items[0].Row) != `{"id":"a",`+user+`}` || f.Items[1].ID != "b" {
		t.Errorf("items %q %s, %q", f.Items[0].ID, f.Items[0].Row, f.Items[1].ID)
	}
	if len(f.Problems) != 1 || f.Problems[0].Rule != "wrapped" || f.Problems[0].Line != 1 || f.Problems[0].Blocking {
		t.Errorf("problems %+v", f.Problems)
	}
}

// Rows as trainers of TRL have them: the prompt is the conversation, and stays a
// column that reward functions see.
func TestAPromptStandsForMessages(t *testing.T) {
	f := load(t, `{"id":"a","prompt":[{"role":"system","content":"Be brief."},{"role":"user","content":"Make 24."}],"target":24}`+"\n"+
		`{"id":"b","prompt":"Make \"7\"."}`+"\n"+` {"id":"c","prompt":"not this",`+user+`}`)
	if len(f.Items) != 3 {
		t.Fatalf("%d items", len(f.Items))
	}
	for i, want := range []string{
		`{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Make 24."}],"id":"a","prompt":[{"role":"system","content":"Be brief."},{"role":"user","content":"Make 24."}],"target":24}`,
		`{"messages":[{"role":"user","content":"Make \"7\"."}],"id":"b","prompt":"Make \"7\"."}`,
		`{"id":"c","prompt":"not this",` + user + `}`,
	} {
		if got := strings.TrimSpace(string(f.Items[i].Row)); got != want {
			t.Errorf("row %d is %s, want %s", i+1, got, want)
		}
	}
}

func TestARepeatedRowCountsOnce(t *testing.T) {
	f := load(t, `{"id":"a",`+user+`}`+"\n"+`{`+user+`, "id": "a"}`+"\n"+`{"id":"b",`+user+`}`)
	if len(f.Items) != 2 || f.Rows != 3 {
		t.Fatalf("%d items of %d rows", len(f.Items), f.Rows)
	}
	var rules []string
	for _, p := range f.Problems {
		rules = append(rules, p.Rule)
	}
	if diff := cmp.Diff([]string{"repeated_row", "duplicate_row"}, rules); diff != "" {
		t.Error(diff)
	}
}

func TestWhatCannotBeReadIsAnErrorWithItsLine(t *testing.T) {
	good := `{"id":"a",` + user + `}` + "\n"
	for name, c := range map[string]struct{ text, want string }{
		"an empty file":                  {"", "data/train.jsonl has no rows"},
		"blank lines only":               {"\n \r\n", "data/train.jsonl has no rows"},
		"broken JSON in the middle":      {good + `{"id":` + "\n" + good, "data/train.jsonl:2: broken JSON at column 6"},
		"a bare NaN":                     {good + `{"id":"b","x":NaN,` + user + `}`, "data/train.jsonl:2: broken JSON at column 15"},
		"a torn last line":               {good + `{"id":"b","mess`, "data/train.jsonl:2: broken JSON"},
		"a list":                         {good + `[1]`, "data/train.jsonl:2: a row must be a JSON object, this is array"},
		"a text":                         {good + `"x"`, "data/train.jsonl:2: a row must be a JSON object, this is string"},
		"null":                           {good + `null`, "data/train.jsonl:2: a row must be a JSON object, this is null"},
		"no messages":                    {good + `{"id":"b"}`, `data/train.jsonl:2: missing "messages"`},
		"a name misspelt":                {good + `{"id":"b","mesages":[]}`, `data/train.jsonl:2: missing "messages", but the row has "mesages"`},
		"a prompt of a number":           {good + `{"id":"b","prompt":7}`, `data/train.jsonl:2: missing "messages"`},
		"messages of null":               {good + `{"id":"b","messages":null}`, `data/train.jsonl:2: missing "messages"`},
		"no message in messages":         {good + `{"id":"b","messages":[]}`, `data/train.jsonl:2: "messages" is empty`},
		"messages as text":               {good + `{"id":"b","messages":"hi"}`, `data/train.jsonl:2: "messages" must be a list`},
		"a message without role":         {good + `{"id":"b","messages":[{"content":"x"}]}`, `data/train.jsonl:2: messages[0]: missing "role"`},
		"a message that is text":         {good + `{"id":"b","messages":["x"]}`, `data/train.jsonl:2: messages[0] must be an object`},
		"a message that is null":         {good + `{"id":"b","messages":[null]}`, `data/train.jsonl:2: messages[0] must be an object`},
		"ids 7 and \"7\"":                {`{"id":7,` + user + "}\n" + `{"id":"7",` + user + `}`, "data/train.jsonl:2: id 7 is written once as a string and once as a number (line 1)"},
		"one id on two rows":             {good + `{"id":"a",` + user + `,"x":1}`, `data/train.jsonl:2: id "a" is taken by a different row in line 1`},
		"an id that looks like a line":   {`{"id":"line-2",` + user + "}\n{" + user + "}", `data/train.jsonl:2: id "line-2" is taken`},
		"an empty id":                    {`{"id":"",` + user + "}", `data/train.jsonl:1: "id": the id is empty`},
		"half an id":                     {`{"id":1.5,` + user + "}", `"id": an id must be a string or a whole number, got 1.5`},
		"an id that is a list":           {`{"id":[1],` + user + "}", `"id": an id must be a string or a whole number, got [1]`},
		"bytes that are no text":         {"{\"id\":\"\xff\"," + user + "}", "data/train.jsonl:1: not UTF-8 text"},
		"UTF-16":                         {"\xff\xfe{\x00", "data/train.jsonl:1: the file is UTF-16"},
		"half a gzip file":               {"\x1f\x8b\x08", "data/train.jsonl: the file is compressed with gzip, and it was cut off"},
		"xz":                             {"\xfd7zXZ\x00\x00\x04", "data/train.jsonl: the file is compressed with xz: unpack it first (xz -dk FILE)"},
		"a zip archive":                  {"PK\x03\x04", "data/train.jsonl:1: the file is a zip archive"},
		"an Arrow file":                  {"ARROW1\x00\x00", "data/train.jsonl:1: the file is in Arrow's own format: save it as Parquet or JSON lines"},
		"a JSON array of lists":          {"[\n[]\n]", "data/train.jsonl:1: the file is a JSON array: write one object per line (jq -c '.[]' does it)"},
		"a bad row of a JSON array":      {"[\n" + good + ",\n{}\n]", `data/train.jsonl:2: missing "messages"`},
		"half a JSON array":              {"[\n" + good + ",\n{", "data/train.jsonl:2: the file ends within row 2: it was cut off"},
		"two lists":                      {`{"a":[{}],"b":{"c":[{}]}}`, "data/train.jsonl: the file is one object with several lists (a, b.c): write the rows of one of them, one object per line (jq -c '.a[]' FILE does it)"},
		"an object over several lines":   {"{\n \"id\": 1\n}", "data/train.jsonl:1: the object spans several lines"},
		"a wrapped row without messages": {`{"item":{"id":"a"}}`, `data/train.jsonl:1: missing "messages"`},
		"all bad rows are named":         {"1\n" + good + "2\n", "data/train.jsonl:3: a row must be"},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, "data/train.jsonl", c.text)
			_, err := Load("data/train.jsonl", rollout.Train, Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestReadingStopsAfterTwentyBadRows(t *testing.T) {
	_, err := read(strings.NewReader(strings.Repeat("x\n", 1000)), "t", rollout.Train, Options{})
	if n := strings.Count(err.Error(), "\n") + 1; n != maxErrors {
		t.Errorf("%d errors, want %d", n, maxErrors)
	}
}

func TestAMissingFileNamesItsSplit(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "none.jsonl"), rollout.Eval, Options{})
	if err == nil || !strings.Contains(err.Error(), "read the eval file: open ") {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"id":1,` + user + `}`))
	f.Add([]byte("\ufeff" + `{"item":{"id":"a",` + user + `,"tools":[{"type":"function","function":{"name":"f"}}]}}` + "\r\n\n{" + user + "}"))
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"type":"text","text":"é"},{"type":"input_audio"}]}]}`))
	f.Add([]byte(`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"","function":{"name":"f","arguments":{}}}]}],"tools":{}}`))
	f.Add([]byte("[\n1]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := read(bytes.NewReader(text), "f.jsonl", rollout.Train, Options{})
		if err != nil {
			return
		}
		ids := map[string]bool{}
		var again bytes.Buffer
		for _, it := range file.Items {
			if ids[it.ID] || it.ID == "" || len(it.Messages) == 0 || it.Line < 1 {
				t.Fatalf("item %+v", it)
			}
			ids[it.ID] = true
			again.Write(it.Row)
			again.WriteByte('\n')
		}
		for _, target := range Targets() {
			Check([]*File{file}, target)
		}
		if _, err := CheckTools(file.Items, []string{"f"}); err != nil {
			t.Logf("tools: %v", err)
		}
		second, err := read(&again, "f.jsonl", rollout.Train, Options{})
		if err != nil && !strings.Contains(err.Error(), "line-") {
			t.Fatalf("the rows are not read again: %v", err)
		}
		if err == nil && len(second.Items) != len(file.Items) {
			t.Fatalf("%d items, then %d", len(file.Items), len(second.Items))
		}
	})
}

// A row of 60 MB took 1.5 GB of memory, and no model takes it.
func TestARowThatNoModelTakesIsRefused(t *testing.T) {
	long := `{"id":"b","messages":[{"role":"user","content":"` + strings.Repeat("x", maxLine) + `"}]}`
	_, err := read(strings.NewReader(`{"id":"a","messages":[{"role":"user","content":"?"}]}`+"\n"+long), "train.jsonl", rollout.Train, Options{})
	if want := "train.jsonl:2: the row is longer than 16 MB: shorten it, or take it out"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
