package grader

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A refused grade was printed as None, without its cause.
func TestAScriptSaysWhyAGradeIsRefused(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not on PATH")
	}
	cases := []scripted{{Item: "q1", Given: map[string]any{"sample": "x", "item": nil}, Reward: 1}}
	for name, test := range map[string]struct{ source, adapter, want string }{
		"by an adapter": {
			"", "def adapt(space, options):\n    return lambda given: {'no_grade': 'no number in it'}",
			"q1 earns None recorded: 1 (no number in it)",
		},
		"by an exception": {
			"def grade(sample, item):\n    return item['answer']", "",
			"q1 earns None recorded: 1 (TypeError: 'NoneType' object is not subscriptable)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := script(test.source, nil, test.adapter, nil, cases, "about")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "search.py")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			said, err := exec.CommandContext(t.Context(), python, file).Output()
			if code, ok := err.(*exec.ExitError); !ok || code.ExitCode() != 1 {
				t.Errorf("it ends with %v, want exit code 1", err)
			}
			if got := strings.Join(strings.Fields(string(said)), " "); !strings.HasPrefix(got, test.want) {
				t.Errorf("it says %q, want %q", got, test.want)
			}
		})
	}
}
