package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// told is what a result says of an item with a prompt of three turns.
func told(t *testing.T, result string) (sampler.AgentResult, error) {
	t.Helper()
	item := &rollout.Item{ID: "q", Messages: []rollout.Message{
		{Role: "system", Content: "Be brief."}, {Role: "user", Content: "6 x 7?"}, {Role: "assistant", Content: "In which base?"}, {Role: "user", Content: "Ten."},
	}}
	return played([]byte(result), sampler.AgentRequest{Item: item, TraceID: "t"}, false)
}

const prompt = `{"role":"system","content":"Be brief."},{"role":"user","content":"6 x 7?"},{"role":"assistant","content":"In which base?"},{"role":"user","content":"Ten."}`

// The prompt is the item's, however much of it an agent gives back: its turns are none
// of the rollout.
func TestThePromptIsNoneOfTheRollout(t *testing.T) {
	answer := rollout.Message{Role: "assistant", Content: "42"}
	const said = `{"role":"assistant","content":"42"}`
	for _, c := range []struct {
		why, messages string
		want          []rollout.Message
	}{
		{"the answer alone", said, []rollout.Message{answer}},
		{"behind the whole prompt", prompt + "," + said, []rollout.Message{answer}},
		{
			"instructions of its own in the place of the item's", `{"role":"system","content":"Use tools."},{"role":"user","content":"6 x 7?"},{"role":"assistant","content":"In which base?"},{"role":"user","content":"Ten."},` + said,
			[]rollout.Message{{Role: "system", Content: "Use tools."}, answer},
		},
		{"a word of its own first", `{"role":"user","content":"Go on."},` + said, []rollout.Message{{Role: "user", Content: "Go on."}, answer}},
	} {
		got, err := told(t, `{"output":"42","messages":[`+c.messages+`]}`)
		if d := cmp.Diff(c.want, got.Messages); d != "" || err != nil || got.Turns != 1 {
			t.Errorf("%s: %d turns, %v (-want +got):\n%s", c.why, got.Turns, err, d)
		}
	}
}

// Calls that are reported in addition to the conversation belong to its turns; what cannot be read
// of them is the model's mistake.
func TestCallsThatAreTold(t *testing.T) {
	const asks = `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"{"}}]}`
	got, err := told(t, `{"output":"42","messages":[`+asks+`,{"role":"tool","tool_call_id":"a","content":"1"},{"role":"assistant","content":"42"}],
		"tool_calls":[{"id":"a","name":"f","arguments":{},"output":"1","elapsed_s":2},{"id":"b","name":"g","arguments":"{","error":"no JSON"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []rollout.Call{
		{ID: "a", Name: "f", Arguments: "{}", Output: "1", OutputBytes: 1, Status: rollout.CallOK, Elapsed: rollout.Seconds(2e9)},
		{ID: "b", Name: "g", Arguments: "{", Status: rollout.CallMalformed, Error: "no JSON"},
	}
	if d := cmp.Diff(want, got.Calls); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got, err = told(t, `{"output":"42","tool_calls":[{"name":"f"},{"name":"g","error":"no such file"}]}`); err != nil || got.Calls[1].Turn != 1 || got.Calls[0].Status != rollout.CallOK || got.Calls[1].Status != rollout.CallError {
		t.Errorf("%+v, %v", got.Calls, err)
	}
}

// Tokens are reported as either API tells them; counts that cannot be true are no result.
func TestTokensThatAreTold(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	want := rollout.Usage{Input: n(20), Output: n(9), Reasoning: n(7), Cached: n(16)}
	for _, usage := range []string{
		`{"input_tokens":20,"output_tokens":9,"reasoning_tokens":7,"cached_tokens":16}`,
		`{"input_tokens":20,"input_tokens_details":{"cached_tokens":16},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":7}}`,
		`{"prompt_tokens":20,"completion_tokens":9,"total_tokens":29,"prompt_tokens_details":{"cached_tokens":16},"completion_tokens_details":{"reasoning_tokens":7}}`,
	} {
		got, err := told(t, `{"output":"42","usage":`+usage+`}`)
		if d := cmp.Diff(want, got.Usage); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", usage, err, d)
		}
	}
	for _, wrong := range []string{`"usage":{"completion_tokens_details":{"reasoning_tokens":-1}}`, `"usage":{"input_tokens":9000000000000000000}`, `"turns":9000000000000000000`, `"turns":-1`} {
		if _, err := told(t, `{"output":"42",`+wrong+`}`); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}

// An agent learns of its session what addresses read of it: an id that the start
// answered goes before ours.
func TestASessionIsToldAsItAnswered(t *testing.T) {
	for answered, want := range map[string]string{`{"port":1}`: `"session_1"`, `{"id":"box 7"}`: `"box 7"`} {
		box := &sampler.RolloutSession{ID: "session_1"}
		if err := json.Unmarshal([]byte(answered), &box.Values); err != nil {
			t.Fatal(err)
		}
		r, err := RequestOptions{}.request(sampler.AgentRequest{Item: &rollout.Item{ID: "q"}, RolloutSession: box})
		if filled, _ := box.Fill(`"{{session.id}}"`); err != nil || string(r.Session["id"]) != want || filled != want {
			t.Errorf("%s: the agent is told %s, addresses read %s, want %s (%v)", answered, r.Session["id"], filled, want, err)
		}
	}
}

// No field that is taken for a right answer elsewhere is reported, nor the prompt twice.
func TestNoRightAnswerIsTold(t *testing.T) {
	row := map[string]string{"messages": "[]", "question": "6 x 7?"}
	for _, name := range append(rollout.ReferenceFields(), rollout.AcceptedFields()...) {
		row[name] = "42"
	}
	text, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	r, err := RequestOptions{Hide: Hidden()}.request(sampler.AgentRequest{Item: &rollout.Item{ID: "q", Row: text}})
	if d := cmp.Diff(map[string]json.RawMessage{"question": json.RawMessage(`"6 x 7?"`)}, r.Item); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

// An agent that marks its result as failed has failed, whatever answer is next to it.
func TestMarksOfAFailedAgent(t *testing.T) {
	for more, want := range map[string]string{
		`"error":"no key"`: "no key", `"exception":"KeyError: 'x'"`: "exception: KeyError", `"status":"error"`: "status: error", `"Timed_Out":true`: "Timed_Out",
	} {
		if _, err := told(t, `{"output":"42",`+more+`}`); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %q", more, err, want)
		}
	}
	for _, more := range []string{`"error":"none"`, `"error":false`, `"error":""`, `"status":"completed"`, `"success":false`, `"message":"an error was fixed"`} {
		if got, err := told(t, `{"output":"42",`+more+`}`); err != nil || got.Output != "42" {
			t.Errorf("%s: %+v, %v", more, got, err)
		}
	}
}
