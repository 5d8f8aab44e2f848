package queue

import "gonogo/sampler/limit"

// Settings configures the queue that distributes the jobs.
type Settings struct {
	Address
	Wait       limit.Duration `json:"wait" default:"30s" doc:"longest wait, when a run begins, for a server that is not up yet, or a cluster without a leader; 0s does not wait; workers wait without limit"`
	Replicas   int            `json:"replicas" default:"1" min:"1" max:"5" doc:"on how many servers of a cluster jobs and results are stored: 3 survive the loss of one"`
	Deliveries int            `json:"deliveries" default:"4" min:"1" max:"1000" doc:"after losing this many workers a rollout is not assigned again: its outcome is tool, kind worker_lost, and the next call of the command retries it"`
}
