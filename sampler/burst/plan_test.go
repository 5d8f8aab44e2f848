package burst_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/burst"
	"gonogo/sampler/rollout"
)

func TestAPlanReplaysEachRolloutsOwnCallsInOrder(t *testing.T) {
	in := recorded(6)
	in.Batch = 3
	p := plan(t, in)
	if len(p.Scripts) != 12 || p.Calls != 24 || len(p.Notes) > 0 {
		t.Fatalf("%d rollouts, %d calls, notes %q", len(p.Scripts), p.Calls, p.Notes)
	}
	for i, s := range p.Scripts {
		if s.Item.ID != p.Scripts[i/4*4].Item.ID || s.Record.Sample != i%4 {
			t.Errorf("rollout %d is %s, sample %d: a group is one item", i, s.Item.ID, s.Record.Sample)
		}
		var item int
		_, _ = fmt.Sscanf(s.Item.ID, "q%d", &item)
		for k, turn := range s.Turns {
			want := burst.Call{Name: "search", Arguments: fmt.Sprintf(`{"q":"%d %d %d"}`, item, i%4, k)}
			if d := cmp.Diff([]burst.Call{want}, turn.Calls); d != "" {
				t.Errorf("rollout %d, turn %d (-want +got):\n%s", i, k, d)
			}
		}
		if s.Turns[0].Gap != time.Second || s.Turns[1].Gap != 2*time.Second {
			t.Errorf("gaps %v and %v", s.Turns[0].Gap, s.Turns[1].Gap)
		}
	}
	if d := cmp.Diff(p.Scripts[3].Turns, plan(t, in).Scripts[3].Turns); d != "" {
		t.Error("the same input gives another plan")
	}
	in.Seed = 2
	same := true
	for i, s := range plan(t, in).Scripts {
		same = same && s.Item.ID == p.Scripts[i].Item.ID
	}
	if same {
		t.Error("another seed draws the same items")
	}
}

func TestWhatIsNotReplayed(t *testing.T) {
	in := burst.Input{Group: 1, Batch: 1, Items: []rollout.Item{{ID: "a", Split: rollout.Eval}}, Tools: []burst.Tool{{Name: "read"}, {Name: "write", Skip: true}}}
	call := func(turn int, name string, status rollout.CallStatus) rollout.Call {
		return rollout.Call{Turn: turn, Name: name, Status: status}
	}
	in.Records = recordsOf([]*rollout.Record{
		{Item: "b", Split: rollout.Eval, Outcome: rollout.ToolFailed, Calls: []rollout.Call{call(0, "read", rollout.CallFailed)}},
		{Item: "a", Split: rollout.Eval, Outcome: rollout.NoAnswer, Calls: []rollout.Call{
			call(0, "read", rollout.CallOK), call(0, "read", rollout.CallMalformed), call(0, "gone", rollout.CallMalformed),
			call(0, "read", rollout.CallError), call(1, "write", rollout.CallOK), call(2, "read", rollout.CallOK),
		}},
	})
	p := plan(t, in)
	read := burst.Call{Name: "read", Arguments: "{}"}
	refused := read
	refused.Refused = true
	want := []burst.Turn{{Calls: []burst.Call{read, refused}}, {Calls: []burst.Call{read}}}
	if d := cmp.Diff(want, p.Scripts[0].Turns); d != "" {
		t.Errorf("calls of one turn go out together, without those that never reached a tool (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"tool write is not called: burst.skip names it"}, p.Notes); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"read"}, p.Unsafe(in.Tools)); d != "" {
		t.Error(d)
	}
}

const schemas = `[{"type":"function","function":{"name":"find","parameters":{"type":"object","properties":{"q":{"type":"string","minLength":3,"maxLength":12},"n":{"type":"integer","minimum":1,"maximum":20}},"required":["q","n"],"additionalProperties":false}}},{"type":"function","name":"ping"}]`

func TestArgumentsAreMadeForSafeToolsAlone(t *testing.T) {
	row := json.RawMessage(`{"messages":[{"role":"user","content":"Where is Halvorsen Tools?"}],"tools":` + schemas + `}`)
	it := rollout.Item{ID: "a", Split: rollout.Train, Row: row}
	if err := it.Decode(); err != nil {
		t.Fatal(err)
	}
	in := burst.Input{Group: 2, Batch: 2, Items: []rollout.Item{it}, Tools: []burst.Tool{{Name: "find", Safe: true}, {Name: "drop"}, {Name: "ping", Safe: true}, {Name: "other", Safe: true}}}
	p := plan(t, in)
	if len(p.Scripts) != 4 || len(p.Scripts[0].Turns) != 2 {
		t.Fatalf("the plan is %+v", p)
	}
	var args struct {
		Q string
		N int
	}
	first := p.Scripts[0].Turns[0].Calls[0]
	if err := json.Unmarshal([]byte(first.Arguments), &args); err != nil || !first.Generated || args.N < 1 || args.N > 20 || len(args.Q) < 3 || !strings.Contains("Where is Halvorsen Tools", strings.Fields(args.Q)[0]) {
		t.Errorf("the call is %+v", first)
	}
	if second := p.Scripts[0].Turns[1].Calls[0]; second.Name != "ping" || second.Arguments != "{}" {
		t.Errorf("a tool without parameters is called with %+v", second)
	}
	notes := []string{
		"items of train with something to replay: 1, fewer than the 2 of a step; they are replayed more than once",
		"tool drop is not called: no call of it is recorded, and burst.safe does not name it",
		"tool other is not called: no call of it is recorded, and no row has its schema",
	}
	if d := cmp.Diff(notes, p.Notes); d != "" {
		t.Error(d)
	}
	if names := p.Unsafe(in.Tools); len(names) > 0 {
		t.Errorf("%q would be called without being safe", names)
	}
}

func TestAPlanRefuses(t *testing.T) {
	one := []rollout.Item{{ID: "a", Split: rollout.Train}}
	for what, in := range map[string]burst.Input{
		"no rollout":      {Items: one, Grade: true},
		"no item":         {Group: 1, Batch: 1, Grade: true},
		"nothing to call": {Group: 1, Batch: 1, Items: one, Tools: []burst.Tool{{Name: "a"}}},
	} {
		if _, err := burst.NewPlan(t.Context(), in); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}
