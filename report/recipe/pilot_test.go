package recipe

import (
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/input/document"
)

// firstStepsOf has 16 items of four rollouts a step: 100 items are seven steps, five times.
func firstStepsOf(config string) Given {
	g := given
	g.BatchSize, g.Epochs = 16, 5
	g.Pilot = &Pilot{Config: config}
	if config != "" {
		g.Pilot.Train, g.Pilot.PromptKey = PilotTrain(config), "messages"
	}
	return g
}

// With 64 rollouts a step, looks come after 10 and 20 of the 35 steps, and the next after 40 would be
// too late.
func TestTheFirstStepsAreThoseThatThePilotLooksAt(t *testing.T) {
	for trainer, wants := range map[string][]string{
		"trl": {
			"\nmax_steps: 20\n", "# of the 35 of the plan; looks of gonogo pilot: 10, 20\n", "\nsave_steps: 10\n", "\nlogging_steps: 1\n", "\nlog_completions: true\n", "\nshuffle_dataset: false\n",
			"\nlr_scheduler_type: \"warmup_stable_decay\"\n", "\nlr_scheduler_kwargs: {\"decay_type\":\"linear\",\"num_decay_steps\":35,\"num_stable_steps\":0}\n", "\neval_strategy: \"no\"\n", "\noutput_dir: \"d/first.out\"\n",
			`load_dataset("json", data_files="d/first.pilot-train.jsonl", split="train")`, "\n#   python train.py --config d/first.yaml\n",
			"\n#   gonogo pilot my-run --log d/first.out/completions --steps 35 --follow\n", "\n#   gonogo pilot my-run --log d/first.out/completions --steps 35 --checkpoint URL --at 10\n", "serve the checkpoint (d/first.out/checkpoint-STEP)",
			"\nnum_generations: 4\n",
		},
		"verl": {
			"\n  total_training_steps: 20\n", "\n  save_freq: 10\n", "\n  rollout_data_dir: \"d/first.out/rollouts\"\n", "\n  shuffle: false\n", "\n  train_files: [\"d/first.pilot-train.jsonl\"]\n", "\n  prompt_key: \"messages\"\n",
			"\n    enable: false\n", "\n  test_freq: -1\n", "\n  val_before_train: false\n", "\n    trainer_mode: \"sync\"\n", "\n  total_epochs: 5\n",
			"\n#   python -m verl.trainer.main_ppo --config-path \"$PWD\"/d --config-name first\n", "\n#   gonogo pilot my-run --log d/first.out/rollouts --steps 35 --follow\n",
		},
		"prime-rl": {
			"\nmax_steps = 20\n", "\n[ckpt]\n", "\ninterval = 10\n", "\nfilter_zero_advantages = false\n", "\nmax_off_policy_steps = 1\n", "\ntype = \"filesystem\"\n", "\n#   uv run rl @ d/first.yaml\n",
			"\n#   gonogo pilot my-run --log d/first.out/first/rollouts --steps 35 --follow\n", "d/first.pilot-train.jsonl has the run's items first",
		},
	} {
		text := written(t, trainer, measured(), firstStepsOf("d/first.yaml"))
		for _, want := range wants {
			if !strings.Contains(text, want) && !strings.Contains(strings.ReplaceAll(text, "\n# ", " "), want) {
				t.Errorf("%s has no %q:\n%s", trainer, want, text)
			}
		}
		for _, no := range []string{"num_generations_eval", "eval_steps", "val_kwargs", "metric:", "advantage_range", "orchestrator.eval", "gonogo curate leaves", "sampled 100 items"} {
			if strings.Contains(text, no) {
				t.Errorf("%s has %q:\n%s", trainer, no, text)
			}
		}
		if trainer != "prime-rl" {
			if _, err := document.Parse(trainer+".yaml", []byte(text)); err != nil {
				t.Errorf("%s: %v in\n%s", trainer, err, text)
			}
		}
	}
}

// Each key is one of prime-rl's configuration, and each table is written once.
func TestPrimeRLHasTheKeysOfTheFirstSteps(t *testing.T) {
	text := written(t, "prime-rl", measured(), firstStepsOf("first.toml"))
	for _, key := range unknownTo(primeRLKeys(t), keysOf(text)) {
		t.Errorf("prime-rl has no %s", key)
	}
	var tables []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "[") {
			if slices.Contains(tables, line) {
				t.Errorf("table %s twice in\n%s", strings.TrimSpace(line), text)
			}
			tables = append(tables, line)
		}
	}
	if len(tables) < 8 {
		t.Errorf("tables %q", tables)
	}
}

// The looks follow the rollouts of a step, and a checkpoint is never far from one: of the
// 17 steps, 20 times, of 24 rollouts, 640 rollouts are complete after 27, 1,280 after 54 and 2,560
// after 107.
func TestTheLooksFollowTheRolloutsOfAStep(t *testing.T) {
	for name, c := range map[string]struct {
		batch, epochs int
		wants         []string
	}{
		"small steps":                      {6, 20, []string{"\nmax_steps: 108\n", "\nsave_steps: 27\n", "looks of gonogo pilot: 27, 54, 107\n"}},
		"25 steps, and 640 rollouts at 20": {8, 2, []string{"\nmax_steps: 20\n", "\nsave_steps: 20\n"}},
		"200 steps":                        {50, 100, []string{"\nmax_steps: 40\n", "\nsave_steps: 10\n"}},
		"100 steps":                        {50, 50, []string{"\nmax_steps: 40\n", "\nsave_steps: 10\n", "looks of gonogo pilot: 10, 20, 40\n"}},
	} {
		g := firstStepsOf("")
		g.BatchSize, g.Epochs = c.batch, c.epochs
		text := written(t, "trl", measured(), g)
		for _, want := range c.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
	}
}

// A configuration that is printed says how to get the training file, and one whose steps show more
// than the run sampled says so: 20 steps of 16 items are 320 prompts, and 40 items fill two steps.
func TestTheFirstStepsNameItemsWithoutBaseSamples(t *testing.T) {
	r := measured()
	r.Splits["train"].Items.Sampled = 40
	text := strings.ReplaceAll(written(t, "verl", r, firstStepsOf("")), "\n# ", " ")
	for _, want := range []string{
		"with -o FILE, gonogo plan --pilot writes that file, too", "These steps show 320 prompts, and the run sampled 40 items: from step 3 on, prompts have no base samples",
		"--config-path \"$PWD\" --config-name verl", "gonogo pilot my-run --log pilot.out/rollouts --steps 35 --follow",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "train_files") {
		t.Errorf("it names a file that was not written:\n%s", text)
	}
}

// A hosted job writes no rollouts by step, and a short training ends before the first look.
func TestNoFirstSteps(t *testing.T) {
	short, little := firstStepsOf(""), firstStepsOf("")
	short.Epochs = 1
	little.BatchSize, little.Epochs = 2, 1
	for _, c := range []struct {
		trainer string
		g       Given
		want    string
	}{
		{"openai", firstStepsOf(""), "plan the first steps for openai: it has no log of each step's rollouts"},
		{"sagemaker", firstStepsOf(""), "plan the first steps for sagemaker: it has no log of each step's rollouts"},
		{"tinker", firstStepsOf(""), "use --for trl, verl or prime-rl"},
		{"fireworks", firstStepsOf(""), "use --for trl, verl or prime-rl"},
		{"skyrl", firstStepsOf(""), "use --for trl, verl or prime-rl"},
		{"nemo-rl", firstStepsOf(""), "use --for trl, verl or prime-rl"},
		{"openrlhf", firstStepsOf(""), "use --for trl, verl or prime-rl"},
		{"azure", firstStepsOf(""), "use --for trl, verl or prime-rl"},
		{"trl", short, "at step 10, and the training has 7 steps of 64 rollouts: raise training.epochs or lower training.batch_size"},
		{"verl", little, "640 rollouts, at step 80, and the training has 50 steps of 8 rollouts: raise training.epochs"},
	} {
		i := slices.IndexFunc(Trainers(), func(x Trainer) bool { return x.Name == c.trainer })
		if _, err := Trainers()[i].Write(measured(), c.g); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q", c.trainer, err, c.want)
		}
	}
}

// Of 100 items in batches of 64, two epochs are 4 steps: unless the epochs are configured, the plan
// goes on to the last look, 20 epochs of 2 steps, which is the whole plan.
func TestTheFirstStepsReachTheLastLook(t *testing.T) {
	g := firstStepsOf("first.yaml")
	g.BatchSize, g.Epochs, g.Pilot.Sampling = 0, 0, "my.yaml"
	for _, trainer := range []string{"trl", "verl", "prime-rl"} {
		text := strings.ReplaceAll(written(t, trainer, measured(), g), "\n# ", " ")
		for _, want := range []string{
			"looks of gonogo pilot: 10, 20, 40", "After a GO, go on from the last checkpoint",
			" --steps 40 --checkpoint URL --at 10 -c my.yaml",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q:\n%s", trainer, want, text)
			}
		}
	}
}

// Names of files and runs cannot leave the comment or run in a shell.
func TestTheCommandsOfTheFirstStepsAreQuoted(t *testing.T) {
	g := firstStepsOf("my dir/$(x).yaml")
	g.Run = "a;b\nmax_steps: 1"
	for _, trainer := range []string{"trl", "verl", "prime-rl"} {
		text := written(t, trainer, measured(), g)
		commands := 0
		for line := range strings.Lines(text) {
			command, is := strings.CutPrefix(line, "#   ")
			if !is {
				continue
			}
			commands++
			if strings.Contains(strings.ReplaceAll(command, "'my dir", ""), "my dir") || strings.Contains(command, " a;b") {
				t.Errorf("%s: %q", trainer, command)
			}
		}
		if commands != 3 || strings.Contains(text, "\nmax_steps: 1\n") {
			t.Errorf("%s: %d commands:\n%s", trainer, commands, text)
		}
	}
}
