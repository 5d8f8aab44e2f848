package importer

import (
	"fmt"
	"strconv"
	"testing"
)

// What a log says of the tools that were offered is in the item's row; where it says
// nothing, nothing is made up.
func TestToolsThatALogNames(t *testing.T) {
	const chat = `[{"type":"function","function":{"name":"add","parameters":{"type":"object"}}}]`
	const flat = `[{"type":"function","name":"add","parameters":{"type":"object"}}]`
	for why, c := range map[string]struct{ file, tools string }{
		"NeMo Gym":             {`{"responses_create_params":{"input":"2+2?","tools":%s},"response":{"model":"m","output":[]},"reward":1}`, flat},
		"verifiers":            {`{"example_id":1,"prompt":"a","completion":[{"role":"assistant","content":"b"}],"reward":1.0,"is_completed":true,"tool_defs":%s}`, `[{"name":"add","parameters":{"type":"object"}}]`},
		"verifiers, as a text": {`{"example_id":1,"prompt":"a","completion":[{"role":"assistant","content":"b"}],"reward":1.0,"is_completed":true,"tool_defs":%s}`, strconv.Quote(chat)},
		"verifiers, oai_tools": {`{"example_id":1,"prompt":"a","completion":[{"role":"assistant","content":"b"}],"reward":1.0,"is_completed":true,"oai_tools":%s}`, chat},
		"verifiers, tools":     {`{"example_id":1,"prompt":"a","completion":[{"role":"assistant","content":"b"}],"reward":1.0,"is_completed":true,"tool_defs":null,"tools":%s}`, chat},
		"verifiers, info":      {`{"example_id":1,"prompt":"a","completion":[{"role":"assistant","content":"b"}],"reward":1.0,"is_completed":true,"info":{"oai_tools":%s}}`, chat},
		"tau2-bench":           {`{"info":{"environment_info":{"tool_defs":%s}},"tasks":[{"id":"7"}],"simulations":[` + simulation("a", "0", "user_stop", `{"reward":1}`) + `]}`, `{"add":{"name":"add","parameters":{"type":"object"}}}`},
		"tau2-bench, a list":   {`{"info":{"environment_info":{"tool_defs":%s}},"tasks":[{"id":"7"}],"simulations":[` + simulation("a", "0", "user_stop", `{"reward":1}`) + `]}`, flat},
		"verifiers 1":          {`{"id":"e","task":{"key":"k"},"ok":true,"traces":[{"agent":{"trainable":true},"rewards":{"r":{"score":1}},"tools":%s}]}`, flat},
		"eval-protocol":        {`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"tools":%s,"input_metadata":{"row_id":"r"},"evaluation_result":{"score":1}}`, chat},
		"Inspect":              {`{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[{"id":1,"epoch":1,"input":"q","scores":{"s":{"value":"C"}},"events":[{"event":"state"},{"event":"model","tools":%s}]}]}`, flat},
	} {
		for _, tools := range []string{c.tools, "[]", "null"} {
			_, g, err := importText(t, "", fmt.Sprintf(c.file, tools)+"\n")
			if err != nil || len(g.items) != 1 {
				t.Fatalf("%s: %v, %d items", why, err, len(g.items))
			}
			it := g.items[0]
			if it.OffersTools() != (tools == c.tools) {
				t.Errorf("%s: tools %s are read as %s", why, tools, it.Tools)
			}
			if it.OffersTools() && string(it.Tools) != `[{"function":{"name":"add","parameters":{"type":"object"}},"type":"function"}]` {
				t.Errorf("%s: %s", why, it.Tools)
			}
		}
	}
}
