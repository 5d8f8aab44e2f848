package dataset_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/input/dataset"
	"gonogo/sampler/rollout"
)

func TestToolsAreOfferedBesideThoseOfTheRow(t *testing.T) {
	tools := []dataset.OfferedTool{
		{Name: "read", Chat: json.RawMessage(`{"type":"function","function":{"name":"read","parameters":{"z":1,"a":2}}}`)},
		{Name: "list", Chat: json.RawMessage(`{"type":"function","function":{"name":"list"}}`)},
	}
	for _, c := range []struct{ why, own, want string }{
		{"a row without tools", "", `[{"type":"function","function":{"name":"read","parameters":{"z":1,"a":2}}},{"type":"function","function":{"name":"list"}}]`},
		{"a row with another tool", `[ {"type":"function", "function":{"name":"x"}} ]`, `[{"type":"function", "function":{"name":"x"}},{"type":"function","function":{"name":"read","parameters":{"z":1,"a":2}}},{"type":"function","function":{"name":"list"}}]`},
		{"a row that describes a tool itself, in the flat form", `[{"type":"function","name":"read"}]`, `[{"type":"function","name":"read"},{"type":"function","function":{"name":"list"}}]`},
		{"a row that has all of them", `[{"name":"list"}, {"name":"read"}]`, `[{"name":"list"}, {"name":"read"}]`},
	} {
		items := []rollout.Item{{}, {}}
		for i := range items {
			if c.own != "" {
				items[i].Tools = json.RawMessage(c.own)
			}
		}
		if err := dataset.AddTools(items, tools); err != nil {
			t.Fatal(err)
		}
		for _, it := range items {
			if d := cmp.Diff(c.want, string(it.Tools)); d != "" {
				t.Errorf("%s (-want +got):\n%s", c.why, d)
			}
		}
	}
	bad := []rollout.Item{{File: "train.jsonl", Line: 3, Tools: json.RawMessage(`{}`)}}
	if err := dataset.AddTools(bad, tools); err == nil || err.Error()[:14] != "train.jsonl:3:" {
		t.Error(err)
	}
}
