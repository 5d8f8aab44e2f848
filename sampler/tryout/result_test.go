package tryout

import (
	"testing"

	"gonogo/sampler/rollout"
)

func TestAnAnswersPlaceIsThatOfItsItem(t *testing.T) {
	at := ByLine([]rollout.Item{{ID: "a", Split: rollout.Train, File: "t.jsonl", Line: 7}, {ID: "b", Split: rollout.Train}})
	for id, want := range map[string]string{"a": "t.jsonl:7", "b": "b", "c": "c"} {
		if got := at(&rollout.Record{Item: id, Split: rollout.Train}); got != want {
			t.Errorf("%s is at %s, want %s", id, got, want)
		}
	}
}

func TestOneFindingThatBlocksIsEnough(t *testing.T) {
	r := Result{Findings: []Finding{{Title: "odd"}, {Title: "fails", Blocking: true}}}
	if bad := r.Blocking(); bad == nil || bad.Title != "fails" {
		t.Errorf("%+v", bad)
	}
	if bad := (Result{Findings: r.Findings[:1]}).Blocking(); bad != nil {
		t.Errorf("%+v", bad)
	}
}
