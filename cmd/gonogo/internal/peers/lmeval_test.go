package peers

import (
	"path/filepath"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// The samples that lm-eval logs of a task are imported with the mean that it reports.
func TestLMEvalSamples(t *testing.T) {
	p := meet(t, "lm-eval")
	cmd := p.command("lm_eval", "run", "--model", "dummy", "--tasks", "prices", "--include_path", ".", "--log_samples", "--output_path", "out")
	for _, name := range []string{"prices.yaml", "rows.jsonl"} {
		write(t, cmd.Dir, name, string(read(t, filepath.Join(p.scripts, name))))
	}
	p.output(cmd)
	results := decode[struct {
		Results map[string]map[string]any
	}](p, read(t, p.glob(filepath.Join(cmd.Dir, "out", "*", "results_*.json"))[0]))
	want, ok := results.Results["prices"]["exact_match,none"].(float64)
	if !ok {
		t.Fatalf("lm-eval reports %v", results.Results)
	}
	records, said := p.imported(p.glob(filepath.Join(cmd.Dir, "out", "*", "samples_*.jsonl"))[0])
	sum := 0.0
	for _, r := range records {
		if r.Outcome != rollout.Graded || r.Reward == nil || r.Answer != "lol" {
			t.Errorf("%s is %s: %s", r.Item, r.Outcome, r.Error)
			continue
		}
		sum += *r.Reward
	}
	if len(records) != 3 || !near(sum/3, want) || !strings.Contains(said, "exact_match") {
		t.Errorf("%d rollouts with a mean of %v, by lm-eval %v:\n%s", len(records), sum/3, want, said)
	}
}
