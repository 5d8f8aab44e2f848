package docs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// The module of docs/testdata/library is an outside one: it has a gate, a chart and a probe of
// its own, and sees gonogo's public packages alone.
func TestLongAnOutsideModuleAddsAGateAChartAndAProbe(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	program := buildLibrary(t)
	dir := runWithCalls(t)
	mygonogo := func(args ...string) (out string, code int) {
		t.Helper()
		b, err := exec.Command(program, args...).CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		} else if exit != nil {
			code = exit.ExitCode()
		}
		return string(b), code
	}
	yaml := func(text string) string {
		file := filepath.Join(t.TempDir(), "gonogo.yaml")
		write(t, file, text)
		return file
	}

	if out, err := inLibrary(t, "test", ".").CombinedOutput(); err != nil {
		t.Errorf("the module's tests fail: %s", out)
	}
	out, code := mygonogo("judge", dir)
	if code != 3 || !strings.Contains(out, "a rollout makes 7 tool calls on average") {
		t.Errorf("7 calls of at most 5 give exit code %d: %s", code, out)
	}
	r := stored(t, dir)
	if *r.Reason != "effort" || r.Thresholds["effort"]["effort.calls"] != 5 {
		t.Errorf("the reason is %q, effort.calls is %g", *r.Reason, r.Thresholds["effort"]["effort.calls"])
	}
	f := r.Findings[len(r.Findings)-1]
	if f.Gate != "effort" || f.Status != analysis.Fail || *f.Threshold != 5 || f.Charts[0] != "effort" || f.Title.ID != "effort.fail" {
		t.Errorf("the finding is %+v", f)
	}
	page := read(t, filepath.Join(dir, "report", "index.html"))
	for _, want := range []string{"a rollout makes 7 tool calls on average", "Tell the model in its prompt what a call costs", "At most 8 tool calls in a rollout", `id="chart-effort"`, "effort.calls"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}

	if out, code = mygonogo("judge", dir, yaml("thresholds: {effort.calls: 10}\n")); code == 3 || strings.Contains(out, "tool calls on average") {
		t.Errorf("7 calls of at most 10 give exit code %d: %s", code, out)
	}
	if changed := stored(t, dir).Changed; len(changed) != 1 || changed[0].Name != "effort.calls" || changed[0].Default != 5 {
		t.Errorf("the changed thresholds are %v", changed)
	}
	if out, code = mygonogo("judge", dir, yaml("thresholds: {effort.cals: 10}\n")); code != 2 || !strings.Contains(out, "effort.calls") {
		t.Errorf("a misspelt threshold gives exit code %d: %s", code, out)
	}

	if out, code = mygonogo("audit", dir); code != 0 {
		t.Fatalf("the audit gives exit code %d: %s", code, out)
	}
	if out, code = mygonogo("judge", dir); code != 3 || !strings.Contains(out, "shrug") {
		t.Errorf("a grader that pays for a shrug gives exit code %d: %s", code, out)
	}
	for _, p := range stored(t, dir).Grader.Probes {
		if p.Probe == "shrug" && p.Items > 0 && *p.Accept.Value == 1 {
			return
		}
	}
	t.Error("result.json has no probe of the module")
}

// The code of docs/library.md is the module's own.
func TestCodeOfTheLibraryPageIsTheModules(t *testing.T) {
	code := read(t, "testdata/library/main.go") + read(t, "testdata/library/effort.go")
	blocks := strings.Split(read(t, "library.md"), "```go\n")[1:]
	if len(blocks) < 3 {
		t.Fatalf("%d blocks of Go", len(blocks))
	}
	for _, b := range blocks {
		if b, _, _ = strings.Cut(b, "```"); !strings.Contains(code, b) {
			t.Errorf("the module has no such code:\n%s", b)
		}
	}
}

// buildLibrary builds the module's program, offline, in a workspace with this module.
func buildLibrary(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "mygonogo")
	if out, err := inLibrary(t, "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// inLibrary is a go command in the module. It may use the network: a workspace needs the go.mod of every
// module, which a build may not have fetched.
func inLibrary(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(t.TempDir(), "go.work")
	write(t, work, fmt.Sprintf("go 1.26.0\n\nuse %q\n\nuse %q\n", root, filepath.Join(root, "docs", "testdata", "library")))
	cmd := exec.Command("go", args...)
	cmd.Dir = filepath.Join("testdata", "library")
	cmd.Env = append(os.Environ(), "GOWORK="+work, "GOFLAGS=-mod=readonly")
	return cmd
}

// runWithCalls is a run of 40 items with mixed rewards and 6 or 8 tool calls a rollout.
func runWithCalls(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	var items []rollout.Item
	for i := range 40 {
		id := fmt.Sprintf("q%d", i)
		items = append(items, rollout.Item{
			ID: id, Split: rollout.Train, Messages: []rollout.Message{{Role: "user", Content: "What is the revenue of company " + id + "?"}},
			Row: json.RawMessage(fmt.Sprintf(`{"id":%q,"messages":[{"role":"user","content":"What is the revenue of company %[1]s?"}],"reference_answer":"revenue %d"}`, id, 100+i)),
		})
	}
	w, err := rollout.Create(dir, rollout.Manifest{ID: "library", Source: rollout.Import}, items, rollout.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, it := range items {
		for sample := range 8 {
			reward := float64((i + sample) % 2)
			rec := &rollout.Record{
				Item: it.ID, Split: rollout.Train, Sample: sample, Source: rollout.Import, Outcome: rollout.Graded, Reward: &reward,
				Answer: fmt.Sprintf("the revenue of sample %d is %d", sample, 100+i), Turns: 8,
			}
			for turn := range 6 + 2*(i%2) {
				rec.Calls = append(rec.Calls, rollout.Call{Name: "search", Arguments: fmt.Sprintf(`{"q":"%d %d"}`, sample, turn), Turn: turn, Status: rollout.CallOK, Output: "a page"})
			}
			if err := w.Append(rec); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func stored(t *testing.T, dir string) *analysis.Result {
	t.Helper()
	r, err := analysis.Decode(strings.NewReader(read(t, filepath.Join(dir, "result.json"))))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
