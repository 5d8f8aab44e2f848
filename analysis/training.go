package analysis

// Training is the plan of the training, as written in a configuration.
type Training struct {
	GroupSize    int     `json:"group_size" default:"8" min:"2" max:"100000" doc:"rollouts of one item that the trainer compares with each other"`
	BatchSize    int     `json:"batch_size" or:"the job's batch_size when it is a number, else 0" min:"0" example:"16" doc:"items per training step; 0 is unknown"`
	Epochs       int     `json:"epochs" or:"the job's n_epochs when it is a number, else 0" min:"0" example:"2" doc:"passes over the training items; 0 is unknown"`
	EvalInterval int     `json:"eval_interval" or:"the job's eval_interval when it is a number, else 0" min:"0" example:"10" doc:"training steps between evaluations; 0 is unknown"`
	EvalSamples  int     `json:"eval_samples" or:"the job's eval_samples when it is a number, else 0" min:"0" example:"4" doc:"rollouts of an eval item at each evaluation of the training; 0 is unknown"`
	Parameters   float64 `json:"parameters,omitzero" or:"unknown: trainer time is not counted" min:"0" example:"4e9" doc:"parameters of the trained model (of a mixture of experts, the active ones): trainer time is 6 FLOP per parameter and trained token, divided by training.flops"`
	Flops        float64 `json:"flops,omitzero" or:"unknown: trainer time is not counted" min:"0" example:"4e14" doc:"FLOP per second that the trainer sustains, all its devices together; 4e14 is 40 % of the dense bf16 peak of one H100"`
	WantedShare  float64 `json:"wanted_share" default:"0.5" min:"0.001" max:"1" doc:"the share of informative groups that a proposed group size aims for"`
}

// Plan copies the plan of the training, and what its trainer does, into the settings.
func (s *Settings) Plan(t Training, by Trainer) {
	s.GroupSize, s.WantedShare, s.Normalize, s.Epsilon = t.GroupSize, t.WantedShare, by.Normalize, by.Epsilon
	s.BatchSize, s.Epochs = t.BatchSize, t.Epochs
	s.EvalInterval, s.EvalSamples = t.EvalInterval, t.EvalSamples
	s.Parameters, s.TrainerFlops = t.Parameters, t.Flops
}

// Trainer is what the trainer does with rewards, as written in a configuration.
type Trainer struct {
	Normalize string  `json:"normalize,omitzero" default:"std" doc:"what the trainer divides a group's advantages by: std, its rewards' standard deviation (GRPO and its like by default), so that any difference in rewards teaches; none (Dr. GRPO; scale_rewards none in TRL), so that small differences teach little"`
	Epsilon   float64 `json:"epsilon,omitzero" default:"0.0001" min:"0" doc:"what the trainer adds to that standard deviation, in units of the reward: 1e-4 in TRL, 1e-6 in verl; a group whose standard deviation is less keeps less than half of its advantages, and counts as one whose rewards are equal"`
}
