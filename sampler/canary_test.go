package sampler

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

func TestWhatARolloutMeets(t *testing.T) {
	own, a, b := rollout.Canary("trace_own"), rollout.Canary("trace_a"), rollout.Canary("trace_b")
	said := func(role, text string) []rollout.Message { return []rollout.Message{{Role: role, Content: text}} }
	for _, c := range []struct {
		what    string
		meet    func(e *episode)
		row     string
		leaks   []rollout.Leak
		planted bool
	}{
		{"nothing", func(e *episode) { e.look.inCalls([]rollout.Call{{Name: "search", Output: "canary_"}}) }, "", nil, false},
		{"its own, in a tool", func(e *episode) { e.look.inCalls([]rollout.Call{{Name: "search", Output: own}}) }, "", nil, true},
		{"its own, in what the model says, which is no place", func(e *episode) { e.look.inMessages(said("assistant", own), atModel) }, "", nil, false},
		{"another's, in a tool, and then in the answer", func(e *episode) {
			e.look.inCalls([]rollout.Call{{Name: "search", Output: "x " + a + own}})
			e.look.inMessages(said("assistant", a), atModel)
		}, "", []rollout.Leak{{Canary: a, At: "tool search"}}, true},
		{"another's, which its own row names", func(e *episode) { e.look.inCalls([]rollout.Call{{Name: "search", Output: a + b}}) }, `{"q": "` + b + `"}`, []rollout.Leak{{Canary: a, At: "tool search"}}, false},
		{"another's, in arguments", func(e *episode) {
			e.look.inMessages([]rollout.Message{{Role: "assistant", ToolCalls: []rollout.ToolCall{{Arguments: a}}}}, atModel)
		}, "", []rollout.Leak{{Canary: a, At: "model"}}, false},
		{"its own, in what an agent tells, which is no place", func(e *episode) {
			e.noteAgent(AgentResult{Output: own, Messages: said("assistant", own)}, ModelTraffic{Messages: said("user", own)})
		}, "", nil, false},
		{"what an agent tells", func(e *episode) {
			e.noteAgent(AgentResult{Output: "I remember " + a, Calls: []rollout.Call{{Name: "shell", Output: b}}}, ModelTraffic{})
		}, "", []rollout.Leak{{Canary: b, At: "tool shell"}, {Canary: a, At: "agent"}}, false},
		{"what an agent tells of its calls", func(e *episode) {
			e.noteAgent(AgentResult{Calls: []rollout.Call{{Name: "shell", Arguments: a, Error: "no " + b}}}, ModelTraffic{})
		}, "", []rollout.Leak{{Canary: a, At: "agent"}, {Canary: b, At: "agent"}}, false},
		{"what went through the model proxy", func(e *episode) {
			e.noteAgent(AgentResult{}, ModelTraffic{Messages: append(said("user", a), said("assistant", a+b)...)})
		}, "", []rollout.Leak{{Canary: a, At: "agent"}, {Canary: b, At: "model"}}, false},
		{"what lay in its place", func(e *episode) { e.look.inPlace(&RolloutSession{Found: []string{a, own, a}}) }, "", []rollout.Leak{{Canary: a, At: "session"}}, true},
	} {
		rec := &rollout.Record{}
		e := &episode{rec: rec, session: &session{}, look: lookout{own, []byte(c.row), rec}}
		c.meet(e)
		if diff := cmp.Diff(c.leaks, rec.Leaks); diff != "" || rec.Planted != c.planted {
			t.Errorf("%s: planted %t, leaks (-want +got):\n%s", c.what, rec.Planted, diff)
		}
	}
}

// A place that a thousand rollouts shared fills no record.
func TestLeaksAreBounded(t *testing.T) {
	rec := &rollout.Record{}
	look := lookout{own: rollout.Canary("trace_own"), rec: rec}
	for i := range 1000 {
		look.in(rollout.Canary(fmt.Sprint("trace_", i)), "tool ", "search")
	}
	look.in(look.own, "tool ", "search")
	if len(rec.Leaks) != rollout.MaxLeaksListed || !rec.Planted {
		t.Errorf("%d leaks, planted %t", len(rec.Leaks), rec.Planted)
	}
}

// Ten thousand rollouts that meet their own word, and others' mistyped, met no one.
func TestRolloutsApartAreNeverAccused(t *testing.T) {
	for i := range 10_000 {
		own, other := rollout.Canary(fmt.Sprint("trace_", i)), []byte(rollout.Canary(fmt.Sprint("trace_", i+1)))
		at := len("canary_") + i%32
		other[at] = "0123456789abcdef"[(i+int(other[at]))%16] // one digit, which in one of sixteen stays what it was
		if string(other) == rollout.Canary(fmt.Sprint("trace_", i+1)) {
			continue
		}
		rec := &rollout.Record{}
		look := lookout{own: own, rec: rec}
		look.in("notes: "+own+" "+string(other), "tool ", "search")
		if len(rec.Leaks) > 0 || !rec.Planted {
			t.Fatalf("rollout %d: %+v", i, rec.Leaks)
		}
	}
}
