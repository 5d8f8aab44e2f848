package dataset

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"gonogo/sampler/rollout"
)

// The files in testdata were written by pyarrow 26.0.1: verl.parquet has the columns of
// verl's examples (volcengine/verl, examples/data_preprocess/gsm8k.py).
func TestParquetRowsAreThoseOfJSONLines(t *testing.T) {
	f, err := Load("testdata/verl.parquet", rollout.Train, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Rows != 2 || len(f.Items) != 2 || f.Items[1].ID != "line-2" || len(f.Items[1].Messages) != 2 || f.Items[1].Messages[1].Content != "two plus two?" {
		t.Fatalf("%d rows: %+v", f.Rows, f.Items)
	}
	var row struct {
		RewardModel struct {
			GroundTruth string `json:"ground_truth"`
		} `json:"reward_model"`
		Extra struct {
			Index int
			Tags  []string
		} `json:"extra_info"`
		X    *float64
		When string
		OK   bool
	}
	if err := json.Unmarshal(f.Items[0].Row, &row); err != nil {
		t.Fatal(err)
	}
	if row.RewardModel.GroundTruth != "3" || row.Extra.Index != 1 || len(row.Extra.Tags) != 2 || *row.X != 1.5 || row.When != "2026-01-02T03:04:05Z" || !row.OK {
		t.Errorf("%+v from %s", row, f.Items[0].Row)
	}
	whole, err := os.ReadFile("testdata/verl.parquet")
	if err != nil {
		t.Fatal(err)
	}
	if f.Bytes != int64(len(whole)) || len(f.SHA256) != 64 {
		t.Errorf("%d bytes, sum %s", f.Bytes, f.SHA256)
	}
	var kept bytes.Buffer
	if err := f.Copy(&kept, func(line int) bool { return line == 2 }); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSpace(kept.String()), "\n"); len(lines) != 1 || !strings.Contains(lines[0], "two plus two?") || !json.Valid([]byte(lines[0])) {
		t.Errorf("kept %q", kept.String())
	}
}

func TestTheFieldOfThePromptIsNamed(t *testing.T) {
	_, err := Load("testdata/question.parquet", rollout.Train, Options{})
	if err == nil || !strings.Contains(err.Error(), `question.parquet:1: missing "messages"; the key data.prompt names another field that holds them or the user's text, such as "question"`) {
		t.Errorf("got %v", err)
	}
	f, err := Load("testdata/question.parquet", rollout.Train, Options{PromptField: "question"})
	if err != nil || f.Items[1].Messages[0].Role != "user" || f.Items[1].Messages[0].Content != "1+2?" {
		t.Errorf("%+v, %v", f, err)
	}
	row := `{"id":"a","messages":[{"role":"user","content":"old"}],"turns":[{"role":"user","content":"new"}],"answer":"x"}`
	f, err = read(strings.NewReader(row), "x.jsonl", rollout.Train, Options{PromptField: "turns"})
	if err != nil || len(f.Items[0].Messages) != 1 || f.Items[0].Messages[0].Content != "new" || strings.Contains(string(f.Items[0].Row), "old") || !strings.Contains(string(f.Items[0].Row), `"answer":"x"`) {
		t.Errorf("%+v, %v", f, err)
	}
	f, err = read(strings.NewReader(row), "x.jsonl", rollout.Train, Options{PromptField: "messages"})
	if err != nil || f.Items[0].Messages[0].Content != "old" {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestBrokenParquetIsAnError(t *testing.T) {
	whole, err := os.ReadFile("testdata/verl.parquet")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.parquet")
	for n := 4; n < len(whole); n += 97 {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path, rollout.Train, Options{}); err == nil || !strings.Contains(err.Error(), "x.parquet") {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path, rollout.Train, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(bytes.Clone(whole[:len(whole)-5]), whole[len(whole)-4:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Copy(new(bytes.Buffer), func(int) bool { return true }); err == nil {
		t.Error("another file is copied")
	}
}

// Whatever a file claims, reading it ends, in rows of JSON or an error.
func FuzzParquetLines(f *testing.F) {
	for _, name := range []string{"verl", "question"} {
		whole, err := os.ReadFile("testdata/" + name + ".parquet")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(whole)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		lines, err := parquetLines(file)
		if err != nil {
			return
		}
		for line := range bytes.Lines(lines) {
			if !json.Valid(line) {
				t.Fatalf("no JSON: %q", line)
			}
		}
	})
}

// A page that claims more than the file holds, which the library would make room for
// before it reads it: bytes of a data file are not believed.
func TestParquetThatClaimsGigabytes(t *testing.T) {
	whole, err := os.ReadFile("testdata/verl.parquet")
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	at := f.Metadata().RowGroups[0].Columns[0].MetaData.DataPageOffset
	if d := f.Metadata().RowGroups[0].Columns[0].MetaData.DictionaryPageOffset; d > 0 {
		at = d
	}
	// A page's header is written again over the old one: a data or dictionary page (field 1),
	// 2 GiB - 1 unpacked (field 2), 4 bytes in the file (field 3).
	file := append(bytes.Clone(whole[:at]), "\x15\x00\x15\xfe\xff\xff\xff\x0f\x15\x08\x00"...)
	file = append(file, whole[int(at)+11:]...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = parquetLines(file)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "claims 2147483647 bytes") {
		t.Errorf("error is %v", err)
	}
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 8 {
		t.Errorf("reading %d bytes took %d MB", len(file), took)
	}
}
