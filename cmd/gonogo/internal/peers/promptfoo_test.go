package peers

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// promptfooRow is a row of promptfoo's results, as far as the test compares it.
type promptfooRow struct {
	TestIdx int
	Vars    struct{ Fruit string }
	Score   float64
	Named   map[string]float64 `json:"namedScores"`
	Error   string
	Reason  int `json:"failureReason"`
}

// What promptfoo evaluates is imported, from both files that it writes, with the
// scores and errors that it reports; scores that it gives though an assertion was not
// judged are missing.
func TestPromptfoo(t *testing.T) {
	p := meet(t, "promptfoo")
	dir := t.TempDir()
	for _, name := range []string{"promptfooconfig.yaml", "provider.js"} {
		write(t, dir, name, string(read(t, filepath.Join(p.scripts, name))))
	}
	p.promptfoo(dir, "--repeat", "2", "-o", "results.jsonl")
	theirs := decode[struct {
		Results struct {
			Results []promptfooRow
			Stats   struct {
				Errors int
				Usage  struct{ Completion int64 } `json:"tokenUsage"`
			}
			Prompts []struct{ Metrics struct{ Score float64 } }
		}
	}](p, read(t, filepath.Join(dir, "results.json"))).Results
	if len(theirs.Results) != 28 || theirs.Stats.Errors != 4 {
		t.Fatalf("promptfoo made %d rows with %d errors, want 28 with 4\n%s", len(theirs.Results), theirs.Stats.Errors, tail(read(t, filepath.Join(dir, "results.json"))))
	}
	for _, file := range []string{"results.json", "results.jsonl"} {
		t.Run(file, func(t *testing.T) {
			p := p
			p.T = t
			run := filepath.Join(t.TempDir(), "run")
			_, said := p.gonogo(0, "import", filepath.Join(dir, file), "-o", run)
			fruits := p.fruits(run)
			if len(fruits) != 28 || !strings.Contains(said, "reward = score, the weighted mean of the assertions") {
				t.Fatalf("%d rollouts are imported\n%s", len(fruits), said)
			}
			sum, tokens, errors, seen := 0.0, int64(0), 0, make(map[string]int)
			for _, row := range theirs.Results { // in the order of testIdx
				fruit := row.Vars.Fruit
				r := fruits[fmt.Sprintf("%s/%d", fruit, seen[fruit])]
				seen[fruit]++
				if r == nil {
					t.Errorf("%s/%d is not imported", fruit, seen[fruit]-1)
					continue
				}
				want := rollout.Graded
				switch {
				case row.Reason == 2:
					want = rollout.ModelAPI
					errors++
				case strings.Contains(fruit, "check fails"), strings.Contains(fruit, "blue"), strings.Contains(fruit, "unjudged"):
					want = rollout.GraderFailed
				}
				if r.Usage.Output != nil {
					tokens += *r.Usage.Output
				}
				if r.Outcome != want || (want == rollout.Graded) != (r.Reward != nil) || want == rollout.ModelAPI && !strings.HasPrefix(row.Error, r.Error) {
					t.Errorf("%s: %s, reward %v, %q, want %s, %q", fruit, r.Outcome, r.Reward, r.Error, want, row.Error)
					continue
				}
				if sum += row.Score; r.Reward == nil {
					continue
				}
				if *r.Reward != row.Score || len(r.Parts) != len(row.Named) {
					t.Errorf("%s: reward %v of %v, by promptfoo %v of %v", fruit, *r.Reward, r.Parts, row.Score, row.Named)
				}
				for name, part := range row.Named {
					if r.Parts[name] != part {
						t.Errorf("%s: %s is %v, by promptfoo %v", fruit, name, r.Parts[name], part)
					}
				}
				if strings.Contains(fruit, "cut off") && r.Finish != rollout.FinishLength || strings.Contains(fruit, "tool") && len(r.Calls) != 1 {
					t.Errorf("%s: it finished by %q with %d calls", fruit, r.Finish, len(r.Calls))
				}
			}
			if errors != theirs.Stats.Errors || tokens != theirs.Stats.Usage.Completion || !near(sum, theirs.Prompts[0].Metrics.Score) {
				t.Errorf("%d errors, %d tokens, scores of %v, by promptfoo %d, %d and %v", errors, tokens, sum, theirs.Stats.Errors, theirs.Stats.Usage.Completion, theirs.Prompts[0].Metrics.Score)
			}
		})
	}
}

// promptfoo evaluates the configuration in a folder and writes results.json there.
func (p peer) promptfoo(dir string, args ...string) {
	p.Helper()
	cmd := exec.CommandContext(p.Context(), p.node(), slices.Concat([]string{
		filepath.Join(p.env, "node_modules", "promptfoo", "dist", "src", "entrypoint.js"), "eval", "-c", "promptfooconfig.yaml",
		"--no-cache", "--no-table", "--no-progress-bar", "-o", "results.json",
	}, args)...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "PROMPTFOO_DISABLE_TELEMETRY=1", "PROMPTFOO_DISABLE_UPDATE=1", "PROMPTFOO_DISABLE_REMOTE_GENERATION=1", "PROMPTFOO_CONFIG_DIR="+filepath.Join(dir, "config"))
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState.ExitCode() != 100 { // what it ends with where a test failed
		p.Fatalf("promptfoo: %v\n%s", err, tail(out))
	}
}

// The scores with which sampler/input/setup compares its grader are those of promptfoo.
func TestPromptfooGivesTheRecordedScores(t *testing.T) {
	p := meet(t, "promptfoo")
	from := filepath.Join("..", "..", "..", "..", "sampler", "input", "setup", "testdata")
	dir := t.TempDir()
	for _, name := range []string{"promptfooconfig.yaml", "checks.py"} {
		write(t, dir, name, string(read(t, filepath.Join(from, name))))
	}
	p.promptfoo(dir)
	type scored struct {
		TestIdx  int
		Score    float64
		Response struct{ Output string }
	}
	got := decode[struct{ Results struct{ Results []scored } }](p, read(t, filepath.Join(dir, "results.json"))).Results.Results
	slices.SortStableFunc(got, func(a, b scored) int { return a.TestIdx - b.TestIdx })
	want := decode[[]struct {
		Output string
		Score  float64
	}](p, read(t, filepath.Join(from, "scores.json")))
	if len(got) != len(want) {
		t.Fatalf("promptfoo made %d rows, recorded are %d", len(got), len(want))
	}
	for i, w := range want {
		if got[i].Response.Output != w.Output || !near(got[i].Score, w.Score) {
			t.Errorf("row %d: promptfoo gives %q %v, recorded are %q and %v", i+1, got[i].Response.Output, got[i].Score, w.Output, w.Score)
		}
	}
}

// fruits names the rollouts of a run by their item's variable and their sample.
func (p peer) fruits(run string) map[string]*rollout.Record {
	p.Helper()
	names := make(map[string]string)
	for line := range strings.Lines(string(read(p.T, filepath.Join(run, "items.jsonl")))) {
		item := decode[struct {
			ID  string
			Row struct{ Vars struct{ Fruit string } }
		}](p, []byte(line))
		names[item.ID] = item.Row.Vars.Fruit
	}
	named := make(map[string]*rollout.Record)
	for k, r := range p.records(run) {
		named[fmt.Sprintf("%s/%d", names[k.Item], k.Sample)] = r
	}
	return named
}
