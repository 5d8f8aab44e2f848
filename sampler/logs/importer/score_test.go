package importer

import (
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// scored holds, for each format whose rollouts may have several scores, a log with two, and one of
// the two with its value and the names that an error lists.
var scored = map[string]struct {
	file, name string
	reward     float64
	list       string
}{
	"inspect":           {`{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[{"id":1,"epoch":1,"scores":{"a":{"value":1},"b":{"value":0.25}}}]}`, "b", 0.25, "a, b"},
	"verifiers":         {`{"example_id":1,"prompt":"a","completion":[{"role":"assistant","content":"b"}],"reward":1.0,"is_completed":true,"metrics":{"style":0.5,"length":3}}`, "style", 0.5, "length, style"},
	"verifiers-v1":      {`{"id":"e","task":{"key":"k"},"ok":true,"traces":[{"agent":{"trainable":true},"rewards":{"r":{"score":1}},"metrics":{"turns":2}}]}`, "turns", 2, "r, turns"},
	"eval-protocol":     {`{"input_metadata":{"row_id":"r"},"evaluation_result":{"score":1.0,"is_score_valid":true,"metrics":{"style":{"score":0.5,"is_score_valid":true}}}}`, "style", 0.5, "style"},
	"harbor":            {`{"task_name":"t","trial_name":"t__a","task_checksum":"c","agent_info":{"name":"a"},"verifier_result":{"rewards":{"reward":1,"speed":0.5}},"exception_info":null,"finished_at":"2026-11-20T09:00:00Z"}`, "speed", 0.5, "reward, speed"},
	"tinker":            {`{"split":"train","iteration":1,"group_idx":0,"traj_idx":0,"total_reward":1.0,"trajectory_metrics":{"style":0.5,"length":3},"steps":[]}` + "\n", "style", 0.5, "length, style"},
	"verl":              {`{"input":"2+2?","output":"4","gts":"4","score":1.0,"acc":0.5,"step":1}` + "\n", "acc", 0.5, "acc"},
	"promptfoo":         {`{"evalId":"e","results":{"version":3,"results":[{"promptIdx":0,"testIdx":0,"provider":{"id":"p"},"vars":{},"score":1,"namedScores":{"tone":0.5}}]}}`, "tone", 0.5, "tone"},
	"build-hours":       {`{"sample_index":3,"input_item":{},"trace":[],"final_message_text":"4","metrics":{"g":1,"h":0.5},"error":null}` + "\n", "h", 0.5, "g, h"},
	"openai-evals":      {`{"object":"eval.run.output_item","run_id":"r","datasource_item_id":3,"results":[{"name":"g","score":1,"passed":true},{"name":"h","score":0.5,"passed":true}],"sample":{}}` + "\n", "h", 0.5, "g, h"},
	"build-hours-evals": {`{"datasource_item_id":3,"item_id":"q","reference":"4","prediction":"4","score":{"g":1,"h":0.5}}` + "\n", "h", 0.5, "g, h"},
	"every-eval-ever":   {samples["every-eval-ever"] + strings.NewReplacer(`"g"`, `"h"`, "1.0}", "0.5}", `"score":1.0`, `"score":0.5`).Replace(samples["every-eval-ever"]), "h", 0.5, "g, h"},
	"lm-eval":           {`{"doc_id":0,"doc":{},"target":"4","arguments":{},"resps":[["4"]],"filtered_resps":["4"],"filter":"none","metrics":["acc","f1"],"acc":1.0,"f1":0.5}` + "\n", "f1", 0.5, "acc, acc,none, f1, f1,none"},
	"otlp":              {strings.Replace(samples["otlp"], `{"key":"reward"`, `{"key":"score","value":{"doubleValue":0.5}},{"key":"reward"`, 1), "score", 0.5, "reward, score"},
	"evals-recorder":    {`{"spec":{}}` + "\n" + `{"run_id":"r","event_id":0,"sample_id":"a.0","type":"metrics","data":{"score":1,"f1":0.5}}` + "\n", "f1", 0.5, "f1, score"},
}

func TestScoresAreSelectedByName(t *testing.T) {
	for _, f := range Formats() {
		c, several := scored[f.Name]
		if !several {
			c.file, c.name = samples[f.Name], "style"
		}
		if several != f.Scored && f.Name != "trl" { // which has a test of its own: --score is a formula
			t.Errorf("%s: Scored is %t, and a log with two scores is here: %t", f.Name, f.Scored, several)
		}
		src := text(c.file)
		src.Options = sample(f.Name).Options
		src.Options.Score = c.name
		_, g, err := importSource(t, f.Name, src)
		switch {
		case f.Name == "trl":
			continue
		case !several:
			if err == nil || !strings.Contains(err.Error(), "rollouts of the format "+f.Name+" have one reward, so there is nothing to select") {
				t.Errorf("%s: error is %v", f.Name, err)
			}
			continue
		case err != nil || len(g.records) == 0 || g.records[0].Outcome != rollout.Graded || *g.records[0].Reward != c.reward:
			t.Errorf("%s: %+v, %v", f.Name, g.records, err)
		}
		src.Options.Score = "stlye"
		_, _, err = importSource(t, f.Name, src)
		if err == nil || !strings.Contains(err.Error(), "--score stlye: no rollout has a score of that name; there are "+c.list) {
			t.Errorf("%s with a name that is misspelt: %v, want a list of %s", f.Name, err, c.list)
		}
	}
}

// Rollouts that all failed have no scores, whatever their names.
func TestFailedRolloutsHaveNoScores(t *testing.T) {
	src := text(`{"example_id":1,"prompt":"a","completion":[],"reward":0.0,"error":"RateLimitError"}`)
	src.Options.Score = "style"
	if _, g, err := importSource(t, "verifiers", src); err != nil || !g.records[0].Outcome.Missing() {
		t.Errorf("%+v, %v", g.records, err)
	}
}

// A line for each filter, as lm-eval 0.4.13 writes them for a task with several.
func TestTheScoreOfAnotherFilter(t *testing.T) {
	line := func(doc, filter, score string) string {
		return `{"doc_id":` + doc + `,"doc":{},"target":"4","arguments":{},"resps":[["4"]],"filtered_resps":["4"],"filter":"` + filter + `","metrics":["exact_match"],"exact_match":` + score + "}\n"
	}
	file := line("0", "strict", "0") + line("1", "strict", "0") + line("0", "raw", "1") + line("1", "raw", "0.5")
	for score, want := range map[string][]float64{"": {0, 0}, "exact_match": {0, 0}, "exact_match,raw": {1, 0.5}, "exact_match,strict": {0, 0}} {
		src := text(file)
		src.Options.Score = score
		_, g, err := importSource(t, "", src)
		if err != nil || len(g.records) != 2 || *g.records[0].Reward != want[0] || *g.records[1].Reward != want[1] {
			t.Errorf("--score %s: %+v, %v", score, g.records, err)
			continue
		}
		filter := "strict"
		if strings.HasSuffix(score, "raw") {
			filter = "raw"
		}
		g.noted(t, "is its metric exact_match through the filter "+filter,
			"left out: 2; --score METRIC,FILTER selects another filter: exact_match,strict, exact_match,raw")
	}
	src := text(file)
	src.Options.Score = "exact_match,lenient"
	if _, _, err := importSource(t, "", src); err == nil || !strings.Contains(err.Error(), "--score exact_match,lenient: no rollout has a score of that name; there are exact_match,raw, exact_match,strict") {
		t.Errorf("error is %v", err)
	}
}

func TestAdvantagesTellWhetherWeightsAreRight(t *testing.T) {
	weighted := trlGroup(1)
	for i := range weighted { // brief has the weight 3: sums 0, 1, 2.5 and 0
		weighted[i].Advantage = []float64{-0.875, 0.125, 1.625, -0.875}[i]
	}
	const note = "the advantages of 1 of 1 groups do not follow from this reward"
	for score, wrong := range map[string]bool{"correct+3*brief": false, "correct+brief": true, "correct": true} {
		src := text(parquetFileOf(weighted))
		src.Options.Score = score
		_, g, err := importSource(t, "trl", src)
		if got := strings.Contains(strings.Join(g.notes, "\n"), note); err != nil || got != wrong {
			t.Errorf("--score %s: noted is %t, %v", score, got, err)
		}
	}
}

func TestASplitThatNoRowTakesIsNoted(t *testing.T) {
	for rows, want := range map[string]bool{
		`{"item":"a","split":"train","reward":1}`:                                           true,
		`{"item":"a","split":"train","reward":1}` + "\n" + `{"item":"b","reward":1}` + "\n": false,
	} {
		src := text(rows)
		src.Options.Split = rollout.Eval
		_, g, err := importSource(t, "", src)
		if err != nil || slices.Contains(g.notes, "--split eval was ignored: each row names its split") != want {
			t.Errorf("%s: %v, notes %q", rows, err, g.notes)
		}
	}
}
