package importer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// The list may stand anywhere in the objects around it, or nowhere.
func TestArrayWithinObjects(t *testing.T) {
	for file, want := range map[string]string{
		`{"x":NaN,"r":{"a":1,"r":[1,{"r":2},NaN],"b":{"r":[9]}},"y":[3]}`: "x=null r.a=1 1 {\"r\":2} null r.b={\"r\":[9]} y=[3]",
		`{"r":{"r":[]},"r2":1}`:         "r2=1",
		`{"r":{"r":null,"a":1}}`:        "r.a=1",
		`{"r":null,"a":1}`:              "a=1",
		`{}`:                            "",
		`{"r":{"r":[1]},"r":{"r":[2]}}`: "1 ! log.json:1: byte 19: \"r\" occurs twice",
		`{"r":{"r":[1],"r":[2]}}`:       "1 ! log.json:1: byte 18: \"r.r\" occurs twice",
		`{"r":[1]}`:                     "! log.json:1: byte 5: \"r\" must be an object",
		`{"r":{"r":{}}}`:                "! log.json:1: byte 10: \"r.r\" must be a list",
		`{"r":{"r":[1`:                  "1 ! log.json:1: byte 12: entry 1: the file ends within it: it was cut off",
		`{"r":{"r":[1]`:                 "1 ! log.json:1: byte 13: the file ends too early: it was cut off",
		`{"r":{"r":[1]},}`:              "1 ! log.json:1: byte 15: broken JSON: invalid character '}' looking for beginning of object key string",
		`{"r":{"r":[1]}} x`:             "1 ! log.json:1: byte 16: there is more text after its end",
	} {
		var got []string
		a, err := openArrayIn(text(file).Files[0], []string{"r", "r"}, func(key string, value json.RawMessage) error {
			got = append(got, key+"="+string(value))
			return nil
		})
		for err == nil {
			var raw json.RawMessage
			if raw, err = a.next(context.Background()); err == nil {
				got = append(got, string(raw))
			}
		}
		if !errors.Is(err, io.EOF) {
			got = append(got, "! "+err.Error())
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s:\n got %s\nwant %s", file, s, want)
		}
	}
}
