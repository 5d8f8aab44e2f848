package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/urfave/cli/v2"
)

// initIn runs `gonogo init` with the files of dir; {dir} in an argument
// stands for it.
func initIn(t *testing.T, dir string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	for i, a := range args {
		args[i] = strings.ReplaceAll(a, "{dir}", dir)
	}
	var out, talk bytes.Buffer
	app := &cli.App{Commands: []*cli.Command{initCommand()}, Writer: &out, ErrWriter: &talk, ExitErrHandler: func(*cli.Context, error) {}}
	err = app.Run(append([]string{"gonogo", "init"}, args...))
	return out.String(), talk.String(), err
}

// manyRows makes n rows with an id, a topic and a document under names that
// are not the defaults.
func manyRows(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`{"question_id":"` + strings.Repeat("q", i+1) + `","topic":"` + []string{"tax", "law"}[i%2] + `","document":"d` + string(rune('a'+i/2%20)) +
			`","messages":[{"role":"user","content":"` + strings.Repeat("w", i+1) + `"}],"answer":"` + strings.Repeat("a", i+1) + `"}` + "\n")
	}
	return b.String()
}

func TestInitGolden(t *testing.T) {
	t.Setenv("OPENAI_BASE_URL", "")
	t.Setenv("OPENAI_API_KEY", "")
	dir := folder(t, map[string]string{"job.json": testJob, "train.jsonl": manyRows(501), "val.jsonl": manyRows(12)})
	out := filepath.Join(dir, "gonogo.yaml")
	_, talk, err := initIn(t, dir, "--train", "{dir}/train.jsonl", "--eval", "{dir}/val.jsonl", "--job", "{dir}/job.json", "-o", out)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "init.yaml", text)

	c, err := loadConfig(out, keysInPlace)
	if err != nil {
		t.Fatalf("what init wrote is not loaded: %v", err)
	}
	if c.Data.ID != "question_id" || c.Data.Category != "topic" || c.Data.Family != "document" || c.Items != 0 {
		t.Errorf("data fields %+v, items %d", c.Data, c.Items)
	}
	for _, want := range []string{"wrote " + out, "501 rows", "remarks on the data", "gonogo check -c " + out, "gonogo run -c " + out + " -o my-run"} {
		if !strings.Contains(talk, want) {
			t.Errorf("next steps lack %q:\n%s", want, talk)
		}
	}
}

func TestInitWritesEveryKeyAndNothingElse(t *testing.T) {
	dir := folder(t, map[string]string{"job.json": testJob, "train.jsonl": testRow})
	out := filepath.Join(dir, "gonogo.yaml")
	if _, _, err := initIn(t, dir, "--train", "{dir}/train.jsonl", "--job", "{dir}/job.json", "-o", out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	group := ""
	var found []string
	for i, line := range lines {
		bare := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "# "))
		name, value, ok := strings.Cut(bare, ": ")
		if strings.HasSuffix(line, ":") && line[0] >= 'a' {
			group = strings.TrimSuffix(line, ":") + "."
			continue
		}
		path := name
		if strings.HasPrefix(line, "  ") {
			path = group + name
		}
		isKey := false
		for _, k := range keys() {
			isKey = isKey || k.Path == path
		}
		if !ok || !isKey {
			continue
		}
		found = append(found, path)
		// Taking the comment mark away gives a file that is read.
		open := append([]string{}, lines...)
		open[i] = strings.Replace(line, "# ", "", 1)
		if _, err := decodeConfig("gonogo.yaml", dir, []byte(strings.Join(open, "\n")), noEnv); err != nil {
			t.Errorf("uncommented %s: %s is refused: %v", path, value, err)
		}
	}
	var want []string
	for _, k := range keys() {
		want = append(want, k.Path)
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	node, err := parseYAML("x", text)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	node.json(&b)
	value, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := compiledSchema(t).Validate(value); err != nil {
		t.Errorf("the schema refuses what init writes: %v", err)
	}
}

func TestInitRefusals(t *testing.T) {
	files := map[string]string{
		"job.json": testJob, "train.jsonl": testRow, "gonogo.yaml": "name: mine\n", "bad.jsonl": "{\n",
		"nomodel.json": `{"grader":{"type":"string_check"}}`, "broken.json": `{"method":`,
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a file that is there":  {[]string{"--train", "{dir}/train.jsonl", "--job", "{dir}/job.json", "-o", "{dir}/gonogo.yaml"}, "gonogo.yaml is there already: choose another name with -o, or overwrite it with --force"},
		"no job":                {[]string{"--train", "{dir}/train.jsonl", "-o", "{dir}/new.yaml"}, "init needs --job"},
		"no data":               {[]string{"--job", "{dir}/job.json", "-o", "{dir}/new.yaml"}, "init needs --train, --eval or both"},
		"a job without a model": {[]string{"--train", "{dir}/train.jsonl", "--job", "{dir}/nomodel.json", "-o", "{dir}/new.yaml"}, "--model NAME"},
		"a broken job":          {[]string{"--train", "{dir}/train.jsonl", "--job", "{dir}/broken.json", "-o", "{dir}/new.yaml"}, "broken.json:1:10: broken JSON"},
		"broken data":           {[]string{"--train", "{dir}/bad.jsonl", "--job", "{dir}/job.json", "-o", "{dir}/new.yaml"}, "bad.jsonl:1: the object goes over several lines"},
		"an argument":           {[]string{"--job", "{dir}/job.json", "x"}, `init takes no arguments, only flags, got "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, files)
			_, _, err := initIn(t, dir, c.args...)
			var coded *exitError
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v\nwant %s", err, c.want)
			}
			if !errors.As(err, &coded) || coded.code != exitUsage {
				t.Errorf("exit code of %v is not %d", err, exitUsage)
			}
			if _, err := os.Stat(filepath.Join(dir, "new.yaml")); err == nil {
				t.Error("a file was written all the same")
			}
			if kept, err := os.ReadFile(filepath.Join(dir, "gonogo.yaml")); err != nil || string(kept) != "name: mine\n" {
				t.Errorf("the file that was there is now %q, %v", kept, err)
			}
		})
	}
}

func TestInitForceAndStandardOutput(t *testing.T) {
	dir := folder(t, map[string]string{"nomodel.json": `{"grader":{"type":"string_check"}}`, "train.jsonl": testRow, "gonogo.yaml": "name: mine\n"})
	args := []string{"--eval", "{dir}/train.jsonl", "--job", "{dir}/nomodel.json", "--model", "12: x", "-o"}
	if _, _, err := initIn(t, dir, append(args, "{dir}/gonogo.yaml", "--force")...); err != nil {
		t.Fatal(err)
	}
	c, err := loadConfig(filepath.Join(dir, "gonogo.yaml"), keysInPlace)
	if err != nil {
		t.Fatal(err)
	}
	if c.Model.Name != "12: x" || c.Data.Train != "" || c.Data.Eval != filepath.Join(dir, "train.jsonl") {
		t.Errorf("model %q, data %+v", c.Model.Name, c.Data)
	}
	out, talk, err := initIn(t, dir, append(args, "-")...)
	if err != nil || !strings.HasPrefix(out, "# gonogo.yaml") || talk != "" {
		t.Errorf("standard output: %v, %q, talk %q", err, out[:min(20, len(out))], talk)
	}
}

func TestQuoteYAMLReadsBack(t *testing.T) {
	for _, text := range []string{"a", "train.jsonl", "../x/y.jsonl", "with space", "12", "1e3", "true", "null", "~", "a: b", "a #b", "- a", "é", "'", `"`, "{x}", "2025-05-08", "10m", "https://x.example/v1", "*a", "line\nbreak", "<tag>", "trailing:"} {
		node, err := parseYAML("x", []byte("k: "+quoteYAML(text)+"\n"))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if v := node.get("k"); v.kind != yamlString || v.text != text {
			t.Errorf("%q written as %s is read as %s %q", text, quoteYAML(text), v.kind, v.text)
		}
	}
}
