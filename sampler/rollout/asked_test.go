package rollout

import (
	"strings"
	"testing"

	"gonogo/sampler/rollout/prompt"
)

func TestPromptOfARecord(t *testing.T) {
	of := func(line string) prompt.Identity {
		for _, lean := range []bool{false, true} {
			d, err := decodeRecord([]byte(line), decoding{lean: lean})
			if err != nil {
				t.Fatal(err)
			}
			if p := d.rec.Prompt(nil); lean {
				return p
			} else if whole, _ := decodeRecord([]byte(line), decoding{lean: true}); whole.rec.Prompt(nil) != p {
				t.Errorf("%s: a lean reading shows another prompt", line)
			}
		}
		return prompt.Identity{}
	}
	asked := of(`{"item":"q","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Add 1."},{"role":"assistant","content":"2"},{"role":"user","content":"And 2?"}]}`)
	if asked.Sum == 0 || asked.Text != "Add 1." {
		t.Errorf("messages before the first turn: %+v", asked)
	}
	if p := of(`{"item":"q","messages":[{"role":"assistant","content":"2"}]}`); p != (prompt.Identity{}) {
		t.Errorf("a record without the prompt shows %+v", p)
	}
	if p := of(`{"item":"q","prompt":"Add 1."}`); p.Text != "Add 1." {
		t.Errorf("an unknown key prompt: %+v", p)
	}
	if a, b := of(`{"item":"q","prompt":[{"role":"user","content":"Add 1."}]}`), of(`{"item":"q","messages":[{"role":"user","content":"Add 1."}]}`); a != b {
		t.Errorf("as prompt %+v, as messages %+v", a, b)
	}
	if p := of(`{"item":"q","question":"` + strings.Repeat("x", 500) + ` the end"}`); !strings.HasSuffix(p.Text, "the end") || len(p.Text) > 120 {
		t.Errorf("a long one is shown as %q", p.Text)
	}
}

// A lean reading keeps the prompt whatever comes after it, and survives what is no message.
func TestPromptOfUnusualMessages(t *testing.T) {
	const ask = `{"role":"user","content":"Add 1."}`
	for _, c := range []struct {
		why, messages string
		known         bool
	}{
		{"a later message", `[` + ask + `,{"role":"assistant","content":"2"},{"role":"tool","content":7}]`, true},
		{"a later one that is no object", `[` + ask + `,{"role":"assistant","content":"2"},5]`, true},
		{"calls that are no objects", `[` + ask + `,{"role":"assistant","tool_calls":[5,{"id":1}]}]`, true},
		{"a role that is a number", `[{"role":5,"content":"Add 1."}]`, false},
		{"no object", `[5]`, false},
		{"no list", `5`, false},
		{"nothing", `[]`, false},
	} {
		d, err := decodeRecord([]byte(`{"item":"q","messages":`+c.messages+`}`), decoding{lean: true})
		if err != nil || (d.rec.Prompt(nil).Sum != 0) != c.known {
			t.Errorf("%s: the prompt is %+v, %v", c.why, d.rec.Prompt(nil), err)
		}
		if c.known && (d.rec.Said == 0 || d.rec.Prompt(nil) != PromptOf([]Message{{Role: "user", Content: "Add 1."}}, nil)) {
			t.Errorf("%s: the prompt is %+v", c.why, d.rec.Prompt(nil))
		}
	}
}

// A log that repeats a reply gives its calls new ids.
func TestIdsOfCallsAreNotSaid(t *testing.T) {
	said := func(id, args string) uint64 {
		d, err := decodeRecord([]byte(`{"item":"q","messages":[{"role":"assistant","content":"","tool_calls":[{"id":"`+id+`","type":"function","function":{"name":"f","arguments":"`+args+`"}}]},{"role":"tool","tool_call_id":"`+id+`","content":"ok"}]}`), decoding{lean: true})
		if err != nil {
			t.Fatal(err)
		}
		return d.rec.Said
	}
	if said("a", "1") == 0 || said("a", "1") != said("b", "1") || said("a", "1") == said("a", "2") {
		t.Error("the same words under other ids are not the same")
	}
}

// A line with a bare NaN is read in another way, and says the same.
func TestSaidWhileScannedIsSaidAfterwards(t *testing.T) {
	for _, messages := range []string{
		`[]`, `[ ]`, `5`, `[5]`, `[{"role":"user","content":"Add 1."} , {"role":"assistant","content":"2","tool_calls":[{"id":"a","x":[1]},7]},null]`,
		`[{"role":"assistant","tool_calls":5},{"role":"tool","tool_call_id":"a","content":[{"text":"ok"}]}]`,
	} {
		var read [2]decoded
		for i, reward := range []string{"null", "NaN"} {
			var err error
			line := `{"item":"q","reward":` + reward + `,"messages":` + messages + `}`
			if read[i], err = decodeRecord([]byte(line), decoding{lean: true}); err != nil {
				t.Fatal(err)
			}
		}
		a, b := read[0].rec, read[1].rec
		if a.Said != b.Said || a.Asked != b.Asked || (a.Said == 0) != (len(messages) < 3 || messages == "[ ]") {
			t.Errorf("%s: %d, %+v, and after a NaN %d, %+v", messages, a.Said, a.Asked, b.Said, b.Asked)
		}
	}
	for _, broken := range []string{`[`, `[{]`, `[5`, `[{"role":"user"},]`, `[{"role":"user"`} {
		if _, err := decodeRecord([]byte(`{"item":"q","messages":`+broken), decoding{lean: true}); err == nil {
			t.Errorf("%s is no list, and is read", broken)
		}
	}
}
