package brief

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/sampler/input/document"
	"gonogo/sampler/rollout"
)

func here(t *testing.T) (*Brief, string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "rewards.py")
	if err := os.WriteFile(path, []byte("def f(): pass\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := &Brief{
		File: "gonogo.yaml", Config: "session:\n  headers: {x-key: open}\n", Set: []string{"model.base_url=http://h"}, Env: []string{"GATE"},
		Grader: &Sheet{Name: "grader.yaml", Text: "type: trl\n"}, Binding: map[string]string{"seed": "7", "model.name": "m"},
	}
	if err := b.Hash([]string{path}, filepath.Base); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if b, err = Read(text); err != nil {
		t.Fatal(err)
	}
	return b, dir
}

func TestWhatAWorkerLacks(t *testing.T) {
	b, dir := here(t)
	for _, c := range []struct{ name, write, want string }{
		{"GATE", "", ""},
		{"OTHER", "", "the environment has no GATE"},
		{"GATE", "def g(): pass\n", "rewards.py is not the planner's"},
		{"GATE", "gone", "there is no "},
	} {
		path := filepath.Join(dir, "rewards.py")
		switch c.write {
		case "":
		case "gone":
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		default:
			if err := os.WriteFile(path, []byte(c.write), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		err := b.Lacking(dir, func(name string) (string, bool) { return "", name == c.name })
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestOtherRolloutsAreRefused(t *testing.T) {
	b, _ := here(t)
	if err := b.CheckBinding(map[string]string{"seed": "7", "model.name": "m", "more": "x"}); err != nil {
		t.Error(err)
	}
	want := `rollouts made here would belong to another run: model.name is "n" here and "m" there; seed is "" here and "7" there`
	if err := b.CheckBinding(map[string]string{"model.name": "n"}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestNoSecretTravels(t *testing.T) {
	mask := func(text string) string { return strings.ReplaceAll(text, "planted", "***") }
	at := func(name string) string { return "w/" + name }
	for want, change := range map[string]func(*Brief, *rollout.Item){
		"": func(*Brief, *rollout.Item) {},
		"w/gonogo.yaml:2:1: session.headers.x-key: holds a secret": func(b *Brief, _ *rollout.Item) { b.Config = strings.Replace(b.Config, "open", "planted", 1) },
		"w/grader.yaml:2:1: holds a secret":                        func(b *Brief, _ *rollout.Item) { b.Grader.Text += "# planted\n" },
		"--set model.base_url: holds a secret":                     func(b *Brief, _ *rollout.Item) { b.Set[0] += "?key=planted" },
		"t.jsonl:3: the row holds a secret":                        func(_ *Brief, it *rollout.Item) { it.Row = []byte(`{"a":"planted"}`) },
	} {
		b, _ := here(t)
		it := rollout.Item{File: "t.jsonl", Line: 3, Row: []byte("{}")}
		change(b, &it)
		err := b.CheckSecrets([]rollout.Item{it}, mask, at)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "planted")) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := Read([]byte("[]")); err == nil || errors.As(err, new(document.Error)) {
		t.Errorf("a list is read: %v", err)
	}
}
