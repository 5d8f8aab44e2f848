package jsonrows

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFindTellsWhereRowsAre(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want Shape
	}{
		"lines":                      {`{"q":1}` + "\n" + `{"q":2}`, Shape{Keys: []string{"q"}}},
		"one line":                   {`{"q":1}` + "\n", Shape{One: true, Keys: []string{"q"}}},
		"one line with messages":     {`{"messages":[{"role":"user"}],"id":1}`, Shape{One: true, Lists: [][]string{{"messages"}}, Keys: []string{"messages", "id"}}},
		"two lines with lists":       {`{"a":[{"b":1}]}{"a":[{"b":1}]}`, Shape{Keys: []string{"a"}}},
		"an array of objects":        {"\ufeff [\n {\"q\":1}]", Shape{Array: true}},
		"an array of numbers":        {"[1,2]", Shape{}},
		"an empty array":             {"[]", Shape{}},
		"a list below a key":         {`{"n":1,"text":"[{\"","items":[ {"q":1}]}`, Shape{One: true, Lists: [][]string{{"items"}}, Keys: []string{"n", "text", "items"}}},
		"a list below two keys":      {`{"a":{"b":[{}]},"c":[[{}]],"d":[1]}`, Shape{One: true, Lists: [][]string{{"a", "b"}}, Keys: []string{"a", "c", "d"}}},
		"two lists":                  {`{"a":[{}],"b":[{}]}`, Shape{One: true, Lists: [][]string{{"a"}, {"b"}}, Keys: []string{"a", "b"}}},
		"a key with dots and quotes": {`{"a.\"b":[{}]}`, Shape{One: true, Lists: [][]string{{`a."b`}}, Keys: []string{`a."b`}}},
		"an object cut off":          {`{"a":[{}],"b":`, Shape{Keys: []string{"a", "b"}}},
		"numbers that JSON has not":  {`{"a": NaN , "b":-Infinity}`, Shape{One: true, Keys: []string{"a", "b"}}},
		"prose":                      {"Dear reader,", Shape{}},
		"nothing":                    {"", Shape{}},
	} {
		got, err := Find(strings.NewReader(c.file))
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	if _, err := Find(iotest.ErrReader(io.ErrClosedPipe)); err != io.ErrClosedPipe {
		t.Errorf("a reader that fails: %v", err)
	}
}

func TestCommandsOfJQ(t *testing.T) {
	for want, path := range map[string][]string{
		"jq -c '.[]' FILE":               nil,
		"jq -c '.a.b[]' FILE":            {"a", "b"},
		`jq -c '.["a b"].c["1"][]' FILE`: {"a b", "c", "1"},
	} {
		if got := Command(path...); got != want {
			t.Errorf("%v: %s, want %s", path, got, want)
		}
	}
}

func lines(file string, path ...string) (string, error) {
	rd, err := NewReader(iotest.OneByteReader(strings.NewReader(file)), path...)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(iotest.OneByteReader(rd))
	return string(b), err
}

func TestRowsBecomeLines(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		path []string
		want string
	}{
		"rows over several lines": {"[\n  {\n\"a\": \"x, ]\\\"\"\n},\n{\"a\": NaN}\n]\n", nil, "   { \"a\": \"x, ]\\\"\" }\n {\"a\": NaN} \n"},
		"a list below a key":      {`{"n":[1,{"items":2}],"items":[{"a":[1,{}]},{"b":1}],"z":1}`, []string{"items"}, "{\"a\":[1,{}]}\n{\"b\":1}\n"},
		"a list below two keys":   {`{"x":{"b":[{"no":1}]},"a":{"b":[{"q":1}]}}`, []string{"a", "b"}, "{\"q\":1}\n"},
		"a comma at the end":      {`[{"a":1},]`, nil, "{\"a\":1}\n\n"},
	} {
		if got, err := lines(c.file, c.path...); got != c.want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for file, want := range map[string]string{
		`[{"a":1},{"a"`:      "the file ends within row 2: it was cut off",
		`[{"a":1}] {"b":1}`:  "there is more text after the end of the array",
		"[{\"a\":\"x\ny\"}]": "row 1: broken JSON: a line break in a string",
		`[{"a":1}}]`:         "row 1: broken JSON: a brace that closes nothing",
		`{"a":1}`:            "it is not a JSON array",
	} {
		if _, err := lines(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
}

// A list of any objects, written in any way, comes back as those objects.
func TestRowsAreUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.String())), 1, 5).Draw(t, "rows")
		file, err := json.MarshalIndent(map[string]any{"n": 1, "rows": rows}, "", rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		shape, err := Find(strings.NewReader(string(file)))
		if err != nil || !shape.One || len(shape.Lists) != 1 {
			t.Fatalf("%+v, %v", shape, err)
		}
		text, err := lines(string(file), shape.Lists[0]...)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			var got map[string][]string
			if err := json.Unmarshal([]byte(line), &got); err != nil || !cmp.Equal(got, rows[i]) {
				t.Fatalf("row %d: %v, %v", i, got, err)
			}
		}
	})
}

func FuzzRows(f *testing.F) {
	for _, seed := range []string{`[{"a":1}]`, `{"a":[{"b":1}]}`, `{"a"`, `[{"a":"\`, `{"a":1}{"b":2}`, "[{]}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		shape, err := Find(strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range append(shape.Lists, nil) {
			if rd, err := NewReader(strings.NewReader(file), path...); err == nil {
				if n, _ := io.Copy(io.Discard, rd); n > int64(len(file)) {
					t.Fatalf("%d bytes of %d", n, len(file))
				}
			}
		}
	})
}

// The walk over blocks ends where a walk byte by byte does, wherever the blocks end.
func TestBlocksEndAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{`"`, `\`, `\\`, `{`, `}`, `[`, `]`, `a`, ` `, `\"`, `:`}), 1, 40).Draw(t, "parts")
		text := rapid.SampledFrom([]string{`{`, `[`, `"`}).Draw(t, "first") + strings.Join(parts, "")
		var bytewise, blocks nesting
		want := 0
		for i := range len(text) {
			bytewise.add(text[i])
			if bytewise.depth == 0 && !bytewise.text {
				want = i + 1
				break
			}
		}
		blocks.add(text[0])
		at := 1
		for at < len(text) {
			end := min(len(text), at+rapid.IntRange(1, 8).Draw(t, "block"))
			n, ended := blocks.walk([]byte(text[at:end]))
			if at += n; ended {
				if at != want {
					t.Fatalf("%s: it ends at %d, want %d", text, at, want)
				}
				return
			}
			if at != end {
				t.Fatalf("%s: the block ends at %d, walked to %d", text, end, at)
			}
		}
		if want != 0 || blocks != bytewise {
			t.Fatalf("%s: no end, want %d; %+v, want %+v", text, want, blocks, bytewise)
		}
	})
}

// BenchmarkRows finds the rows of a file and reads them as lines.
func BenchmarkRows(b *testing.B) {
	row := `{"id": 1, "text": "` + strings.Repeat(`the \"quick\" brown fox\n`, 100) + `", "list": [1, {"a": null}]}`
	file := "[" + strings.Repeat(row+",\n  ", 1000) + row + "]"
	b.Run("find", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			if shape, err := Find(strings.NewReader(`{"rows":` + file + `}`)); err != nil || len(shape.Lists) != 1 {
				b.Fatal(shape, err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			rd, err := NewReader(strings.NewReader(file))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, rd); err != nil {
				b.Fatal(err)
			}
		}
	})
}
