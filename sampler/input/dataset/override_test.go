package dataset

import (
	"encoding/json"
	"testing"

	"gonogo/sampler/rollout"
)

// itemOf is an item of a row.
func itemOf(t *testing.T, row string) rollout.Item {
	t.Helper()
	it := rollout.Item{ID: "a", File: "train.jsonl", Line: 1, Row: json.RawMessage(row)}
	if err := it.Decode(); err != nil {
		t.Fatal(err)
	}
	return it
}

func TestOverrideOfThePrompt(t *testing.T) {
	brief, none := "Be brief.", ""
	for what, c := range map[string]struct {
		row  string
		o    Override
		want string
	}{
		"the head is replaced by one message of its first role": {
			`[{"role":"developer","content":"A"},{"role":"system","content":"B"},{"role":"user","content":"Q"}]`,
			Override{Prompt: &brief},
			`[{"role":"developer","content":"Be brief."},{"role":"user","content":"Q"}]`,
		},
		"a row without a head gets a system message": {
			`[{"role":"user","content":"Q"}]`,
			Override{Prompt: &brief},
			`[{"role":"system","content":"Be brief."},{"role":"user","content":"Q"}]`,
		},
		"an empty text leaves the head out": {
			`[{"role":"system","content":"A"},{"role":"user","content":"Q"}]`,
			Override{Prompt: &none},
			`[{"role":"user","content":"Q"}]`,
		},
		"system messages later in the conversation stay": {
			`[{"role":"system","content":"A"},{"role":"user","content":"Q"},{"role":"system","content":"now"},{"role":"user","content":"R"}]`,
			Override{Prompt: &brief},
			`[{"role":"system","content":"Be brief."},{"role":"user","content":"Q"},{"role":"system","content":"now"},{"role":"user","content":"R"}]`,
		},
		"an addition follows the last message of the head": {
			`[{"role":"developer","content":"A"},{"role":"user","content":"Q"}]`,
			Override{Add: "Check."},
			`[{"role":"developer","content":"A\n\nCheck."},{"role":"user","content":"Q"}]`,
		},
		"of a content array it is a part of its own": {
			`[{"role":"system","content":[{"type":"text","text":"A"}]},{"role":"user","content":"Q"}]`,
			Override{Add: "Check."},
			`[{"role":"system","content":[{"type":"text","text":"A"},{"text":"Check.","type":"text"}]},{"role":"user","content":"Q"}]`,
		},
		"without a head it is one": {
			`[{"role":"user","content":"Q"}]`,
			Override{Add: "Check."},
			`[{"role":"system","content":"Check."},{"role":"user","content":"Q"}]`,
		},
	} {
		it := itemOf(t, `{"messages":`+c.row+`}`)
		before, _ := json.Marshal(it.Messages)
		out, did, err := c.o.Apply([]rollout.Item{it})
		if err != nil || did.Items != 1 {
			t.Errorf("%s: %d items, %v", what, did.Items, err)
			continue
		}
		got, _ := json.Marshal(out[0].Messages)
		var a, b any
		if json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(c.want), &b) != nil {
			t.Fatal(what)
		}
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if string(x) != string(y) {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
		if after, _ := json.Marshal(it.Messages); string(after) != string(before) || string(out[0].Row) != string(it.Row) {
			t.Errorf("%s: the row or the given item was touched", what)
		}
	}
}

// Every byte but the descriptions stays: servers show tools to the model as
// they are.
func TestOverrideOfDescriptions(t *testing.T) {
	o := Override{Tools: map[string]string{"search": `say "it"`, "open": "opens"}}
	for what, c := range map[string]struct{ tools, want string }{
		"nested, in its place": {
			`[ {"type":"function", "function":{"parameters":{"description":"p","name":"search"},"name":"search","description":"old","strict":true}}, {"type":"function","function":{"name":"list","description":"lists"}} ]`,
			`[ {"type":"function", "function":{"parameters":{"description":"p","name":"search"},"name":"search","description":"say \"it\"","strict":true}}, {"type":"function","function":{"name":"list","description":"lists"}} ]`,
		},
		"flat, and after the name where there was none": {
			`[{"type":"function","name":"open","parameters":{}},{"type":"function","description":"old","name":"search"}]`,
			`[{"type":"function","name":"open","description":"opens","parameters":{}},{"type":"function","description":"say \"it\"","name":"search"}]`,
		},
	} {
		out, did, err := o.Apply([]rollout.Item{itemOf(t, `{"messages":[{"role":"user","content":"Q"}],"tools":`+c.tools+`}`)})
		if err != nil || string(out[0].Tools) != c.want || did.Items != 1 {
			t.Errorf("%s: %s, %v\nwant %s", what, out[0].Tools, err, c.want)
		}
	}
	_, did, err := o.Apply([]rollout.Item{itemOf(t, `{"messages":[]}`), itemOf(t, `{"messages":[],"tools":[{"name":"open"}]}`)})
	if err != nil || did.Without["search"] != 2 || did.Without["open"] != 1 || did.Items != 1 {
		t.Errorf("tools that rows do not offer are counted as %+v, %v", did, err)
	}
}

func TestOverrideOfWhichToolsAreOffered(t *testing.T) {
	const row = `{"messages":[{"role":"user","content":"Q"}],"tools":[{"type":"function", "function":{"name":"search","parameters":{"b":1,"a":2}}}, {"type":"function","name":"open"}]}`
	bare := itemOf(t, `{"messages":[]}`)
	for what, c := range map[string]struct {
		o          Override
		want, bare string
	}{
		"dropped":           {Override{Drop: []string{"search"}}, `[{"type":"function","name":"open"}]`, ""},
		"dropped, all":      {Override{Drop: []string{"search", "open"}}, "", ""},
		"renamed":           {Override{Rename: map[string]string{"search": "find", "open": "read"}}, `[{"type":"function", "function":{"name":"find","parameters":{"b":1,"a":2}}},{"type":"function","name":"read"}]`, ""},
		"added as a row":    {Override{Offer: []string{"open"}, Tools: map[string]string{"open": "Opens."}, Drop: []string{"search"}}, `[{"type":"function","name":"open","description":"Opens."}]`, `[{"type":"function","name":"open","description":"Opens."}]`},
		"added, never seen": {Override{Offer: []string{"new"}, Tools: map[string]string{"new": "New."}, Drop: []string{"search", "open"}}, `[{"type":"function","function":{"name":"new","description":"New.","parameters":{"type":"object"}}}]`, `[{"type":"function","function":{"name":"new","description":"New.","parameters":{"type":"object"}}}]`},
	} {
		given := []rollout.Item{itemOf(t, row), bare}
		out, _, err := c.o.Apply(given)
		if err != nil || string(out[0].Tools) != c.want || string(out[1].Tools) != c.bare || string(given[0].Tools) != string(itemOf(t, row).Tools) {
			t.Errorf("%s: %s and %s, %v\nwant %s and %s", what, out[0].Tools, out[1].Tools, err, c.want, c.bare)
		}
	}
}

func TestOverrideCountsPrompts(t *testing.T) {
	text := "One for all."
	items := []rollout.Item{
		itemOf(t, `{"messages":[{"role":"system","content":"A"},{"role":"user","content":"Q"}]}`),
		itemOf(t, `{"messages":[{"role":"system","content":"B"},{"role":"user","content":"Q"}]}`),
		itemOf(t, `{"messages":[{"role":"system","content":"One for all."},{"role":"user","content":"Q"}]}`),
	}
	if _, did, err := (Override{Prompt: &text}).Apply(items); err != nil || did.Heads != 3 || did.Items != 2 {
		t.Errorf("%+v, %v: want 3 different prompts, and 2 items that differ now", did, err)
	}
}
