package audit

import (
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

func TestMadeUpCallsFitTheToolsOnOffer(t *testing.T) {
	tools := func(text string) sampler.Task {
		return sampler.Task{Item: &rollout.Item{ID: "q1", Tools: []byte(text)}, Record: &rollout.Record{Item: "q1", Answer: "7"}, Times: 1}
	}
	for _, c := range []struct {
		name, tools string
		own         bool
		want        string // the calls, as name and arguments
	}{
		{name: "no tool to call"},
		{name: "tools of the agent's own", own: true, want: `tool {}`},
		{
			name:  "a value for each property",
			tools: `[{"function":{"name":"cat","parameters":{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"},"how":{"enum":["all","last"]},"of":{"type":"object","properties":{"deep":{"type":"boolean"}}},"odd":{"type":["string","null"]}}}}},{"function":{"name":"list"}}]`,
			want:  `cat {"how":"all","n":1,"odd":null,"of":{"deep":true},"path":"text"} list {}`,
		},
		{
			name:  "a property that is no schema leaves the others",
			tools: `[{"function":{"name":"cat","parameters":{"type":"object","properties":{"any":true,"path":{"type":"string"}}}}}]`,
			want:  `cat {"any":null,"path":"text"}`,
		},
	} {
		plain := tools(c.tools)
		task, ok := WithToolCalls(plain, c.own)
		var calls []string
		for _, call := range task.Record.Calls {
			calls = append(calls, call.Name+" "+call.Arguments)
		}
		if got := strings.Join(calls, " "); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: calls %s, want %s", c.name, got, c.want)
		}
		if !ok {
			continue
		}
		out := sampler.OutputOf(task.Item, task.Record)
		last := out.Messages[len(out.Messages)-1]
		if out.Text != "7" || last.Content != "7" || len(out.Messages) != len(calls)+2 || len(out.Messages[0].ToolCalls) != len(calls) || len(plain.Record.Calls) > 0 {
			t.Errorf("%s: the output is %+v, made of %+v", c.name, out, plain.Record)
		}
	}
}
