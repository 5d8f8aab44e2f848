package grader_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/sampler/boundary/grader"
)

// folder is one with files in it.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const rewardsFile = "from words import short\ndef f(completions, **kwargs): return [short(c[-1]['content']) for c in completions]\n"

func TestInlineReadsTheFilesOfADefinition(t *testing.T) {
	dir := folder(t, map[string]string{
		"rewards.py": rewardsFile, "words.py": "def short(s): return float(len(s) < 9)\n", "grade.py": "def grade(sample, item): return 0.5\n",
		"sub/all.py":   "import json, first as one\n\ndef f(completions, **kw):\n    from second import half\n    return [half() * one.half()]\n",
		"sub/first.py": "from second import half\n", "sub/second.py": "def half(): return 0.5\n",
	})
	env := grader.Env{Python: interpreters(t)}
	for _, c := range []struct {
		why, raw string
		want     float64
	}{
		{"a source and a module that it imports", `{"type":"trl","file":"rewards.py","modules":["words.py"]}`, 1},
		{"a module next to the source", `{"type":"trl","file":"rewards.py"}`, 1},
		{"a module that a module imports", `{"type":"trl","file":"sub/all.py"}`, 0.25},
		{"grade of a python grader", `{"type":"python","file":"grade.py"}`, 0.5},
		{"within a multi grader", `{"type":"multi","calculate_output":"a*b","graders":{"a":{"type":"python","file":"grade.py"},"b":{"type":"trl","file":"rewards.py","modules":["words.py"]}}}`, 0.5},
	} {
		whole, err := grader.Inline(grader.Kinds(), json.RawMessage(c.raw), dir)
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		again, err := grader.Inline(grader.Kinds(), whole, t.TempDir())
		if err != nil || string(again) != string(whole) {
			t.Errorf("%s: once more, elsewhere: %s, %v; want %s", c.why, again, err, whole)
		}
		got, err := open(t, string(whole), env).Grade(t.Context(), output("Paris"))
		if err != nil || got.Reward != c.want {
			t.Errorf("%s: %+v, %v; want %v", c.why, got, err, c.want)
		}
	}
}

func TestInlineBindsADefinitionToItsFiles(t *testing.T) {
	files := map[string]string{"rewards.py": rewardsFile, "words.py": "x = 1\n", "grade.sh": "echo 1\n", "key.txt": "a\n"}
	for _, c := range []struct{ raw, changes string }{
		{`{"type":"trl","file":"rewards.py","modules":["words.py"]}`, "rewards.py"},
		{`{"type":"trl","file":"rewards.py","modules":["words.py"]}`, "words.py"},
		{`{"type":"command","command":["sh","grade.sh"]}`, "grade.sh"},
		{`{"type":"command","command":["sh","grade.sh"],"files":["key.txt"]}`, "key.txt"},
	} {
		dir := folder(t, files)
		hash := func() string {
			whole, err := grader.Inline(grader.Kinds(), json.RawMessage(c.raw), dir)
			if err != nil {
				t.Fatal(err)
			}
			return grader.Info(whole, nil).Hash
		}
		before := hash()
		if hash() != before {
			t.Errorf("%s: another hash of the same", c.raw)
		}
		if err := os.WriteFile(filepath.Join(dir, c.changes), []byte("y = 2\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if hash() == before {
			t.Errorf("%s: the same hash with another %s", c.raw, c.changes)
		}
	}
}

func TestInlineRefuses(t *testing.T) {
	dir := folder(t, map[string]string{"empty.py": " \n", "latin.py": "# \xe9\n", "long.py": strings.Repeat("#", 300_000), "my-words.py": "x"})
	for _, c := range []struct{ why, raw, says string }{
		{"a file that is not there", `{"type":"trl","file":"rewards.py"}`, "there is no rewards.py: paths start from the folder"},
		{"a folder", `{"type":"trl","file":"."}`, ". is not a file"},
		{"an empty file", `{"type":"trl","file":"empty.py"}`, "empty.py is empty"},
		{"another encoding", `{"type":"trl","file":"latin.py"}`, "latin.py is not UTF-8"},
		{"a file that is too long", `{"type":"trl","file":"long.py"}`, "long.py has 256000 bytes or more"},
		{"a file and a source", `{"type":"verifiers","file":"empty.py","source":"x"}`, "file and source are both set"},
		{"a file that is no text", `{"type":"verifiers","file":5}`, "file must be the name"},
		{"a module that cannot be one", `{"type":"trl","source":"x","modules":["my-words.py"]}`, "my-words.py is not a module"},
		{"modules that are no list", `{"type":"trl","source":"x","modules":"words.py"}`, "modules is a list"},
		{"a file of a command that is not there", `{"type":"command","command":["sh"],"files":["key.txt"]}`, "there is no key.txt"},
		{"in a part", `{"type":"multi","graders":{"a":{"type":"python","file":"x.py"}}}`, "graders.a: python grader: file: there is no x.py"},
	} {
		if _, err := grader.Inline(grader.Kinds(), json.RawMessage(c.raw), dir); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.why, err, c.says)
		}
	}
	for _, raw := range []string{`5`, `{"type":"nothing"}`, `{}`, exact} {
		if got, err := grader.Inline(grader.Kinds(), json.RawMessage(raw), dir); err != nil || string(got) != raw {
			t.Errorf("%s becomes %s, %v", raw, got, err)
		}
	}
}

func FuzzPrinted(f *testing.F) {
	for _, text := range []string{"1", " 0.5\n", "nan", "-Infinity", "1e999", "0x1p-2", "{}", `{"score":1,"parts":{"a":0.5}}`, `{"score":"1"}`, `{"score":1,"parts":[1]}`, `{"reward":1,"error":"x"}`, "[1]", "null", "true", "\xff", "1 2", ""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		grade, kind, err := grader.ReadPrinted(text)
		if (err == nil) != (kind == "") {
			t.Fatalf("kind %q beside the error %v", kind, err)
		}
		if err != nil && (grade.Reward != 0 || grade.Parts != nil) {
			t.Fatalf("%+v beside the error %v", grade, err)
		}
		for _, x := range append([]float64{grade.Reward}, values(grade.Parts)...) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("%q gives %v", text, x)
			}
		}
	})
}

func values(parts map[string]float64) []float64 {
	var out []float64
	for _, x := range parts {
		out = append(out, x)
	}
	return out
}

func TestFilesListsWhatADefinitionNames(t *testing.T) {
	dir := folder(t, map[string]string{"grade.sh": "echo 1\n"})
	for _, c := range []struct{ why, raw, want string }{
		{"a source and its modules", `{"type":"trl","file":"rewards.py","modules":["words.py"]}`, "rewards.py words.py"},
		{"the words of a command that are files", `{"type":"command","command":["sh","grade.sh","-x"],"files":["key.txt"]}`, "grade.sh key.txt"},
		{"the parts of a multi grader", `{"type":"multi","graders":{"a":{"type":"python","file":"grade.py"},"b":{"type":"string_check","file":"no.py"}}}`, "grade.py"},
		{"what is whole by itself", `{"type":"trl","source":"x = 1","modules":[{"name":"words","source":"y = 1"}]}`, ""},
		{"what is no definition", `["file"]`, ""},
		{"what New refuses", `{"type":"python","file":7}`, ""},
	} {
		if got := strings.Join(grader.Files(grader.Kinds(), json.RawMessage(c.raw), dir), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
