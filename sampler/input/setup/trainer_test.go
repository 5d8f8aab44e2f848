package setup_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/input/setup"
)

// A training script is read, not run: its model, sampling, rows, and its reward functions with what they need.
func TestATrainingScriptOfTRL(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	s, err := setup.Read(t.Context(), filepath.Join("testdata", "train.py"), python)
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]string{
		"model.temperature": "0.9", "model.max_output_tokens": "256", "training.group_size": "16", "model.extra": "{top_k: 20}",
	}
	if s.Model != "Qwen/Qwen3-0.6B" || !maps.Equal(s.Set, set) || s.Data["train"] != "train.jsonl" || s.Data["eval"] != "held.jsonl" || len(s.Notes) > 0 ||
		s.Grader != "{type: trl, file: trl_rewards.py, functions: [correct, brief], weights: [1,0.2]}" {
		t.Errorf("%+v", s)
	}
	source := string(s.Files[setup.RewardsFile])
	for _, want := range []string{"from __future__ import annotations", "import re\n", "NUMBER = re.compile", "def last_number", "def correct", "def brief"} {
		if !strings.Contains(source, want) {
			t.Errorf("the rewards lack %q\n%s", want, source)
		}
	}
	for _, no := range []string{"torch", "GRPOTrainer", "load_dataset", "UNUSED", "import sys"} {
		if strings.Contains(source, no) {
			t.Errorf("the rewards hold %q\n%s", no, source)
		}
	}
	file := filepath.Join(t.TempDir(), "rewards.py")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	call := "import runpy, sys\nm = runpy.run_path(sys.argv[1])\nprint(m['correct']([[{'content': 'It is 42.'}]], ['42']), m['brief']([[{'content': 'x' * 300}]]))"
	out, err := exec.CommandContext(t.Context(), python, "-c", call, file).CombinedOutput()
	if err != nil || string(out) != "[1.0] [0.0]\n" {
		t.Errorf("the rewards give %s, %v", out, err)
	}
}

// What a script does not say by a literal is named.
func TestTrainingScriptsThatSayLess(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	const reward = "def r(completions, **kwargs):\n    return [0.0 for c in completions]\n"
	for name, c := range map[string]struct{ script, note, refused string }{
		"rows of a hub":                      {reward + "d = load_dataset('openai/gsm8k', 'main', split='train').map(f)\nGRPOTrainer(model='m', reward_funcs=r, train_dataset=d)", "the rows are openai/gsm8k of a hub", ""},
		"rows that are changed":              {reward + "d = Dataset.from_json('rows.jsonl').filter(f).map(g)\nGRPOTrainer(model='m', reward_funcs=r, train_dataset=d)", "the script changes the rows (filter, map)", ""},
		"rows for evaluations that are made": {reward + "GRPOTrainer(model='m', reward_funcs=r, eval_dataset=d['test'])", "the rows for evaluations, d['test'], are not a file in the script: name one with --eval", ""},
		"a model that is an argument":        {reward + "GRPOTrainer(model=args.model, reward_funcs=[r])", "the model is not a string literal in the script", ""},
		"a reward that is imported":          {"from lib import r\nGRPOTrainer(model='m', reward_funcs=[r, 'org/reward-model'])", "the reward r is not a function of this file; the reward 'org/reward-model' is not", ""},
		"rewards that are added later":       {reward + "fs = [r]\nfs.append(other)\nGRPOTrainer(model='m', reward_funcs=fs)", "the reward fs is not a function of this file", ""},
		"a comprehension":                    {reward + "GRPOTrainer(model='m', reward_funcs=[f for f in (r,)])", "the reward [f for f in (r,)] is not a function", ""},
		"weights that are computed":          {reward + "GRPOTrainer(model='m', reward_funcs=[r], args=GRPOConfig(reward_weights=[x for x in y]))", "the reward functions need reward_weights, a number for each", ""},
		"arguments that are computed":        {reward + "GRPOTrainer(model='m', reward_funcs=[r], args=GRPOConfig(top_p=a.p, min_p=None, report_to={'x'}, **more))", "the script computes top_p, **more of its GRPOConfig, which are not taken over", ""},
		"no configuration":                   {reward + "GRPOTrainer(model='m', reward_funcs=[r], args=args)", "the script has 0 configurations of the trainer", ""},
		"a part of the rows":                 {reward + "GRPOTrainer(model='m', reward_funcs=r, train_dataset=load_dataset('json', data_files='a.jsonl', split='train[:9]'))", "the script changes the rows (split=train[:9])", ""},
		"no trainer":                         {reward, "", "calls 0 trainers with reward_funcs"},
		"two trainers":                       {reward + "GRPOTrainer(model='m', reward_funcs=r)\nGRPOTrainer(model='n', reward_funcs=r)", "", "calls 2 trainers"},
		"half a script":                      {"def r(:", "", "SyntaxError"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "train.py")
			if err := os.WriteFile(path, []byte(c.script), 0o666); err != nil {
				t.Fatal(err)
			}
			s, err := setup.Read(t.Context(), path, python)
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) || strings.Contains(err.Error(), "\n") {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			said := strings.ReplaceAll(strings.Join(slices.Concat(s.Notes, s.NoReward), "; "), ": put all rewards into a file for --reward", "")
			if !strings.Contains(said, c.note) {
				t.Errorf("the notes are %q", s.Notes)
			}
			if taken := s.Reward != ""; taken == (len(s.NoReward) > 0) {
				t.Errorf("the reward is %q, the notes are %q", s.Reward, s.NoReward)
			}
		})
	}
}

// The written file has all that changes what its functions use, and nothing for names that are local to them.
func TestRewardsOfAScriptBringWhatTheyUse(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	const script = `import os
from datasets import load_dataset
os.environ["WANDB_PROJECT"] = "x"
try:
    import math_verify_of_nobody
except ImportError:
    math_verify_of_nobody = None
TABLE = {}
TABLE["a"] = 1.0
WORDS = []
WORDS.append("wait")
dataset = load_dataset("json", data_files="a.jsonl")


def score(completions, **kwargs):
    dataset = [1.0 for c in completions if math_verify_of_nobody is None]
    return [TABLE[c] + len(WORDS) + len("x\x0c") + len(os.sep) + d for c, d in zip(completions, dataset)]


if __name__ == "__main__":
    GRPOTrainer(model="m", reward_funcs=score, args=GRPOConfig(num_generations=2), train_dataset=dataset)
`
	path := filepath.Join(t.TempDir(), "train.py")
	if err := os.WriteFile(path, []byte("\ufeff"+strings.ReplaceAll(script, `\x0c`, "\x0c")), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := setup.Read(t.Context(), path, python)
	if err != nil {
		t.Fatal(err)
	}
	source := string(s.Files[setup.RewardsFile])
	out, err := exec.CommandContext(t.Context(), python, "-c", source+"\nprint(score(['a']))").CombinedOutput()
	if err != nil || string(out) != "[6.0]\n" {
		t.Errorf("the rewards give %s, %v\n%s", out, err, source)
	}
}

// The keys are those that gonogo plan --for prime-rl writes, and those of older versions.
func TestAConfigurationOfPrimeRL(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	if exec.Command(python, "-c", "import tomllib").Run() != nil {
		t.Skip("this Python has no tomllib")
	}
	for name, c := range map[string]struct {
		config, refused string
		set             map[string]string
	}{
		"of 0.9": {
			"[model]\nname = 'm'\n[orchestrator]\ngroup_size = 16\n[orchestrator.train.sampling]\ntemperature = 0.7\nmax_completion_tokens = 64\n[orchestrator.train.sampling.extra_body]\ntop_k = 20\n", "",
			map[string]string{"training.group_size": "16", "model.temperature": "0.7", "model.max_output_tokens": "64", "model.extra": "{top_k: 20}"},
		},
		"older":          {"model.name = 'm'\n[orchestrator]\nrollouts_per_example = 8\nsampling = {temperature = 1.0, max_tokens = 128}\n", "", map[string]string{"training.group_size": "8", "model.temperature": "1.0", "model.max_output_tokens": "128"}},
		"another tool's": {"[tool.poetry]\nname = 'm'\n", "it has no table orchestrator", nil},
		"half a file":    {"[model\n", "TOMLDecodeError", nil},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "rl.toml")
			if err := os.WriteFile(path, []byte(c.config), 0o666); err != nil {
				t.Fatal(err)
			}
			s, err := setup.Read(t.Context(), path, python)
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s.Model != "m" || !maps.Equal(s.Set, c.set) || len(s.Notes) != 1 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestAConfigurationOfVerl(t *testing.T) {
	const head = "actor_rollout_ref:\n  model: {path: Qwen/Qwen3-4B}\n  rollout: {n: 8, temperature: 0.8, top_p: 1.0, top_k: -1}\n"
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]string{"model.temperature": "0.8", "model.top_p": "1.0", "training.group_size": "8"}
	for name, c := range map[string]struct{ config, train, eval, reward, note string }{
		"files and a reward":    {head + "data: {train_files: ~/data/train.parquet, val_files: [val.parquet]}\nreward: {custom_reward_function: {path: reward.py, name: score}}\n", filepath.Join(home, "data/train.parquet"), "val.parquet", "reward.py:score", ""},
		"of an older version":   {head + "data: {train_files: a.parquet}\ncustom_reward_function: {path: r.py, name: null}\n", "a.parquet", "", "r.py", ""},
		"Hydra's variables":     {head + "data: {train_files: '${dir}/a.parquet', max_response_length: '${n}'}\ncustom_reward_function: {path: r.py}\n", "", "", "r.py", "data.max_response_length is ${n}, which Hydra fills in: it is not taken over; data.train_files is ${dir}/a.parquet, which Hydra fills in: it is not taken over"},
		"arguments of a reward": {head + "custom_reward_function: {path: r.py, reward_kwargs: {scale: 2}}\n", "", "", "", "custom_reward_function.reward_kwargs are arguments that gonogo does not pass: name a file with --reward whose function needs none"},
		"a reward model":        {head + "custom_reward_function: {path: r.py}\nreward_model: {enable: true}\n", "", "", "", "reward_model.enable: the reward is that of a model, which is not taken over: name a file with --reward"},
		"verl's own reward":     {head + "data: {train_files: [a.parquet, b.parquet]}\n", "", "", "", "data.train_files names 2 files: put them into one and name it with --train; X names no reward function, so that verl chooses one of its own by data_source: name a file with --reward"},
	} {
		t.Run(name, func(t *testing.T) {
			path := written(t, c.config, nil)
			s, err := setup.Read(t.Context(), path, "python3")
			if err != nil {
				t.Fatal(err)
			}
			if s.Model != "Qwen/Qwen3-4B" || !maps.Equal(s.Set, set) || s.Data["train"] != c.train || s.Data["eval"] != c.eval || s.Reward != c.reward ||
				strings.ReplaceAll(strings.Join(slices.Concat(s.Notes, s.NoReward), "; "), path, "X") != c.note {
				t.Errorf("%+v", s)
			}
		})
	}
}
