package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhetherAProgramIsThere(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"agent": 0o755, "notes.txt": 0o644, "agent.py": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for what, c := range map[string]struct {
		argv []string
		want string // of the error; "" is none
	}{
		"a path in the folder":           {[]string{"./agent"}, ""},
		"a name on PATH":                 {[]string{"sh", "agent.py"}, ""},
		"a script that is missing":       {[]string{"sh", "-e", "other.py"}, "other.py: a script's path is relative to"},
		"a file that may not be run":     {[]string{"./notes.txt"}, "cannot be run"},
		"a path that is missing":         {[]string{"./other"}, "there is no ./other"},
		"a name that is nowhere":         {[]string{"no-such-program-9"}, "is looked up on PATH"},
		"a name of a file in the folder": {[]string{"agent"}, "is looked up on PATH"},
	} {
		err := CheckProgram(c.argv, dir)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	if got := Program([]string{"./agent", "-x"}, dir); !filepath.IsAbs(got[0]) || got[1] != "-x" {
		t.Errorf("started as %v", got)
	}
	if got := Program([]string{"agent"}, dir); got[0] != "agent" {
		t.Errorf("a bare name is started as %v", got)
	}
}
