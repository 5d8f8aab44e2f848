package peers

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// regraded imports answers, each of an item of its own with a row, and grades them with a grader.
func (p peer) regraded(answers []string, row func(i int) map[string]any, grader string) map[rollout.Key]*rollout.Record {
	p.Helper()
	dir := p.TempDir()
	var lines, items strings.Builder
	for i, answer := range answers {
		id := fmt.Sprint("row-", i)
		said := []rollout.Message{{Role: "assistant", Content: answer}}
		_ = json.NewEncoder(&lines).Encode(map[string]any{"item": id, "sample": 0, "messages": said, "answer": answer})
		_ = json.NewEncoder(&items).Encode(map[string]any{"id": id, "split": "train", "row": row(i)})
	}
	run := filepath.Join(dir, "run")
	write(p.T, dir, "rollouts.jsonl", lines.String())
	p.gonogo(0, "import", filepath.Join(dir, "rollouts.jsonl"), "-o", run)
	write(p.T, run, "items.jsonl", items.String())
	write(p.T, dir, "grader.yaml", grader)
	p.gonogo(0, "grade", run, "--grader", filepath.Join(dir, "grader.yaml"), "--set", "reward_range=[-2,2]",
		"--set", "python.interpreter="+filepath.Join(p.env, "bin", "python"))
	return p.records(run + "-graded")
}

// verl's own scorers score answers. Our grader calls the same compute_score with rows as verl
// prepares them, and gives the same scores; so does the batch form.
func TestVerlRewards(t *testing.T) {
	p := meet(t, "verl")
	out := filepath.Join(t.TempDir(), "verl.json")
	p.python("rewards.py", out)
	theirs := decode[[]struct {
		Source, Said string
		Score        json.RawMessage
	}](p, read(t, out))
	answers := make([]string, len(theirs))
	for i, row := range theirs {
		answers[i] = row.Said
	}
	row := func(i int) map[string]any {
		return map[string]any{
			"data_source": theirs[i].Source, "prompt": []rollout.Message{{Role: "user", Content: "6 * 7?"}},
			"reward_model": map[string]any{"style": "rule", "ground_truth": "42"}, "extra_info": map[string]any{"index": i},
		}
	}
	for _, function := range []string{"compute_score", "compute_score_batched"} {
		ours := p.regraded(answers, row, "{type: verl, file: "+filepath.Join(p.scripts, "rewards.py")+", function: "+function+"}\n")
		for i, row := range theirs {
			want := struct {
				Score float64
				Acc   *bool
			}{}
			if json.Unmarshal(row.Score, &want.Score) != nil {
				want = decode[struct {
					Score float64
					Acc   *bool
				}](p, row.Score)
			}
			r := ours[rollout.Key{Split: rollout.Train, Item: fmt.Sprint("row-", i)}]
			if r == nil || r.Reward == nil || *r.Reward != want.Score || want.Acc != nil && (r.Parts["acc"] == 1) != *want.Acc {
				t.Errorf("%s: %q of %s: %+v, by verl %s", function, row.Said, row.Source, r, row.Score)
			}
		}
	}
}

// ms-swift's own reward classes and one of a plugin score answers. Our grader makes the same
// classes, and gives the same rewards, part by part.
func TestSwiftRewards(t *testing.T) {
	p := meet(t, "ms-swift")
	out := filepath.Join(t.TempDir(), "swift.json")
	p.python("plugin.py", out)
	theirs := decode[[]struct {
		Said   string
		Scores map[string]float64
	}](p, read(t, out))
	answers := make([]string, len(theirs))
	for i, row := range theirs {
		answers[i] = row.Said
	}
	ours := p.regraded(answers, func(int) map[string]any {
		return map[string]any{"messages": []rollout.Message{{Role: "user", Content: "6 * 7?"}}, "solution": "42"}
	}, "type: ms_swift\nfile: "+filepath.Join(p.scripts, "plugin.py")+"\nfunctions: [external_right, format, repetition]\n"+
		"weights: [1, 0.5, 0.25]\nargs: {repetition_n_grams: 2, repetition_max_penalty: -1.0}\n")
	sums := make(map[string]float64)
	for i, row := range theirs {
		r := ours[rollout.Key{Split: rollout.Train, Item: fmt.Sprint("row-", i)}]
		if r == nil || r.Reward == nil || len(r.Parts) != len(row.Scores) {
			t.Errorf("%q: %+v, by ms-swift %v", row.Said, r, row.Scores)
			continue
		}
		for name, score := range row.Scores {
			if sums[name] += score; !near(r.Parts[name], score) {
				t.Errorf("%q: %s is %v, by ms-swift %v", row.Said, name, r.Parts[name], score)
			}
		}
		if want := row.Scores["external_right"] + 0.5*row.Scores["format"] + 0.25*row.Scores["repetition"]; !near(*r.Reward, want) {
			t.Errorf("%q: the reward is %v, by ms-swift %v", row.Said, *r.Reward, want)
		}
	}
	if sums["external_right"] != 2 || sums["format"] != 1 || sums["repetition"] >= 0 {
		t.Errorf("the answers do not tell the functions apart: %v", sums)
	}
}
