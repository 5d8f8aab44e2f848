package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gonogo/sampler/rollout"
)

// packed returns texts compressed into one file, each in a member or a frame of its own.
func packed(t *testing.T, open func(io.Writer) io.WriteCloser, texts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, text := range texts {
		w := open(&b)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func asGzip(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }

func asZstd(w io.Writer) io.WriteCloser {
	z, err := zstd.NewWriter(w)
	if err != nil {
		panic(err)
	}
	return z
}

// The same two rows in every form that a data file may have.
func TestTheSameRowsInEveryForm(t *testing.T) {
	a, b := idRow("a"), idRow("b")
	for name, file := range map[string]string{
		"lines":                        a + "\n" + b + "\n",
		"an array":                     "[" + a + "," + b + "]",
		"an array over several lines":  "\ufeff[\n  " + strings.ReplaceAll(a, ",", ",\n    ") + ",\n  " + b + "\n]\n",
		"a list below a key":           `{"name":"set","items":[` + a + "," + b + "]}",
		"a list below two keys":        `{"version":[1,2],"data":{"rows":[` + a + "," + b + "]}}\n",
		"gzip, two members":            packed(t, asGzip, a+"\n", b+"\n"),
		"zstd, two frames":             packed(t, asZstd, a+"\n", b+"\n"),
		"an array in gzip":             packed(t, asGzip, "["+a+",", b+"]"),
		"a list below a key with zstd": packed(t, asZstd, `{"items":[`+a+","+b+"]}"),
	} {
		t.Run(name, func(t *testing.T) {
			write(t, "train.jsonl", file)
			f, err := Load("train.jsonl", rollout.Train, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, it := range f.Items {
				ids = append(ids, it.ID)
			}
			sum := sha256.Sum256([]byte(file))
			if diff := cmp.Diff([]string{"a", "b"}, ids); diff != "" || f.SHA256 != hex.EncodeToString(sum[:]) || f.Bytes != int64(len(file)) {
				t.Errorf("%d bytes, sum %s: %s", f.Bytes, f.SHA256, diff)
			}
			var kept bytes.Buffer
			if err := f.Copy(&kept, func(line int) bool { return line == 2 }); err != nil || strings.TrimSpace(kept.String()) != b {
				t.Errorf("kept %q, %v", kept.String(), err)
			}
		})
	}
}

// A row may itself hold lists of objects.
func TestAFileOfOneRowIsThatRow(t *testing.T) {
	for _, row := range []string{idRow("a"), `{"id":"a","parts":[{"x":1}],"prompt":"q"}`, `{"item":` + idRow("a") + `,"parts":[{"x":1}]}`} {
		write(t, "train.jsonl", row)
		if f, err := Load("train.jsonl", rollout.Train, Options{}); err != nil || len(f.Items) != 1 || f.Items[0].ID != "a" {
			t.Errorf("%s: %+v, %v", row, f, err)
		}
	}
	write(t, "train.jsonl", `{"id":"a","parts":[{"x":1}],"question":"q"}`)
	if f, err := Load("train.jsonl", rollout.Train, Options{PromptField: "question"}); err != nil || len(f.Items) != 1 {
		t.Errorf("a named prompt: %+v, %v", f, err)
	}
}

// trl 1.16 decodes such text, too.
func TestMessagesAndToolsMayBeJSONText(t *testing.T) {
	tools := `"tools":"[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"type\":\"object\",\"properties\":{\"x\":null}}}}]"`
	talk := `"[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"q\"}]"`
	for name, c := range map[string]struct {
		row string
		opt Options
	}{
		"messages":       {`{"messages":` + talk + `,` + tools + `}`, Options{}},
		"prompt":         {`{"prompt":` + talk + `,` + tools + `}`, Options{}},
		"another field":  {`{"chat":` + talk + `,"messages":[],` + tools + `}`, Options{PromptField: "chat"}},
		"named messages": {`{"messages":` + talk + `,` + tools + `}`, Options{PromptField: "messages"}},
	} {
		f, err := read(strings.NewReader(c.row), "x.jsonl", rollout.Train, c.opt)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		it := f.Items[0]
		if len(it.Messages) != 2 || it.Messages[1].Content != "q" || !strings.HasPrefix(string(it.Row), `{"messages":[{"role":"system"`) {
			t.Errorf("%s: %s", name, it.Row)
		}
		if _, err := CheckTools(f.Items, []string{"f"}); err != nil || len(ToolNames(it)) != 1 {
			t.Errorf("%s: tools %s, %v", name, it.Tools, err)
		}
	}
	f, err := read(strings.NewReader(`{"messages":`+talk+`}`), "x.jsonl", rollout.Train, Options{})
	if err != nil || string(f.Items[0].Row) != `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"q"}]}` {
		t.Errorf("nothing but messages: %+v, %v", f, err)
	}
	// a question that is a list is a question
	f, err = read(strings.NewReader(`{"prompt":"[1, 2, 3]"}`), "x.jsonl", rollout.Train, Options{})
	if err != nil || f.Items[0].Messages[0].Content != "[1, 2, 3]" {
		t.Errorf("%+v, %v", f, err)
	}
}
