package importer

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// stepMeans returns the mean reward of the graded rollouts of each split and step.
func stepMeans(g *got) map[string]float64 {
	sums, counts := make(map[string]float64), make(map[string]float64)
	for _, r := range g.records {
		if r.Reward != nil {
			key := fmt.Sprint(r.Split, " ", r.Step)
			sums[key] += *r.Reward
			counts[key]++
		}
	}
	for key := range sums {
		sums[key] /= counts[key]
	}
	return sums
}

var nearly = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-6 })

// The files in testdata/trl-environment were written by GRPOTrainer of TRL 1.16.0 with environment_factory, by
// .ci/peers/trl/environment.py. What is expected is of TRL's own log of these steps: reward, tools/call_frequency and
// tools/failure_frequency.
func TestTRLEnvironment(t *testing.T) {
	_, g, err := importSource(t, "", Paths(Options{}, "testdata/trl-environment"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]float64{"train 1": 0.46875, "train 2": 0.65625}, stepMeans(g), nearly); diff != "" {
		t.Errorf("means by step (-want +got):\n%s", diff)
	}
	calls, failed, without := make(map[int]float64), make(map[int]float64), 0
	for _, r := range g.records {
		calls[r.Step] += float64(len(r.Calls)) / 8
		for _, c := range r.Calls {
			if c.Status == rollout.CallError {
				failed[r.Step]++
				if c.Error != "3 is too many" || c.Arguments != `{"number":3}` {
					t.Errorf("a call that failed is %+v", c)
				}
			}
		}
		if _, ok := r.Parts["Number"]; !ok {
			t.Errorf("%+v has no reward of the environment", r.Parts)
		}
		if _, ok := r.Parts["short"]; !ok {
			without++
		}
	}
	for step := range calls {
		failed[step] /= 8 * calls[step]
	}
	if diff := cmp.Diff(map[int]float64{1: 1.375, 2: 1.875}, calls, nearly); diff != "" {
		t.Errorf("calls a rollout (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[int]float64{1: 0.272727281, 2: 0.133333340}, failed, nearly); diff != "" {
		t.Errorf("share of calls that failed (-want +got):\n%s", diff)
	}
	if len(g.items) != 3 || without != 1 || g.items[0].Messages[0].Content != "Guess number 1. The number is below 3." {
		t.Errorf("%d items, %d rollouts without a reward of short, the first prompt is %+v", len(g.items), without, g.items[0].Messages)
	}
	g.noted(t, "reward = short + Number")
}

// The files in testdata/skyrl were written by dump_per_dataset_eval_results of skyrl 0.4.0, by .ci/peers/skyrl/dump.py.
// The means are the avg_score of aggregated_results.jsonl. In step 10 each step of a rollout has a line.
func TestSkyRL(t *testing.T) {
	_, g, err := importSource(t, "", Paths(Options{}, "testdata/skyrl"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"eval 5": 0.5, "eval 10": 2. / 3}
	if diff := cmp.Diff(want, stepMeans(g), nearly); diff != "" {
		t.Errorf("means by step (-want +got):\n%s", diff)
	}
	var found []string
	for _, r := range g.records {
		found = append(found, fmt.Sprint(r.Step, r.Sample, *r.Reward, r.Turns)+" "+string(r.Finish))
	}
	// the order of the files' paths: step 10 precedes 5
	lines := []string{"10 0 1 2 stop", "10 1 0 2 stop", "10 0 1 1 stop", "5 0 1 1 stop", "5 1 0 1 length", "5 0 0 1 stop", "5 1 1 1 stop", "5 0 0.75 1 stop", "5 1 0.25 1 stop"}
	if diff := cmp.Diff(lines, found); diff != "" {
		t.Errorf("step, sample, reward, turns and end (-want +got):\n%s", diff)
	}
	if len(g.items) != 3 || g.records[0].Item != g.records[3].Item || !strings.Contains(string(g.items[0].Row), `"ground_truth":"5"`) {
		t.Errorf("%d items, the first %s", len(g.items), g.items[0].Row)
	}
	if m := g.records[0].Messages; len(m) != 3 || m[1].Role != "user" || !strings.Contains(m[1].Content, "five") {
		t.Errorf("the conversation is %+v", m)
	}
	g.noted(t, "2 lines are a further step", "rollouts are from 2 steps")
	if strings.Contains(strings.Join(g.notes, "\n"), "avg_score") {
		t.Errorf("the means that SkyRL states are not those of the rollouts: %s", g.notes)
	}
}

func TestSkyRLSplit(t *testing.T) {
	_, g, err := importSource(t, "", Paths(Options{Split: rollout.Train}, "testdata/skyrl"))
	if means := stepMeans(g); err != nil || len(means) != 2 || means["train 5"] != 0.5 {
		t.Errorf("with --split train: %v, %v", means, err)
	}
}

func TestSkyRLRows(t *testing.T) {
	line := func(prompt, output, score string) string {
		return fmt.Sprintf(`{"input_prompt":%q,"output_response":%q,"score":%s,"stop_reason":null,"env_class":"e","env_extras":{"i":1}}`, prompt, output, score) + "\n"
	}
	id, other := hash([]byte("q\x00{\"i\":1}")), hash([]byte("qq\x00{\"i\":1}"))
	tryRows(t, "skyrl", []row{
		{name: "a score that is null", file: line("q", "a", "null"), want: []string{id + "/0 grader - the score is missing, null or NaN"}},
		{name: "a score that is NaN", file: line("q", "a", "NaN"), want: []string{id + "/0 grader - the score is missing, null or NaN"}},
		{name: "no token has a score", file: line("q", "a", "[]"), want: []string{id + "/0 grader - the score is missing, null or NaN"}},
		{name: "a token's score is missing", file: line("q", "a", "[1,null]") + line("q", "a", "[1,NaN]"), want: []string{id + "/0 grader - the score is missing, null or NaN", id + "/1 grader - the score is missing, null or NaN"}},
		{name: "a prompt that begins like the one before, whose answer is empty", file: line("q", "", "1") + line("qq", "a", "0"), want: []string{id + "/0 graded 1", other + "/0 graded 0"}},
		{name: "an answer twice is two rollouts", file: line("q", "a", "1") + line("q", "a", "0"), want: []string{id + "/0 graded 1", id + "/1 graded 0"}},
		{name: "no prompt", file: line("", "a", "1"), broken: "input_prompt is empty"},
		{name: "a score that is a text", file: line("q", "a", `"good"`), broken: "score must be a number"},
		{name: "a last line that was cut off", file: line("q", "a", "1") + `{"input_prompt":"q","out`, want: []string{id + "/0 graded 1"}, note: "incomplete"},
	})
}

// The files in testdata/tinker were written by tinker-cookbook 0.6.1, by .ci/peers/tinker/train.py. The means are
// env/all/reward/total of metrics.jsonl.
func TestTinkerTraining(t *testing.T) {
	_, g, err := importSource(t, "", Paths(Options{}, "testdata/tinker/run"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"train 0": 0.20833333333333334, "train 1": 0.375, "train 2": 0.375}
	if diff := cmp.Diff(want, stepMeans(g), nearly); diff != "" {
		t.Errorf("means by step (-want +got):\n%s", diff)
	}
	var turns, input, output, cut, limits int64
	for _, r := range g.records[:6] {
		turns, input, output = turns+int64(r.Turns), input+*r.Usage.Input, output+*r.Usage.Output
		if r.Finish == rollout.FinishLength {
			cut++
		}
		if r.Outcome == rollout.StepLimit {
			limits++
		}
	}
	// env/all/total_turns, total_ob_tokens, total_ac_tokens of step 0; one rollout each has stop/max_tokens and stop/max_turns
	if turns != 7 || input != 39 || output != 11 || cut != 1 || limits != 2 {
		t.Errorf("%d turns, %d and %d tokens, %d cut off, %d at a limit", turns, input, output, cut, limits)
	}
	if len(g.items) != 6 || g.records[0].Item != "0/0" || g.records[7].Sample != 1 || g.records[1].Parts["style"] != 1 || g.records[0].Parts["correct"] != 1 {
		t.Errorf("%d items, records %+v and %+v", len(g.items), g.records[0], g.records[1])
	}
	g.noted(t, "hold no prompts", "rollouts are from 3 steps")

	_, g, err = importSource(t, "", Paths(Options{Score: "correct"}, "testdata/tinker/run"))
	if err != nil || stepMeans(g)["train 0"] != 1./6 { // env/all/correct
		t.Errorf("by --score correct: %v, %v", stepMeans(g), err)
	}
}

// An environment that raised is a zero in the score of tinker-cookbook's result.json: 0.5 of four.
func TestTinkerBenchmark(t *testing.T) {
	_, g, err := importSource(t, "", Paths(Options{}, "testdata/tinker/eval"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"sums_5/0 graded 1", "sums_6/0 graded 0", "sums_5/1 model_api - the environment broke", "sums_6/1 graded 1"}
	if diff := cmp.Diff(want, told(g)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	r := g.records[0]
	if r.Answer != "5" || *r.Usage.Input != 6 || *r.Usage.Output != 1 || r.Turns != 1 || r.Parts["correct"] != 1 || g.items[0].Messages[0].Content != "what is 2 + 3 ?" {
		t.Errorf("record is %+v of %+v", r, g.items[0].Messages)
	}
	g.noted(t, "states score 0.5, and the mean of its 3 graded rollouts is 0.6667")
}

func TestTinkerRows(t *testing.T) {
	line := func(more string) string {
		return `{"group_idx":4,"traj_idx":0,"iteration":7,"split":"train",` + more + "}\n"
	}
	tryRows(t, "tinker", []row{
		{name: "a reward that is NaN", file: line(`"total_reward":NaN`), want: []string{"7/4/0 grader - the reward is missing, null or NaN"}},
		{name: "a rollout of an evaluation", file: strings.Replace(line(`"total_reward":1`), "train", "test", 1), want: []string{"test/4/0 graded 1"}},
		{name: "a metric that says it did not stop there", file: line(`"total_reward":1,"steps":[{"metrics":{"stop/max_tokens":0.0}}]`), want: []string{"7/4/0 graded 1"}},
		{name: "the context was full", file: line(`"total_reward":0.5,"steps":[{"metrics":{"stop/context_overflow":1}}]`), want: []string{"7/4/0 step_limit 0.5 context_overflow"}},
		{name: "a step below zero", file: strings.Replace(line(`"total_reward":1`), ":7", ":-7", 1), broken: "iteration must be a whole number"},
		{name: "a reward that is a text", file: line(`"total_reward":"good"`), broken: "must be a number"},
		{name: "half a line", file: line(`"total_reward":1`) + `{"group_idx":`, want: []string{"7/4/0 graded 1"}, note: "incomplete"},
	})
}

// The files in testdata/prime-rl were written with verifiers 0.4.0 and prime-runs 0.1.4, by .ci/peers/verifiers/samples.py,
// of an evaluation of .ci/peers/verifiers/prices.py: two rollouts that earn 1.5, one whose reward function raised, and one of the
// training's evaluation. The folders effective hold those that were trained on.
func TestPrimeRL(t *testing.T) {
	lone := filepath.Join(t.TempDir(), "rollouts")
	if err := os.CopyFS(lone, os.DirFS("testdata/prime-rl/rollouts")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(lone, "step_10", "train", "all")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{
		lone:                         {"eval 2: 0.5", "train 10: 1.5", "train 10: 1.5", "train 2: 1.5", "train 2: 1.5", "train 2: grader"},
		"testdata/prime-rl/rollouts": {"eval 2: 0.5", "train 10: 1.5", "train 10: 1.5", "train 10: grader", "train 2: 1.5", "train 2: 1.5", "train 2: grader"},
		"testdata/prime-rl/rollouts/step_2/train/effective": {"train 2: 1.5", "train 2: 1.5"},
		"testdata/prime-rl/samples.json":                    {"train 10: 1.5", "train 10: 1.5", "train 10: grader"},
	} {
		f, g, err := importSource(t, "", Paths(Options{}, path))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var found []string
		for _, r := range g.records {
			what := string(r.Outcome)
			if r.Reward != nil {
				what = fmt.Sprint(*r.Reward)
			}
			found = append(found, fmt.Sprintf("%s %d: %s", r.Split, r.Step, what))
		}
		slices.Sort(found)
		if diff := cmp.Diff(want, found); diff != "" || f.Name != "verifiers-v1" {
			t.Errorf("%s as %s: records (-want +got):\n%s", path, f.Name, diff)
		}
	}
	_, g, err := importSource(t, "", Paths(Options{}, "testdata/prime-rl/rollouts"))
	if err != nil {
		t.Fatal(err)
	}
	g.noted(t, "2 files in effective were left out: their episodes are also in all")
}

func TestSamplesOfATraining(t *testing.T) {
	sample := func(info string) string {
		return `{"run_id":"r","samples":[{"problem_id":0,"step":3,"reward":1.0,"info":` + info + `}],"page":1,"total_pages":2}`
	}
	tryRows(t, "verifiers-v1", []row{
		{name: "a page of several, with info as an object", file: sample(`{"native_wrapper":` + samples["verifiers-v1"] + `}`), want: []string{"k/0 graded 1"}, note: "page 1 of 2"},
		{name: "a row without its episode", file: sample(`"{}"`), broken: "info.native_wrapper, the episode, is missing"},
		{name: "half a page", file: sample(`"{}"`)[:40], broken: "cut off"},
	})
}

// The files in testdata/atif follow Harbor's ATIF 1.7, which the package atif 1.8.0 reads; testdata/otlp/atif2otel.jsonl is
// what harbor-atif2otel 0.1.1 makes of them. Tokens are their final_metrics.
func TestATIF(t *testing.T) {
	for _, path := range []string{"testdata/atif", "testdata/otlp/atif2otel.jsonl"} {
		_, g, err := importSource(t, "", Paths(Options{}, path))
		if err != nil {
			t.Fatal(err)
		}
		if len(g.items) != 1 || len(g.records) != 2 {
			t.Fatalf("%s: %d items, %d records", path, len(g.items), len(g.records))
		}
		for i, r := range g.records {
			if r.Outcome != rollout.GraderFailed || r.Turns != 2 || len(r.Calls) != 1 || r.Calls[0].Name != "bash" || r.Calls[0].Output != "a b" ||
				*r.Usage.Input != 53 || *r.Usage.Output != 9 || r.Answer != []string{"2", "3"}[i] {
				t.Errorf("%s: record is %+v", path, r)
			}
		}
	}
	tryRows(t, "atif", []row{
		{name: "nothing was asked", file: `{"schema_version":"ATIF-v1.7","agent":{"name":"a"},"steps":[]}`, broken: "they identify the item"},
		{name: "half a file", file: samples["atif"][:80], broken: "unexpected end"},
		{name: "an agent that is none", file: `{"schema_version":"ATIF-v1.7","agent":7,"steps":[]}`, broken: `"agent" is not an object`},
	})
	if _, _, err := importText(t, "atif", `{"schema_version":1,"steps":[]}`); !errors.Is(err, ErrUnrecognized) {
		t.Errorf("a file of another schema: %v", err)
	}
}

// A trainer's metrics hold no rollouts: the error says so, in one line.
func TestMetricsAreNoRollouts(t *testing.T) {
	tinker, err := os.ReadFile(filepath.Join("testdata", "tinker", "run", "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{
		"tinker-cookbook": string(tinker), "verl": `{"step":1,"data":{"critic/score/mean":0.5}}`, "a trainer state": `{"log_history":[{"step":1,"reward":1}]}`,
		"SkyRL": `{"eval/all/avg_score": 0.5}`,
	} {
		_, g, err := importText(t, "", file)
		if !errors.Is(err, ErrUnrecognized) || !g.empty() || !strings.Contains(err.Error(), "it holds a trainer's metrics and no rollouts") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzSkyRL(f *testing.F) {
	fuzzFormat(f, "skyrl", samples["skyrl"]+`{"input_prompt":"2+2?4!","output_response":"5","score":[0,1],"env_class":"e","env_extras":{}}`)
}

func FuzzTinker(f *testing.F) {
	fuzzFormat(f, "tinker", `{"example_id":"a","benchmark":"b","turns":[{"role":"user","content":"q"},{"role":"assistant","content":"a","token_count":1}],"reward":1,"error":null}`)
}
