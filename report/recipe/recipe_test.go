package recipe

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/stat"
	"gonogo/sampler/input/document"
	"gonogo/sampler/input/job"
	"gonogo/sampler/rollout"
)

// measured is a run of 100 items with tools, and 50 of eval.
func measured() *analysis.Result {
	est := func(value, low, high float64) stat.Estimate {
		return stat.Estimate{Value: &value, Low: &low, High: &high, N: 800}
	}
	rows, evals, four, budget := 100, 50, 4, 10
	p99, within, between, se := 1000.0, 0.16, 0.09, 0.02
	at := func(g int, share float64) analysis.Signal {
		return analysis.Signal{Estimate: est(share, share-0.1, share+0.1), GroupSize: g, Bound: "exact"}
	}
	cut, over := est(0.05, 0.03, 0.08), 0.02
	big, small := 300.0, 100.0
	return &analysis.Result{
		Ruling: analysis.Ruling{Verdict: analysis.Go}, Confidence: 0.95, RewardRange: [2]float64{0, 1}, GroupSize: 8, Normalize: analysis.NormalizeStd,
		Thresholds: gate.All().Values(nil),
		Plan:       &analysis.Plan{GroupSize: 8, WantedShare: 0.5, MinGroupSize: &four},
		Splits: map[rollout.Split]*analysis.SplitResult{
			rollout.Train: {
				Items:   analysis.ItemCounts{InFile: &rows, Sampled: 100, Measured: 100},
				Signal:  []analysis.Signal{at(2, 0.3), at(4, 0.5), at(8, 0.7)},
				Classes: analysis.Classes{Counts: map[string]int{analysis.Dead: 20, analysis.Saturated: 15, analysis.Flat: 5, analysis.Mixed: 60}},
				Ends:    analysis.FinishStats{FinishedTokens: &p99, CutOff: &cut},
				Tools: analysis.ToolUse{Max: 9, P99: est(8, 7, 9), Budget: &budget, OverBudget: &over, ByTool: map[string]analysis.ToolStat{
					"search": {OutputTokensP95: &big}, "list": {OutputTokensP95: &small},
				}},
			},
			rollout.Eval: {
				Items: analysis.ItemCounts{InFile: &evals, Sampled: 50, Measured: 50}, Samples: analysis.Spread{Min: 4, Median: 4, Max: 4},
				Reward: analysis.Reward{Estimate: stat.Estimate{SE: &se, FixedSE: &se}}, Variance: analysis.Variance{Within: &within, Between: &between},
			},
		},
	}
}

var given = Given{Run: "my-run", Model: "Qwen/Qwen3-4B", Normalize: analysis.NormalizeStd, PromptBytes: 3000}

func written(t *testing.T, trainer string, r *analysis.Result, g Given) string {
	t.Helper()
	i := slices.IndexFunc(Trainers(), func(x Trainer) bool { return x.Name == trainer })
	text, err := Trainers()[i].Write(r, g)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The numbers follow from what was measured: half the groups of 4 teach, so 64 items
// make 32 that do; 100 items are 2 steps, twice; 1,000 tokens and a quarter are
// 1,250, and with 8 outputs of 300 tokens 3,650, in steps of 256; 3,000 bytes are
// 1,000 tokens. Of eval, by eval.power: the true changes of 50 items vary by 0.09, twice
// half of the variance between them, which no number of samples helps against; with 2,
// sampling, 2 x 0.02² x 50 x 4 / 2 = 0.08, hides less than that.
func TestThePlanFollowsFromTheMeasurements(t *testing.T) {
	text := written(t, "trl", measured(), given)
	for _, want := range []string{
		"the smallest at which 50 % of the groups or more are informative; measured 50 % [40 %, 60 %]; 8, as", "\nnum_generations: 4\n",
		"\nper_device_train_batch_size: 4\n", "\ngradient_accumulation_steps: 64\n", "\nmax_steps: 4\n", "\nmax_completion_length: 3840\n",
		"5 % of the rollouts of this run were cut off", "\nmax_tool_calling_iterations: 8\n", "\nscale_rewards: \"group\"\n", "\nmask_truncated_completions: true\n",
		"these always earned the same reward, so that their groups teach nothing: 20 the bottom, 15 the top, 5 one reward in between", "The model that was measured is",
		"\neval_steps: 2\n", "\nnum_generations_eval: 2\n",
	} {
		if !strings.Contains(text, want) && !strings.Contains(strings.ReplaceAll(text, "\n# ", " "), want) {
			t.Errorf("TRL's has no %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "verdict") {
		t.Error("a GO is warned of")
	}
	text = written(t, "verl", measured(), given)
	for _, want := range []string{"\n  max_prompt_length: 1024\n", "\n  train_batch_size: 64\n", "\n      max_assistant_turns: 9\n", "\n    ppo_mini_batch_size: 64\n", "\n    metric: \"reward\"\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("verl's has no %q:\n%s", want, text)
		}
	}
}

// What is configured stays, and the rest follows from it.
func TestThePlanKeepsWhatIsDecided(t *testing.T) {
	g := given
	g.GroupSize, g.BatchSize, g.Epochs, g.EvalEvery, g.EvalSamples, g.Sampling, g.Normalize = 16, 20, 3, 7, 2, sampled(`{"temperature":0.7}`), analysis.NormalizeNone
	text := written(t, "trl", measured(), g)
	for _, want := range []string{
		"\nnum_generations: 16\n", "\ngradient_accumulation_steps: 20\n", "\nmax_steps: 15\n", "\neval_steps: 7\n", "\nnum_generations_eval: 2\n",
		"\ntemperature: 0.7\n", "\nscale_rewards: \"none\"\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it has no %q:\n%s", want, text)
		}
	}
}

// A training without an evaluation would show nothing of what it learned: the interval is never
// longer than the training, whether it was derived or configured.
func TestThePlanEvaluatesWithinTheTraining(t *testing.T) {
	own, err := job.Parse("job.json", []byte(`{"model":"m","method":{"type":"reinforcement","reinforcement":{"grader":{"type":"string_check","name":"g","input":"{{sample.output_text}}","reference":"x","operation":"eq"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	many := measured()
	rows := 4000 // an evaluation takes 8,000 rollouts, a step 256 and the whole training 1,024
	many.Splits[rollout.Eval].Items.InFile = &rows
	configured := given
	configured.EvalEvery = 8
	for name, c := range map[string]struct {
		r *analysis.Result
		g Given
	}{"a large eval split": {many, given}, "configured": {measured(), configured}} {
		c.g.Job = own
		for trainer, want := range map[string]string{
			"trl": "\neval_steps: 4\n", "verl": "\n  test_freq: 4\n", "prime-rl": "\ninterval = 4\n", "openai": " eval_interval: 4\n", "azure": " eval_interval: 4\n",
		} {
			if text := written(t, trainer, c.r, c.g); !strings.Contains(text, want) || !strings.Contains(text, "one evaluation, after the last of 4 steps") {
				t.Errorf("%s, %s: no %q in\n%s", name, trainer, want, text)
			}
		}
	}
}

// A run that is not GO, that has no tool, no eval and no group size that would do.
func TestThePlanOfALittleRun(t *testing.T) {
	r := measured()
	train := r.Splits[rollout.Train]
	train.Tools, train.Ends, train.Signal = analysis.ToolUse{}, analysis.FinishStats{}, nil
	delete(r.Splits, rollout.Eval)
	r.Plan.MinGroupSize, r.Verdict = nil, analysis.NoGo
	for _, trainer := range Trainers() {
		if trainer.Name == "openai" || trainer.Name == "azure" {
			if _, err := trainer.Write(r, given); err == nil {
				t.Errorf("%s: a job without a grader", trainer.Name)
			}
			continue
		}
		text := written(t, trainer.Name, r, given)
		// TRL 1.16 and verl 0.9.1 cut answers off after 512 tokens by default, prime-rl rollouts after 2,048
		limit := map[string]string{"trl": "\nmax_completion_length: 512\n", "verl": "\n  max_response_length: 512\n", "prime-rl": "\nseq_len = 2048\n"}[trainer.Name]
		if !strings.Contains(text, limit) {
			t.Errorf("%s has no %q:\n%s", trainer.Name, limit, text)
		}
		for _, no := range []string{"eval_", "eval]", "tool", "max_completion_tokens", "val_kwargs"} {
			if _, lines, _ := strings.Cut(text, "\n\n"); strings.Contains(lines, no) {
				t.Errorf("%s has %q:\n%s", trainer.Name, no, text)
			}
		}
		if flat := strings.ReplaceAll(text, "\n# ", " "); !strings.Contains(flat, "The verdict on the run is NO-GO") || !strings.Contains(flat, "no group size up to the samples") {
			t.Errorf("%s:\n%s", trainer.Name, text)
		}
	}
	train.Items.Measured = 0
	if _, err := Trainers()[0].Write(r, given); err == nil {
		t.Error("a plan of nothing")
	}
}

// The YAML is read as it was meant, whatever a name holds; comments stay comments.
func TestThePlanIsSafeYAML(t *testing.T) {
	g := given
	g.Model, g.Run = "a: #b\"\n\u2028c", "run\nmax_steps: 1"
	n, err := document.Parse("verl.yaml", []byte(written(t, "verl", measured(), g)))
	if err != nil {
		t.Fatal(err)
	}
	if got := n.Inner("actor_rollout_ref.model.path"); got.Text != g.Model {
		t.Errorf("the model is %q", got.Text)
	}
	if _, err := document.Parse("trl.yaml", []byte(written(t, "trl", measured(), g))); err != nil {
		t.Error(err)
	}
}

// The body of a job is read by our own reader, and what the run's job has else is kept.
func TestTheJobOfThePlanIsReadBack(t *testing.T) {
	g := given
	own, err := job.Parse("job.json", []byte(`{"model":"m","training_file":"file-1","seed":7,"method":{"type":"reinforcement","reinforcement":{
		"tools":[{"name":"search","server_url":"https://tools.example/x","headers":{"a":"b"},"timeout":5}],"max_episode_steps":3,
		"response_format":{"type":"json_object"},"grader":{"type":"string_check","name":"g","input":"{{sample.output_text}}","reference":"<{{item.a}}>","operation":"eq"},
		"hyperparameters":{"n_epochs":9,"reasoning_effort":"low"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	g.Job, g.Epochs = own, 60
	for _, platform := range []string{"openai", "azure"} {
		text := written(t, platform, measured(), g)
		node, err := document.Parse("job.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		j, err := job.Parse("job.yaml", node.JSON())
		if err != nil {
			t.Fatal(err)
		}
		batch, _ := j.Hyper.BatchSize.Int()
		epochs, _ := j.Hyper.NEpochs.Int()
		var grader map[string]string
		if err := json.Unmarshal(j.Grader, &grader); err != nil {
			t.Fatal(err)
		}
		if j.Model != given.Model || j.TrainingFile != "file-1" || *j.Seed != 7 || j.MaxEpisodeSteps != 17 || batch != 64 || epochs != 50 || j.Hyper.ReasoningEffort != "low" ||
			j.Tools[0].Headers["a"] != "b" || string(j.Tools[0].Extra["timeout"]) != "5" || grader["reference"] != "<{{item.a}}>" || len(j.ResponseFormat) == 0 || len(j.Unknown) > 0 {
			t.Errorf("read back as %+v from\n%s", j.Hyper, text)
		}
	}
}

// primeRLKeys returns the keys of prime-rl's configuration, by the list of its source.
func primeRLKeys(t *testing.T) map[string]bool {
	t.Helper()
	list, err := os.Open("testdata/prime-rl.keys")
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	known := make(map[string]bool)
	for s := bufio.NewScanner(list); s.Scan(); {
		known[s.Text()] = true
	}
	return known
}

// keysOf returns the values of a TOML text by their dotted keys.
func keysOf(text string) map[string]string {
	table, keys := "", map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch key, value, is := strings.Cut(line, " = "); {
		case strings.HasPrefix(line, "["):
			table = strings.Trim(line, "[]") + "."
		case is && !strings.HasPrefix(line, "#"):
			keys[table+key] = value
		}
	}
	return keys
}

// unknownTo returns the keys that prime-rl does not have.
func unknownTo(known map[string]bool, keys map[string]string) (unknown []string) {
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if setting, _, _ := strings.Cut(key, "extra_body."); !known[key] && !known[setting+"extra_body"] {
			unknown = append(unknown, key)
		}
	}
	return unknown
}

// Each key is one of prime-rl's configuration, by the list of its source; so is the table that the
// first lines ask for.
func TestPrimeRLHasTheKeysOfThePlan(t *testing.T) {
	g := given
	g.Sampling = sampled(`{"temperature":1,"top_p":0.9,"min_p":0.1,"chat_template_kwargs":{"thinking":false}}`)
	text := written(t, "prime-rl", measured(), g)
	_, asked, _ := strings.Cut(text, "below the source of training:\n")
	keys := keysOf(text + strings.ReplaceAll(asked[:strings.Index(asked, "\n\n")], "# ", ""))
	for _, key := range unknownTo(primeRLKeys(t), keys) {
		t.Errorf("prime-rl has no %s", key)
	}
	for key, want := range map[string]string{
		"max_steps": "4", "seq_len": "4864", "orchestrator.batch_size": "256", "orchestrator.group_size": "4", "orchestrator.train.sampling.max_completion_tokens": "1280",
		"orchestrator.train.sampling.extra_body.min_p": "0.1", "orchestrator.eval.sampling.top_p": "0.9", "orchestrator.train.sampling.extra_body.chat_template_kwargs.thinking": "false",
		"orchestrator.train.filter_zero_advantages": "true", "orchestrator.train.source.curriculum.gates.teaches.type": `"advantage_range"`, "model.name": `"Qwen/Qwen3-4B"`,
	} {
		if keys[key] != want {
			t.Errorf("%s is %s, want %s", key, keys[key], want)
		}
	}
	// prime-rl sends top_p 1 next to extra_body, and verifiers 0.4.0 prefers it (SamplingConfig.normalize)
	if value := keys["orchestrator.train.sampling.extra_body.top_p"]; value != "0.9" || !strings.Contains(strings.ReplaceAll(text, "\n# ", " "), "sends top_p 1 next to the top_p 0.9 of extra_body, which was in force, and verifiers 0.4 takes the 1") {
		t.Errorf("the top_p of training is %q, or nothing says that it may have no effect:\n%s", value, text)
	}
}

// Short answers need no limit of 256 tokens, on which a rollout that misses its end would go on.
func TestLimitOfShortAnswers(t *testing.T) {
	for tokens, want := range map[float64]int{1: 16, 7.5: 16, 16: 16, 16.25: 32, 128: 128, 129: 256, 256: 256, 257: 512, 1000: 1024} {
		if got := limitOf(tokens); got != want {
			t.Errorf("%g tokens: %d, want %d", tokens, got, want)
		}
	}
}
