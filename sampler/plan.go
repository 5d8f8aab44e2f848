package sampler

import "gonogo/sampler/rollout"

// Job is one rollout to make.
type Job struct {
	Item    *rollout.Item
	Sample  int
	Attempt int
}

// Plan lists the rollouts that a run still lacks: samples of every item of
// each split, minus what is recorded. state tells what is recorded of a
// rollout; one whose record is missing data, because a boundary failed, comes
// again as its next attempt.
//
// The jobs go round the items: sample 0 of every item, then sample 1, so that
// a run that is stopped early has seen every item about equally often. The jobs
// point into items.
func Plan(items []rollout.Item, samples map[rollout.Split]int, state func(rollout.Key) (attempt int, outcome rollout.Outcome, done bool)) []Job {
	return PlanEach(items, func(it *rollout.Item) int { return samples[it.Split] }, state)
}

// PlanEach is Plan for as many samples of each item as samples tells.
func PlanEach(items []rollout.Item, samples func(*rollout.Item) int, state func(rollout.Key) (attempt int, outcome rollout.Outcome, done bool)) []Job {
	want, most := make([]int, len(items)), 0
	for i := range items {
		want[i] = samples(&items[i])
		most = max(most, want[i])
	}
	var jobs []Job
	for sample := range most {
		for i := range items {
			it := &items[i]
			if sample >= want[i] {
				continue
			}
			job := Job{Item: it, Sample: sample}
			if state != nil {
				attempt, outcome, done := state(rollout.Key{Split: it.Split, Item: it.ID, Sample: sample})
				if done && !outcome.Missing() {
					continue
				}
				if done {
					job.Attempt = attempt + 1
				}
			}
			jobs = append(jobs, job)
		}
	}
	return jobs
}
