package peers

import (
	"path/filepath"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// The logs that oaieval records of a match and of a model-graded evaluation are imported
// with the scores and tokens that it reports, and with the model's answers, not the judge's.
func TestEvalsLogs(t *testing.T) {
	p := meet(t, "evals")
	url := scripted(t, func(r chatRequest) reply {
		asked := r.asked()
		switch {
		case strings.Contains(asked, "JUDGE") && strings.Contains(asked, "about"):
			return reply{content: "N"}
		case strings.Contains(asked, "JUDGE"):
			return reply{content: "Y"}
		case strings.Contains(asked, "3 pens"), strings.Contains(asked, "6 pens"):
			return reply{content: "about 6"}
		case strings.Contains(asked, "1 pens"):
			return reply{content: "2"}
		}
		return reply{content: "1"}
	})
	for name, score := range map[string]string{"pens": "accuracy", "pens-judged": "score"} {
		cmd := p.command("oaieval", "gpt-3.5-turbo", name, "--registry_path", filepath.Join(p.scripts, "registry"), "--record_path", "log.jsonl")
		cmd.Env = append(cmd.Env, "OPENAI_BASE_URL="+url, "OPENAI_API_KEY=none")
		p.output(cmd)
		log := filepath.Join(cmd.Dir, "log.jsonl")
		report := map[string]any{}
		for _, line := range decodeLines[struct {
			Report map[string]any `json:"final_report"`
		}](p, read(t, log)) {
			if line.Report != nil {
				report = line.Report
			}
		}
		records, said := p.imported(log)
		sum, tokens := 0.0, 0.0
		for _, r := range records {
			if r.Outcome != rollout.Graded || r.Reward == nil || r.Answer == "Y" || r.Answer == "N" || r.Turns != 1 {
				t.Fatalf("%s: %s is %s with the answer %q: %s", name, r.Item, r.Outcome, r.Answer, r.Error)
			}
			sum += *r.Reward
			for _, n := range []*int64{r.Usage.Input, r.Usage.Output, r.Judge.Input, r.Judge.Output} {
				if n != nil {
					tokens += float64(*n)
				}
			}
		}
		want, _ := report[score].(float64)
		if len(records) != 6 || want <= 0 || !near(sum/6, want) || tokens != report["usage_total_tokens"] {
			t.Errorf("%s: %d rollouts with a mean of %v and %v tokens, by evals %v:\n%s", name, len(records), sum/6, tokens, report, said)
		}
	}
}
