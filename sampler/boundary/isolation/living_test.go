package isolation_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stillLiving lists those that are not gone soon: one that was killed takes its
// time to die.
func stillLiving(t *testing.T, text string) []string {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if left := living(t, text); len(left) == 0 || time.Now().After(end) {
			return left
		}
	}
}

// living lists the processes, by their command lines, whose environment holds a
// text; none if there is no /proc.
func living(t *testing.T, text string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(env, []byte(text)) {
			continue // it has ended, or is somebody else's
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		out = append(out, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return out
}
