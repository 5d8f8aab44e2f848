package peers

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gonogo/fixtures"
)

// The graders of six worlds, as reward functions with the same 20 items, are audited by gonogo and by the three
// packages that audit reward functions, each with its defaults: docs/audit.md has the table that this prints.
// gonogo blocks those of hackable and finance-writing-hole and no sound one. The seven cheats of kernels-naive, which
// need probes of that task, are found by none.
func TestGraderAuditsSideBySide(t *testing.T) {
	p := meet(t, "falsepass")
	dir := t.TempDir()
	worlds := []struct {
		name          string
		sound, misses bool // misses: a hole that no audit finds
	}{
		{name: "hackable"},
		{name: "repaired", sound: true},
		{name: "kernels-naive", misses: true},
		{name: "kernels", sound: true},
		{name: "finance-writing-hole"},
		{name: "finance-writing", sound: true},
	}
	for _, w := range worlds {
		world, err := fixtures.Find(w.name)
		if err != nil {
			t.Fatal(err)
		}
		if err := world.Write(filepath.Join(dir, "worlds", w.name)); err != nil {
			t.Fatal(err)
		}
	}
	p.python("worlds.py", filepath.Join(dir, "worlds"), filepath.Join(dir, "graders"))
	var table, notes strings.Builder
	packages := []string{"falsepass", "rl-envdoctor", "reward-doctor"}
	fmt.Fprintf(&table, "| grader | gonogo | %s |\n", strings.Join(packages, " | "))
	for _, w := range worlds {
		folder := filepath.Join(dir, "graders", w.name)
		code, holes, took := p.auditHoles(folder)
		if want := map[bool]int{true: 0, false: 3}[w.sound || w.misses]; code != want {
			t.Errorf("%s: gonogo's exit code is %d, want %d", w.name, code, want)
		}
		fmt.Fprintf(&table, "| %s | %d in %.1f s |", w.name, holes, took.Seconds())
		for _, name := range packages {
			if name == "reward-doctor" && w.name != "hackable" && w.name != "repaired" {
				table.WriteString(" cannot |") // it calls with an answer and a reference of its own, and no row
				continue
			}
			began := time.Now()
			said := decode[struct {
				Found []string
				Note  string
			}](p, p.python("side_by_side.py", name, folder))
			fmt.Fprintf(&table, " %d in %.1f s |", len(said.Found), time.Since(began).Seconds())
			fmt.Fprintf(&notes, "%s by %s: %s %s\n", w.name, name, strings.Join(said.Found, " "), said.Note)
			if name == "falsepass" && len(said.Found) == 0 && !w.sound && !w.misses {
				t.Errorf("%s: falsepass finds nothing: %s", w.name, said.Note)
			}
		}
		table.WriteString("\n")
	}
	t.Log("\n" + table.String() + "\n" + notes.String())
}

// auditHoles audits the reward function of a folder without rollouts. It returns the exit code, how many probes get a
// worthless answer paid, and the time.
func (p peer) auditHoles(folder string) (code, holes int, took time.Duration) {
	p.Helper()
	config := p.configure(folder)
	began := time.Now()
	cmd := exec.CommandContext(p.Context(), program, "audit", filepath.Join(folder, "run"), "-c", config)
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState == nil {
		p.Fatal(err)
	}
	if m := regexp.MustCompile(`(\d+) got a worthless\s+answer rewarded`).FindSubmatch(out); m != nil {
		fmt.Sscan(string(m[1]), &holes)
	} else if cmd.ProcessState.ExitCode() == 3 {
		p.Fatalf("the audit does not say how many probes found a hole:\n%s", out)
	}
	return cmd.ProcessState.ExitCode(), holes, time.Since(began)
}
