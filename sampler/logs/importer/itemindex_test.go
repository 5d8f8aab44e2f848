package importer

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

func TestItemIndex(t *testing.T) {
	tryRows(t, "item-index", []row{
		{name: "repeats are repeated lines", file: `{"item_index":1,"score":1,"trajectory":"[]"}
{"item_index":2,"score":0,"trajectory":""}
{"item_index":1,"score":0.25,"trajectory":null}
`, want: []string{"1/0 graded 1", "2/0 graded 0", "1/1 graded 0.25"}, note: "sample = how often it came before"},
		{name: "-1 is no score, and neither is nothing", file: `{"item_index":1,"score":-1,"trajectory":"[]"}
{"item_index":1,"score":-1.0}
{"item_index":1,"score":NaN}
{"item_index":1,"score":-0.5}
`, want: []string{
			"1/0 grader - the score is -1, which this log uses for a failed rollout; it does not say where it failed", "1/1 grader - the score is -1, which this log uses for a failed rollout; it does not say where it failed",
			"1/2 grader - score is missing, null or NaN", "1/3 graded -0.5",
		}, note: "rollouts that are failures (grader), not zeros: 3"},
		{name: "a trajectory that is none", file: `{"item_index":1,"score":1,"trajectory":"[{"}` + "\n", broken: "log.json:1: trajectory: it is not a list"},
		{name: "a score in words", file: `{"item_index":1,"score":"1"}` + "\n", broken: "log.json:1: score must be a number"},
	})
}

func TestItemIndexTrajectory(t *testing.T) {
	_, g, err := importText(t, "", `{"item_index":1,"score":1,"trajectory":"[{\"type\":\"message\",\"role\":\"user\",\"content\":\"q\"},{\"type\":\"reasoning\",\"summary\":[{\"text\":\"hm\"}]},{\"type\":\"function_call\",\"name\":\"look\",\"arguments\":\"{}\",\"call_id\":\"c\"},{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"found\"},{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"4\"}]}]"}`+"\n")
	if err != nil {
		t.Fatal(err)
	}
	r := g.records[0]
	if diff := cmp.Diff([]rollout.Call{{ID: "c", Name: "look", Arguments: "{}", Output: "found", OutputBytes: 5, Status: rollout.CallOK}}, r.Calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if r.Answer != "4" || r.Turns != 2 || len(r.Messages) != 3 || r.Messages[0].Reasoning != "hm" || len(g.items[0].Messages) != 1 {
		t.Errorf("record is %+v of item %+v", r, g.items[0])
	}
}

func FuzzItemIndex(f *testing.F) {
	fuzzFormat(f, "item-index", `{"item_index":"a","score":NaN,"trajectory":[{"type":"function_call_output"},{"role":"assistant"},{"role":"user"},{"type":"reasoning","summary":[]}]}`)
}
