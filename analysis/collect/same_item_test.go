package collect

import (
	"encoding/json"
	"testing"

	"gonogo/sampler/rollout"
)

// A run keeps a row with &, < and > escaped; it is the row of the file all the same.
func TestSameItem(t *testing.T) {
	item := func(row string) *rollout.Item {
		it := &rollout.Item{ID: "a", Split: rollout.Train, Row: []byte(row)}
		if err := it.Decode(); err != nil {
			t.Fatal(err)
		}
		return it
	}
	const row = `{"messages": [{"role": "user", "content": "R&D < 5?"}], "answer": "3 > 2"}`
	kept, err := json.Marshal(item(row))
	if err != nil {
		t.Fatal(err)
	}
	var stored rollout.Item
	if err := json.Unmarshal(kept, &stored); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file      string
		talk, row bool
	}{
		"the row":                 {row, true, true},
		"other white space":       {`{"messages":[{"role":"user","content":"R&D < 5?"}],"answer":"3 > 2"}`, true, true},
		"another answer":          {`{"messages":[{"role":"user","content":"R&D < 5?"}],"answer":"3"}`, true, false},
		"another prompt":          {`{"messages":[{"role":"user","content":"R&D?"}],"answer":"3 > 2"}`, false, false},
		"escapes of another kind": {`{"messages":[{"role":"user","content":"R\u0026D < 5?"}],"answer":"3 > 2"}`, true, true},
		"a row that was not kept": {``, true, true},
	} {
		if talk, same := SameItem(item(c.file), &stored); talk != c.talk || same != c.row {
			t.Errorf("%s: %v, %v", name, talk, same)
		}
	}
}
