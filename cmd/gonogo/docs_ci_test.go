package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// The samples of docs/ci install gonogo and judge a night. A small repository with
// the Makefile is cloned in the place of this one, and its make build is asked for
// alone: make demo and others build.
func TestLongSamplesForCIRun(t *testing.T) {
	long(t)
	if raced {
		t.Skip("the same commands run under the race detector in their own tests")
	}
	for _, program := range []string{"bash", "git", "python3", "curl", "timeout"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	repo := t.TempDir()
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(repo, "Makefile"), makefile, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "m"}} {
		if out, err := exec.Command("git", append([]string{"-C", repo}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	shop := newShop(t, pages(t))
	for name, steps := range map[string]func(*testing.T, []byte) string{"github.yml": githubSteps, "gitlab.yml": gitlabSteps} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(filepath.Join("..", "..", "docs", "ci", name))
			if err != nil {
				t.Fatal(err)
			}
			dir, temp := t.TempDir(), t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(shop.dir)); err != nil {
				t.Fatal(err)
			}
			script := strings.ReplaceAll(steps(t, b), "/tmp/gonogo", filepath.Join(temp, "gonogo"))
			shop.shell(t, dir, "make() { [ \"$1\" = -C ] && grep -q \"^$3:\" \"$2/Makefile\"; }\n"+script,
				"FEW=--set sampling.samples=2 --set report.formats=[junit]", "GONOGO_REPO=file://"+repo, "GONOGO_REF=main", "GONOGO_ACCEPT=", "ACCEPT=", "RUNNER_TEMP="+temp,
				"GITHUB_PATH="+filepath.Join(temp, "path"), "GITHUB_OUTPUT="+filepath.Join(temp, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary"))
			for _, made := range []string{"nights/nights.jsonl", "nights/report/junit.xml"} {
				if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(made))); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// githubSteps are the scripts of the steps, each in a shell of its own, with what an
// earlier one put out as the last one's CODE.
func githubSteps(t *testing.T, b []byte) string {
	t.Helper()
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Name, Run string
				Env       map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(b, &workflow); err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, s := range workflow.Jobs["nightly"].Steps {
		if s.Run != "" {
			fmt.Fprintf(&script, "at='%s'\nCODE=$(sed -n s/^code=//p \"$GITHUB_OUTPUT\" 2>/dev/null || true)\n(\n%s)\n", s.Name, s.Run)
		}
	}
	return script.String()
}

func gitlabSteps(t *testing.T, b []byte) string {
	t.Helper()
	var pipeline struct {
		Nightly struct {
			Before []string `yaml:"before_script"`
			Script []string
		}
	}
	if err := yaml.Unmarshal(b, &pipeline); err != nil {
		t.Fatal(err)
	}
	return strings.Join(append(pipeline.Nightly.Before, pipeline.Nightly.Script...), "\n")
}
