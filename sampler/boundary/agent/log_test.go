package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// What programs say is kept without secrets, also what was said before there was a
// directory; a program that chatters does not fill the disk.
func TestTheLogOfAgents(t *testing.T) {
	dir, secret := t.TempDir(), "sk-of-the-run-itself"
	l := &Log{}
	say := func(text string) {
		t.Helper()
		if n, err := l.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("%d bytes of %d: %v", n, len(text), err)
		}
	}
	kept := func() string {
		b, err := os.ReadFile(filepath.Join(dir, LogFile))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	say("early " + secret + "\n")
	say(strings.Repeat("x", 2*mostBefore))
	if err := l.Open(dir, rollout.NewRedactor(secret)); err != nil {
		t.Fatal(err)
	}
	say("\nlate " + secret + "\n")
	if got := kept(); strings.Contains(got, secret) || !strings.HasPrefix(got, "early ***") || !strings.Contains(got, "late ***") || len(got) > mostBefore+100 {
		t.Errorf("%d bytes: %.60q … %q", len(got), got, got[len(got)-60:])
	}
	l.written = largestLog - 1
	for range 3 {
		say("too much\n")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	say("after the end\n") // by a process that is being ended
	if got := kept(); strings.Count(got, "too much") != 1 || strings.Count(got, "it is full") != 1 || strings.Contains(got, "after") {
		t.Errorf("the end of the log: %q", got[len(got)-80:])
	}
	if err := (*Log)(nil).Close(); err != nil {
		t.Error(err)
	}
}

// A link in a run directory that came from elsewhere leads nowhere.
func TestTheLogOfAgentsFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	theirs := filepath.Join(t.TempDir(), "theirs")
	if err := os.Symlink(theirs, filepath.Join(dir, LogFile)); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := (&Log{}).Open(dir, nil); err == nil || !strings.Contains(err.Error(), "is a symbolic link") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(theirs); err == nil {
		t.Error("it was followed")
	}
}
