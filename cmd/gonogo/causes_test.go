package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"gonogo/analysis/compare"
	"gonogo/fixtures"
	"gonogo/fixtures/policy"
	"gonogo/fixtures/task"
	"gonogo/sampler/rollout"
)

// changedWorlds are what may happen to the healthy world between two nights, by the cause
// that the second night has to name first.
func changedWorlds(t *testing.T) map[string]func(*task.Task, *fixtures.ServeOptions) {
	t.Helper()
	dead, err := fixtures.Find("dead")
	if err != nil {
		t.Fatal(err)
	}
	never := dead.Make().Policies[policy.ModelName]
	// worse plays like able, and in three rollouts of five reads the wrong row.
	worse := func(able policy.Policy) policy.Policy {
		return func(c *policy.Conversation) policy.Reply {
			if policy.Uniform("worse", c.Key) < 0.6 {
				return never(c)
			}
			return able(c)
		}
	}
	const another = "scripted-policy-2"
	return map[string]func(*task.Task, *fixtures.ServeOptions){
		"": func(*task.Task, *fixtures.ServeOptions) {},
		compare.CauseTool: func(_ *task.Task, opt *fixtures.ServeOptions) {
			opt.LostLookups = map[string]float64{"search": 0.4, "cat": 0.4}
		},
		compare.CauseModel: func(of *task.Task, opt *fixtures.ServeOptions) {
			of.Policies[another] = worse(of.Policies[policy.ModelName])
			opt.Swapped = map[string]string{policy.ModelName: another}
		},
		// The file behind the grader's endpoint is edited: the job is the same.
		compare.CauseGrader: func(of *task.Task, _ *fixtures.ServeOptions) {
			grade := of.Grade
			of.Grade = func(out task.Output) (float64, error) {
				score, err := grade(out)
				return score / 2, err
			}
		},
		compare.CausePolicy: func(of *task.Task, _ *fixtures.ServeOptions) {
			of.Policies[policy.ModelName] = worse(of.Policies[policy.ModelName])
		},
	}
}

// A night after a change names what is behind it, and an unchanged one names nothing.
func TestLongANightNamesWhatIsBehindAChange(t *testing.T) {
	long(t)
	t.Parallel()
	if raced {
		t.Skip("numbers are not the race detector's business")
	}
	namesCauses(t, 1)
}

// So it does for 20 seeds of 20.
func TestDeepNightsNameTheirCause(t *testing.T) {
	if os.Getenv("GONOGO_DEEP") == "" {
		t.Skip("a deep test: make deep")
	}
	for seed := range 20 {
		namesCauses(t, seed+1)
	}
}

func namesCauses(t *testing.T, seed int) {
	t.Helper()
	changes := changedWorlds(t)
	before := t.TempDir()
	makeNight(t, before, seed, changes[""])
	for _, want := range slices.Sorted(maps.Keys(changes)) {
		t.Run(fmt.Sprintf("%s %d", want, seed), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(before)); err != nil {
				t.Fatal(err)
			}
			c := makeNight(t, dir, seed+1000, changes[want])
			named := ""
			if len(c.LikelyCauses) > 0 {
				named = c.LikelyCauses[0].Kind
			}
			if named != want || want == "" && c.ExitCode == 3 {
				t.Errorf("%q is named, want %q; exit %d: %s", named, want, c.ExitCode, c.Sentence)
			}
			if len(c.Splits) != 1 || c.Split == nil || *c.Split != rollout.Eval {
				t.Errorf("a night is of %d splits, want the evaluation set alone", len(c.Splits))
			}
			if want == compare.CauseTool && len(c.LikelyCauses) > 0 && len(c.LikelyCauses[0].Examples) == 0 {
				t.Error("no example of an answer that changed")
			}
		})
	}
}

// makeNight makes a night of a healthy world of 60 items that was changed, and returns its
// comparison; nil of the first.
func makeNight(t *testing.T, dir string, seed int, change func(*task.Task, *fixtures.ServeOptions)) *compare.Comparison {
	t.Helper()
	world, err := fixtures.Find("healthy")
	if err == nil {
		err = world.Write(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	of := world.Make()
	var opt fixtures.ServeOptions
	change(&of, &opt)
	world.Make = func() task.Task { return of }
	server, err := world.Serve(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	config := filepath.Join(dir, fixtures.ConfigFile)
	text, err := os.ReadFile(config)
	if err == nil {
		err = os.WriteFile(config, regexp.MustCompile(`(?m)^world: .*\n`).ReplaceAll(text, nil), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr, _ := inProcess(t, dir, "nightly", "--json", "--yes", "--no-audit", "--history", "nights", "--samples", "4", "--seed", fmt.Sprint(seed),
		"--set", "report.formats=[markdown]", "--set", "sampling.address_map."+fixtures.Origin+"="+server.URL())
	var answer struct{ Comparison *compare.Comparison }
	if err := json.NewDecoder(bytes.NewReader(stdout)).Decode(&answer); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return answer.Comparison
}
