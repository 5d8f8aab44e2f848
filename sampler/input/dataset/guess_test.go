package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// A field is guessed where every row has it as text or a number, with values that fit.
func TestGuessFields(t *testing.T) {
	file := func(rows ...string) []*File {
		f := &File{}
		for _, row := range rows {
			f.Items = append(f.Items, rollout.Item{Row: []byte(row)})
		}
		return []*File{f}
	}
	for _, c := range []struct {
		files []*File
		want  Options
	}{
		{
			file(`{"question_id":1,"topic":"a","document":"x"}`, `{"question_id":2,"topic":"b","document":"y"}`, `{"question_id":3,"topic":"a","document":"x"}`),
			Options{IDField: "question_id", CategoryField: "topic", FamilyField: "document"},
		},
		{file(`{"id":"a","uid":"u","family":"f"}`, `{"id":"a","uid":"v","family":"f"}`), Options{IDField: "uid"}}, // ids repeat, one family is none
		{file(`{"id":"a","type":["x"]}`, `{"id":"b","type":["y"]}`), Options{IDField: "id"}},                      // a list is not a label
		{file(`{"id":null}`), Options{}},
	} {
		if got := GuessFields(c.files); got != c.want {
			t.Errorf("%s: guessed %+v, want %+v", c.files[0].Items[0].Row, got, c.want)
		}
	}
}

// The field of the conversation is guessed only if no row has messages or a prompt.
func TestLoadGuess(t *testing.T) {
	for name, c := range map[string]struct{ rows, want, err string }{
		"rows of verifiers":     {`{"question":"1 + 1?","answer":"2"}` + "\n" + `{"question":"1 + 2?","answer":"3"}`, "question", ""},
		"a conversation":        {`{"question":"1 + 1?","messages":[{"role":"user","content":"Add."}]}`, "", ""},
		"a row lacks it":        {`{"question":"1 + 1?"}` + "\n" + `{"question":"2?","prompt":"Add."}`, "", `1: missing "messages"; the key data.prompt`},
		"messages are broken":   {`{"question":"1 + 1?","messages":[]}`, "", `"messages" is empty`},
		"one of two parts":      {`{"instruction":"Add.","input":"1 + 1"}`, "", `missing "messages"; the key data.prompt`},
		"a question and a text": {`{"question":"Who?","context":"Ann."}`, "", `missing "messages"; the key data.prompt`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "rows.jsonl")
			if err := os.WriteFile(path, []byte(c.rows), 0o644); err != nil {
				t.Fatal(err)
			}
			f, field, err := LoadGuess(path, rollout.Train)
			if field != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Fatalf("field %q, %v; want %q, %q", field, err, c.want, c.err)
			}
			if err == nil && len(f.Items[0].Messages) != 1 {
				t.Errorf("messages are %s", f.Items[0].Messages)
			}
		})
	}
}
