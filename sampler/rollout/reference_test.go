package rollout

import (
	"slices"
	"testing"
)

func TestTheReferenceOfARow(t *testing.T) {
	tests := []struct{ name, row, text, field string }{
		{"a string", `{"reference_answer":"4"}`, "4", "reference_answer"},
		{"the likeliest of several", `{"gold":"5","answer":"4"}`, "4", "answer"},
		{"an empty field is passed over", `{"reference_answer":"","answer":"4"}`, "4", "answer"},
		{"a value that is no string", `{"target": {"a": [1, 2]}}`, `{"a":[1,2]}`, "target"},
		{"what verl prepared", `{"data_source":"gsm8k","reward_model":{"style":"rule","ground_truth":72}}`, "72", "reward_model.ground_truth"},
		{"a field of the row before it", `{"answer":"4","reward_model":{"ground_truth":"5"}}`, "4", "answer"},
		{"verl's row without a truth", `{"reward_model":{"style":"model","ground_truth":""}}`, "", ""},
		{"null is none", `{"answer":null}`, "", ""},
		{"none", `{"messages":[]}`, "", ""},
		{"no object", `[1]`, "", ""},
	}
	for _, test := range tests {
		it := Item{Row: []byte(test.row)}
		text, field, ok := it.Reference()
		if text != test.text || field != test.field || ok != (field != "") {
			t.Errorf("%s: %q in %q", test.name, text, field)
		}
	}
	it := Item{Row: []byte(`{"aliases":["a",2,""],"alternatives":"b"}`)}
	if got := it.Accepted(); !slices.Equal(got, []string{"a", "2"}) {
		t.Errorf("accepted %q", got)
	}
}
