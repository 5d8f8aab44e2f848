package importer

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// A stamp that does not fit its log changes neither the messages nor the calls, and one that cannot
// be read in full still names its rollout and says that it has no reward.
func TestStampsThatDoNotFit(t *testing.T) {
	talk := func() []rollout.Message {
		return []rollout.Message{
			{Role: "assistant", ToolCalls: []rollout.ToolCall{{ID: "a", Name: "look", Arguments: `{}`}}},
			{Role: "tool", ToolCallID: "a", Name: "look", Content: "found"},
		}
	}
	read := []rollout.Call{{ID: "a", Name: "look", Arguments: `{}`, Output: "found", Status: rollout.CallOK}}
	for name, tt := range map[string]struct {
		stamp string
		calls []rollout.Call
		step  int
	}{
		"no calls were made": {
			stamp: `{"item":"q","record":{"item":"q"}}`,
		},
		"the call is the one that the messages show": {
			stamp: `{"item":"q","shown":[0],"record":{"item":"q","step":3,"calls":[{"turn":0,"id":"a","name":"look","arguments":"","status":"error","error":"no"}]}}`,
			calls: []rollout.Call{{ID: "a", Name: "look", Arguments: `{}`, Output: "found", Status: rollout.CallError, Error: "no"}}, step: 3,
		},
		"a call that the messages do not have": {
			stamp: `{"item":"q","shown":[7],"record":{"item":"q","calls":[{"turn":0,"name":"look","arguments":"","status":"ok"}]}}`, calls: read,
		},
		"a call of another tool": {
			stamp: `{"item":"q","shown":[0],"record":{"item":"q","calls":[{"turn":0,"name":"book","arguments":"","status":"ok"}]}}`, calls: read,
		},
		"fewer places than calls": {
			stamp: `{"item":"q","shown":[],"record":{"item":"q","calls":[{"turn":0,"name":"look","arguments":"","status":"ok"}]}}`, calls: read,
		},
		"messages beyond the last, and before the first": {
			stamp: `{"item":"q","messages":{"9":{"role":"user","content":"x"},"-1":{"role":"user","content":"y"}},"shown":[-1],"record":{"item":"q","calls":[{"turn":0,"name":"book","arguments":"{}","status":"ok"}]}}`,
			calls: []rollout.Call{{Name: "book", Arguments: `{}`, Status: rollout.CallOK}},
		},
		"a record that cannot be read": {
			stamp: `{"item":"q","unscored":true,"outcome":"grader","record":{"calls":7}}`, calls: read,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := stampIn(json.RawMessage(tt.stamp))
			if s == nil {
				t.Fatal("it is not a stamp")
			}
			rec := &rollout.Record{Messages: talk(), Calls: read}
			s.finish(rec)
			if diff := cmp.Diff(tt.calls, rec.Calls); diff != "" || rec.Step != tt.step {
				t.Errorf("step %d, calls (-want +got):\n%s", rec.Step, diff)
			}
			if diff := cmp.Diff(talk(), rec.Messages); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			if none := s.ungraded(rec); none != s.None {
				t.Errorf("without a reward: %v, want %v", none, s.None)
			}
		})
	}
	for _, text := range []string{``, `null`, `"text"`, `[]`, `{}`, `{"item":""}`, `{"item":"q","sample":-1}`, `{"item":7}`} {
		if s := stampIn(json.RawMessage(text)); s != nil {
			t.Errorf("%s is read as a stamp of %q", text, s.Item)
		}
	}
	for split, want := range map[string]rollout.Split{"eval": rollout.Eval, "": rollout.Production, "other": rollout.Production} {
		if got := stampIn(json.RawMessage(`{"item":"q","split":"` + split + `"}`)).splitOr(rollout.Production); got != want {
			t.Errorf("split %q is read as %s, want %s", split, got, want)
		}
	}
}
