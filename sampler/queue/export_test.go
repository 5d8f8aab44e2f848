package queue

import (
	"gonogo/sampler"
	"gonogo/sampler/endpoint"
)

// Key is what a job's messages are under.
func Key(run string, job sampler.Rollout) string {
	return string(keyOf(run, job.Item.Split, job.Item.ID, job.Sample, job.Attempt))
}

// Narrow leaves that many bytes of room for a record.
func (m *Member) Narrow(room int) { m.room = room }

// Queue is what a member's requests wait in.
func (m *Member) Queue() endpoint.Queue { return lines{m, func(*requestOutcome) {}} }
