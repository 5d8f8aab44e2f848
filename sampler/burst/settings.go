package burst

// Settings is the part of a configuration that describes the rehearsal of a training step.
type Settings struct {
	Safe     []string `json:"safe,omitzero" or:"none" example:"[search, cat]" doc:"tools that change nothing: gonogo burst calls them without asking, and with arguments generated from their schema if no call was recorded"`
	Skip     []string `json:"skip,omitzero" or:"none" example:"[send_mail]" doc:"tools that gonogo burst never calls, recorded or not"`
	Rollouts int      `json:"rollouts" default:"0" min:"0" max:"100000" doc:"rollouts that start at once; 0 is training.batch_size times training.group_size"`
	Least    int      `json:"least" default:"80" min:"0" max:"1000000" doc:"total rollouts in bursts of that size; if none of 80 is lost, fewer than 5 % are (95 % confidence)"`
	Repeats  int      `json:"repeats" default:"24" min:"0" max:"100000" doc:"rollouts whose requests are made twice, to see whether the answers are the same; 0 skips that"`
	Gaps     *bool    `json:"gaps,omitzero" default:"false" doc:"whether to keep the recorded time between the calls of a rollout; without it the load is heavier than with a model"`
}
