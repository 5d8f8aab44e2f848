//go:build unix

package isolation_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gonogo/sampler/boundary/isolation"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// What is in the place of a canary and is none is left as it is, and reported; links
// are not followed, and pipes hold no one up.
func TestWhatIsNoCanaryIsLeft(t *testing.T) {
	for _, c := range []struct {
		what, says string
		make       func(path string) error
	}{
		{"somebody's notes", "has no canary", func(path string) error { return os.WriteFile(path, []byte("notes"), 0o600) }},
		{"a long file", "has no canary", func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("x", 1<<20)+rollout.Canary("trace_2")), 0o600)
		}},
		{"a directory", "not a plain file", func(path string) error { return os.Mkdir(path, 0o700) }},
		{"a pipe", "not a plain file", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
		{"a link to a canary", "not a plain file", func(path string) error {
			if err := os.WriteFile(path+".there", []byte(rollout.Canary("trace_2")), 0o600); err != nil {
				return err
			}
			return os.Symlink(path+".there", path)
		}},
		{"a link to nothing", "not a plain file", func(path string) error { return os.Symlink(path+".nowhere", path) }},
		{"a folder that is not there", "no such file", func(path string) error { return os.Remove(filepath.Dir(path)) }},
	} {
		dir := filepath.Join(t.TempDir(), "place")
		must(t, os.Mkdir(dir, 0o700))
		path := filepath.Join(dir, ".canary")
		must(t, c.make(path))
		k, _ := keeper(t, isolation.Config{Start: `echo "{\"dir\": \"` + dir + `\"}"`, Canary: "{{session.dir}}/.canary"})
		before, _ := os.Lstat(path)
		e := ofTrace("trace_1")
		f, failed := endpoint.AsFailure(starts(t.Context(), k, e))
		if !failed || !f.Fatal || !strings.Contains(f.Error(), "session.canary: ") || !strings.Contains(f.Error(), c.says) {
			t.Errorf("%s: %v", c.what, f)
		}
		after, _ := os.Lstat(path)
		if (before == nil) != (after == nil) || before != nil && (!os.SameFile(before, after) || before.Size() != after.Size()) {
			t.Errorf("%s is no more what it was", c.what)
		}
		k.Inspect(t.Context(), e)
		if len(e.Found) > 0 {
			t.Errorf("%s: found %q", c.what, e.Found)
		}
		must(t, k.Stop(t.Context(), e))
		must(t, k.Close())
	}
}
