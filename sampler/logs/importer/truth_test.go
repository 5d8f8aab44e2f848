package importer

import (
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// The sample of each format, with true or false for its reward.
func TestTruthsAreRewardsInEveryFormat(t *testing.T) {
	for name, number := range map[string]string{
		"gonogo": `"reward":0.5`, "verifiers": `"reward":1.0`, "eval-protocol": `"score":1.0`, "nemo-gym": `"reward":1.0`,
		"verl": `"score":1.0`, "promptfoo": `"score":1`, "tau-bench": `"reward":1`, "tau2-bench": `"reward":1`,
		"build-hours": `"g":1`, "item-index": `"score":0.5`, "openai-evals": `"score":1`, "build-hours-evals": `"score":1`,
		"every-eval-ever": `"score":1.0`, "lm-eval": `"acc":1.0`, "harbor": `"reward":1}`, "jsonl": `"score":0.5`,
	} {
		key, end, _ := strings.Cut(number, ":")
		if end = strings.TrimLeft(end, "0123456789."); !strings.Contains(samples[name], number) {
			t.Errorf("the sample of %s has no %s", name, number)
		}
		for word, want := range map[string]float64{"true": 1, "false": 0} {
			src := sample(name)
			file := strings.Replace(samples[name], number, key+":"+word+end, 1)
			src.Files = text(file).Files
			f, g, err := importSource(t, "", src)
			if err != nil || f.Name != name || len(g.records) != 1 || g.records[0].Outcome != rollout.Graded || *g.records[0].Reward != want {
				t.Errorf("%s of %s: read as %q, %v: %+v", word, name, f.Name, err, g.records)
			}
		}
	}
}

func TestRewardsAreWrittenOneWay(t *testing.T) {
	rows := samples["verl"] + strings.Replace(samples["verl"], `"score":1.0`, `"score":true`, 1)
	if _, _, err := importText(t, "verl", rows); err == nil || !strings.Contains(err.Error(), "some rewards are numbers, such as 1.0, and some are true or false") {
		t.Errorf("error is %v", err)
	}
	g, err := mappedAs(t, "jsonl", "item=q,reward=ok", `{"q":"a","ok":true}`+"\n"+`{"q":"a","ok":null}`+"\n"+`{"q":"a","ok":"False"}`+"\n")
	if err != nil || *g.records[0].Reward != 1 || g.records[1].Outcome != rollout.GraderFailed || *g.records[2].Reward != 0 {
		t.Errorf("%+v, %v", g.records, err)
	}
}
