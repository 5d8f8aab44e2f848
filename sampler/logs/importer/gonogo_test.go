package importer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

func TestGonogo(t *testing.T) {
	src := text("\uFEFF" + `{"item":7,"reward":NaN,"mine":1}
{"item":7,"reward":1,"split":"train","source":"live"}
{"item":8,"sample":0,"reward":1}
{"item":8,"sample":0,"reward":1}
{"item":8,"sa`)
	src.Options.Split = rollout.Eval
	var g got
	f, err := Import(context.Background(), Formats(), "", src, g.sink())
	if err != nil || f.Name != "gonogo" || len(g.records) != 3 {
		t.Fatalf("format %q, %d records, error %v", f.Name, len(g.records), err)
	}
	r := g.records
	if r[0].Outcome != rollout.GraderFailed || r[0].Split != rollout.Eval || r[0].Item != "7" || string(r[0].Extra["mine"]) != "1" || r[0].Source != rollout.Import {
		t.Errorf("first record is %+v", r[0])
	}
	if r[1].Split != rollout.Train || r[1].Source != rollout.Live {
		t.Errorf("second record is %+v", r[1])
	}
	notes := strings.Join(g.notes, "\n")
	for _, want := range []string{"without a split is eval", "1 exact duplicate", "incomplete", "line 1: reward is NaN"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes lack %q:\n%s", want, notes)
		}
	}
}

func TestGonogoNotesSeveralSteps(t *testing.T) {
	for lines, want := range map[string]bool{
		`{"item":"a","step":0,"reward":1}` + "\n" + `{"item":"a","step":20,"reward":0}`:  true,
		`{"item":"a","step":20,"reward":1}` + "\n" + `{"item":"a","step":20,"reward":0}`: false,
		`{"item":"a","reward":1}`: false,
	} {
		_, g, err := importText(t, "gonogo", lines+"\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(g.notes, "\n"), "rollouts are from 2 steps"); got != want {
			t.Errorf("%s: notes are %q", lines, g.notes)
		}
	}
}

// The calls in the messages of plain lines were passed over: a tool that answers with
// errors left no trace.
func TestCallsInTheMessagesOfPlainLines(t *testing.T) {
	const talk = `"messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"sql","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"c","content":"Error: no such column"},{"role":"assistant","content":"4"}]`
	for why, c := range map[string]struct {
		line  string
		calls []string // names and outputs
		turns int
	}{
		"messages":               {`{"item":"q","reward":1,` + talk + `}`, []string{"sql: Error: no such column"}, 2},
		"messages and turns":     {`{"item":"q","reward":1,"turns":5,` + talk + `}`, []string{"sql: Error: no such column"}, 5},
		"calls win":              {`{"item":"q","reward":1,"calls":[{"name":"add","output":"4"}],` + talk + `}`, []string{"add: 4"}, 0},
		"no call in messages":    {`{"item":"q","reward":1,"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"4"}]}`, nil, 1},
		"calls as text":          {`{"item":"q","reward":1,"messages":[{"role":"assistant","content":"<call>add</call>"},{"role":"tool","content":"4"},{"role":"assistant","content":"4"}]}`, nil, 0},
		"calls as blocks":        {`{"item":"q","reward":1,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"add","input":{}}]},{"role":"assistant","content":"4"}]}`, nil, 0},
		"a prompt alone":         {`{"item":"q","reward":1,"messages":[{"role":"user","content":"q"}]}`, nil, 0},
		"a run of ours is whole": {`{"item":"q","reward":1,"source":"live",` + talk + `}`, nil, 0},
	} {
		_, g, err := importText(t, "gonogo", c.line+"\n")
		if err != nil || len(g.records) != 1 {
			t.Fatalf("%s: %v, %d records", why, err, len(g.records))
		}
		var calls []string
		for _, call := range g.records[0].Calls {
			calls = append(calls, call.Name+": "+call.Output)
		}
		if !slices.Equal(calls, c.calls) || g.records[0].Turns != c.turns {
			t.Errorf("%s: calls %q, %d turns", why, calls, g.records[0].Turns)
		}
	}
}

func TestGonogoConflicts(t *testing.T) {
	const lines = `{"item":"a","sample":0,"reward":1}
{"item":"a","sample":0,"reward":0}`
	if _, _, err := importText(t, "", lines); err == nil || !strings.Contains(err.Error(), "log.json:2: ") || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("error is %v, want both lines", err)
	}
	src := text(lines)
	src.Options.OnConflict = rollout.First
	var g got
	if _, err := Import(context.Background(), Formats(), "", src, g.sink()); err != nil || len(g.records) != 1 || *g.records[0].Reward != 1 {
		t.Errorf("settled by first: %d records, error %v", len(g.records), err)
	}
}

// Both lines were handed on, and the imported run was in conflict again.
func TestGonogoConflictsSettledByLast(t *testing.T) {
	src := text(`{"item":"a","sample":0,"reward":1}
{"item":"b","sample":0,"reward":1}
{"item":"a","sample":0,"reward":0.5}
{"item":"a","sample":0,"attempt":1,"reward":0.25}
{"item":"a","sample":0,"attempt":1,"reward":0}
`)
	src.Options.OnConflict = rollout.Last
	var g got
	if _, err := Import(context.Background(), Formats(), "", src, g.sink()); err != nil {
		t.Fatal(err)
	}
	seen := map[string]float64{}
	for _, r := range g.records {
		name := fmt.Sprintf("%s/%d/%d", r.Item, r.Sample, r.Attempt)
		if _, twice := seen[name]; twice {
			t.Errorf("%s is handed on twice", name)
		}
		seen[name] = *r.Reward
	}
	if seen["a/0/1"] != 0 || seen["a/0/0"] != 0.5 || seen["b/0/0"] != 1 {
		t.Errorf("rewards are %v, want those of the last lines", seen)
	}
}

// A broken file of ours is an error with its line, not an unknown format.
func TestGonogoBroken(t *testing.T) {
	for s, want := range map[string]string{
		"{\"item\":\"a\",\"reward\":1}\n{\"item\":\n\n":   "log.json:2: broken JSON",
		"{\"item\":\"a\",\"reward\":}\n":                  "log.json:1: broken JSON",
		"{\"item\":1.5,\"reward\":1}\n":                   "log.json:1: ",
		"{\"item\":\"a\",\"reward\":\"high\"}\n":          "log.json:1: ",
		"{\"item\":\"a\",\"reward\":1,\"split\":\"x\"}":   "log.json:1: unknown split",
		"{\"item\":\"a\",\"reward\":1}\n{\"reward\":1}\n": "log.json:2: \"item\" is missing",
	} {
		if f, _, err := importText(t, "", s); err == nil || f.Name != "gonogo" || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: format %q, error %v, want %q", s, f.Name, err, want)
		}
	}
}
