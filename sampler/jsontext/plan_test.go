package jsontext

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type planInner struct {
	Role  string `json:"role"`
	Depth int8   `json:"depth"`
}

type planSample struct {
	planInner
	Text   string                     `json:"text"`
	Word   planWord                   `json:"word"`
	Number float64                    `json:"number"`
	Small  float32                    `json:"small"`
	Count  *int64                     `json:"count"`
	Yes    *bool                      `json:"yes"`
	Raw    json.RawMessage            `json:"raw"`
	Raws   []json.RawMessage          `json:"raws"`
	Lists  [][]string                 `json:"lists"`
	ByName map[string]json.RawMessage `json:"by_name"`
	Inner  map[string]planInner       `json:"inner"`
	Index  map[int]string             `json:"index"`
	Any    any                        `json:"any"`
	Time   time.Time                  `json:"time"`
	Exact  json.Number                `json:"exact"`
	Bytes  []byte                     `json:"bytes"`
	Kids   []planSample               `json:"kids"`
	Kid    *planSample                `json:"kid"`
	Depth  string                     `json:"role2"`
	Quoted struct {
		N int `json:",string"`
	} `json:"quoted"`
	Fixed [2]int `json:"fixed"`
}

type planWord string

// What is decoded in one pass is what encoding/json decodes, and a text that is not leaves a zero value.
func FuzzPlan(f *testing.F) {
	for _, text := range []string{
		`{"role":"a","depth":3,"text":"b\u00e9\"","word":"w","number":1e3,"small":0.1,"count":5,"yes":true}`,
		`{"raw":{"a":[1, 2]},"raws":[1,"a",null,{}],"lists":[[],["a","b","c","d","e"],null],"by_name":{"a":1,"a":2,"b":null}}`,
		`{"inner":{"x":{"role":"a"},"x":{"depth":1},"y":null},"index":{"1":"a"},"any":{"a":[1,null]},"time":"2026-01-02T03:04:05Z"}`,
		`{"exact":1.50,"bytes":"aGk=","kids":[{"text":"a","kids":[]},{"kid":{"text":"b"}},null],"role2":"d","quoted":{"N":"3"}}`,
		`{"kid":{"text":"a"},"kid":{"number":2},"kid":null,"kid":{"raw":null}}`, `{"lists":[["a"]],"lists":[["b"]]}`, `{"text":"a","text":null}`,
		`{"count":1.5}`, `{"count":null,"yes":null,"number":null,"depth":300}`, `{"small":1e39}`, `{"text":7}`, `{"fixed":[1,2]}`, `{"depth":-0}`,
		` { "a" : [ ] , "text" : "x" } `, `{"text":"x"}}`, `{"text":"x",}`, `null`, `[]`, `7`, `""`, ``, `{"text":"\ud800"}`, "{\"text\":\"\xff\"}",
		`{"any":` + strings.Repeat("[", 20) + strings.Repeat("]", 20) + `}`, `{"unknown":{"text":[1,{"a":tru}]}}`, `{"exact":"a"}`, `{"Kid":1}`,
	} {
		f.Add([]byte(text))
	}
	same := cmp.AllowUnexported(planSample{})
	f.Fuzz(func(t *testing.T, text []byte) {
		var got, want planSample
		err, fault := Unmarshal(text, &got), unmarshal(text, &want)
		if fmt.Sprint(err) != fmt.Sprint(fault) || !cmp.Equal(got, want, same) {
			t.Errorf("%q: %v, %v %s", text, err, fault, cmp.Diff(want, got, same))
		}
	})
}

// A quoted number after other options, and a nil value, are as encoding/json has them.
func TestUnusualFieldsAreDecodedAsByEncodingJSON(t *testing.T) {
	type number struct {
		N int `json:"n,omitempty,string"`
	}
	var got, want, unquoted, plain number
	err, fault := Unmarshal([]byte(`{"n":"3"}`), &got), json.Unmarshal([]byte(`{"n":"3"}`), &want)
	if fmt.Sprint(err) != fmt.Sprint(fault) || got != want {
		t.Errorf("%+v, %v; want %+v, %v", got, err, want, fault)
	}
	err, fault = Unmarshal([]byte(`{"n":3}`), &unquoted), json.Unmarshal([]byte(`{"n":3}`), &plain)
	if fmt.Sprint(err) != fmt.Sprint(fault) || unquoted != plain {
		t.Errorf("%+v, %v; want %+v, %v", unquoted, err, plain, fault)
	}
	if text, err := AppendCompact([]byte("x"), nil); string(text) != "xnull" || err != nil {
		t.Errorf("nil becomes %s, %v", text, err)
	}
}

// A value is compacted as encoding/json compacts a json.RawMessage.
func FuzzAppendCompact(f *testing.F) {
	for _, text := range []string{
		`{"a": [1, "x\"  y\\"], "b" : null }`, `"<a href=\"x\">&amp;"`, "\"\u2028\u2029\u2030é\xff<\"", ` 7 `, `{`, ``, `"\u003c"`, "[\t{\r\n}]", `"\`, "[{\"a<\":\"x\u2028<é’&\"},\"\xe2\x80\"]",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := AppendCompact(nil, text)
		want, fault := json.Marshal(json.RawMessage(text))
		if fmt.Sprint(err) != fmt.Sprint(fault) || err == nil && string(got) != string(want) {
			t.Errorf("%q: %s, %v; want %s, %v", text, got, err, want, fault)
		}
	})
}
