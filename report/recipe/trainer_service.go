package recipe

import (
	"encoding/json"
	"fmt"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/input/dataset"
)

// sagemaker returns the hyperparameters of a multi-turn training, within what the platform accepts.
func sagemaker(c *recipe) ([]string, []line, error) {
	target, _ := dataset.TargetByName("sagemaker")
	within := func(n number, setting string) number { return n.accepted(target, setting) }
	var l list
	l.number(within(c.group, dataset.SettingGroupSize), "group_size")
	batch := within(number{c.batch.n, "items a step: " + c.batch.why}, dataset.SettingBatchSize)
	epochs := within(c.epochs, dataset.SettingEpochs)
	l.number(batch, "global_batch_size")
	l.number(epochs, "max_epochs")
	steps := stepsOf(epochs.n, itemCount(c.train), batch.n)
	const mostSteps = 1000 // of max_steps, on the page of the other ranges
	if steps.n > mostSteps {
		steps = number{mostSteps, fmt.Sprintf("the most that sagemaker accepts, of %d (%s)", steps.n, steps.why)}
	}
	l.number(steps, "max_steps")
	if c.tokens.n > 0 {
		l.number(within(number{c.tokens.n, "a limit for each turn, from the tokens of all turns: " + c.tokens.why},
			dataset.SettingMaxTokens), "sampling_max_tokens")
	}
	unsupported := c.parameters(&l, -1, "", func(name string) []string {
		switch name {
		case "temperature":
			return []string{"temperature"}
		case "top_p":
			return []string{"sampling_top_p"}
		}
		return nil
	})
	if c.eval != nil {
		l.number(within(c.evalEvery.within(steps.n), dataset.SettingEvalInterval), "val_every")
	}
	head := c.head("The hyperparameters of Amazon SageMaker AI's multi-turn reinforcement learning: " +
		"trainer.hyperparameters.KEY = VALUE on a MultiTurnRLTrainer of the package sagemaker-train.")
	head = append(head, "The names and ranges are those of docs.aws.amazon.com/sagemaker/latest/dg/"+
		"model-customize-mtrl-hyperparams.html, read 2026-11-30.")
	head = append(c.modelOf(head, "the argument model of the trainer"), c.settings("SageMaker", unsupported)...)
	head = append(c.turnsOf(head), c.evalSamplesOf("SageMaker")...)
	return append(head, "SageMaker filters nothing by difficulty: "+c.difficulty()+leaveOut), l, nil
}

// accepted moves a number into what a platform accepts for a setting, and says so.
func (n number) accepted(target dataset.Target, setting string) number {
	i := slices.IndexFunc(target.Training, func(r dataset.Range) bool { return r.Setting == setting })
	if i < 0 || n.n == 0 {
		return n
	}
	nearest := target.Training[i].Nearest(float64(n.n))
	if int(nearest) == n.n {
		return n
	}
	return number{int(nearest), fmt.Sprintf("the nearest to %d that %s accepts (%s)", n.n, target.Name, n.why)}
}

// tinker returns the fields of tinker-cookbook's rl.train.Config, and of a dataset builder like
// those of its recipes, which count a batch in groups.
func tinker(c *recipe) ([]string, []line, error) {
	var l list
	if c.given.Model != "" {
		l.add(c.given.Model, "the model that was measured", "model_name")
	}
	l.add(c.batch.n, "groups a step, one of each item: "+c.batch.why, "dataset_builder", "batch_size")
	l.number(c.group, "dataset_builder", "group_size")
	l.number(c.epochs, "num_epochs")
	l.number(c.steps, "max_steps")
	if c.tokens.n > 0 {
		l.add(c.tokens.n, "a limit for each turn, from the tokens of all turns: "+c.tokens.why, "max_tokens")
	}
	unsupported := c.parameters(&l, -1, "", one(nil, "temperature"))
	l.add(true, c.difficulty()+"; a step leaves their groups out and is smaller by them",
		"remove_constant_reward_groups")
	if c.eval != nil {
		l.number(c.evalEvery, "eval_every")
	}
	head := c.head("Arguments for a script that makes a chz blueprint of tinker_cookbook.rl.train.Config, as " +
		"tinker_cookbook/recipes/rl_basic.py does: put yours in its place. bash FILE starts it.")
	head = append(head, "dataset_builder.batch_size and group_size are the names of that recipe's builder; those "+
		"of verifiers_rl are groups_per_batch and group_size.")
	if c.given.Normalize != analysis.NormalizeNone {
		head = append(head, "tinker-cookbook subtracts the mean of a group but does not divide by its standard "+
			"deviation; the analysis assumed that it does: set trainer.normalize: none and analyze again.")
	}
	head = append(c.turnsOf(append(head, c.settings("tinker-cookbook's Config", unsupported)...)),
		c.evalSamplesOf("tinker-cookbook")...)
	return head, l, nil
}

// fireworks returns the flags of eval-protocol's create rft.
func fireworks(c *recipe) ([]string, []line, error) {
	target, _ := dataset.TargetByName("fireworks")
	var l list
	if c.given.Model != "" {
		l.add(c.given.Model, "the model that was measured, by its name at Fireworks "+
			"(accounts/fireworks/models/…)", "base-model")
	}
	l.number(c.group, "response-candidates-count")
	l.add(c.batch.n, "rows of each round of rollouts; without it 200, and all of a file of 300 rows or fewer: "+
		c.batch.why, "chunk-size")
	l.number(c.epochs.accepted(target, dataset.SettingEpochs), "epochs")
	if c.tokens.n > 0 {
		l.add(c.tokens.n, "a limit for each response, from the tokens of all turns: "+c.tokens.why,
			"max-output-tokens")
	}
	if c.prompt.n > 0 && c.response.n > 0 {
		l.add(c.prompt.n+c.response.n, "prompt and response: "+c.prompt.why+"; "+c.response.why, "max-context-length")
	}
	extra := map[string]json.RawMessage{}
	var found list
	c.parameters(&found, 0, "", func(name string) []string { return []string{name} })
	for _, x := range found {
		if len(x.path) > 1 || !slices.Contains([]string{"temperature", "top_p", "top_k"}, x.path[0]) {
			continue
		}
		l.add(x.value, x.why, map[string]string{"temperature": "temperature", "top_p": "top-p", "top_k": "top-k"}[x.path[0]])
	}
	for name, value := range c.given.Sampling.InForce() {
		if !slices.Contains([]string{"temperature", "top_p", "top_k"}, name) {
			extra[name] = value
		}
	}
	if len(extra) > 0 {
		text, err := json.Marshal(extra)
		if err != nil {
			return nil, nil, fmt.Errorf("write the parameters of the model: %w", err)
		}
		l.add(string(text), asSampled, "extra-body")
	}
	l.add("grpo", "the analysis is of groups of rollouts of one item", "rl-loss-method")
	head := c.head("The flags of Fireworks' eval-protocol create rft (0.3.33): add --dataset and --evaluator to them. " +
		"bash FILE starts it.")
	head = append(c.turnsOf(append(head, c.settings("Fireworks", nil)...)),
		"Fireworks has no key for the interval of evaluations, the rollouts of an eval item or the number of steps: "+
			"a job takes --evaluation-dataset, and "+message.Whole(c.steps.n)+" steps follow from the epochs.")
	return append(head, "Fireworks filters nothing by difficulty: "+c.difficulty()+leaveOut), l, nil
}

// modelOf names the measured model in the head, where the configuration has no key for it.
func (c *recipe) modelOf(head []string, where string) []string {
	if c.given.Model == "" {
		return head
	}
	return append(head, "The model that was measured is "+c.given.Model+": "+where+".")
}

// turnsOf says how many turns an agent may take, where the configuration has no key for it.
func (c *recipe) turnsOf(head []string) []string {
	if c.calls.n == 0 {
		return head
	}
	return append(head, fmt.Sprintf("No key limits the turns: let your agent stop after %d (%s).", c.calls.n+1,
		c.calls.why))
}

// evalSamplesOf says how many rollouts of an eval item are needed, where the configuration has no
// key for them.
func (c *recipe) evalSamplesOf(trainer string) []string {
	if c.eval == nil || c.evalSamples.n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s has no key for the rollouts of an eval item: take %d (%s).", trainer,
		c.evalSamples.n, c.evalSamples.why)}
}
