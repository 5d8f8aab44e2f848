package importer

import (
	"errors"
	"strings"
	"testing"
)

func TestSniffKeys(t *testing.T) {
	long := `"long":"` + strings.Repeat("x", 2<<20) + `"`
	for name, tt := range map[string]struct {
		file string
		is   bool
	}{
		"a line with both":                {`{"a":1,"b":NaN}` + "\nmore", true},
		"a line with one":                 {`{"a":1,"c":2}` + "\n", false},
		"another case is another key":     {`{"A":1,"b":2}`, false},
		"a long line":                     {"{" + long + `,"a":1,"b":2}` + "\n", true},
		"written over several lines":      {"\uFEFF{\n \"a\": {\n  \"b\": 1},\n \"b\": 2\n}\n", true},
		"over lines, both within a look":  {"{\n \"a\": 1,\n \"b\": 2,\n" + long + "\n}\n", true},
		"over lines, one beyond the look": {"{\n \"a\": 1,\n " + long + ",\n \"b\": 2\n}\n", false},
		"over lines, of somebody else":    {"{\n \"b\": {\n  \"a\": 1},\n \"c\": 2\n}\n", false},
		"broken behind one of them":       {`{"a":1,"b"` + "\n", true},
		"broken before the first":         {`{"b":1,"d"`, false},
		"broken before":                   {`{"c":1,"d"`, false},
		"deeper only":                     {`{"c":{"a":1,"b":1}}`, false},
		"an array":                        {`[{"a":1,"b":1}]`, false},
		"nothing":                         {" \n", false},
	} {
		err := sniffKeys(text(tt.file).Files[0], "a", "b")
		if tt.is != (err == nil) || err != nil && !errors.Is(err, ErrUnrecognized) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
