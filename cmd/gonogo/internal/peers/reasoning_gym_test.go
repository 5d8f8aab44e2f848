package peers

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// Rows of reasoning-gym's datasets are sampled, and a grader that calls its scorers gives
// each answer the score that the package gives it.
func TestReasoningGym(t *testing.T) {
	p := meet(t, "reasoning-gym")
	dir := t.TempDir()
	rows := filepath.Join(dir, "rows.jsonl")
	p.python("make.py", rows)
	answers := make(map[string]string) // by question
	for i, row := range decodeLines[struct {
		Messages []struct{ Content string }
		Answer   string
	}](p, read(t, rows)) {
		answers[row.Messages[0].Content] = []string{row.Answer, " " + row.Answer + " ", "The answer is " + row.Answer, "42"}[i%4]
	}
	url := scripted(t, func(r chatRequest) reply {
		var asked string
		if json.Unmarshal(r.Messages[len(r.Messages)-1].Content, &asked) != nil {
			return reply{status: 400, content: "no question"}
		}
		return reply{content: answers[asked]}
	})
	write(t, dir, "gonogo.yaml", `data: {train: rows.jsonl}
model: {name: scripted, base_url: "`+url+`", api: chat, api_key_env: none}
python: {interpreter: "`+filepath.Join(p.env, "bin", "python")+`", timeout: 2m}
job: {grader: {type: python, name: gym, file: "`+filepath.Join(p.scripts, "grader.py")+`"}}
`)
	run := filepath.Join(dir, "run")
	p.gonogo(0, "sample", "-c", filepath.Join(dir, "gonogo.yaml"), "--samples", "2", "--yes", "-o", run)
	var said strings.Builder
	var ours []float64
	for _, r := range p.records(run) {
		if r.Reward == nil {
			t.Fatalf("%s/%d is %s: %s", r.Item, r.Sample, r.Outcome, r.Error)
		}
		_ = json.NewEncoder(&said).Encode(map[string]string{"row": r.Item, "answer": r.Answer})
		ours = append(ours, *r.Reward)
	}
	write(t, dir, "answers.jsonl", said.String())
	theirs := decode[[]float64](p, p.python("make.py", rows, filepath.Join(dir, "answers.jsonl")))
	kinds := make(map[float64]bool)
	for i, want := range theirs {
		kinds[want] = true
		if ours[i] != want {
			t.Errorf("reward %d is %v, by reasoning-gym %v", i, ours[i], want)
		}
	}
	if len(ours) != 40 || len(theirs) != 40 || len(kinds) < 2 {
		t.Errorf("%d rewards, %d scores of %d kinds: want 40 of at least two kinds", len(ours), len(theirs), len(kinds))
	}
}
