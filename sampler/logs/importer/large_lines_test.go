package importer

import (
	"fmt"
	"strings"
)

// largeLog is what a large log is made of.
type largeLog struct {
	begin, end, separator string
	part                  func(i int) string
}

// largeLogsOfLines are the large logs of formats that numbers, texts and traces
// make up, not chat messages.
func largeLogsOfLines() map[string]largeLog {
	words := strings.Repeat(`the quick \"brown\" fox, said the café; `, 500)
	var trace strings.Builder
	for i := range 10 {
		fmt.Fprintf(&trace, `{"event":"tool_call","name":"search","arguments":"{\"q\":\"fox\"}","call_id":"c%d"},{"event":"tool_result","call_id":"c%d","output":"%s"},`, i, i, words[:1800])
	}
	const tau2Call = `{"id":"c%d","name":"search","arguments":{"q":"fox"},"requestor":"assistant"}`
	talk := strings.ReplaceAll(agentTalk(tau2Call), `"tool_call_id"`, `"id"`)
	csvWords := strings.ReplaceAll(words, `\"`, `""`)
	lines := func(part func(i int) string) largeLog { return largeLog{"", "\n", "\n", part} }
	return map[string]largeLog{
		"tau2-bench": {`{"info":{"num_trials":4},"tasks":[],"simulations":[`, `]}`, ",\n", func(i int) string {
			return fmt.Sprintf(`{"id":"s%d","task_id":"%d","trial":%d,"termination_reason":"user_stop","reward_info":{"reward":1.0},"messages":%s}`, i, i/4, i%4, talk)
		}},
		"build-hours": lines(func(i int) string {
			return fmt.Sprintf(`{"sample_index":%d,"input_item":{},"trace":[%s{"event":"final_message","text":"done"}],"final_message_text":"done","metrics":{"g":0.5},"error":null}`, i, trace.String())
		}),
		"openai-evals": lines(func(i int) string {
			return fmt.Sprintf(`{"object":"eval.run.output_item","run_id":"r%d","datasource_item_id":%d,"results":[{"name":"g","score":0.5}],"sample":{"input":[],"output":[{"role":"assistant","content":"%s"}]}}`, i%4, i/4, words)
		}),
		"verl": lines(func(i int) string {
			return fmt.Sprintf(`{"input":"q%d","output":"%s","gts":"4","score":0.5,"step":1}`, i/4, words)
		}),
		"lm-eval": lines(func(i int) string {
			return fmt.Sprintf(`{"doc_id":%d,"doc":{},"target":"4","arguments":{"gen_args_0":{"arg_0":"%s"}},"resps":[["4"]],"filter":"none","metrics":["em"],"em":1.0}`, i, words)
		}),
		"evals-recorder": {`{"spec":{}}` + "\n", "\n", "\n", func(i int) string {
			return fmt.Sprintf(`{"run_id":"r","event_id":%d,"sample_id":"a.%d","type":"sampling","data":{"prompt":"look","sampled":["%s"]}}`+"\n"+`{"run_id":"r","event_id":%d,"sample_id":"a.%d","type":"match","data":{"correct":true}}`, 2*i, i, words, 2*i+1, i)
		}},
		"csv": {"item,sample,reward,answer\n", "\n", "\n", func(i int) string {
			return fmt.Sprintf(`q%d,%d,0.5,"%s"`, i/4, i%4, csvWords)
		}},
	}
}
