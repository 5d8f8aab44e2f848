package viewer

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAnIndexIsKeptAndNotTrusted(t *testing.T) {
	dir, path, text := long(t, 2*blockLines+100)
	first := opened(t, dir)
	want, hits := contents(first), found(t, first, "straße 答案")
	if len(hits) == 0 {
		t.Fatal("nothing to be found")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, IndexFile)
	whole, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	other := encoded(t, made(func(n int) int { return n - 1 }, 7, 7))
	for name, c := range map[string]struct {
		change  func()
		loaded  bool
		lines   int
		changed bool
	}{
		"as it was":          {func() {}, true, len(text), false},
		"lines came":         {func() { add(t, path, other) }, true, len(text) + 1, true},
		"another file":       {func() { write(t, dir, bytes.Join(text[1:], nil)) }, false, len(text) - 1, true},
		"a file of one size": {func() { write(t, dir, bytes.Join(append([][]byte{text[1], text[0]}, text[2:]...), nil)) }, false, len(text), true},
		"cut off":            {func() { overwrite(t, kept, whole[:len(whole)/2]) }, false, len(text), false},
		"empty":              {func() { overwrite(t, kept, nil) }, false, len(text), false},
		"a bit of its rows":  {func() { overwrite(t, kept, flip(whole, len(keptMagic)+100)) }, false, len(text), false},
		"a bit of its names": {func() { overwrite(t, kept, flip(whole, len(whole)-len(keptMagic)-200)) }, false, len(text), false},
		"another version":    {func() { overwrite(t, kept, bytes.ReplaceAll(whole, []byte("index 2"), []byte("index 9"))) }, false, len(text), false},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, dir, bytes.Join(text, nil))
			restored(t, path, kept, whole)
			c.change()
			x := opened(t, dir)
			s, _ := ready(t, x, func(s State) bool { return s.Ready && s.Lines == c.lines && s.Kept && c.loaded == (s.Note == "") }).State()
			if strings.Contains(s.Note, "session alone") {
				t.Errorf("the note is %q", s.Note)
			}
			if got := contents(x); !c.changed && (!reflect.DeepEqual(got, want) || !slices.Equal(found(t, x, "straße 答案"), hits)) {
				t.Error("another index than the one that was made")
			}
		})
	}
}

func restored(t *testing.T, path, kept string, whole []byte) {
	t.Helper()
	overwrite(t, kept, whole)
	was, err := readKeptFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, time.Unix(0, was.Time)); err != nil {
		t.Fatal(err)
	}
}

func readKeptFile(path string) (*kept, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readKept(f)
}

func overwrite(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func flip(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 0x10
	return b
}
