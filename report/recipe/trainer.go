package recipe

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/input/job"
)

// Trainer is a training program or platform.
type Trainer struct {
	Name, Doc string

	lines func(c *recipe) (head []string, lines []line, err error)
	pilot func(p *firstSteps, l *list) (head, tail []string) // nil: its log has no rollouts by step
	write func(head []string, lines []line) []byte
}

// Trainers lists the trainers with a configuration format, in display order.
func Trainers() []Trainer {
	return []Trainer{
		{"trl", "the arguments of TRL's GRPOConfig, YAML, as TrlParser reads them", trl, trlPilot, writeYAML},
		{"verl", "a configuration of verl on top of its ppo_trainer, YAML for Hydra", verl, verlPilot, writeYAML},
		{"prime-rl", "a configuration of prime-rl, TOML; the environment is added by hand", primeRL, primePilot, writeTOML},
		{"openai", "the body for fine_tuning.jobs.create, YAML; gonogo reads it as a job", hosted, nil, writeYAML},
		{"azure", "the same body for Microsoft Foundry", hosted, nil, writeYAML},
		{"sagemaker", "the hyperparameters of SageMaker's multi-turn training, YAML", sagemaker, nil, writeYAML},
		{
			"tinker", "arguments for tinker-cookbook's rl.train.Config, a script for bash", tinker, nil,
			script("python -m tinker_cookbook.recipes.rl_basic", assigned),
		},
		{
			"fireworks", "the flags of Fireworks' eval-protocol create rft, a script for bash", fireworks, nil,
			script("eval-protocol create rft", flagged),
		},
		{
			"skyrl", "overrides of SkyRL's configuration, a script for bash", skyrl, nil,
			script("python -m skyrl.train.entrypoints.main_base", assigned),
		},
		{"nemo-rl", "a configuration of NeMo RL on top of its grpo_math_1B, YAML", nemoRL, nil, writeYAML},
		{
			"openrlhf", "the flags of OpenRLHF's train_ppo_ray, a script for bash", openRLHF, nil,
			script("python -m openrlhf.cli.train_ppo_ray", flagged),
		},
	}
}

// Write returns the configuration for a trainer, whole or of its first steps. It returns an error if
// the run has no measured train item, or, for a hosted platform, no grader that a job can name; for
// first steps also if no look comes within the training, and for any hosted platform.
func (t Trainer) Write(r *analysis.Result, g Given) ([]byte, error) {
	if g.Pilot != nil && t.pilot == nil {
		return nil, fmt.Errorf("plan the first steps for %s: it has no log of each step's rollouts, which gonogo pilot "+
			"reads; use --for trl, verl or prime-rl", t.Name)
	}
	c, err := newRecipe(r, g)
	if err != nil {
		return nil, err
	}
	head, lines, err := t.lines(c)
	if err != nil {
		return nil, err
	}
	if g.Pilot == nil {
		return t.write(head, lines), nil
	}
	p, err := newFirstSteps(c, g.Pilot)
	if err != nil {
		return nil, err
	}
	l := list(lines)
	more, tail := t.pilot(p, &l)
	return append(t.write(append(head, more...), l), closing(tail)...), nil
}

// line is a key of a configuration, with its value and reason.
type line struct {
	path  []string
	value any
	why   string
}

// list collects lines.
type list []line

// add adds a key.
func (l *list) add(value any, why string, path ...string) { *l = append(*l, line{path, value, why}) }

// number adds a key if n has a value.
func (l *list) number(n number, path ...string) {
	if n.n > 0 {
		l.add(n.n, n.why, path...)
	}
}

const leaveOut = ". gonogo curate leaves them out, and with --weights it gives the others a band of difficulty and " +
	"a weight."

func trl(c *recipe) ([]string, []line, error) {
	var l list
	l.number(c.group, "num_generations")
	l.add(c.group.n, "one group on each device at a time", "per_device_train_batch_size")
	l.add(c.batch.n, "items a step, on one device (divide it by the number of devices): "+c.batch.why,
		"gradient_accumulation_steps")
	l.number(c.steps, "max_steps")
	l.number(c.response.orDefault(512, tokensOfRollouts), "max_completion_length")
	l.number(c.calls, "max_tool_calling_iterations")
	c.parameters(&l, 0, "", func(name string) []string {
		if path := one(nil, "temperature", "top_p", "top_k", "min_p", "repetition_penalty",
			"chat_template_kwargs")(name); path != nil {
			return path
		}
		return []string{"generation_kwargs", name}
	})
	scale, why := "group", "advantages are divided by the standard deviation of the group, as the analysis assumed "+
		"(trainer.normalize: std)"
	if c.given.Normalize == analysis.NormalizeNone {
		scale, why = "none", "advantages are not divided by the standard deviation, as the analysis assumed "+
			"(trainer.normalize: none)"
	}
	l.add(scale, why, "scale_rewards")
	if cut := c.train.Ends.CutOff; cut != nil && cut.Value != nil && *cut.Value > 0 {
		l.add(true, fmt.Sprintf("%s of the rollouts were cut off: their rewards say little",
			message.Percent(*cut.Value)), "mask_truncated_completions")
	}
	if c.eval != nil {
		l.add("steps", "there is an eval split", "eval_strategy")
		l.number(c.evalEvery, "eval_steps")
		l.number(c.evalSamples, "num_generations_eval")
		if n := c.evalSamples.n; n > 0 {
			l.add(n*max(1, 8/n), "a multiple of num_generations_eval", "per_device_eval_batch_size")
		}
	}
	head := c.head("The arguments of TRL's GRPOConfig, for a script that reads them with TrlParser: --config FILE.")
	if c.given.Model != "" {
		head = append(head, "The model that was measured is "+c.given.Model+" (model_name_or_path of TRL's scripts).")
	}
	head = append(head, c.settings("TRL", nil)...)
	if c.given.Pilot == nil {
		head = append(head, "TRL filters nothing by difficulty: "+c.difficulty()+leaveOut)
	}
	return head, l, nil
}

func model(l *list, c *recipe, path ...string) {
	if c.given.Model != "" {
		l.add(c.given.Model, "the model that was measured", path...)
	}
}

func verl(c *recipe) ([]string, []line, error) {
	var l list
	l.add([]string{"pkg://verl.trainer.config"}, "verl's own configuration, which this one changes", "hydra",
		"searchpath")
	l.add([]string{"ppo_trainer", "_self_"}, "the defaults of verl, then the lines below", "defaults")
	model(&l, c, "actor_rollout_ref", "model", "path")
	actor := []string{"actor_rollout_ref", "actor"}
	roll := []string{"actor_rollout_ref", "rollout"}
	l.add(c.batch.n, "one update a step, so that rollouts never come from an older model",
		under(actor, "ppo_mini_batch_size")...)
	l.number(c.group, under(roll, "n")...)
	unsupported := c.parameters(&l, -1, "", one(roll, "temperature", "top_p", "top_k"))
	if c.calls.n > 0 {
		l.add(true, "the rollouts call tools", under(roll, "multi_turn", "enable")...)
		l.add(c.calls.n+1, fmt.Sprintf("%s, one a turn, and the answer: %s", count(c.calls.n, "tool call"),
			c.calls.why), under(roll, "multi_turn", "max_assistant_turns")...)
	}
	if c.eval != nil && c.evalSamples.n > 0 {
		l.add(c.evalSamples.n, c.evalSamples.why, under(roll, "val_kwargs", "n")...)
		l.add(true, "several rollouts of an item show nothing if they are all the same",
			under(roll, "val_kwargs", "do_sample")...)
		c.parameters(&l, -1, asInTrain, one(under(roll, "val_kwargs"), "temperature", "top_p", "top_k"))
	}
	l.number(c.batch, "data", "train_batch_size")
	l.number(c.prompt.orDefault(512, textOfPrompts), "data", "max_prompt_length")
	l.number(c.response.orDefault(512, tokensOfRollouts), "data", "max_response_length")
	l.add("grpo", "the analysis is of groups of rollouts of one item", "algorithm", "adv_estimator")
	l.add(c.given.Normalize != analysis.NormalizeNone, "as the analysis assumed (trainer.normalize)", "algorithm",
		"norm_adv_by_std_in_grpo")
	l.add(true, c.difficulty()+"; they are replaced in the batch", "algorithm", "filter_groups", "enable")
	l.add("reward", "the reward that was measured", "algorithm", "filter_groups", "metric")
	l.number(c.epochs, "trainer", "total_epochs")
	l.number(c.steps, "trainer", "total_training_steps")
	if c.eval != nil {
		l.number(c.evalEvery, "trainer", "test_freq")
	}
	return append(c.head("A configuration of verl: python -m verl.trainer.main_ppo --config-path DIR --config-name "+
		"NAME."), c.settings("verl", unsupported)...), l, nil
}

func primeRL(c *recipe) ([]string, []line, error) {
	var l list
	l.number(c.steps, "max_steps")
	l.number(c.wholeLength(2048), "seq_len")
	model(&l, c, "model", "name")
	l.add(c.batch.n*c.group.n, fmt.Sprintf("rollouts a step: %s x %d. %s", count(c.batch.n, "item"), c.group.n,
		c.batch.why), "orchestrator", "batch_size")
	l.number(c.group, "orchestrator", "group_size")
	l.add(true, c.difficulty()+"; their tokens are left out of a step, which is smaller for it",
		"orchestrator", "train", "filter_zero_advantages")
	train := []string{"orchestrator", "train", "sampling"}
	c.parameters(&l, -1, "", one(train, "temperature"))
	if c.tokens.n > 0 {
		l.add(c.tokens.n, "a limit for each turn, from the tokens of all turns: "+c.tokens.why, "orchestrator",
			"train", "sampling", "max_completion_tokens")
	}
	c.parameters(&l, -1, "", extraBody(train, "temperature"))
	var others list
	overridden := slices.DeleteFunc(c.parameters(&others, -1, "", extraBody(train, "temperature", "top_p")),
		func(parameter string) bool {
			return parameter == "top_p 1" || parameter == "top_p 1.0" || !strings.HasPrefix(parameter, "top_p ")
		})
	if c.eval != nil {
		l.number(c.evalEvery, "orchestrator", "eval", "interval")
		l.number(c.evalSamples, "orchestrator", "eval", "group_size")
		eval := []string{"orchestrator", "eval", "sampling"}
		c.parameters(&l, -1, asInTrain, one(eval, "temperature", "top_p", "top_k", "min_p"))
		c.parameters(&l, -1, asInTrain, extraBody(eval, "temperature", "top_p", "top_k", "min_p"))
	}
	head := c.head("A configuration of prime-rl: uv run rl @ FILE.")
	head = append(head, c.settings("prime-rl", nil)...)
	if len(overridden) > 0 {
		head = append(head, "prime-rl sends top_p 1 next to the "+overridden[0]+" of extra_body, which was in force, "+
			"and verifiers 0.4 takes the 1: measure with top_p 1, or check what your training samples with.")
	}
	if c.given.Pilot != nil {
		head = append(head, "Add your environment as [[orchestrator.train.source]].")
	} else {
		head = append(head, "Add your environment as [[orchestrator.train.source]] and, for evaluations, as "+
			"[[orchestrator.eval.source]].",
			"To fill each step with groups that teach, add this table below the source of training:",
			"[orchestrator.train.source.curriculum.gates.teaches]", `type = "advantage_range"`)
	}
	if c.calls.n > 0 {
		head = append(head, fmt.Sprintf("Limit the turns of its agent to %d: %s.", c.calls.n+1, c.calls.why))
	}
	return head, l, nil
}

// hosted returns the body of a job. It keeps the files, seed, grader, tools, response format and
// reasoning effort of the run's own job.
func hosted(c *recipe) ([]string, []line, error) {
	j := c.given.Job
	if j == nil || len(j.Grader) == 0 {
		return nil, nil, errors.New("the run has no grader that a job could name: import or run it with one, or " +
			"use --for trl, verl or prime-rl")
	}
	var l list
	model(&l, c, "model")
	for _, file := range []struct{ key, id string }{
		{"training_file", j.TrainingFile},
		{"validation_file", j.ValidationFile},
	} {
		if file.id != "" {
			l.add(file.id, "as in the run's job", file.key)
		}
	}
	if j.Seed != nil {
		l.add(*j.Seed, "as in the run's job", "seed")
	}
	method := []string{"method", "reinforcement"}
	reinforcement := func(path ...string) []string { return under(method, path...) }
	l.add("reinforcement", "", "method", "type")
	l.add(j.Grader, "the grader of the run", reinforcement("grader")...)
	if len(j.Tools) > 0 {
		tools, err := toolsOf(j)
		if err != nil {
			return nil, nil, err
		}
		l.add(tools, "the tools of the run's job; if a header was secret, put it back", reinforcement("tools")...)
	}
	if len(j.ResponseFormat) > 0 {
		l.add(j.ResponseFormat, "as in the run's job", reinforcement("response_format")...)
	}
	if c.calls.n > 0 {
		l.add(2*c.calls.n+1, fmt.Sprintf("%s, a turn for each, and the answer: %s", count(c.calls.n, "tool call"),
			c.calls.why), reinforcement("max_episode_steps")...)
	}
	hyper := func(n number, most int, key string) {
		if n.n > most {
			n = number{most, fmt.Sprintf("the most that the API description of 2026-11 allows; %d: %s", n.n, n.why)}
		}
		l.number(n, reinforcement("hyperparameters", key)...)
	}
	const mostBatch, mostEpochs = 256, 50
	batch := min(c.batch.n, mostBatch)
	hyper(c.batch, mostBatch, "batch_size")
	hyper(c.epochs, mostEpochs, "n_epochs")
	if c.eval != nil {
		steps := min(c.epochs.n, mostEpochs) * ((itemCount(c.train) + batch - 1) / batch)
		hyper(c.evalEvery.within(steps), math.MaxInt, "eval_interval")
		hyper(c.evalSamples, math.MaxInt, "eval_samples")
	}
	if e := j.Hyper.ReasoningEffort; e != "" {
		l.add(e, "as in the run's job", reinforcement("hyperparameters", "reasoning_effort")...)
	}
	head := append(c.head("The body for fine_tuning.jobs.create."),
		c.settings("A job", c.parameters(&l, 0, "", one(nil)))...)
	return append(head,
		fmt.Sprintf("The measurements support groups of %d (%s); a platform scales them by", c.group.n,
			c.group.why),
		"compute_multiplier, and how many rollouts of an item a multiplier means is not published.",
		"A platform filters nothing by difficulty: "+c.difficulty()+leaveOut), l, nil
}

// toolsOf returns the tools of a job as JSON in the format of the job.
func toolsOf(j *job.Job) (json.RawMessage, error) {
	var tools []map[string]any
	for _, t := range j.Tools {
		keys := make(map[string]any)
		for k, v := range t.Extra {
			keys[k] = v
		}
		keys["name"], keys["server_url"] = t.Name, t.ServerURL
		if len(t.Headers) > 0 {
			keys["headers"] = t.Headers
		}
		tools = append(tools, keys)
	}
	return json.Marshal(tools)
}
