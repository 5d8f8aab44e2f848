package queue

import (
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gonogo/sampler/endpoint"
)

// LeaderlessRun is a run without a planner whose jobs and results are still on the server:
// its planner is gone, or is just starting.
type LeaderlessRun struct {
	Run     string
	Jobs    int // jobs that are not finished
	Results int // results that are not recorded
}

// Leaderless lists the runs without a planner, sorted by run, or only the given run if it has
// none. led is what Status returned. A server without JetStream keeps no runs.
func (c *Conn) Leaderless(ctx context.Context, run string, led []Status) ([]LeaderlessRun, error) {
	ctx, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	streams := c.js.ListStreams(ctx, jetstream.WithStreamListSubject("gonogo.>"))
	kept := map[string]*LeaderlessRun{}
	for info := range streams.Info() {
		id := info.Config.Metadata["gonogo_run"]
		mine := safe(id)
		if id == "" || run != "" && id != run || slices.ContainsFunc(led, func(s Status) bool { return s.Run == id }) {
			continue
		}
		u := kept[id]
		if u == nil {
			u = &LeaderlessRun{Run: endpoint.Brief(id)}
		}
		switch info.Config.Name {
		case mine.jobs():
			u.Jobs = int(info.State.Msgs)
		case mine.results():
			u.Results = int(info.State.Msgs)
		default:
			continue
		}
		kept[id] = u
	}
	switch err := streams.Err(); {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount),
		errors.Is(err, nats.ErrNoResponders):
		return nil, nil
	case err != nil && !errors.Is(err, jetstream.ErrEndOfData):
		return nil, c.explain("list the runs", err)
	}
	all := make([]LeaderlessRun, 0, len(kept))
	for _, u := range kept {
		all = append(all, *u)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Run < all[j].Run })
	return all, nil
}
