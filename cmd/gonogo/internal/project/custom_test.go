package project

import (
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/rollout"
)

func itemsOf(t *testing.T, rows ...string) []rollout.Item {
	t.Helper()
	items := make([]rollout.Item, len(rows))
	for i, row := range rows {
		items[i] = rollout.Item{ID: string(rune('a' + i)), Split: rollout.Train, Row: []byte(row)}
		if err := items[i].Decode(); err != nil {
			t.Fatal(err)
		}
	}
	return items
}

func check(t *testing.T, reference string) sampler.Grader {
	t.Helper()
	g, err := grader.New(grader.Kinds(), []byte(`{"type":"string_check","name":"g","operation":"eq","input":"{{sample.output_text}}","reference":"`+reference+`"}`), grader.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestAReferenceIsFoundByTemplateGraderOrField(t *testing.T) {
	items := itemsOf(t, `{"messages":[{"role":"user","content":"q"}],"gold":"4","also":"four","reference_answer":"IV"}`)
	for _, c := range []struct{ template, grader, want, err string }{
		{"{{item.also}}", "{{item.gold}}", "four", ""},
		{"also", "{{item.gold}}", "four", ""},
		{"missing", "", "", "no item has it"},
		{"", "{{item.gold}}", "4", ""},
		{"", "constant", "constant", ""},
		{"", "{{item.missing}}", "IV", ""},
		{"{{item.missing}}", "", "", "no item has it"},
		{"{{sample.output_text}}", "", "", "reads sample.output_text: a reference may use only the item"},
		{"{{item.", "", "", "template"},
	} {
		find, err := customReference(check(t, c.grader), c.template, items)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) && c.err != "template" {
				t.Errorf("%q: %v, want %s", c.template, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if ref, ok := find(&items[0]); !ok || ref.Text != c.want {
			t.Errorf("%q, %q: %+v, want %s", c.template, c.grader, ref, c.want)
		}
	}
}

func TestAProbeThatNamesWhatNoItemHasIsRefused(t *testing.T) {
	items := itemsOf(t, `{"messages":[{"role":"user","content":"q"}],"gold":"4"}`)
	for template, want := range map[string]string{
		"xyzzy {{item.gold}}": "", "{{ reference }}!": "", "{{item.silver}}": "template: no item has it", "{{item.": "template: ",
	} {
		_, err := customProbe(audit.Custom{Name: "p", Expect: rollout.Bottom, Template: template}, grader.All, items)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", template, err, want)
		}
	}
	if text, err := renderProbe(grader.All, "say {{item.gold}} after {{sample.output_text}}", &items[0], &rollout.Record{Answer: "three"}); err != nil || text != "say 4 after three" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestADetectorIsOneOfThree(t *testing.T) {
	for _, c := range []struct {
		d      audit.CustomDetector
		judges int
		err    string
	}{
		{audit.CustomDetector{Name: "d", Regex: "import reference"}, 0, ""},
		{audit.CustomDetector{Name: "d", Judge: "Is it a hack?", Model: "m"}, 1, "judge"}, // no judge is here
		{audit.CustomDetector{Name: "d"}, 0, "d"},
		{audit.CustomDetector{Name: "d", Regex: "("}, 0, "d"},
	} {
		made, err := customDetector(c.d, grader.Env{})
		if c.err == "" && (err != nil || made.Judges != c.judges || made.Name != "d") || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%+v: %+v, %v", c.d, made, err)
		}
	}
}
