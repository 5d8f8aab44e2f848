package rollout

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonogo/sampler/rollout/credential"
)

func count(n int) *int { return &n }

func TestReadLabels(t *testing.T) {
	scored := Label{Item: "q1", Sample: count(0), Score: number(0.5)}
	for _, c := range []struct {
		why, text string
		want      []Label
	}{
		{"the smallest table", "item,sample,score\nq1,0,0.5\n", []Label{scored}},
		{"the smallest line", `{"item":"q1","sample":0,"score":0.5}`, []Label{scored}},
		{"human_score is score", "human_score,item,sample\n0.5,q1,0\n", []Label{scored}},
		{"human_score is score in a line too", `{"item":"q1","sample":0,"human_score":0.5,"score":null}`, []Label{scored}},
		{"Excel's mark, line ends and semicolons", "\ufeffItem; Sample ;SCORE\r\nq1;0;0.5\r\n", []Label{scored}},
		{"a byte order mark before lines", "\ufeff" + `{"item":"q1","sample":0,"score":0.5}` + "\r\n", []Label{scored}},
		{"tabs", "item\tsample\tscore\nq1\t0\t0.5", []Label{scored}},
		{"whole numbers as ids", `{"item":7,"sample":0,"score":1}`, []Label{{Item: "7", Sample: count(0), Score: number(1)}}},
		{"columns that mean nothing here", "prompt,item,sample,score\n\"a, b\",q1,0,0.5\n", []Label{scored}},
		{"keys that mean nothing here", `{"prompt":{"a":[1]},"item":"q1","sample":0,"score":0.5}`, []Label{scored}},
		{
			"quoted commas, quotes and line breaks", "item,output,mark,note\nq1,\"1,5\n\"\"x\"\"\",Right,\" why, so \"\n",
			[]Label{{Item: "q1", Output: "1,5\n\"x\"", Mark: "right", Note: " why, so "}},
		},
		{"everything", "split,item,sample,output,rater,score,mark,note\neval,q1,2,out,ann,1,hack,n\n", []Label{{Split: Eval, Item: "q1", Sample: count(2), Output: "out", Rater: "ann", Score: number(1), Mark: "hack", Note: "n"}}},
		{"everything in a line", `{"split":"eval","item":"q1","sample":2,"output":"out","rater":"ann","score":1,"mark":"hack","note":"n"}`, []Label{{Split: Eval, Item: "q1", Sample: count(2), Output: "out", Rater: "ann", Score: number(1), Mark: "hack", Note: "n"}}},
		{
			"a later opinion of the same rater wins", "item,sample,rater,mark\nq1,0,ann,right\nq1,0,bob,right\nq1,0,ann,wrong\n",
			[]Label{{Item: "q1", Sample: count(0), Rater: "ann", Mark: "wrong"}, {Item: "q1", Sample: count(0), Rater: "bob", Mark: "right"}},
		},
		{
			"of a sample and of a text are two", "item,sample,output,mark\nq1,0,,right\nq1,,a,right\n",
			[]Label{{Item: "q1", Sample: count(0), Mark: "right"}, {Item: "q1", Output: "a", Mark: "right"}},
		},
		{"a step in a table", "item,sample,step,mark\nq1,0,,right\nq1,0,20,wrong\n", []Label{{Item: "q1", Sample: count(0), Mark: "right"}, {Item: "q1", Sample: count(0), Step: 20, Mark: "wrong"}}},
		{
			"a step in a line", `{"item":"q1","sample":0,"step":20,"mark":"right"}` + "\n" + `{"item":"q1","sample":0,"step":null,"mark":"wrong"}`,
			[]Label{{Item: "q1", Sample: count(0), Step: 20, Mark: "right"}, {Item: "q1", Sample: count(0), Mark: "wrong"}},
		},
		{"blank lines", "\n\n{\"item\":\"q1\",\"sample\":0,\"score\":0.5}\n\n", []Label{scored}},
		{"a header alone", "item,sample,score\n", nil},
		{"nothing at all", "", nil},
		{"a negative score", "item,sample,score\nq1,0,-1e-3\n", []Label{{Item: "q1", Sample: count(0), Score: number(-0.001)}}},
	} {
		t.Run(c.why, func(t *testing.T) {
			got, err := ReadLabels("labels", strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("labels (-want +got):\n%s", d)
			}
		})
	}
}

func TestLabelsThatAreRefused(t *testing.T) {
	const ok = "item,sample,score,mark\nq1,0,1,right\n"
	const line = `{"item":"q1","sample":0,"score":1}` + "\n"
	for _, c := range []struct {
		why, text string
		line      int
		want      string
	}{
		{"a mark that is none", ok + "q2,0,1,rigth\n", 3, "right, wrong, hack, unclear"},
		{"a mark that is none in a line", line + `{"item":"q1","sample":0,"mark":"ok"}`, 2, `unknown mark "ok"`},
		{"a score that is a word", ok + "q2,0,good,\n", 3, "score must be a number, not good"},
		{"a score that is a text", line + `{"item":"q1","sample":0,"score":"1"}`, 2, `"score" must be a number`},
		{"a decimal comma", "item;sample;score\nq1;0;0,5\n", 2, "not 0,5"},
		{"a score that is not finite", ok + "q2,0,NaN,\n", 3, "not a finite number"},
		{"a score that no float holds", line + `{"item":"q1","sample":0,"score":1e999}`, 2, "float64"},
		{"no item", ok + ",0,1,\n", 3, "item is missing"},
		{"no item in a line", line + `{"sample":0,"score":1}`, 2, "item is missing"},
		{"neither score nor mark", ok + "q2,0,,\n", 3, "neither a score nor a mark"},
		{"neither sample nor output", ok + "q2,,1,\n", 3, "give sample or output"},
		{"a sample that is not a number", ok + "q2,first,1,\n", 3, "whole number, not first"},
		{"a negative sample", ok + "q2,-1,1,\n", 3, "count from 0"},
		{"a step that is not a number", "item,sample,step,mark\nq1,0,last,right\n", 2, "step must be a whole number, not last"},
		{"a negative step", line + `{"item":"q1","sample":0,"step":-1,"score":1}`, 2, "count from 0"},
		{"a split that is none", line + `{"item":"q1","split":"test","sample":0,"score":1}`, 2, "unknown split"},
		{"two scores", "item,sample,score,human_score\nq1,0,1,0\n", 2, "leave one"},
		{"two scores in a line", `{"item":"q1","sample":0,"score":1,"human_score":0}`, 1, "leave one"},
		{"a header without an item", "id,sample,score\nq1,0,1\n", 1, "must name item"},
		{"a header without a grade", "item,sample,scroe\nq1,0,1\n", 1, "score or mark"},
		{"a column twice", "item,sample,score,Score\nq1,0,1,1\n", 1, "score twice"},
		{"a row that is too long", ok + "q2,0,1,right,why, so\n", 3, "more or fewer fields"},
		{"a quote in the middle, behind a quoted line break", "item,output,mark\nq1,\"a\nb\",right\nq2,a\"b,right\n", 4, "quote"},
		{"a quote that never ends", ok + "q2,0,1,\"right\n", 3, "quote"},
		{"a broken line", line + "{\"item\":\n" + line, 2, "broken JSON"},
		{"a list", `[{"item":"q1"}]`, 1, "one JSON object"},
		{"UTF-16", "i\x00t\x00e\x00m\x00", 1, "UTF-16"},
		{"bytes that are no UTF-8", "item,output,mark\nq1,caf\xe9,right\n", 2, "UTF-8"},
		{"an id that is no UTF-8", "{\"item\":\"caf\xe9\",\"sample\":0,\"score\":1}", 1, "UTF-8"},
	} {
		t.Run(c.why, func(t *testing.T) {
			got, err := ReadLabels("labels", strings.NewReader(c.text))
			if err == nil || lineOf(err) != c.line || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), fmt.Sprintf("labels:%d: ", c.line)) {
				t.Errorf("%d labels, error is %v; want line %d and %q", len(got), err, c.line, c.want)
			}
		})
	}
}

func TestAppendLabels(t *testing.T) {
	dir := aRun(t)
	if got, err := opened(t, dir).Labels(); err != nil || got != nil {
		t.Fatalf("a run without labels: %v, error %v", got, err)
	}
	right := Label{Item: "a", Sample: count(0), Rater: "ann", Mark: "right"}
	wrong := right
	wrong.Mark = "Wrong"
	scored := Label{Split: Train, Item: "a", Output: "<x>", Score: number(0.25)}
	for _, labels := range [][]Label{{right}, {scored, wrong}, nil} {
		if err := AppendLabels(dir, labels); err != nil {
			t.Fatal(err)
		}
	}
	wrong.Mark = "wrong"
	path := filepath.Join(dir, LabelsFile)
	check := func(why string, want ...Label) {
		t.Helper()
		got, err := opened(t, dir).Labels()
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: error %v, labels (-want +got):\n%s", why, err, d)
		}
	}
	check("appended", wrong, scored)
	if n := strings.Count(slurp(t, path), "\n"); n != 3 {
		t.Errorf("%d lines: earlier opinions stay in the file", n)
	}
	before := slurp(t, path)
	if err := AppendLabels(dir, []Label{scored, wrong, scored}); err != nil || slurp(t, path) != before {
		t.Errorf("labels that are there are written again: error %v", err)
	}
	if err := AppendLabels(dir, []Label{right, {Item: "a", Sample: count(0), Mark: "maybe"}}); err == nil || !strings.Contains(err.Error(), "label 2 of 2") {
		t.Errorf("a label that is none: error is %v", err)
	}
	if slurp(t, path) != before {
		t.Error("some of the labels were appended, or the file was changed")
	}
	if err := os.WriteFile(path, []byte("item,sample,mark\na,0,right"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := AppendLabels(dir, []Label{scored}); err != nil {
		t.Fatal(err)
	}
	check("to a table", Label{Item: "a", Sample: count(0), Mark: "right"}, scored)
	if err := os.WriteFile(path, []byte(`{"item":"a","sample":0,"mark":"hack","mine":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := AppendLabels(dir, []Label{scored}); err != nil {
		t.Fatal(err)
	}
	check("to a file without a last line end", Label{Item: "a", Sample: count(0), Mark: "hack"}, scored)
	if !strings.Contains(slurp(t, path), `"mine":1`) {
		t.Error("a key of somebody else's was lost")
	}
	if err := os.WriteFile(path, []byte(byteOrderMark+`{"item":"a","sample":0,"mark":"hack"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := AppendLabels(dir, []Label{scored}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(slurp(t, path), "\n"); n != 2 {
		t.Errorf("%d lines of two labels after a byte order mark", n)
	}
	if err := os.WriteFile(path, []byte("{broken\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := AppendLabels(dir, []Label{scored}); lineOf(err) != 1 {
		t.Errorf("to a broken file: error is %v", err)
	}
}

func TestLabelsAreMasked(t *testing.T) {
	const secret = "sk-very-secret-key"
	given := []Label{{Item: "a", Output: "the key is " + secret, Rater: "ann", Mark: "hack", Note: secret}}
	got := NewRedactor(secret).Labels(given)
	want := []Label{{Item: "a", Output: "the key is " + credential.Mask, Rater: "ann", Mark: "hack", Note: credential.Mask}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("labels (-want +got):\n%s", d)
	}
	if given[0].Note != secret {
		t.Error("the caller's labels were changed")
	}
	var none *Redactor
	if d := cmp.Diff(given, none.Labels(given)); d != "" {
		t.Errorf("without secrets (-want +got):\n%s", d)
	}
}

func TestLabelsOfAnEndlessReader(t *testing.T) {
	if _, err := ReadLabels("endless", endless{}); err == nil || !strings.Contains(err.Error(), "larger than 64 MB") {
		t.Errorf("error is %v", err)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// What is read is whole, and is read again as it was written.
func FuzzLabels(f *testing.F) {
	for _, s := range []string{
		"item,sample,score\nq1,0,0.5\n", "\ufeffitem;output;mark\r\nq1;\"a\r\nb\";hack\r\n", "item\toutput\thuman_score\nq\t\"\"\"x\"\"\"\t1",
		`{"item":"q1","sample":0,"score":0.5}`, `{"item":7,"output":"\ud800","mark":"RIGHT","human_score":-0}` + "\n{", `{"item":"a","item":"b","sample":null,"output":"x","score":1}`,
		"item,item,sample\n", "\"item", "[", "item,sample,score\nq,0,0x1p-2\n", "item,output,mark\n\xff,a,right\n", "item,output,mark\nq,\xff,right\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		labels, err := ReadLabels("labels", strings.NewReader(string(text)))
		if err != nil {
			if lineOf(err) < 1 {
				t.Errorf("an error without a line: %v", err)
			}
			return
		}
		var lines strings.Builder
		for _, l := range labels {
			if err := l.settle(); err != nil {
				t.Fatalf("%+v was read, but: %v", l, err)
			}
			line, err := json.Marshal(l)
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(append(line, '\n'))
		}
		again, err := ReadLabels("again", strings.NewReader(lines.String()))
		if err != nil {
			t.Fatalf("%s was written, but: %v", lines.String(), err)
		}
		if d := cmp.Diff(labels, again, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("rewritten (-first +second):\n%s", d)
		}
	})
}

func TestCompressedLabels(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, "item,sample,score\nq1,0,0.5\n"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	labels, err := ReadLabels("labels.csv.gz", &b)
	if err != nil || len(labels) != 1 || labels[0].Item != "q1" {
		t.Errorf("%+v, %v", labels, err)
	}
	if _, err := ReadLabels("labels.csv.xz", strings.NewReader("\xfd7zXZ\x00\x00\x04")); err == nil || err.Error() != "read labels.csv.xz: the file is compressed with xz: unpack it first (xz -dk FILE)" {
		t.Errorf("error is %v", err)
	}
}

// The pages of a run read its lines in place.
func TestCompressedRollouts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl.gz")
	if err := os.WriteFile(path, []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"), 0o600); err != nil {
		t.Fatal(err)
	}
	run, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = run.Records(context.Background(), ReadOptions{}, func(*Record) error { return nil })
	if want := "the file is compressed with gzip: gonogo import " + path + " -o RUN unpacks it"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v", err)
	}
}
