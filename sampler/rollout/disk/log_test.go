package disk

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestAppendLineMendsTheEnd(t *testing.T) {
	for what, c := range map[string]struct{ was, want string }{
		"no file yet":                  {"", "{\"b\":2}\n"},
		"a whole line":                 {"{\"a\":1}\n", "{\"a\":1}\n{\"b\":2}\n"},
		"a whole line, no newline":     {"{\"a\":1}", "{\"a\":1}\n{\"b\":2}\n"},
		"a torn line is cut off":       {"{\"a\":1}\n{\"a\":", "{\"a\":1}\n{\"b\":2}\n"},
		"nothing but a torn line":      {"{\"a\":", "{\"b\":2}\n"},
		"keys that nobody knows, kept": {"{\"x\":[1,2]}\n", "{\"x\":[1,2]}\n{\"b\":2}\n"},
	} {
		path := filepath.Join(t.TempDir(), "lines.jsonl")
		if c.was != "" {
			if err := os.WriteFile(path, []byte(c.was), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := AppendLine(path, []byte(`{"b":2}`)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got, _ := os.ReadFile(path); string(got) != c.want {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
}

func TestLockKeepsASecondOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no locks here that end with the process")
	}
	dir := filepath.Join(t.TempDir(), "new")
	release, err := Lock(dir, "some.lock")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir, "some.lock"); err == nil {
		t.Error("a second lock was given")
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	again, err := Lock(dir, "some.lock")
	if err != nil {
		t.Fatal(err)
	}
	_ = again()
}
