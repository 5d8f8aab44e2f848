package importer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gonogo/sampler/rollout"
)

// tree is a source that is a directory.
func tree(files map[string]string) Source {
	fsys := make(fstest.MapFS, len(files))
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return Source{Files: []File{{Name: "logs", FS: fsys, Path: "."}}}
}

// named is a source of files that were named, in this order.
func named(files ...string) Source {
	fsys := make(fstest.MapFS)
	var src Source
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
		src.Files = append(src.Files, File{Name: files[i], FS: fsys, Path: files[i]})
	}
	return src
}

func importSource(t *testing.T, name string, src Source) (Format, *got, error) {
	t.Helper()
	var g got
	f, err := Import(context.Background(), Formats(), name, src, g.sink())
	return f, &g, err
}

// keys lists the keys of the records as item/sample.
func (g *got) keys() []string {
	var keys []string
	for _, r := range g.records {
		keys = append(keys, fmt.Sprintf("%s/%s/%d", r.Split, r.Item, r.Sample))
	}
	return keys
}

func TestSeveralFilesAreFurtherSamples(t *testing.T) {
	a := `{"item":"q1","reward":1}` + "\n" + `{"item":"q1","reward":0}` + "\n"
	b := `{"item":"q1","reward":0.5}` + "\n" + `{"item":"q2","sample":1,"reward":0.5}` + "\n"
	_, g, err := importSource(t, "", named("a.jsonl", a, "b.jsonl", b, "a.jsonl", a))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"train/q1/0", "train/q1/1", "train/q1/2", "train/q2/1"}; !slices.Equal(g.keys(), want) {
		t.Errorf("keys are %v, want %v: a file that is named twice counts once", g.keys(), want)
	}
	if notes := strings.Join(g.notes, "\n"); !strings.Contains(notes, "2 files are one import") {
		t.Errorf("notes are %s", notes)
	}
}

func TestSeveralFilesOfTauBench(t *testing.T) {
	talk := `[{"role":"user","content":"hi"}]`
	a := results(entry("0", "0", "1", talk), entry("0", "1", "0", talk))
	b := results(entry("0", "0", "0.5", talk), entry("1", "0", "1", talk))
	_, g, err := importSource(t, "", named("a.json", a, "b.json", b, "copy.json", b))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"train/0/0", "train/0/1", "train/0/2", "train/1/0"}; !slices.Equal(g.keys(), want) {
		t.Errorf("keys are %v, want %v", g.keys(), want)
	}
	if notes := strings.Join(g.notes, "\n"); !strings.Contains(notes, "2 exact duplicates") {
		t.Errorf("notes are %s", notes)
	}
	other := strings.Replace(results(entry("1", "0", "1", talk)), "u1", "u9", 1)
	if _, _, err := importSource(t, "", named("a.json", b, "other.json", other)); err == nil || !strings.Contains(err.Error(), "other.json:2: ") || !strings.Contains(err.Error(), "a.json, entry 1") {
		t.Errorf("error is %v, want both files", err)
	}
}

// A directory stands for the files that a format knows by name. Files of
// another format among them are told and left out; hidden directories are not
// looked into.
func TestADirectoryIsLookedThrough(t *testing.T) {
	src := tree(map[string]string{
		"x/1/rollouts.jsonl": `{"item":"q1","reward":1}`, "x/2/rollouts.jsonl": `{"item":"q1","reward":0}`,
		"x/3/rollouts.jsonl": `{"example_id":1}`, ".old/rollouts.jsonl": `{"item":"q9","reward":0}`, "other.jsonl": `{"item":"q8","reward":0}`,
	})
	f, g, err := importSource(t, "", src)
	if err != nil || f.Name != "gonogo" {
		t.Fatalf("format %q, error %v", f.Name, err)
	}
	if want := []string{"train/q1/0", "train/q1/1"}; !slices.Equal(g.keys(), want) {
		t.Errorf("keys are %v, want %v", g.keys(), want)
	}
	if notes := strings.Join(g.notes, "\n"); !strings.Contains(notes, filepath.Join("logs", "x", "3", "rollouts.jsonl")) {
		t.Errorf("notes do not name what was left out: %s", notes)
	}
	if _, _, err := importSource(t, "gonogo", tree(map[string]string{"readme.txt": "hi"})); !errors.Is(err, ErrUnrecognized) || !strings.Contains(err.Error(), "no file in logs is called rollouts.jsonl") {
		t.Errorf("error is %v", err)
	}
}

// What is named must be of the format; the error says which file is not.
func TestAFileOfAnotherFormatAmongTheNamed(t *testing.T) {
	_, g, err := importSource(t, "", named("a.jsonl", samples["gonogo"], "b.json", samples["tau-bench"]))
	if !errors.Is(err, ErrUnrecognized) || !strings.Contains(err.Error(), "b.json: not of this format") || !g.empty() {
		t.Errorf("error is %v", err)
	}
}

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := write("sub/rollouts.jsonl", samples["gonogo"])
	t.Chdir(filepath.Join(dir, "sub"))
	for name, path := range map[string]string{
		"a file": file, "a file here": "rollouts.jsonl", "here": ".", "the directory above": "..", "a slash at the end": dir + "/", "a way back": "../sub/../sub",
	} {
		if _, g, err := importSource(t, "", Paths(Options{Split: rollout.Eval}, path)); err != nil || len(g.records) != 1 || g.records[0].Split != rollout.Eval {
			t.Errorf("%s: %d records, %v", name, len(g.records), err)
		}
	}
	beside := Paths(Options{}, file).Files[0].Beside("metadata.json")
	if beside.Name != filepath.Join(dir, "sub", "metadata.json") || beside.Path != "metadata.json" {
		t.Errorf("beside is %+v", beside)
	}
	if _, err := beside.Open(); !errors.Is(err, os.ErrNotExist) || strings.Count(err.Error(), "metadata.json") != 1 {
		t.Errorf("error is %v", err)
	}
	if _, _, err := importSource(t, "", Paths(Options{}, os.DevNull)); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a device: %v", err)
	}
}

// TestFilesBesideALogAreRegular puts a device where a format reads a file beside its log: reading it
// would not end.
func TestFilesBesideALogAreRegular(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no /dev/zero")
	}
	for beside, log := range map[string]map[string]string{
		"metadata.json":              {"results.jsonl": samples["verifiers"]},
		"configs/eval.json":          {"traces.jsonl": samples["verifiers-v1"], "configs/x": ""},
		"t__a/agent/trajectory.json": {"t__a/result.json": harborTrialOf(`,"verifier_result":{"rewards":{"reward":1}}`), "t__a/agent/x": ""},
	} {
		dir := writeFiles(t, log)
		if err := os.Symlink("/dev/zero", filepath.Join(dir, filepath.FromSlash(beside))); err != nil {
			t.Fatal(err)
		}
		if _, _, err := importSource(t, "", Paths(Options{}, dir)); err == nil || !strings.Contains(err.Error(), filepath.Base(beside)+": it is not a regular file") {
			t.Errorf("%s: %v", beside, err)
		}
	}
}
