package config

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"gonogo/sampler/input/document"
	"gonogo/sampler/rollout"
)

func TestInitWritesEveryKeyAndNothingElse(t *testing.T) {
	dir := folder(t, map[string]string{"job.json": testJob, "train.jsonl": testRow})
	d, err := NewDraft(DraftFiles{
		Job: filepath.Join(dir, "job.json"), Output: filepath.Join(dir, "gonogo.yaml"),
		Data: map[rollout.Split]string{rollout.Train: filepath.Join(dir, "train.jsonl")},
	}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	text := d.Full()
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
		for _, k := range Keys().Keys() {
			isKey = isKey || k.Path == path
		}
		if !ok || !isKey {
			continue
		}
		found = append(found, path)
		// Taking the comment mark away gives a file that is read.
		open := append([]string{}, lines...)
		open[i] = strings.Replace(line, "# ", "", 1)
		if _, err := Decode("gonogo.yaml", dir, []byte(strings.Join(open, "\n")), noEnv); err != nil {
			t.Errorf("uncommented %s: %s is refused: %v", path, value, err)
		}
	}
	var want []string
	for _, k := range Keys().Keys() {
		want = append(want, k.Path)
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	node, err := document.Parse("x", text)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(node.JSON()))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiledSchema(t).Validate(value); err != nil {
		t.Errorf("the schema refuses what init writes: %v", err)
	}
}
