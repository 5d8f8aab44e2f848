package queue

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gonogo/sampler"
)

// Unled is a run that nobody leads, whose jobs and results are kept: its planner
// is gone, or begins just now.
type Unled struct {
	Run     string
	Jobs    int // that no worker has made, or that one makes
	Results int // that are not recorded
}

// Unled lists the runs that nobody leads, or that one where it is so, by name; led
// are those that Status tells. A server without JetStream keeps none.
func (c *Conn) Unled(ctx context.Context, run string, led []Status) ([]Unled, error) {
	ctx, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	streams := c.js.ListStreams(ctx, jetstream.WithStreamListSubject("gonogo.>"))
	kept := map[string]*Unled{}
	for info := range streams.Info() {
		id := info.Config.Metadata["gonogo_run"]
		mine := safe(id)
		if id == "" || run != "" && id != run || slices.ContainsFunc(led, func(s Status) bool { return s.Run == id }) {
			continue
		}
		u := kept[id]
		if u == nil {
			u = &Unled{Run: sampler.Brief(id)}
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
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		return nil, nil
	case err != nil && !errors.Is(err, jetstream.ErrEndOfData):
		return nil, c.explain("list the runs", err)
	}
	all := make([]Unled, 0, len(kept))
	for _, u := range kept {
		all = append(all, *u)
	}
	slices.SortFunc(all, func(a, b Unled) int { return strings.Compare(a.Run, b.Run) })
	return all, nil
}
