package pilot

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// written is a pilot as Judge makes it: two items, two groups of two in each of twelve steps.
func written(t *testing.T) *Result {
	t.Helper()
	in := Input{Range: stat.Range{Hi: 1}, Looks: []Planned{{10, 40}, {20, 80}, {40, 2560}}}
	for _, id := range []string{"a", "b"} {
		in.Train = append(in.Train, Item{ID: id, Rewards: []float64{0, 1}})
		for step := 1; step <= 12; step++ {
			in.Groups = append(in.Groups, Group{Step: step, Item: id, Name: id, Rewards: []float64{0, 1}})
		}
	}
	r, err := Judge(in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAPilotIsReadBack(t *testing.T) {
	text, err := json.Marshal(written(t))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(r); err != nil || !bytes.Equal(again, text) {
		t.Errorf("read back it is %s, want %s (%v)", again, text, err)
	}
}

func TestWhatIsNoPilotIsRefused(t *testing.T) {
	const good = `{"schema":"gonogo/pilot/1","verdict":{"answer":"GO"},"exit_code":0,"reward_range":[0,1],` +
		`"planned":[{"step":10}],"look_steps":[10],"looks":[{"verdict":{"answer":"GO"}}],"curves":[{"name":"r","steps":[1],"values":[0]}]}`
	for what, c := range map[string]struct{ old, new, want string }{
		"another schema":            {"pilot/1", "result/2", `the pilot has schema "gonogo/result/2" and this version reads "gonogo/pilot/1"`},
		"another schema and type":   {`pilot/1","verdict":{"answer":"GO"}`, `pilot/2","verdict":"GO"`, `schema "gonogo/pilot/2"`},
		"no object":                 {good, `[1]`, "cannot unmarshal array"},
		"an answer that is none":    {`"answer":"GO"},"exit`, `"answer":"MAYBE"},"exit`, `"MAYBE" is no answer`},
		"a look without an answer":  {`[{"verdict":{"answer":"GO"}}]`, `[{}]`, `"" is no answer`},
		"an exit code of another":   {`"exit_code":0`, `"exit_code":3`, "the answer GO and the exit code 3 contradict each other"},
		"a range without width":     {`[0,1],"planned`, `[1,1],"planned`, "the reward range is empty"},
		"looks that nobody planned": {`[{"step":10}],"look_steps":[10]`, `[],"look_steps":[]`, "it has more looks (1) than were planned (0)"},
		"looks without steps":       {`"look_steps":[10]`, `"look_steps":[]`, "it has 0 steps of looks for 1 planned"},
		"a curve cut short":         {`"values":[0]`, `"values":[]`, `curve "r" has 1 steps and 0 values`},
	} {
		_, err := Decode(strings.NewReader(strings.Replace(good, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasSuffix(err.Error(), "run gonogo pilot again") {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	if _, err := Decode(strings.NewReader(good)); err != nil {
		t.Error(err)
	}
}

func TestWithoutTextsNamesNothingOfTheLog(t *testing.T) {
	r := written(t)
	r.Matching.Named = []string{"a prompt"}
	r.Notes = []message.Text{message.ForeignText("an answer"), message.Verbatim("a note")}
	bare := r.WithoutTexts()
	if len(bare.Matching.Named) != 0 || bare.Notes[0].String() != "[9 characters]" || bare.Notes[1].String() != "a note" {
		t.Errorf("it says %v, %v", bare.Matching.Named, bare.Notes)
	}
	if len(r.Matching.Named) != 1 || r.Notes[0].String() != "an answer" {
		t.Error("the original changed")
	}
}
