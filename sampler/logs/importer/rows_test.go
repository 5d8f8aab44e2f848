package importer

import (
	"fmt"
	"reflect"
	"testing"
)

// A row that is decoded in one pass is the row that is decoded member by member.
func FuzzDecodeRow(f *testing.F) {
	for _, text := range []string{
		`{"example_id":1,"prompt":"q","completion":[],"reward":NaN,"metrics":{"a":1},"error":"e","timing":{"total":3}}`,
		`{"metrics":{"a":1},"metrics":{"b":2},"token_usage":{"input_tokens":1},"token_usage":{"output_tokens":2},"reward":1,"reward":null}`,
		`{"error":"429","Error":"x","status":"failed","is_completed":null,"is_completed":true,"model":"m","gonogo":{"item":"a"}}`,
		`{"results":[{"name":"g","score":NaN,"error":"x"},{"name":"g","sample":{"error":{"code":1}}}],"sample":{"input":[{"role":"user","content":"q"}]}}`,
		`{"traces":[{"agent":{"name":"a"},"rewards":{"r":null},"timing":{"a":1},"info":{"x":1},"error":"b"}],"task":{"key":"k"},"errors":[{"type":"t"}]}`,
		`{"steps":[{"ob_len":1,"metrics":{"a":1}}],"turns":[{"role":"user","content":"q"}],"Params":{"input":1},"-":1,"reward":1}`,
		`null`, `[]`, `{`, `{"reward":1}}`, `{"is_completed":"yes"}`, `{"metrics":{"a":"b"}}`, `{"steps":{}}`, ` {"a":1} `, `{"\u0072eward":1}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, rows := range [][2]any{
			{new(verifiersRow), new(verifiersRow)},
			{new(outputItem), new(outputItem)},
			{new(episode), new(episode)},
			{new(tinkerRow), new(tinkerRow)},
			{new(nemoRow), new(nemoRow)},
			{new(everyEvalRow), new(everyEvalRow)},
		} {
			err, fault := decodeInto(text, rows[0]), decodeMembers(text, rows[1])
			if fmt.Sprint(err) != fmt.Sprint(fault) || err == nil && !reflect.DeepEqual(rows[0], rows[1]) {
				t.Errorf("%q: %+v, %v; want %+v, %v", text, rows[0], err, rows[1], fault)
			}
		}
	})
}
