package jsontext

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type exactTree struct {
	Name string      `json:"name"`
	Kids []exactTree `json:"kids"`
}

type exactInner struct {
	Code string `json:"code"`
}

type exactSample struct {
	Content string                `json:"content"`
	Key     *int                  `json:"key"`
	Camel   string                `json:"testCase"`
	List    []exactInner          `json:"list"`
	ByName  map[string]exactInner `json:"by_name"`
	Pointer *exactInner           `json:"pointer"`
	Raw     json.RawMessage       `json:"raw"`
	Tree    exactTree             `json:"tree"`
	Hidden  string                `json:"-"`
	Plain   string
	exactInner
}

// A key in another case is another key, wherever it is and whichever comes first.
func TestKeysAreExact(t *testing.T) {
	for _, c := range []struct{ text, as string }{
		{`{"content":"a","Content":"b"}`, `{"content":"a"}`},
		{`{"Content":"b","content":"a"}`, `{"content":"a"}`},
		{`{"CONTENT":"b","content":"a","coNtent":"c"}`, `{"content":"a"}`},
		{` { "Content" : "b" , "other" : [1] } `, `{}`},
		{`{"content":"a","\u0043ontent":"b"}`, `{"content":"a"}`},
		{`{"\u0063ontent":"a","Content":"b"}`, `{"content":"a"}`},
		{`{"content":"a","Content":{"not":"a text"}}`, `{"content":"a"}`},
		{`{"content":"a \"Content\": in a text \\","Content":"b"}`, `{"content":"a \"Content\": in a text \\"}`},
		{`{"key":1,"KEY":2,"` + "\u212a" + `ey":3}`, `{"key":1}`},
		{`{"testCase":"a","testcase":"b","TestCase":"c"}`, `{"testCase":"a"}`},
		{`{"list":[{"code":"a","Code":"b"},{"Code":"b"},null],"List":[]}`, `{"list":[{"code":"a"},{},null]}`},
		{`{"by_name":{"Code":{"code":"a","Code":"b"},"code":{"CODE":"b"}}}`, `{"by_name":{"Code":{"code":"a"},"code":{}}}`},
		{`{"pointer":{"Code":"b","code":"a"},"Pointer":null}`, `{"pointer":{"code":"a"}}`},
		{`{"raw":{"Content":"b","content":[1, 2]},"RAW":1}`, `{"raw":{"Content":"b","content":[1, 2]}}`},
		{`{"tree":{"Name":"b","name":"a","kids":[{"name":"a","KIDS":[{}],"kids":[{"Name":"b"}]}]}}`, `{"tree":{"name":"a","kids":[{"name":"a","kids":[{}]}]}}`},
		{`{"code":"a","Code":"b"}`, `{"code":"a"}`},
		{`{"Plain":"a","plain":"b"}`, `{"Plain":"a"}`},
		{`{"Hidden":"b","hidden":"b"}`, `{}`},
		{`null`, `null`},
	} {
		var got, want exactSample
		if err := Unmarshal([]byte(c.text), &got); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		if err := json.Unmarshal([]byte(c.as), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(exactSample{})); diff != "" {
			t.Errorf("%s is not read as %s (-want +got):\n%s", c.text, c.as, diff)
		}
	}
}

// What is not about the case of a key is as encoding/json has it.
func FuzzUnmarshal(f *testing.F) {
	for _, text := range []string{
		`{"content":"a","list":[{"code":"x"}]}`, `{"content":5}`, `{"content":"a"`, `{"a":"\"}`, `[1]`, `"text"`, `{"raw":[}`, "{\"\xff\":1,\"tree\":{}}", `{"tree":{"kids":[[]]}}`, `{"Content":"x\\"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var got, want exactSample
		err, fault := Unmarshal(text, &got), json.Unmarshal(text, &want)
		if keysOf(reflect.TypeFor[exactSample]()).resemble(text) {
			return // where they may differ
		}
		if fmt.Sprint(err) != fmt.Sprint(fault) || !cmp.Equal(got, want, cmp.AllowUnexported(exactSample{})) {
			t.Errorf("%q: %v, %v %s", text, err, fault, cmp.Diff(want, got, cmp.AllowUnexported(exactSample{})))
		}
	})
}
