package training

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/sampler/logs/importer"
	"gonogo/sampler/rollout"
)

// readText reads a log of rollouts.
func readText(t *testing.T, b *Base, text string) (*Log, importer.Source, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.jsonl")
	write(t, path, text)
	src := importer.Paths(importer.Options{}, path)
	l, err := ReadLog(t.Context(), b, "", src)
	return l, src, err
}

func TestNumbersOfALog(t *testing.T) {
	b := baseOf(t, newRun(t, func(ref int) string { return fmt.Sprint(ref) }))
	if _, _, err := readText(t, b, `{"item":"q1","step":1073741825,"reward":1}`); err == nil ||
		!strings.Contains(err.Error(), `item "q1" has a rollout of step 1073741825`) {
		t.Errorf("a step above 2^30: %v", err)
	}
	if l, _, err := readText(t, b, `{"item":"q1","step":1073741824,"reward":1}`); err != nil || l.Groups(0)[0].Step != 1<<30 {
		t.Errorf("a step of 2^30: %v", err)
	}
	const line = `{"item":"q1","step":1,"sample":%d,"reward":1,"usage":{"output_tokens":%d}}` + "\n"
	for _, c := range []struct {
		tokens [2]int
		sum    int
		known  bool
	}{
		{[2]int{1 << 30, 1 << 30}, 1 << 31, true},
		{[2]int{7, 1 << 32}, 7, false}, // 2^32 would be 0 in 32 bits
		{[2]int{7, 1<<32 + 5}, 7, false},
	} {
		l, _, err := readText(t, b, fmt.Sprintf(line, 0, c.tokens[0])+fmt.Sprintf(line, 1, c.tokens[1]))
		if err != nil {
			t.Fatal(err)
		}
		if g := l.Groups(0)[0]; g.Tokens != c.sum || g.Measured.Tokens != c.known {
			t.Errorf("tokens %v: %d, known %t, want %d, %t", c.tokens, g.Tokens, g.Measured.Tokens, c.sum, c.known)
		}
	}
}

// Calls are known where the log has any: a trainer that logs none says nothing about them.
func TestCallsOfALog(t *testing.T) {
	b := baseOf(t, newRun(t, func(ref int) string { return fmt.Sprint(ref) }))
	silent := `{"item":"q1","step":1,"sample":0,"reward":1,"turns":1}` + "\n"
	calling := `{"item":"q1","step":2,"sample":0,"reward":1,"turns":2,"calls":[{"name":"f","status":"ok"}]}` + "\n"
	for text, want := range map[string]bool{silent: false, silent + calling: true} {
		l, _, err := readText(t, b, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range l.Groups(0) {
			if g.Measured.Calls != want || g.Calls != g.Step-1 {
				t.Errorf("%s: step %d: %d calls, known %t", text, g.Step, g.Calls, g.Measured.Calls)
			}
		}
	}
}

// A log that cannot be read a second time may be one that the trainer is writing; a grader that fails
// is no such reason.
func TestGradableOfALogThatIsWritten(t *testing.T) {
	b := baseOf(t, newRun(t, func(ref int) string { return fmt.Sprint(ref) }))
	l, src, err := readText(t, b, `{"item":"q1","step":1,"reward":1,"answer":"48"}`)
	if err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed")
	fails := func(*rollout.Record) error { return failed }
	if err := l.Gradable(t.Context(), src, fails); !errors.Is(err, failed) || errors.Is(err, ErrEarly) {
		t.Errorf("a grader that fails: %v", err)
	}
	path := src.Files[0].Name
	write(t, path, `[{"item":"q1","st`)
	if err := l.Gradable(t.Context(), src, fails); !errors.Is(err, ErrEarly) {
		t.Errorf("a log that is torn: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := l.Gradable(t.Context(), src, fails); !errors.Is(err, ErrEarly) {
		t.Errorf("a log that is being replaced: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Gradable(ctx, src, fails); errors.Is(err, ErrEarly) {
		t.Errorf("Ctrl-C: %v", err)
	}
}

// A run without rows shows its prompts in its records; under the same ids a log of other prompts does
// not match.
func TestIDsOfOtherPrompts(t *testing.T) {
	lines := func(ask string, steps int) string {
		var b strings.Builder
		for i := range 4 {
			for s := range 2 {
				step := ""
				if steps > 0 {
					step = fmt.Sprintf(`"step":%d,`, 1+i%steps)
				}
				fmt.Fprintf(&b, `{"item":"%d",%s"sample":%d,"reward":1,"messages":[{"role":"user","content":"%s %d?"},`+
					`{"role":"assistant","content":"x"}]}`+"\n", i, step, s, ask, i)
			}
		}
		return b.String()
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, rollout.RolloutsFile), lines("What is set A", 0))
	run, err := rollout.OpenManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := baseOf(t, run)
	rendered := strings.ReplaceAll(strings.ReplaceAll(lines("What is set A", 2), `[{"role":"user","content":"`,
		`[{"role":"user","content":"<user>`), `?"}`, `?<assistant>"}`)
	for text, want := range map[string]int{lines("What is set A", 2): 4, lines("What is set B", 2): 0, rendered: 4} {
		l, _, err := readText(t, b, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(l.Shown()); got != want {
			t.Errorf("%d items match, want %d:\n%s", got, want, text)
		}
	}
}
