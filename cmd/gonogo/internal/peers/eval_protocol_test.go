package peers

import (
	"path/filepath"
	"testing"

	"gonogo/sampler/rollout"
)

// evaluated is a row of eval-protocol's results, as far as the test looks.
type evaluated struct {
	Input struct {
		RowID string `json:"row_id"`
	} `json:"input_metadata"`
	Result struct {
		Score   float64
		Valid   bool    `json:"is_score_valid"`
		Mean    float64 `json:"agg_score"`
		Metrics map[string]struct{ Score float64 }
	} `json:"evaluation_result"`
}

// eval-protocol runs an evaluation test under pytest. Its results are imported with its
// scores and its mean; and the same test, called by our grader, gives the same scores.
func TestEvalProtocol(t *testing.T) {
	p := meet(t, "eval-protocol")
	dir := t.TempDir()
	t.Setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True") // findings/litellm-import-offline.sh
	test := filepath.Join(p.scripts, "test_capital.py")
	cmd := p.command("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", test)
	cmd.Env = append(cmd.Env, "HOME="+dir)
	p.output(cmd)
	results := p.glob(filepath.Join(dir, ".eval_protocol", "experiment_results", "*.jsonl"))[0]
	theirs := decodeLines[evaluated](p, read(t, results))
	run := filepath.Join(dir, "run")
	p.gonogo(0, "import", results, "-o", run)
	write(t, dir, "grader.yaml", "type: eval_protocol\nfile: "+test+"\nfunction: test_capital\n")
	p.gonogo(0, "grade", run, "--grader", filepath.Join(dir, "grader.yaml"), "--set", "python.interpreter="+filepath.Join(p.env, "bin", "python"), "--set", "python.timeout=2m")
	for name, ours := range map[string]map[rollout.Key]*rollout.Record{"imported": p.records(run), "graded": p.records(run + "-graded")} {
		invalid := 0
		for _, row := range theirs {
			r := ours[rollout.Key{Split: rollout.Train, Item: row.Input.RowID}]
			if r == nil {
				t.Fatalf("%s: there is no rollout of %s", name, row.Input.RowID)
			}
			if !row.Result.Valid {
				if invalid++; r.Outcome != rollout.GraderFailed || r.Reward != nil {
					t.Errorf("%s: %s has no valid score, and is %s with reward %v", name, r.Item, r.Outcome, r.Reward)
				}
				continue
			}
			if r.Reward == nil || *r.Reward != row.Result.Score || len(r.Parts) != len(row.Result.Metrics) {
				t.Errorf("%s: %s has reward %v of %v, by eval-protocol %v of %v", name, r.Item, r.Reward, r.Parts, row.Result.Score, row.Result.Metrics)
			}
			for part, m := range row.Result.Metrics {
				if r.Parts[part] != m.Score {
					t.Errorf("%s: %s: %s is %v, by eval-protocol %v", name, r.Item, part, r.Parts[part], m.Score)
				}
			}
		}
		if got, want := meanOfItems(ours), theirs[0].Result.Mean; !near(got, want) || invalid != 1 || len(ours) != len(theirs) {
			t.Errorf("%s: the mean of %d rollouts is %v with %d invalid, by eval-protocol %v of %d", name, len(ours), got, invalid, want, len(theirs))
		}
	}
}
