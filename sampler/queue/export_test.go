package queue

import "gonogo/sampler"

// Key is what a job's messages are under.
func Key(run string, job sampler.Job) string {
	return string(keyOf(run, job.Item.Split, job.Item.ID, job.Sample, job.Attempt))
}

// Narrow leaves that many bytes of room for a record.
func (m *Member) Narrow(room int) { m.room = room }

// Lines are those that a member's requests wait in.
func (m *Member) Throttle() sampler.Throttle { return lines{m, func(*requestOutcome) {}} }
