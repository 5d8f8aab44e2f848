package dataset

import (
	"os"
	"path/filepath"
	"testing"

	"gonogo/sampler/rollout"
)

func TestTheRecordedFileIsKnownByItsHash(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"edited.jsonl": "{}", "same.jsonl": "{\"id\":\"a\"}"} {
		if err := os.WriteFile(at(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := HashFile(at("same.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	m := &rollout.Manifest{Data: []rollout.Data{{Split: rollout.Eval, SHA256: "e"}, {Split: rollout.Train, SHA256: sum}}}
	all := []string{at("gone.jsonl"), dir, at("edited.jsonl"), at("same.jsonl")}
	for what, c := range map[string]struct {
		places       []string
		recorded     *rollout.Data
		there, match string
	}{
		"the edited one comes first": {all, Recorded(m, rollout.Train), at("edited.jsonl"), at("same.jsonl")},
		"it is not there":            {all, Recorded(m, rollout.Eval), at("edited.jsonl"), ""},
		"none is recorded":           {all, Recorded(m, rollout.Production), at("edited.jsonl"), at("edited.jsonl")},
		"no place holds a file":      {all[:2], Recorded(m, rollout.Train), "", ""},
		"a run without a manifest":   {all[3:], Recorded(nil, rollout.Train), at("same.jsonl"), at("same.jsonl")},
	} {
		there, match, err := FindRecorded(c.places, c.recorded)
		if err != nil || there != c.there || match != c.match {
			t.Errorf("%s: %s, %s, %v; want %s, %s", what, there, match, err, c.there, c.match)
		}
	}
}
