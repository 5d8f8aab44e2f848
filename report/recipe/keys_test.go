package recipe

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/input/document"
	"gonogo/sampler/rollout"
)

// recorded returns the keys of a trainer, by the list of its package or page in testdata.
func recorded(t *testing.T, trainer string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", trainer+".keys"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") {
			known[line] = true
		}
	}
	return known
}

// arguments returns what a script passes to its program, which another of that name prints.
func arguments(t *testing.T, text string) []string {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	dir := t.TempDir()
	for _, program := range []string{"python", "eval-protocol"} {
		if err := os.WriteFile(filepath.Join(dir, program), []byte("#!"+bash+"\nprintf '%s\\n' \"$@\"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "plan.sh")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), bash, file, "added=1")
	cmd.Env = []string{"PATH=" + dir}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s in\n%s", err, out, text)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// settingsOf returns the settings of a plan by their keys, a list of values joined by spaces.
func settingsOf(t *testing.T, trainer, text string) map[string]string {
	t.Helper()
	set := map[string]string{}
	switch trainer {
	case "sagemaker", "nemo-rl":
		root, err := document.Parse(trainer+".yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var walk func(path string, n *document.Node)
		walk = func(path string, n *document.Node) {
			for _, m := range n.Fields {
				key := strings.TrimPrefix(path+"."+m.Key, ".")
				if len(m.Value.Fields) > 0 {
					walk(key, m.Value)
					continue
				}
				set[key] = strings.Trim(string(m.Value.JSON()), `"`)
			}
		}
		walk("", root)
	case "tinker", "skyrl":
		for _, arg := range arguments(t, text) {
			if key, value, is := strings.Cut(arg, "="); is && key != "added" {
				set[key] = value
			}
		}
	default:
		last := ""
		for _, arg := range arguments(t, text) {
			switch key, is := strings.CutPrefix(arg, "--"); {
			case is:
				last = key
				set[last] = ""
			case last != "" && arg != "added=1":
				set[last] = strings.TrimSpace(set[last] + " " + arg)
			}
		}
	}
	return set
}

// Each key is one of the trainer's own, each value follows from the measurements, and the unit of a
// batch is the trainer's: 64 items are 64 prompts, and 256 rollouts in groups of 4.
func TestTheTrainersHaveTheKeysOfThePlan(t *testing.T) {
	g := given
	g.Sampling = sampled(`{"temperature":0.7,"top_p":0.9,"top_k":-1,"min_p":0.1,"chat_template_kwargs":{"thinking":false}}`)
	for trainer, c := range map[string]struct {
		wants map[string]string
		head  []string
	}{
		"sagemaker": {map[string]string{
			"group_size": "4", "global_batch_size": "64", "max_epochs": "2", "max_steps": "4", "sampling_max_tokens": "1280",
			"temperature": "0.7", "sampling_top_p": "0.9", "val_every": "2",
		}, []string{
			"SageMaker has no key for top_k -1, min_p 0.1, chat_template_kwargs", "No key limits the turns: let your agent stop after 9",
			"SageMaker has no key for the rollouts of an eval item: take 2", "The model that was measured is Qwen/Qwen3-4B: the argument model",
		}},
		"tinker": {map[string]string{
			"model_name": "Qwen/Qwen3-4B", "dataset_builder.batch_size": "64", "dataset_builder.group_size": "4", "num_epochs": "2", "max_steps": "4",
			"max_tokens": "1280", "temperature": "0.7", "remove_constant_reward_groups": "true", "eval_every": "2",
		}, []string{"does not divide by its standard deviation; the analysis assumed that it does", "has no key for top_p 0.9", "take 2", "let your agent stop after 9"}},
		"fireworks": {map[string]string{
			"base-model": "Qwen/Qwen3-4B", "response-candidates-count": "4", "chunk-size": "64", "epochs": "2", "max-output-tokens": "1280",
			"max-context-length": "4864", "temperature": "0.7", "top-p": "0.9", "top-k": "0", "rl-loss-method": "grpo",
			"extra-body": `{"chat_template_kwargs":{"thinking":false},"min_p":0.1}`,
		}, []string{"Fireworks has no key for the interval of evaluations, the rollouts of an eval item or the number of steps"}},
		"skyrl": {map[string]string{
			"trainer.policy.model.path": "Qwen/Qwen3-4B", "trainer.train_batch_size": "64", "trainer.policy_mini_batch_size": "64", "trainer.epochs": "2",
			"trainer.max_training_steps": "4", "trainer.max_prompt_length": "1024", "trainer.algorithm.advantage_estimator": "grpo",
			"trainer.algorithm.grpo_norm_by_std": "true", "trainer.algorithm.dynamic_sampling.type": "filter", "generator.n_samples_per_prompt": "4",
			"generator.max_turns": "9", "generator.max_input_length": "4864", "generator.sampling_params.max_generate_length": "1280",
			"generator.sampling_params.temperature": "0.7", "generator.sampling_params.top_p": "0.9", "generator.sampling_params.top_k": "-1",
			"generator.sampling_params.min_p": "0.1", "generator.chat_template_kwargs.thinking": "false", "generator.apply_overlong_filtering": "true",
			"trainer.eval_interval": "2", "generator.eval_n_samples_per_prompt": "2", "generator.eval_sampling_params.max_generate_length": "1280",
			"generator.eval_sampling_params.temperature": "0.7", "generator.eval_sampling_params.top_p": "0.9",
			"generator.eval_sampling_params.top_k": "-1", "generator.eval_sampling_params.min_p": "0.1",
		}, nil},
		"nemo-rl": {map[string]string{
			"defaults": "grpo_math_1B.yaml", "grpo.num_prompts_per_step": "64", "grpo.num_generations_per_prompt": "4", "grpo.max_rollout_turns": "9",
			"grpo.max_num_epochs": "2", "grpo.max_num_steps": "4", "grpo.normalize_rewards": "true", "grpo.use_dynamic_sampling": "true",
			"grpo.val_period": "2", "grpo.max_val_samples": "50", "grpo.val_batch_size": "50", "policy.model_name": "Qwen/Qwen3-4B",
			"policy.train_global_batch_size": "256", "policy.max_total_sequence_length": "4864", "policy.generation.max_new_tokens": "1280",
			"policy.generation.temperature": "0.7", "policy.generation.top_p": "0.9", "policy.generation.top_k": "null",
		}, []string{"NeMo RL has no key for min_p 0.1, chat_template_kwargs", "NeMo RL has no key for the rollouts of an eval item: take 2"}},
		"openrlhf": {map[string]string{
			"actor.model_name_or_path": "Qwen/Qwen3-4B", "rollout.batch_size": "64", "rollout.n_samples_per_prompt": "4", "train.batch_size": "256",
			"train.num_episodes": "2", "data.max_len": "4864", "rollout.max_new_tokens": "1280", "rollout.temperature": "0.7", "rollout.top_p": "0.9",
			"algo.advantage.estimator": "group_norm", "algo.dynamic_filtering_enable": "", "algo.dynamic_filtering_range": "0 1",
			"eval.steps": "2", "eval.n_samples_per_prompt": "2", "eval.temperature": "0.7",
		}, []string{"OpenRLHF has no key for top_k", "no key for the number of steps: 4 follow", "let your agent stop after 9"}},
	} {
		text := written(t, trainer, measured(), g)
		known, set := recorded(t, trainer), settingsOf(t, trainer, text)
		for key, value := range set {
			parent := key[:max(0, strings.LastIndex(key, "."))]
			if !known[key] && !(known[parent] && strings.HasSuffix(parent, "_kwargs")) {
				t.Errorf("%s has no %s", trainer, key)
			}
			if want, is := c.wants[key]; !is || value != want {
				t.Errorf("%s: %s is %q, want %q", trainer, key, value, want)
			}
		}
		for key := range c.wants {
			if _, is := set[key]; !is {
				t.Errorf("%s lacks %s:\n%s", trainer, key, text)
			}
		}
		flat := strings.ReplaceAll(text, "\n# ", " ")
		for _, want := range c.head {
			if !strings.Contains(flat, want) {
				t.Errorf("%s has no %q:\n%s", trainer, want, text)
			}
		}
	}
}

// A platform refuses what it does not accept, so the plan writes the nearest that it does: groups of
// 40 are 32, 48 items are 64, of two as near the larger, 256 tokens are 512 and 40 epochs 30.
func TestThePlanStaysWithinWhatAPlatformAccepts(t *testing.T) {
	g := given
	g.GroupSize, g.BatchSize, g.Epochs = 40, 48, 40
	r := measured()
	short := 100.0
	r.Splits[rollout.Train].Ends.FinishedTokens = &short
	set := settingsOf(t, "sagemaker", written(t, "sagemaker", r, g))
	for key, want := range map[string]string{"group_size": "32", "global_batch_size": "64", "max_epochs": "30", "sampling_max_tokens": "512", "max_steps": "60"} {
		if set[key] != want {
			t.Errorf("%s is %s, want %s", key, set[key], want)
		}
	}
	text := strings.ReplaceAll(written(t, "sagemaker", r, g), "\n# ", " ")
	if !strings.Contains(text, "the nearest to 40 that sagemaker accepts (as given on the command line)") {
		t.Errorf("it does not say why:\n%s", text)
	}
	if set := settingsOf(t, "fireworks", written(t, "fireworks", r, g)); set["epochs"] != "10" || set["response-candidates-count"] != "40" {
		t.Errorf("Fireworks: %v", set)
	}
	g.Normalize = analysis.NormalizeNone
	if set := settingsOf(t, "openrlhf", written(t, "openrlhf", r, g)); set["algo.advantage.estimator"] != "dr_grpo" {
		t.Errorf("OpenRLHF: %v", set)
	}
}

// A name cannot leave its argument or its comment.
func TestTheScriptsOfThePlanAreQuoted(t *testing.T) {
	g := given
	g.Model, g.Run = "a'$(touch x)\"`b`", "run\n$(touch x)\n)"
	for trainer, key := range map[string]string{
		"tinker": "model_name", "fireworks": "base-model", "skyrl": "trainer.policy.model.path", "openrlhf": "actor.model_name_or_path",
	} {
		text := written(t, trainer, measured(), g)
		if got := settingsOf(t, trainer, text)[key]; got != g.Model {
			t.Errorf("%s: the model is %q", trainer, got)
		}
		if !slices.Contains(arguments(t, text), "added=1") || bytes.Contains([]byte(text), []byte("\n$(touch")) {
			t.Errorf("%s:\n%s", trainer, text)
		}
	}
}
