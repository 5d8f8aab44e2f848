package recipe

import (
	"fmt"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
)

// skyrl returns overrides of SkyRL's configuration, which counts batches in prompts.
func skyrl(c *recipe) ([]string, []line, error) {
	var l list
	model(&l, c, "trainer", "policy", "model", "path")
	l.add(c.batch.n, "prompts a step: "+c.batch.why, "trainer", "train_batch_size")
	l.add(c.batch.n, "prompts, too: one update a step, so that rollouts never come from an older model", "trainer",
		"policy_mini_batch_size")
	l.number(c.epochs, "trainer", "epochs")
	l.number(c.steps, "trainer", "max_training_steps")
	l.number(c.prompt.orDefault(512, textOfPrompts), "trainer", "max_prompt_length")
	algorithm := []string{"trainer", "algorithm"}
	l.add("grpo", "the analysis is of groups of rollouts of one item", under(algorithm, "advantage_estimator")...)
	l.add(c.given.Normalize != analysis.NormalizeNone, "as the analysis assumed (trainer.normalize)",
		under(algorithm, "grpo_norm_by_std")...)
	l.add("filter", c.difficulty()+"; they are replaced in the batch", under(algorithm, "dynamic_sampling", "type")...)
	l.number(c.group, "generator", "n_samples_per_prompt")
	if c.calls.n > 0 {
		l.add(c.calls.n+1, fmt.Sprintf("%s, one a turn, and the answer: %s", count(c.calls.n, "tool call"),
			c.calls.why), "generator", "max_turns")
		if c.prompt.n > 0 && c.response.n > 0 {
			l.add(c.prompt.n+c.response.n, "the whole conversation: "+c.prompt.why+"; "+c.response.why, "generator",
				"max_input_length")
		}
	}
	turn := c.tokens
	if turn.n > 0 && c.calls.n > 0 {
		turn.why = "a limit for each turn, from the tokens of all turns: " + turn.why
	}
	turn = turn.orDefault(1024, tokensOfRollouts)
	keys := func(base ...string) func(string) []string {
		return func(name string) []string {
			switch {
			case name == "chat_template_kwargs" && base[1] == "sampling_params":
				return []string{"generator", name}
			case name == "chat_template_kwargs": // it holds for evaluations, too
				return nil
			case slices.Contains([]string{"temperature", "top_p", "top_k", "min_p"}, name):
				return append(slices.Clone(base), name)
			}
			return append(slices.Clone(base), "additional_kwargs", name)
		}
	}
	l.number(turn, "generator", "sampling_params", "max_generate_length")
	unsupported := c.parameters(&l, -1, "", keys("generator", "sampling_params"))
	if cut := c.train.Ends.CutOff; cut != nil && cut.Value != nil && *cut.Value > 0 {
		l.add(true, fmt.Sprintf("%s of the rollouts were cut off: their rewards say little",
			message.Percent(*cut.Value)), "generator", "apply_overlong_filtering")
	}
	if c.eval != nil {
		l.number(c.evalEvery, "trainer", "eval_interval")
		l.number(c.evalSamples, "generator", "eval_n_samples_per_prompt")
		l.add(turn.n, asInTrain, "generator", "eval_sampling_params", "max_generate_length")
		c.parameters(&l, -1, asInTrain, keys("generator", "eval_sampling_params"))
	}
	head := c.head("Overrides of SkyRL's configuration (0.4.0); add data.train_data, environment.env_class and your " +
		"hardware. bash FILE starts it.")
	return append(head, c.settings("SkyRL", unsupported)...), l, nil
}

// nemoRL returns a configuration of NeMo RL. Its steps count prompts, its updates rollouts.
func nemoRL(c *recipe) ([]string, []line, error) {
	var l list
	l.add("grpo_math_1B.yaml", "NeMo RL's own configuration, which this one changes", "defaults")
	l.add(c.batch.n, "prompts a step: "+c.batch.why, "grpo", "num_prompts_per_step")
	l.number(c.group, "grpo", "num_generations_per_prompt")
	if c.calls.n > 0 {
		l.add(c.calls.n+1, fmt.Sprintf("%s, one a turn, and the answer: %s", count(c.calls.n, "tool call"),
			c.calls.why), "grpo", "max_rollout_turns")
	}
	l.number(c.epochs, "grpo", "max_num_epochs")
	l.number(c.steps, "grpo", "max_num_steps")
	l.add(c.given.Normalize != analysis.NormalizeNone, "as the analysis assumed (trainer.normalize)", "grpo",
		"normalize_rewards")
	l.add(true, c.difficulty()+"; they are replaced in the batch", "grpo", "use_dynamic_sampling")
	if c.eval != nil {
		l.number(c.evalEvery, "grpo", "val_period")
		items := itemCount(c.eval)
		l.add(items, "all items of eval", "grpo", "max_val_samples")
		l.add(items, "in one batch: of an incomplete batch nothing is evaluated", "grpo", "val_batch_size")
	}
	model(&l, c, "policy", "model_name")
	l.add(c.batch.n*c.group.n, fmt.Sprintf("rollouts, not prompts: %s x %d, one update a step, so that rollouts never "+
		"come from an older model", count(c.batch.n, "item"), c.group.n), "policy", "train_global_batch_size")
	l.number(c.wholeLength(512), "policy", "max_total_sequence_length")
	generation := []string{"policy", "generation"}
	if c.tokens.n > 0 {
		l.add(c.tokens.n, "a limit for each turn, from the tokens of all turns: "+c.tokens.why,
			under(generation, "max_new_tokens")...)
	}
	var kept list
	unsupported := c.parameters(&kept, -1, "", one(generation, "temperature", "top_p", "top_k"))
	for _, x := range kept {
		if x.path[len(x.path)-1] == "top_k" && fmt.Sprintf("%s", x.value) == "-1" {
			x.value = nil
		}
		l = append(l, x)
	}
	head := c.head("A configuration of NeMo RL, to be put into its examples/configs: uv run examples/run_grpo.py " +
		"--config FILE. Add your data and env.")
	head = append(head, c.evalSamplesOf("NeMo RL")...)
	return append(head, c.settings("NeMo RL", unsupported)...), l, nil
}

// openRLHF returns the flags of OpenRLHF's train_ppo_ray. A round of rollouts counts prompts, an
// update rollouts.
func openRLHF(c *recipe) ([]string, []line, error) {
	var l list
	model(&l, c, "actor", "model_name_or_path")
	l.add(c.batch.n, "prompts a step: "+c.batch.why, "rollout", "batch_size")
	l.number(c.group, "rollout", "n_samples_per_prompt")
	l.add(c.batch.n*c.group.n, fmt.Sprintf("rollouts, not prompts: %s x %d, one update a step, so that rollouts never "+
		"come from an older model", count(c.batch.n, "item"), c.group.n), "train", "batch_size")
	l.number(c.epochs, "train", "num_episodes")
	l.number(c.wholeLength(2048), "data", "max_len")
	if c.tokens.n > 0 {
		l.add(c.tokens.n, "a limit for each turn, from the tokens of all turns: "+c.tokens.why, "rollout",
			"max_new_tokens")
	}
	unsupported := c.parameters(&l, -1, "", one([]string{"rollout"}, "temperature", "top_p"))
	estimator, why := "group_norm", "advantages are divided by the standard deviation of the group, as the analysis "+
		"assumed (trainer.normalize: std)"
	if c.given.Normalize == analysis.NormalizeNone {
		estimator, why = "dr_grpo", "advantages are not divided by the standard deviation, as the analysis assumed "+
			"(trainer.normalize: none)"
	}
	l.add(estimator, why, "algo", "advantage", "estimator")
	l.add(true, c.difficulty()+"; they are replaced in the batch", "algo", "dynamic_filtering_enable")
	r := c.r.Range()
	l.add([]float64{r.Lo, r.Hi}, "a group is kept if its mean is between them: the reward range", "algo",
		"dynamic_filtering_range")
	if c.eval != nil {
		l.number(c.evalEvery, "eval", "steps")
		l.number(c.evalSamples, "eval", "n_samples_per_prompt")
		c.parameters(&l, -1, asInTrain, one([]string{"eval"}, "temperature"))
	}
	head := c.head("The flags of OpenRLHF's train_ppo_ray (0.11.2); add --data.prompt_dataset, --eval.dataset, your " +
		"reward (--reward.remote_url, or --train.agent_func_path for an agent) and your hardware. bash FILE starts it.")
	head = append(head, c.settings("OpenRLHF", unsupported)...)
	head = c.turnsOf(head)
	return append(head, fmt.Sprintf("OpenRLHF has no key for the number of steps: %d follow from the episodes.",
		c.steps.n)), l, nil
}

// wholeLength returns the tokens of prompt and response together.
func (c *recipe) wholeLength(trainers int) number {
	switch {
	case c.response.n == 0:
		return number{}.orDefault(trainers, tokensOfRollouts)
	case c.prompt.n == 0:
		return number{}.orDefault(trainers, textOfPrompts)
	}
	return number{c.prompt.n + c.response.n, "prompt and response: " + c.prompt.why + "; " + c.response.why}
}

func under(base []string, path ...string) []string { return append(slices.Clone(base), path...) }
