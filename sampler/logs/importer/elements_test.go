package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// readElements reads a file element by element, and lists the elements and the other members, the line and
// the byte of each element, and the error.
func readElements(file string, path []string, cut bool) (found []string) {
	other := func(key string, value json.RawMessage) error {
		found = append(found, key+"="+string(value))
		return nil
	}
	keep := func(a *array, text []byte) error {
		line, at, err := a.position(a.start)
		found = append(found, fmt.Sprintf("%d, line %d, byte %d: %s %v", a.index, line, at, text, err))
		if strings.Contains(string(text), "stop") {
			return errors.New("stopped")
		}
		return nil
	}
	f := text(file).Files[0]
	if cut {
		err := eachOf(context.Background(), f, path, other, keep)
		return append(found, fmt.Sprint(err))
	}
	a, err := openArrayIn(f, path, other)
	for err == nil {
		var raw json.RawMessage
		if raw, err = a.next(context.Background()); err == nil {
			if err = keep(a, raw); err != nil {
				err = a.stopped(err)
			}
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return append(found, fmt.Sprint(err))
}

// Elements that are cut out of blocks are those that are read token by token, with all positions and
// errors, whatever byte of the file is left out or added.
func TestElementsThatAreCutOutAreThoseThatAreRead(t *testing.T) {
	check := func(file string, path ...string) {
		t.Helper()
		if got, want := readElements(file, path, true), readElements(file, path, false); !slices.Equal(got, want) {
			t.Errorf("%.200q at %q:\n%.500q\nwant\n%.500q", file, path, got, want)
		}
	}
	for _, c := range []struct {
		file string
		path []string
	}{
		{"\ufeff [ {\"a\": \"x, ]\\\"\\\\\"} ,\n[NaN,-Infinity ,\"NaN\"],\r\n3 ,true,\"\" , null ]\n", nil},
		{`{"n":[1,NaN],"r":{"x":1,"r":[{"a":1},{"b":[2]}],"y":[]},"z":{"r":[1]}}`, []string{"r", "r"}},
		{`{"r":null,"z":1}`, []string{"r"}},
		{`[{"stop":1},{"a":2}]`, nil},
	} {
		check(c.file, c.path...)
		for i := range c.file {
			check(c.file[:i], c.path...)
			check(c.file[:i]+c.file[i+1:], c.path...)
			for _, b := range "\"\\}],1" {
				check(c.file[:i]+string(b)+c.file[i:], c.path...)
			}
		}
	}
	long := strings.Repeat("{\"text\":\"\\\\\\\"", 30_000)
	for _, file := range []string{
		"[" + strings.Repeat(`{"a":"`+strings.Repeat("x", 1000)+"\"},\n", 1000) + "1]",
		`[1,"` + strings.Repeat(`\\\"`, blockBytes) + `",[],"` + strings.Repeat("y", 3*blockBytes) + `",2]`,
		"[1," + long + "]", "[" + strings.Repeat("[", 20_000) + "]",
		"[" + strings.Repeat(" ", 2*blockBytes) + "1" + strings.Repeat(" ", 2*blockBytes) + ", 2 x]",
	} {
		check(file)
		check(file[:len(file)-1])
		check(`{"r":`+file+`,"z":NaN}`, "r")
	}
}

// A bracket that is not closed is found without reading the rest of the file.
func TestAnElementWithoutEndIsNotReadToTheEndOfTheFile(t *testing.T) {
	element := `{"text":"` + strings.Repeat("x", 1<<20) + `"},`
	read := 0
	f := File{Name: "log", Path: "log", FS: made{`[{"text":1,`, "]", 400, func(int) string {
		read++
		return element
	}}}
	err := eachOf(context.Background(), f, nil, nil, func(*array, []byte) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "log:1: byte 11: entry 0: broken JSON") {
		t.Error(err)
	}
	if read > 100 {
		t.Errorf("%d MB were read", read)
	}
}
