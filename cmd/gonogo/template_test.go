package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/fixtures"
)

// Every template goes the whole way: it is written, checked, run, audited,
// rehearsed, compared with its other policies, reported and viewed.
func TestLongWorldTemplatesGoTheWholeWay(t *testing.T) {
	long(t)
	t.Parallel()
	if raced {
		t.Skip("the same stages run under the race detector in their own tests")
	}
	for _, world := range fixtures.Templates() {
		t.Run(world.Name, func(t *testing.T) {
			if program := world.Missing(); program != "" {
				t.Skipf("the world needs %s, which is not on PATH", program)
			}
			t.Parallel()
			dir := t.TempDir()
			few := []string{"--items", "24", "--samples", "4", "--seed", "1", "--set", "report.formats=[markdown]", "--set", "audit.items=6", "--set", "audit.regrades=24"}
			// Few items decide nothing: what counts is that every stage comes to an answer.
			answers := []int{exit.OK, exit.NoGo, exit.Undecided}
			gonogo := func(codes []int, args ...string) string {
				t.Helper()
				return inFolder(t, dir, codes, args...)
			}
			gonogo([]int{exit.OK}, "init", "--template", world.Name)
			gonogo(answers, "check")
			gonogo(answers, append([]string{"run", "-o", "base"}, few...)...)
			gonogo(answers, "audit", "base")
			var found struct{ Burst *struct{ Waves []any } }
			if len(world.Make().Tools) == 0 {
				// Nothing but a model and a grader on this machine: there is no one to call.
			} else if err := json.Unmarshal([]byte(gonogo(answers, "burst", "base", "--yes", "--json", "--rollouts", "32", "--set", "burst.least=32")), &found); err != nil || found.Burst == nil || len(found.Burst.Waves) == 0 {
				t.Errorf("the burst says %+v, %v", found.Burst, err)
			}
			for _, other := range world.Policies {
				gonogo(answers, append([]string{"run", "-o", other.Name, "--no-audit", "--set", "model.name=" + other.Name}, few...)...)
				gonogo([]int{exit.OK, exit.NoGo, exit.Undecided}, "compare", "base", other.Name, "-o", "to-"+other.Name)
			}
			gonogo(answers, "report", "base", "--format", "html,pdf,summary")
			for _, name := range []string{"index.html", "report.pdf", "summary.png"} {
				if info, err := os.Stat(filepath.Join(dir, "base", "report", name)); err != nil || info.Size() == 0 {
					t.Errorf("report/%s: %v", name, err)
				}
			}
			if page := viewed(t, dir, "base"); !strings.Contains(page, "<title>gonogo view</title>") {
				t.Errorf("the viewer shows %.200q", page)
			}
			gonogo([]int{exit.OK}, "export", "base", "--format", "csv", "-o", "base.csv")
		})
	}
}

// inFolder runs a command of gonogo in a folder and returns its output. It must
// end with one of the codes.
func inFolder(t *testing.T, dir string, codes []int, args ...string) string {
	t.Helper()
	stdout, stderr, code := inProcess(t, dir, args...)
	if !slices.Contains(codes, code) {
		t.Fatalf("gonogo %s: exit code %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return string(stdout)
}

// viewed is the page that the viewer of a run serves.
func viewed(t *testing.T, dir, run string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "gonogo", "view", run)
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the viewer names no address: %v", err)
	}
	response, err := http.Get(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err := errors.Join(err, cmd.Process.Signal(os.Interrupt)); err != nil {
		t.Fatal(err)
	}
	http.DefaultClient.CloseIdleConnections()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the viewer ends with %v", err)
	}
	return string(page)
}
