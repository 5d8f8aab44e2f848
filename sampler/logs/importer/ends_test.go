package importer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// Every format that says why the model's last reply ended says so in the record;
// a word that is not known, and none, is not known. The keys and words are those
// of each tool's own source.
func TestWhyRepliesEnded(t *testing.T) {
	inspect := func(epoch int, more string) string {
		return fmt.Sprintf(`{"id":1,"epoch":%d,"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"scores":{"s":{"value":1}}%s}`, epoch, more)
	}
	choice := func(reason string) string { return `,"output":{"choices":[{"stop_reason":"` + reason + `"}]}` } // inspect_ai/model/_model_output.py, StopReason
	verifiers := func(more string) string {
		return `{"example_id":1,"prompt":"q","completion":[{"role":"assistant","content":"a"}],"reward":1.0,"is_completed":true` + more + "}\n"
	}
	calls := func(more string) string {
		return v1("e"+fmt.Sprint(len(more)), "k", "", v1Trace(`{"r":{"score":1}}`, `,"nodes":[{"parent":null,"message":{"role":"user","content":"q"}},{"parent":0,"message":{"role":"assistant","content":"a"}}]`+more))
	}
	said := `,"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]`
	protocol := func(run, more string) string {
		return epRow("a", run, `{"score":0.5,"is_score_valid":true}`, said+more)
	}
	detail := func(reason string) string { // eval_protocol/models.py, ErrorInfo.termination_reason
		return `,"rollout_status":{"code":100,"message":"","details":[{"reason":"TERMINATION_REASON","metadata":{"termination_reason":"` + reason + `"}}]}`
	}
	foo := func(test int, response string) string {
		return pfRow(fmt.Sprint(test), `{"x":1}`, "1", `,"response":`+response) + "\n"
	}
	tau := func(trial int, raw string) string {
		return fmt.Sprintf(`{"id":"s","task_id":"7","trial":%d,"termination_reason":"user_stop","reward_info":{"reward":1},"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"%s},{"role":"user","content":"###STOP###"}]}`, trial, raw)
	}
	raw := func(reason string) string { return `,"raw_data":{"choices":[{"finish_reason":"` + reason + `"}]}` }
	index := func(items string) string {
		return `{"item_index":3,"score":0.5,"trajectory":[` + items + `]}` + "\n"
	}
	item := func(run, finish string) string {
		return `{"object":"eval.run.output_item","run_id":"` + run + `","datasource_item_id":3,"results":[{"name":"g","score":1}],"sample":{"output":[{"role":"assistant","content":"a"}]` + finish + `}}` + "\n"
	}
	for format, tt := range map[string]struct {
		file string
		want []rollout.Finish
	}{
		"gonogo": {
			`{"item":"q","reward":1,"finish":"max_tokens"}` + "\n" + `{"item":"q","reward":1,"finish_reason":"stop"}` + "\n" + `{"item":"q","reward":1,"stop_reason":"refusal"}` + "\n" + `{"item":"q","reward":1,"finish":"cosmic_ray"}` + "\n" + `{"item":"q","reward":1}` + "\n",
			[]rollout.Finish{"length", "stop", "refusal", "", ""},
		},
		"csv": {"item,reward,finish\nq,1,MAX_TOKENS\nq,1,stop\nq,1,weird\nq,1,\n", []rollout.Finish{"length", "stop", "", ""}},
		"inspect": {
			inspectJSON(inspect(1, choice("max_tokens")), inspect(2, choice("model_length")), inspect(3, choice("content_filter")), inspect(4, choice("stop")), inspect(5, choice("unknown")), inspect(6, `,"limit":{"type":"token","limit":100}`), inspect(7, "")),
			[]rollout.Finish{"length", "length", "filter", "stop", "", "length", ""},
		},
		"verifiers": {
			verifiers(`,"is_truncated":true`) + verifiers(`,"is_truncated":false`) + verifiers("") + strings.Replace(verifiers(`,"is_truncated":false`), `"content":"a"`, `"content":""`, 1),
			[]rollout.Finish{"length", "stop", "", "empty"},
		},
		"verifiers-v1": {
			calls(`,"calls":[{"finish_reason":"tool_calls"},{"finish_reason":"length"},{"finish_reason":null,"error":{"type":"ProviderError"}}]`) + calls(`,"calls":[{"finish_reason":"stop"}]`) + calls(`,"stop_condition":"max_output_tokens"`) + calls(""),
			[]rollout.Finish{"length", "stop", "length", ""},
		},
		"eval-protocol": {
			protocol("r1", `,"execution_metadata":{"run_id":"r1","finish_reason":"length"}`) + protocol("r2", detail("length")) + protocol("r3", detail("user_stop")) + protocol("r4", detail("stop")) + protocol("r5", ""),
			[]rollout.Finish{"length", "length", "", "stop", ""},
		},
		"promptfoo": {
			foo(0, `{"output":"a","finishReason":"length"}`) + foo(1, `{"output":"a","finishReason":"stop"}`) + foo(2, `{"output":"I cannot","finishReason":"stop","isRefusal":true}`) + foo(3, `{"output":"a"}`) + foo(4, `{"output":"","finishReason":"stop"}`),
			[]rollout.Finish{"length", "stop", "refusal", "", "empty"},
		},
		"tau2-bench": {
			`{"info":{"num_trials":1},"tasks":[{"id":"7"}],"simulations":[` + tau(0, raw("length")) + "," + tau(1, raw("stop")) + "," + tau(2, "") + "," + tau(3, `,"raw_data":"x"`) + "]}",
			[]rollout.Finish{"length", "stop", "", ""},
		},
		"item-index": {
			index(`{"type":"message","role":"assistant","status":"incomplete","content":[{"type":"output_text","text":"a"}]}`) + index(`{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"a"}]},{"type":"message","role":"user","content":"thanks"}`) + index(`{"type":"message","role":"assistant","status":"completed","content":[{"type":"refusal","refusal":"no"}]}`) + index(`{"role":"assistant","content":"a"}`),
			[]rollout.Finish{"length", "stop", "refusal", ""},
		},
		"openai-evals": {
			item("r1", `,"finish_reason":"length"`) + item("r2", `,"finish_reason":"stop"`) + item("r3", `,"finish_reason":"content_filter"`) + item("r4", ""),
			[]rollout.Finish{"length", "stop", "filter", ""},
		},
	} {
		_, g, err := importText(t, format, tt.file)
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		var got []rollout.Finish
		for _, r := range g.records {
			got = append(got, r.Finish)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: why replies ended (-want +got):\n%s", format, diff)
		}
		g.noted(t, " with a reply that a token limit cut off")
	}
}
