package dataset

import (
	"testing"

	"gonogo/sampler/rollout"
)

// A field is guessed where every row has it as text or a number, with values that fit.
func TestGuessFields(t *testing.T) {
	file := func(rows ...string) []*File {
		f := &File{}
		for _, row := range rows {
			f.Items = append(f.Items, rollout.Item{Row: []byte(row)})
		}
		return []*File{f}
	}
	for _, c := range []struct {
		files []*File
		want  Options
	}{
		{
			file(`{"question_id":1,"topic":"a","document":"x"}`, `{"question_id":2,"topic":"b","document":"y"}`, `{"question_id":3,"topic":"a","document":"x"}`),
			Options{IDField: "question_id", CategoryField: "topic", FamilyField: "document"},
		},
		{file(`{"id":"a","uid":"u","family":"f"}`, `{"id":"a","uid":"v","family":"f"}`), Options{IDField: "uid"}}, // ids repeat, one family is none
		{file(`{"id":"a","type":["x"]}`, `{"id":"b","type":["y"]}`), Options{IDField: "id"}},                      // a list is not a label
		{file(`{"id":null}`), Options{}},
	} {
		if got := GuessFields(c.files); got != c.want {
			t.Errorf("%s: guessed %+v, want %+v", c.files[0].Items[0].Row, got, c.want)
		}
	}
}
