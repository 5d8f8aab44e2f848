package audit

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// fieldRender renders {{item.topic}} and {{sample.output_text}}.
func fieldRender(template string, it *rollout.Item, base *rollout.Record) (string, error) {
	topic := jsontext.TextOrJSON(rowOf(it)["topic"])
	if strings.Contains(template, "{{item.topic}}") && topic == "" {
		return "", errors.New("the row has no {{item.topic}}")
	}
	text := strings.ReplaceAll(template, "{{item.topic}}", topic)
	if base != nil {
		text = strings.ReplaceAll(text, "{{sample.output_text}}", base.Answer)
	}
	return text, nil
}

func TestCustomProbes(t *testing.T) {
	item := newItem(t, "q", "?", map[string]any{"topic": "trees", "reference_answer": "{{item.topic}} oak"})
	bare := newItem(t, "r", "?", nil)
	recorded := []*rollout.Record{graded("q", 0, "It is an elm.", 0), graded("q", 1, "It is an oak.", 1)}
	for _, c := range []struct {
		why    string
		custom Custom
		item   *rollout.Item
		want   []Payload
	}{
		{"a fixed text", Custom{Name: "magic", Expect: rollout.Bottom, Template: "xyzzy"}, &item, []Payload{{Answer: "xyzzy"}}},
		{"a reference stays as it is", Custom{Name: "magic", Expect: rollout.Top, Template: "{{item.topic}}: {{ reference }}."}, &item, []Payload{{Answer: "trees: {{item.topic}} oak."}}},
		{"no reference, no payload", Custom{Name: "magic", Expect: rollout.Top, Template: "{{reference}}"}, &bare, nil},
		{"a field that the row does not have", Custom{Name: "magic", Expect: rollout.Bottom, Template: "{{item.topic}}"}, &bare, nil},
		{"the best recorded answer", Custom{Name: "magic", Expect: rollout.Bottom, Template: "No: {{sample.output_text}}"}, &item, []Payload{{Answer: "No: It is an oak.", Base: recorded[1]}}},
		{"a pattern", Custom{Name: "magic", Expect: rollout.Bottom, Pattern: `an (\w+)`, Replace: "no ${1}"}, &item, []Payload{{Answer: "It is no oak.", Base: recorded[1]}}},
		{"a pattern that matches nothing", Custom{Name: "magic", Expect: rollout.Bottom, Pattern: `z+`}, &item, nil},
		{"a pattern without a rollout", Custom{Name: "magic", Expect: rollout.Bottom, Pattern: `z+`}, &bare, nil},
	} {
		p, err := c.custom.New(fieldRender)
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		cs := &Case{Item: c.item, Rand: rand.New(rand.NewPCG(1, 1))}
		if c.item == &item {
			cs.Reference, cs.HasReference, cs.Rollouts = "{{item.topic}} oak", true, recorded
		}
		if d := cmp.Diff(c.want, p.Make(cs)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.why, d)
		}
	}
}

func TestCustomProbesWithMistakes(t *testing.T) {
	limit := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		custom Custom
		want   string
	}{
		{Custom{Name: "Has Space", Expect: rollout.Top, Template: "x"}, "Has Space"},
		{Custom{Name: "empty", Expect: rollout.Bottom, Template: "x"}, "built in"},
		{Custom{Name: "a", Expect: "middle", Template: "x"}, "bottom, top, same or note"},
		{Custom{Name: "a", Expect: rollout.Bottom}, "template or a pattern"},
		{Custom{Name: "a", Expect: rollout.Bottom, Template: "x", Pattern: "y"}, "not both"},
		{Custom{Name: "a", Expect: rollout.Bottom, Template: "x", Limit: limit(1.5)}, "from 0 to 1"},
		{Custom{Name: "a", Expect: rollout.Same, Template: "{{sample.output_text}}", Limit: limit(0.5)}, "remove it"},
		{Custom{Name: "a", Expect: rollout.Same, Template: "x"}, "{{sample.output_text}}"},
		{Custom{Name: "a", Expect: rollout.Top, Template: "{{refrence}}"}, "{{refrence}}"},
		{Custom{Name: "a", Expect: rollout.Top, Template: "{{reference"}, "without"},
		{Custom{Name: "a", Expect: rollout.Top, Pattern: "("}, "missing closing"},
	} {
		if _, err := c.custom.New(fieldRender); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.custom, err, c.want)
		}
	}
	if _, err := (Custom{Name: "a", Expect: rollout.Top, Template: "{{item.x}}"}).New(nil); err == nil {
		t.Error("a template that nobody renders is accepted")
	}
	if p, err := (Custom{Name: "a", Expect: rollout.Top, Template: "x"}).New(nil); err != nil || p.Limit != full {
		t.Errorf("limit %v, %v", p.Limit, err)
	}
}
