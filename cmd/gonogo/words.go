package main

// glossary explains the words that pages, findings and files use, in the order
// in which they build on each other.
var glossary = []struct{ word, meaning string }{
	{"item", "one data point: a row of a data file, with its messages and what the grader needs to know."},
	{"split", "where an item comes from: train, eval or production."},
	{"rollout", "one try of the model at an item, with its tool calls, ending in an outcome."},
	{"sample", "the number of a rollout within its item, from 0; samples are the rollouts per item."},
	{"reward", "the number that the grader gave a rollout, within the reward range."},
	{"outcome", "how a rollout ended: graded; no_answer or step_limit, which are the model's own doing and count at the bottom of the reward range; model_api, tool or grader, which are missing data because that endpoint failed."},
	{"group", "the rollouts of one item that a trainer compares with each other. Its size is the trainer's: num_generations, rollout.n, rollouts per example."},
	{"informative group", "a group whose rewards differ. From the others a trainer of the GRPO family learns nothing."},
	{"best of k", "the reward one can expect of the best of k rollouts of an item, on average over items."},
	{"lift", "best of a group minus the mean reward: what training can pull the mean towards."},
	{"dead, saturated, flat, mixed", "an item whose rewards are all at the bottom of the range, all at the top, all equal in between, or different."},
	{"gate", "one check with a threshold. Blocking gates decide the verdict; advisory ones make cautions."},
	{"finding", "a gate's answer: pass, fail, unknown (the interval lies across the threshold) or skipped."},
	{"verdict", "what the findings add up to. NO-GO: a blocking gate fails. UNDECIDED: none fails and one is unknown. GO: all pass."},
	{"interval", "in brackets: where the true value lies with 95 % confidence. Findings on train speak of the items of that file alone, so theirs can be narrower than those of the headline numbers, which speak of items like these."},
	{"exit codes", "0 GO or done, 1 the tool failed, 2 usage or configuration, 3 NO-GO or regressed, 4 UNDECIDED or cannot tell, 5 stopped by budget, 130 interrupted."},
}
