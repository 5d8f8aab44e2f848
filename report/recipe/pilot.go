package recipe

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/sampler/rollout"
)

// Pilot asks for the configuration of the first steps of a training, with the log that gonogo pilot
// reads.
type Pilot struct {
	Config    string // the file of the configuration; "" for standard output
	Train     string // the training file with the run's items first; "" if none was written
	Rows      int    // its rows
	PromptKey string // the field of its rows that holds the conversation
	Sampling  string // the configuration that gonogo pilot samples by; "" for that in the run
}

// base returns the configuration's path without its extension.
func (p *Pilot) base() string {
	if p.Config == "" {
		return "pilot"
	}
	return strings.TrimSuffix(p.Config, filepath.Ext(p.Config))
}

// PilotTrain returns the path of the training file that goes with a configuration of the first
// steps.
func PilotTrain(config string) string { return (&Pilot{Config: config}).base() + ".pilot-train.jsonl" }

// out returns the path of what the trainer writes.
func (p *Pilot) out(parts ...string) string {
	return filepath.ToSlash(filepath.Join(append([]string{p.base() + ".out"}, parts...)...))
}

// firstSteps is the part of a training that gonogo pilot looks at.
type firstSteps struct {
	*Pilot
	*recipe
	looks []int
	save  int    // steps between checkpoints: each look has one, at its step or up to three steps later
	last  number // the last step
}

func newFirstSteps(c *recipe, p *Pilot) (*firstSteps, error) {
	perStep := c.batch.n * c.group.n
	out := &firstSteps{Pilot: p, recipe: c}
	planned := pilot.DefaultLooks(c.steps.n, perStep)
	for _, look := range planned {
		if step := look.StepOf(perStep); step <= c.steps.n {
			out.looks = append(out.looks, step)
		}
	}
	if len(out.looks) == 0 {
		first, or := planned[0], ""
		if c.steps.n < first.Step {
			or = " or lower training.batch_size"
		}
		return nil, fmt.Errorf("plan the first steps: the first look comes after %d steps and %d rollouts, at step %d, "+
			"and the training has %s of %s: raise training.epochs%s", first.Step, first.Rollouts,
			first.StepOf(perStep), count(c.steps.n, "step"), count(perStep, "rollout"), or)
	}
	out.save = out.looks[0]
	last := out.looks[len(out.looks)-1]
	last = min((last+out.save-1)/out.save*out.save, c.steps.n)
	steps := strings.Trim(strings.ReplaceAll(fmt.Sprint(out.looks), " ", ", "), "[]")
	out.last = number{last, fmt.Sprintf("of the %d of the plan; looks of gonogo pilot: %s", c.steps.n, steps)}
	return out, nil
}

// Reasons for lines of a pilot.
const (
	noEvals    = "gonogo pilot samples the eval split itself, from the checkpoints, paired with the base run"
	inOrder    = "the rows in their order: the run's items first"
	checkpoint = "a checkpoint for each look"
)

// head returns the lines about the data of a pilot. reads says how the trainer reads a file.
func (p *firstSteps) head(reads string) []string {
	steps := fmt.Sprintf("The first %d of its %s", p.last.n, count(p.steps.n, "step"))
	if p.last.n == p.steps.n {
		steps = "All its " + count(p.steps.n, "step")
	}
	head := []string{steps + ", with the log that gonogo pilot reads."}
	if p.Train != "" {
		head = append(head, fmt.Sprintf("%s has the run's items first: %s", p.Train, reads))
	} else {
		head = append(head, "Order the training file so that the run's items come first: with -o FILE, gonogo plan "+
			"--pilot writes that file, too (--train names the data of an imported run).")
	}
	shown, have := p.batch.n*p.last.n, p.train.Items.Sampled
	if have < min(shown, cmp.Or(p.Rows, itemCount(p.train))) {
		head = append(head, fmt.Sprintf("These steps show %s, and the run sampled %s items: from step %d on, prompts "+
			"have no base samples. Sample more items first, or add --base to gonogo pilot.", count(shown, "prompt"),
			message.Whole(have), have/p.batch.n+1))
	}
	return append(head, "Do not choose rows by the run's samples (gonogo curate, difficulty pools) for these steps: "+
		"the base means of such rows are biased.")
}

// tail returns the last comment lines, with the commands. start begins the training, log is what
// it writes, and weights is where the checkpoint of a step is.
func (p *firstSteps) tail(start, log, weights string) []string {
	run := cmp.Or(p.given.Run, p.r.Run.Name)
	after := "After a GO, train with the whole plan: the same command without --pilot."
	if p.given.Epochs == 0 && p.epochs.n != firstEpochs { // the whole plan reaches just the last look
		after = "After a GO, go on from the last checkpoint, with as many epochs as you want (training.epochs)."
	}
	look := []string{
		"gonogo", "pilot", run, "--log", log, "--steps", fmt.Sprint(p.steps.n), "--checkpoint", "URL",
		"--at", fmt.Sprint(p.looks[0]),
	}
	if p.Sampling != "" {
		look = append(look, "-c", p.Sampling)
	}
	list := []string{
		"Start it:", "  " + start,
		"Read its log while it grows; GO and NO-GO end the command:",
		"  " + message.Shell("gonogo", "pilot", run, "--log", log, "--steps", fmt.Sprint(p.steps.n), "--follow"),
		fmt.Sprintf("At a look, serve the checkpoint (%s) and sample the eval split from it:", weights),
		"  " + message.Shell(look...),
	}
	if p.r.Splits[rollout.Eval] == nil {
		list = append(list[:4], "The run has no eval split, so gonogo pilot judges by the training reward alone.")
	}
	return append(list, after)
}

// closing writes the last comment; its indented lines are commands and are not broken.
func closing(lines []string) []byte {
	var b bytes.Buffer
	if len(lines) > 0 {
		b.WriteByte('\n')
	}
	for _, text := range lines {
		if command, ok := strings.CutPrefix(text, "  "); ok {
			fmt.Fprintf(&b, "#   %s\n", oneLine(command))
		} else {
			comment(&b, "", text)
		}
	}
	return b.Bytes()
}

func trlPilot(p *firstSteps, l *list) (head, tail []string) {
	l.set(p.last.n, p.last.why, "max_steps")
	plan := fmt.Sprintf("TRL's default schedule over the %d steps of the plan, where linear would fall to 0 within "+
		"max_steps; if your training sets another, set that. A warm-up given as a share counts max_steps", p.steps.n)
	l.set("warmup_stable_decay", plan, "lr_scheduler_type")
	l.set(map[string]any{"num_stable_steps": 0, "num_decay_steps": p.steps.n, "decay_type": "linear"},
		"linear over the plan", "lr_scheduler_kwargs")
	l.set(false, inOrder, "shuffle_dataset")
	for _, key := range []string{"eval_steps", "num_generations_eval", "per_device_eval_batch_size"} {
		l.drop(key)
	}
	l.set("no", noEvals+". An evaluation would also overwrite the completions of its step", "eval_strategy")
	l.set(p.out(), "completions and checkpoints", "output_dir")
	l.set(true, "writes completions/completions_STEP.parquet: what gonogo pilot reads", "log_completions")
	l.set(1, "the completions of each step, not of every tenth", "logging_steps")
	l.set(1, "for the console; the files have all", "num_completions_to_print")
	l.set("steps", checkpoint, "save_strategy")
	l.set(p.save, checkpoint, "save_steps")
	head = p.head(fmt.Sprintf(`train on load_dataset("json", data_files=%q, split="train").`, p.Train))
	head = append(head, "TRL drops no groups, and each step trains on rollouts of its own model.")
	return head, p.tail(message.Shell("python", "train.py", "--config", p.file("grpo.yaml")), p.out("completions"),
		p.out("checkpoint-STEP"))
}

// file returns the name of the configuration, or another if it was printed.
func (p *firstSteps) file(other string) string {
	if p.Config == "" {
		return other
	}
	return p.Config
}

func verlPilot(p *firstSteps, l *list) (head, tail []string) {
	l.set(p.last.n, p.last.why+". verl's default schedule is constant; a cosine, or a warm-up given as a share, would "+
		"end with these steps", "trainer", "total_training_steps")
	l.drop("algorithm", "filter_groups", "metric")
	l.set(false, "all groups: without those of equal rewards the mean would rise without any learning", "algorithm",
		"filter_groups", "enable")
	if p.Train != "" {
		l.set([]string{p.Train}, "the run's items first; rows as they are, with the columns that your reward function "+
			"reads", "data", "train_files")
		if p.PromptKey != "" && p.PromptKey != "prompt" {
			l.set(p.PromptKey, "the conversations of these rows", "data", "prompt_key")
		}
	}
	l.set(false, inOrder, "data", "shuffle")
	l.drop("actor_rollout_ref", "rollout", "val_kwargs")
	l.set(-1, noEvals, "trainer", "test_freq")
	l.set(false, noEvals, "trainer", "val_before_train")
	l.set(p.out("rollouts"), "STEP.jsonl with all rollouts of a step: what gonogo pilot reads", "trainer",
		"rollout_data_dir")
	l.set([]string{"console", "file"}, "file: entropy and lengths by step, in the folder VERL_FILE_LOGGER_ROOT",
		"trainer", "logger")
	l.set(p.save, checkpoint, "trainer", "save_freq")
	l.set(p.out("checkpoints"), "apart from those of other trainings, which verl would resume", "trainer",
		"default_local_dir")
	l.set("sync", "each step trains on rollouts of its own model", "trainer", "v1", "trainer_mode")
	dir, name := filepath.Split(p.file("verl.yaml"))
	path := message.Shell(filepath.Clean(dir))
	switch { // Hydra takes a relative path as one below its program
	case dir == "":
		path = `"$PWD"`
	case !filepath.IsAbs(dir):
		path = `"$PWD"/` + path
	}
	return p.head("data.train_files names it."), p.tail(fmt.Sprintf(
		"python -m verl.trainer.main_ppo --config-path %s --config-name %s", path,
		message.Shell(strings.TrimSuffix(name, filepath.Ext(name)))), p.out("rollouts"),
		p.out("checkpoints", "global_step_STEP")+", after verl.model_merger")
}

func primePilot(p *firstSteps, l *list) (head, tail []string) {
	l.set(p.last.n, p.last.why+". prime-rl's default schedule is constant; linear and cosine would end with these steps",
		"max_steps")
	name := filepath.Base(p.base())
	l.set(p.out(), "the folder of these runs", "output_dir")
	l.set(false, "all groups: with true, those of equal rewards are missing in the traces of effective rollouts, whose "+
		"mean would rise without any learning", "orchestrator", "train", "filter_zero_advantages")
	l.set(1, "rollouts are at most one update old, and their traces name the model. 0 would drop those that take "+
		"longer than a step", "orchestrator", "max_off_policy_steps")
	l.drop("orchestrator", "eval")
	l.set("metrics.jsonl", "next to it, rollouts/step_STEP with the traces of each step: what gonogo pilot reads",
		"orchestrator", "monitors", "file", "path")
	l.set(name, "names the folder of this run", "run", "name")
	l.set(p.save, checkpoint, "ckpt", "interval")
	l.set("filesystem", "keeps the weights of each checkpoint in broadcasts/step_STEP, for a server to load",
		"weight_broadcast", "type")
	head = p.head("let your environment read it, in its order.")
	head = append(head, "Give that source no curriculum: gates and difficulty pools choose items by their rewards.",
		"Without evaluations: "+noEvals+".")
	return head, p.tail(message.Shell("uv", "run", "rl", "@", p.file("rl.toml")), p.out(name, "rollouts"),
		p.out(name, "broadcasts", "step_STEP"))
}

// set replaces the value of a key, or adds the key after the last one of its mapping.
func (l *list) set(value any, why string, path ...string) {
	at, near := len(*l), 0
	for i, x := range *l {
		if slices.Equal(x.path, path) {
			(*l)[i] = line{path, value, why}
			return
		}
		shared := 0
		for shared < min(len(x.path), len(path))-1 && x.path[shared] == path[shared] {
			shared++
		}
		if shared == len(path)-1 && len(x.path) == len(path) {
			shared++ // a key of the same mapping
		}
		if shared > 0 && shared >= near {
			at, near = i+1, shared
		}
	}
	*l = slices.Insert(*l, at, line{path, value, why})
}

// drop removes a key, with all below it.
func (l *list) drop(path ...string) {
	*l = slices.DeleteFunc(*l, func(x line) bool {
		return len(x.path) >= len(path) && slices.Equal(x.path[:len(path)], path)
	})
}
